// HEVC decoder for libheif, based on libde265 without libheif's own adapter. That adapter ignores damage that libde265
// reports, lets the compressed data decide the frame size, and starts a thread for each tile.
#ifdef NB_HEIC
#include "heif_hevc.h"

#include <stdlib.h>
#include <string.h>

#include <libde265/de265.h>
#include <libheif/heif_plugin.h>

// libheif decodes on the calling thread and passes a decoder no context about the file.
static _Thread_local uint64_t most_pixels;

void nb_hevc_limit(uint64_t pixels) { most_pixels = pixels; }

static const struct heif_error fine = {heif_error_Ok, heif_suberror_Unspecified, "Success"};
static const struct heif_error no_memory = {heif_error_Memory_allocation_error, heif_suberror_Unspecified,
                                            "not enough memory"};
static const struct heif_error damaged = {heif_error_Invalid_input, heif_suberror_Unspecified,
                                          "the compressed data is broken"};
static const struct heif_error too_large = {heif_error_Invalid_input, heif_suberror_Invalid_image_size,
                                            "the compressed picture is far larger than its boxes say"};

// Bits of a NAL unit (H.265, 7.3.1.1), without the emulation prevention bytes; zeros past its end.
typedef struct {
    const uint8_t *bytes;
    size_t count, next;
    int zeros, left;
    uint8_t byte;
} bits;

static uint32_t read_bit(bits *self) {
    if (self->left == 0) {
        if (self->zeros >= 2 && self->next < self->count && self->bytes[self->next] == 3) {
            self->next++;
            self->zeros = 0;
        }
        self->byte = self->next < self->count ? self->bytes[self->next++] : 0;
        self->zeros = self->byte == 0 ? self->zeros + 1 : 0;
        self->left = 8;
    }
    return self->byte >> --self->left & 1;
}

static uint32_t read_bits(bits *self, int count) {
    uint32_t value = 0;
    while (count-- > 0) value = value << 1 | read_bit(self);
    return value;
}

static void skip_bits(bits *self, int count) {
    while (count-- > 0) read_bit(self);
}

/// An Exp-Golomb code (H.265, 9.2).
static uint32_t read_number(bits *self) {
    int zeros = 0;
    while (zeros < 31 && read_bit(self) == 0) zeros++;
    return (1u << zeros) - 1 + read_bits(self, zeros);
}

/// The pixels of the frames that a sequence parameter set describes (H.265, 7.3.2.2 and 7.3.3).
static uint64_t pixels_of(const uint8_t *unit, size_t count) {
    bits from = {unit, count, 2, 0, 0, 0};
    skip_bits(&from, 4);
    int layers = (int)read_bits(&from, 3), profiles = 0, levels = 0;
    skip_bits(&from, 1 + 88 + 8);  // the general profile and level
    for (int i = 0; i < layers; i++) {
        profiles += (int)read_bit(&from);
        levels += (int)read_bit(&from);
    }
    if (layers > 0) skip_bits(&from, 2 * (8 - layers));
    skip_bits(&from, 88 * profiles + 8 * levels);
    read_number(&from);
    if (read_number(&from) == 3) skip_bits(&from, 1);
    uint64_t width = read_number(&from);
    return width * read_number(&from);
}

static const char *name(void) { return "libde265, strict"; }
static void init(void) { de265_init(); }
static void deinit(void) { de265_free(); }
// libheif's own adapter returns 100.
static int supports(enum heif_compression_format format) { return format == heif_compression_HEVC ? 200 : 0; }

static struct heif_error new_decoder(void **decoder) {
    *decoder = de265_new_decoder();
    return *decoder == NULL ? no_memory : fine;
}

static void free_decoder(void *decoder) { de265_free_decoder(decoder); }

static void set_strict(void *decoder, int strict) {
    (void)decoder;
    (void)strict;
}

/// Takes NAL units, each preceded by its length in four bytes.
static struct heif_error push_data(void *decoder, const void *data, size_t count) {
    const uint8_t *next = data, *end = next + count;
    while (next < end) {
        if (end - next < 4) return damaged;
        size_t length = (size_t)next[0] << 24 | (size_t)next[1] << 16 | (size_t)next[2] << 8 | next[3];
        next += 4;
        if (length > (size_t)(end - next)) return damaged;
        enum { sequence_parameters = 33 };
        if (length > 2 && (next[0] >> 1 & 63) == sequence_parameters && most_pixels > 0 &&
            pixels_of(next, length) > most_pixels)
            return too_large;
        if (de265_push_NAL(decoder, next, (int)length, 0, NULL) != DE265_OK) return no_memory;
        next += length;
    }
    return fine;
}

static void copy_codes(const struct de265_image *picture, struct heif_image *image) {
    struct heif_color_profile_nclx *codes = heif_nclx_color_profile_alloc();
    if (codes == NULL) return;
    // Code points that libheif does not know stay unspecified.
    heif_nclx_color_profile_set_color_primaries(codes, (uint16_t)de265_get_image_colour_primaries(picture));
    heif_nclx_color_profile_set_transfer_characteristics(
        codes, (uint16_t)de265_get_image_transfer_characteristics(picture));
    heif_nclx_color_profile_set_matrix_coefficients(codes, (uint16_t)de265_get_image_matrix_coefficients(picture));
    codes->full_range_flag = de265_get_image_full_range_flag(picture) != 0;
    heif_image_set_nclx_color_profile(image, codes);
    heif_nclx_color_profile_free(codes);
}

