// JPEG XL decoder: libjxl on one thread. It converts its own colours (XYB) to sRGB; others keep their profile.
#ifdef NB_JXL
#include "internal.h"

#include <stdlib.h>
#include <string.h>

#include <jxl/decode.h>
#include <jxl/version.h>

// Since 0.9, the functions about colours take no pixel format.
#if JPEGXL_NUMERIC_VERSION >= JPEGXL_COMPUTE_NUMERIC_VERSION(0, 9, 0)
#define OF_PIXELS(decoder) (decoder), JXL_COLOR_PROFILE_TARGET_DATA
#define OF_ORIGINAL(decoder) (decoder), JXL_COLOR_PROFILE_TARGET_ORIGINAL
#else
#define OF_PIXELS(decoder) (decoder), NULL, JXL_COLOR_PROFILE_TARGET_DATA
#define OF_ORIGINAL(decoder) (decoder), NULL, JXL_COLOR_PROFILE_TARGET_ORIGINAL
#endif

/// The most that libjxl may hold to read a header, whose profile may have any size.
#define HEADER_BYTES ((size_t)32 << 20)

/// What libjxl may allocate. Before 0.11, it asks for little of what it holds.
typedef struct {
    size_t left;
    int is_exceeded;
} budget;

/// Before each allocation stands its size, in as many bytes as malloc aligns to.
enum { PREFIX = 16 };

static void *allocate(void *opaque, size_t count) {
    budget *self = opaque;
    if (count > self->left || count > SIZE_MAX - PREFIX) {
        self->is_exceeded = 1;
        return NULL;
    }
    uint8_t *memory = malloc(count + PREFIX);
    if (memory == NULL) return NULL;
    memcpy(memory, &count, sizeof count);
    self->left -= count;
    return memory + PREFIX;
}

static void release(void *opaque, void *memory) {
    budget *self = opaque;
    if (memory == NULL) return;
    size_t count;
    memcpy(&count, (uint8_t *)memory - PREFIX, sizeof count);
    self->left += count;
    free((uint8_t *)memory - PREFIX);
}

typedef struct {
    budget memory;
    JxlDecoder *decoder;
} file;

static void close_file(file *self) {
    if (self->decoder != NULL) JxlDecoderDestroy(self->decoder);
}

/// `self` must stay where it is until it is closed.
static nb_status open_file(const uint8_t *bytes, size_t count, int events, size_t most_bytes, file *self,
                           nb_error *error) {
    self->memory = (budget){.left = most_bytes};
    const JxlMemoryManager manager = {.opaque = &self->memory, .alloc = allocate, .free = release};
    self->decoder = JxlDecoderCreate(&manager);
    if (self->decoder == NULL) return nb_fail(error, NB_MEMORY, "not enough memory");
    if (JxlDecoderSubscribeEvents(self->decoder, events) != JXL_DEC_SUCCESS ||
        JxlDecoderSetKeepOrientation(self->decoder, JXL_TRUE) != JXL_DEC_SUCCESS ||
        JxlDecoderSetUnpremultiplyAlpha(self->decoder, JXL_TRUE) != JXL_DEC_SUCCESS ||
        JxlDecoderSetInput(self->decoder, bytes, count) != JXL_DEC_SUCCESS)
        return nb_fail(error, NB_PROCESSING, "libjxl takes no input");
    return NB_OK;
}

/// Decodes up to an event, which must be the next one.
static nb_status advance(file *self, JxlDecoderStatus event, nb_error *error) {
    JxlDecoderStatus found = JxlDecoderProcessInput(self->decoder);
    if (found == event) return NB_OK;
    if (self->memory.is_exceeded)
        return nb_fail(error, NB_LIMITS, "it needs more memory than an image of its size");
    if (found == JXL_DEC_NEED_MORE_INPUT)
        return nb_cut(error);
    return nb_fail(error, NB_CORRUPT, found == JXL_DEC_ERROR ? "libjxl cannot decode it" : "it has no image");
}

/// Refuses channels without which the colours mean nothing: ISO/IEC 18181-1, table D.9.
static nb_status check_channels(const JxlDecoder *decoder, const JxlBasicInfo *info, nb_error *error) {
    for (uint32_t i = 0; i < info->num_extra_channels; i++) {
        JxlExtraChannelInfo channel;
        if (JxlDecoderGetExtraChannelInfo(decoder, i, &channel) != JXL_DEC_SUCCESS)
            return nb_fail(error, NB_CORRUPT, "its channels are not described");
        switch (channel.type) {
            case JXL_CHANNEL_BLACK: return nb_fail(error, NB_UNSUPPORTED, "its colours are inks (CMYK)");
            case JXL_CHANNEL_CFA:
                return nb_fail(error, NB_UNSUPPORTED, "its pixels are those of a sensor (colour filter array)");
            // The others stand beside the colours, or are spot colours, which libjxl draws.
            case JXL_CHANNEL_ALPHA: case JXL_CHANNEL_DEPTH: case JXL_CHANNEL_SPOT_COLOR:
            case JXL_CHANNEL_SELECTION_MASK: case JXL_CHANNEL_THERMAL: case JXL_CHANNEL_OPTIONAL: break;
            default: return nb_fail(error, NB_UNSUPPORTED, "it has a channel of a kind that is not known");
        }
    }
    return NB_OK;
}

static int is_srgb(const JxlColorEncoding *colors) {
    if (colors->transfer_function != JXL_TRANSFER_FUNCTION_SRGB || colors->white_point != JXL_WHITE_POINT_D65) return 0;
    return colors->color_space == JXL_COLOR_SPACE_GRAY ||
           (colors->color_space == JXL_COLOR_SPACE_RGB && colors->primaries == JXL_PRIMARIES_SRGB);
}

/// Of PQ and HLG. libjxl's numbers are those of H.273, which has a code of its own for P3 around daylight.
static nb_hdr hdr_of(const JxlColorEncoding *colors) {
    int primaries = (int)colors->primaries;
    if (colors->color_space == JXL_COLOR_SPACE_GRAY) primaries = JXL_PRIMARIES_2100;
    else if (primaries == JXL_PRIMARIES_P3) primaries = 12;
    nb_hdr hdr = nb_codes_hdr(primaries, (int)colors->transfer_function);
    if (colors->white_point != JXL_WHITE_POINT_D65 || primaries == JXL_PRIMARIES_CUSTOM) hdr.curve = NB_HDR_OTHER;
    return hdr;
}

/// Finds the curve of an HDR picture, whose pixels libjxl is to leave as they are.
static nb_status find_hdr(JxlDecoder *decoder, const JxlBasicInfo *info, nb_hdr *hdr, nb_error *error) {
    JxlColorEncoding colors, shown;
    *hdr = (nb_hdr){.curve = NB_HDR_NONE};
    if (JxlDecoderGetColorAsEncodedProfile(OF_ORIGINAL(decoder), &colors) != JXL_DEC_SUCCESS ||
        (colors.transfer_function != JXL_TRANSFER_FUNCTION_PQ && colors.transfer_function != JXL_TRANSFER_FUNCTION_HLG))
        return NB_OK;
    *hdr = hdr_of(&colors);
    if (info->uses_original_profile) return NB_OK;
    (void)JxlDecoderSetPreferredColorProfile(decoder, &colors);
    if (JxlDecoderGetColorAsEncodedProfile(OF_PIXELS(decoder), &shown) == JXL_DEC_SUCCESS &&
        shown.transfer_function == colors.transfer_function && hdr_of(&shown).primaries == hdr->primaries)
        return NB_OK;
    return nb_fail(error, NB_UNSUPPORTED, "libjxl cannot decode its HDR colours");
}

/// Asks for colours where libjxl has the choice. It divides by alpha what it has converted, so that colours that alpha has
/// multiplied must come as they were then.
static void choose_colors(JxlDecoder *decoder, const JxlBasicInfo *info) {
    JxlColorEncoding colors;
    if (info->uses_original_profile) return;
    if (info->alpha_premultiplied &&
        JxlDecoderGetColorAsEncodedProfile(OF_ORIGINAL(decoder), &colors) == JXL_DEC_SUCCESS &&
        JxlDecoderSetPreferredColorProfile(decoder, &colors) == JXL_DEC_SUCCESS)
        return;
    colors = (JxlColorEncoding){
        .color_space = info->num_color_channels == 1 ? JXL_COLOR_SPACE_GRAY : JXL_COLOR_SPACE_RGB,
        .white_point = JXL_WHITE_POINT_D65,
        .primaries = JXL_PRIMARIES_SRGB,
        .transfer_function = JXL_TRANSFER_FUNCTION_SRGB,
        .rendering_intent = JXL_RENDERING_INTENT_RELATIVE,
    };
    // If it cannot, it says so by the profile of its pixels.
    (void)JxlDecoderSetPreferredColorProfile(decoder, &colors);
}

/// The size of the profile that describes the pixels; 0 if they are sRGB.
static nb_status find_profile(JxlDecoder *decoder, const JxlBasicInfo *info, size_t *count, nb_error *error) {
    JxlColorEncoding colors;
    *count = 0;
    choose_colors(decoder, info);
    if (JxlDecoderGetColorAsEncodedProfile(OF_PIXELS(decoder), &colors) == JXL_DEC_SUCCESS && is_srgb(&colors))
        return NB_OK;
    if (JxlDecoderGetICCProfileSize(OF_PIXELS(decoder), count) != JXL_DEC_SUCCESS)
        return nb_fail(error, NB_UNSUPPORTED, "its colours have no profile");
    return NB_OK;
}