static struct heif_error copy_picture(const struct de265_image *picture, struct heif_image **result) {
    static const enum heif_channel channels[3] = {heif_channel_Y, heif_channel_Cb, heif_channel_Cr};
    enum de265_chroma chroma = de265_get_chroma_format(picture);
    int gray = chroma == de265_chroma_mono, depth = de265_get_bits_per_pixel(picture, 0);
    struct heif_error code =
        heif_image_create(de265_get_image_width(picture, 0), de265_get_image_height(picture, 0),
                          gray ? heif_colorspace_monochrome : heif_colorspace_YCbCr, (enum heif_chroma)chroma, result);
    for (int i = 0; i < (gray ? 1 : 3) && code.code == heif_error_Ok; i++) {
        int width = de265_get_image_width(picture, i), height = de265_get_image_height(picture, i), from_stride, stride;
        if (width < 1 || height < 1 || de265_get_bits_per_pixel(picture, i) != depth) return damaged;
        code = heif_image_add_plane(*result, channels[i], width, height, depth);
        if (code.code != heif_error_Ok) return code;
        const uint8_t *from = de265_get_image_plane(picture, i, &from_stride);
        uint8_t *to = heif_image_get_plane(*result, channels[i], &stride);
        for (ptrdiff_t y = 0; y < height; y++)
            memcpy(to + y * stride, from + y * from_stride, (size_t)width * (depth > 8 ? 2 : 1));
    }
    if (code.code == heif_error_Ok) copy_codes(picture, *result);
    return code;
}

/// True if libde265 met damage. Its other warnings are about threads and supplementary data.
static int is_damaged(de265_decoder_context *decoder) {
    int found = 0;
    for (de265_error warning; (warning = de265_get_warning(decoder)) != DE265_OK;)
        found = found || (warning != DE265_WARNING_NO_WPP_CANNOT_USE_MULTITHREADING &&
                          warning != DE265_WARNING_NUMBER_OF_THREADS_LIMITED_TO_MAXIMUM &&
                          warning != DE265_WARNING_SPS_MISSING_CANNOT_DECODE_SEI);
    return found;
}

static struct heif_error flush(void *decoder) { return de265_flush_data(decoder) == DE265_OK ? fine : no_memory; }

/// Gives the first picture that the data holds, after all of it was decoded.
static struct heif_error decode_all(void *decoder, struct heif_image **result) {
    *result = NULL;
    struct heif_error code = fine;
    de265_error state = DE265_OK;
    for (int more = 1; more && state == DE265_OK && code.code == heif_error_Ok;) {
        state = de265_decode(decoder, &more);
        const struct de265_image *picture = state == DE265_OK ? de265_get_next_picture(decoder) : NULL;
        if (picture == NULL) continue;
        if (*result == NULL) code = copy_picture(picture, result);
        de265_release_next_picture(decoder);
    }
    if (state == DE265_ERROR_OUT_OF_MEMORY) code = no_memory;
    else if (state != DE265_OK && state != DE265_ERROR_WAITING_FOR_INPUT_DATA) code = damaged;
    if (code.code == heif_error_Ok && (*result == NULL || is_damaged(decoder))) code = damaged;
    if (code.code != heif_error_Ok && *result != NULL) {
        heif_image_release(*result);
        *result = NULL;
    }
    return code;
}

#if LIBHEIF_NUMERIC_VERSION >= 0x01150000
// Version 5 of the interface, which libheif requires since 1.21: it may hold a sequence of pictures.

static int supports_described(const heif_decoder_plugin_compressed_format_description *format) {
    return supports(format->format);
}

static struct heif_error new_optioned_decoder(void **decoder, const heif_decoder_plugin_options *options) {
    (void)options;
    return new_decoder(decoder);
}

static struct heif_error push_labelled_data(void *decoder, const void *data, size_t count, uintptr_t label) {
    (void)label;
    return push_data(decoder, data, count);
}

static struct heif_error decode_next(void *decoder, struct heif_image **result, uintptr_t *label,
                                     const heif_security_limits *limits) {
    (void)limits;  // nb_hevc_limit's are stricter
    if (label != NULL) *label = 0;
    return decode_all(decoder, result);
}
#define VERSION \
    .plugin_api_version = 5, .minimum_required_libheif_version = 0x01150000, \
    .does_support_format2 = supports_described, .new_decoder2 = new_optioned_decoder, \
    .push_data2 = push_labelled_data, .flush_data = flush, .decode_next_image2 = decode_next
#else
static struct heif_error decode_image(void *decoder, struct heif_image **result) {
    *result = NULL;
    struct heif_error code = flush(decoder);
    return code.code == heif_error_Ok ? decode_all(decoder, result) : code;
}
#define VERSION .plugin_api_version = 3, .decode_image = decode_image
#endif

int nb_hevc_register(void) {
    static const struct heif_decoder_plugin plugin = {
        VERSION,
        .get_plugin_name = name,
        .init_plugin = init,
        .deinit_plugin = deinit,
        .does_support_format = supports,
        .new_decoder = new_decoder,
        .free_decoder = free_decoder,
        .push_data = push_data,
        .set_strict_decoding = set_strict,
        .id_name = "nuke-batch-libde265",
    };
    return heif_register_decoder_plugin(&plugin).code == heif_error_Ok;
}
#endif