/// Reads up to the first frame.
static nb_status describe(file *self, nb_jxl_header *header, size_t *profile, nb_error *error) {
    JxlBasicInfo info;
    nb_hdr hdr = {.curve = NB_HDR_NONE};
    *profile = 0;
    nb_status status = advance(self, JXL_DEC_BASIC_INFO, error);
    if (status != NB_OK) return status;
    if (JxlDecoderGetBasicInfo(self->decoder, &info) != JXL_DEC_SUCCESS || info.xsize == 0 || info.ysize == 0 ||
        info.xsize > INT32_MAX || info.ysize > INT32_MAX || info.num_extra_channels > UINT16_MAX ||
        (info.num_color_channels != 1 && info.num_color_channels != 3))
        return nb_fail(error, NB_CORRUPT, "its header is invalid");
    status = check_channels(self->decoder, &info, error);
    if (status == NB_OK) status = advance(self, JXL_DEC_COLOR_ENCODING, error);
    if (status == NB_OK) status = find_hdr(self->decoder, &info, &hdr, error);
    if (status == NB_OK && hdr.curve == NB_HDR_NONE) status = find_profile(self->decoder, &info, profile, error);
    if (status != NB_OK) return status;
    *header = (nb_jxl_header){
        .width = (int32_t)info.xsize,
        .height = (int32_t)info.ysize,
        .orientation = (int32_t)info.orientation,
        .depth = info.bits_per_sample > 16 ? 16 : (int32_t)info.bits_per_sample,
        .gray = info.num_color_channels == 1,
        .alpha = info.alpha_bits > 0,
        .channels = (int32_t)(info.num_color_channels + info.num_extra_channels),
        .profile = *profile > 0,
        .hdr = hdr,
    };
    return NB_OK;
}

nb_status nb_jxl_read_header(const uint8_t *bytes, size_t count, nb_jxl_header *header, nb_error *error) {
    file self;
    size_t profile;
    nb_status status =
        open_file(bytes, count, JXL_DEC_BASIC_INFO | JXL_DEC_COLOR_ENCODING, HEADER_BYTES, &self, error);
    if (status == NB_OK) status = describe(&self, header, &profile, error);
    close_file(&self);
    return status;
}

static int is_black(const uint8_t *packed, size_t count) {
    return packed[0] == 0 && memcmp(packed, packed + 1, count - 1) == 0;
}

/// Decodes the frame into interleaved samples, then into the planes.
static nb_status decode_frame(file *self, const nb_jxl_header *header, int is_partial, const nb_target *target,
                              nb_error *error) {
    int wide = target->planes[0].sample_bytes == 2;
    const JxlPixelFormat format = {.num_channels = (uint32_t)target->channels,
                                   .data_type = wide ? JXL_TYPE_UINT16 : JXL_TYPE_UINT8,
                                   .endianness = JXL_NATIVE_ENDIAN};
    size_t stride = (size_t)header->width * (size_t)target->channels * (wide ? 2 : 1), size;
    nb_status status = advance(self, JXL_DEC_NEED_IMAGE_OUT_BUFFER, error);
    if (status != NB_OK) return status;
    if (JxlDecoderImageOutBufferSize(self->decoder, &format, &size) != JXL_DEC_SUCCESS ||
        size != stride * (size_t)header->height)
        return nb_fail(error, NB_CORRUPT, "its pixels differ from what its header says");
    uint8_t *packed = calloc(size, 1);  // what a partial file lacks is black
    if (packed == NULL) return nb_fail(error, NB_MEMORY, "not enough memory");
    if (JxlDecoderSetImageOutBuffer(self->decoder, &format, packed, size) != JXL_DEC_SUCCESS)
        status = nb_fail(error, NB_PROCESSING, "libjxl takes no buffer");
    if (status == NB_OK) status = advance(self, JXL_DEC_FULL_IMAGE, error);
    // Without loss, libjxl also shows what has no pixels yet.
    if (status == NB_TRUNCATED && is_partial && JxlDecoderFlushImage(self->decoder) == JXL_DEC_SUCCESS &&
        !is_black(packed, size)) {
        error->message[0] = 0;
        status = NB_OK;
    }
    if (status == NB_OK && !nb_shrink(packed, stride, header->width, header->height, target, header->alpha))
        status = nb_fail(error, NB_MEMORY, "not enough memory");
    free(packed);
    return status;
}

static nb_status decode(file *self, const nb_jxl_header *header, int is_partial, nb_target *target, nb_error *error) {
    nb_jxl_header found;
    size_t profile;
    nb_status status = describe(self, &found, &profile, error);
    if (status != NB_OK) return status;
    if (memcmp(&found, header, sizeof found) != 0 ||
        target->channels != (header->gray ? 1 : 3) + (header->alpha ? 1 : 0))
        return nb_fail(error, NB_CORRUPT, "its pixels differ from what its header says");
    if (profile > 0 && profile <= target->icc_capacity &&
        JxlDecoderGetColorAsICCProfile(OF_PIXELS(self->decoder), target->icc, profile) == JXL_DEC_SUCCESS)
        target->icc_count = profile;
    return decode_frame(self, header, is_partial, target, error);
}

nb_status nb_jxl_decode(const uint8_t *bytes, size_t count, const nb_jxl_header *header, int is_partial, size_t most_bytes,
                        nb_target *target, nb_error *error) {
    file self;
    nb_status status = open_file(bytes, count, JXL_DEC_BASIC_INFO | JXL_DEC_COLOR_ENCODING | JXL_DEC_FULL_IMAGE,
                                 most_bytes, &self, error);
    if (status == NB_OK) status = decode(&self, header, is_partial, target, error);
    close_file(&self);
    return status;
}
#endif
