// HEIC decoder: libheif reads the boxes, decodes (all tiles of a grid), rotates, crops, and converts to RGB.
#ifdef NB_HEIC
#include "heif_hevc.h"
#include "internal.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <libheif/heif.h>

// libheif registers its decoders once per process and keeps them; nothing is ever torn down.
static pthread_once_t started = PTHREAD_ONCE_INIT;
static int is_registered;

static void start(void) {
    heif_init(NULL);
    is_registered = nb_hevc_register();
}

static nb_status fail(nb_error *error, struct heif_error cause) {
    nb_status status = NB_CORRUPT;
    if (cause.code == heif_error_Memory_allocation_error)
        status = cause.subcode == heif_suberror_Security_limit_exceeded ? NB_LIMITS : NB_MEMORY;
    else if (cause.code == heif_error_Unsupported_feature || cause.code == heif_error_Unsupported_filetype ||
             cause.code == heif_error_Plugin_loading_error)
        status = NB_UNSUPPORTED;
    else if (cause.code == heif_error_Invalid_input && cause.subcode == heif_suberror_End_of_data)
        status = NB_TRUNCATED;
    if (cause.subcode == heif_suberror_Unsupported_codec)
        return nb_fail(error, status, "libheif has no decoder for its codec (install libheif's plugin for it)");
    snprintf(error->message, sizeof error->message, "%.*s", (int)strcspn(cause.message, "\n"), cause.message);
    return status;
}

typedef struct {
    struct heif_context *context;
    struct heif_image_handle *primary;
} file;

static void close_file(file *self) {
    if (self->primary != NULL) heif_image_handle_release(self->primary);
    if (self->context != NULL) heif_context_free(self->context);
}

static nb_status open_file(const uint8_t *bytes, size_t count, file *self, nb_error *error) {
    pthread_once(&started, start);
    *self = (file){NULL, NULL};
    // Its interface for decoders has changed in 1.21.
    if (!is_registered)
        return nb_fail(error, NB_NO_PLUG_IN, "it was built for another libheif: install the nuke-batch of this distribution");
    self->context = heif_context_alloc();
    if (self->context == NULL) return nb_fail(error, NB_MEMORY, "not enough memory");
    heif_context_set_max_decoding_threads(self->context, 0);
    struct heif_error code = heif_context_read_from_memory_without_copy(self->context, bytes, count, NULL);
    if (code.code == heif_error_Ok) code = heif_context_get_primary_image_handle(self->context, &self->primary);
    return code.code == heif_error_Ok ? NB_OK : fail(error, code);
}

/// The code points of the colours in the file's boxes. Those in HEVC data alone are lost when libheif converts to RGB.
static void find_codes(const file *self, int codes[2]) {
    struct heif_color_profile_nclx *found = NULL;
    codes[0] = codes[1] = 2;  // unspecified
    struct heif_error code = heif_image_handle_get_nclx_color_profile(self->primary, &found);
    if (code.code == heif_error_Ok && found != NULL) {
        codes[0] = (int)found->color_primaries;
        codes[1] = (int)found->transfer_characteristics;
    }
    // libheif also returns one with an error if it does not know a code point.
    if (found != NULL) heif_nclx_color_profile_free(found);
}

static nb_status describe(const file *self, nb_heif_header *header, nb_error *error) {
    const struct heif_image_handle *primary = self->primary;
    size_t icc_size = heif_image_handle_get_raw_color_profile_size(primary);
    int codes[2];
    find_codes(self, codes);
    *header = (nb_heif_header){
        .width = heif_image_handle_get_width(primary),
        .height = heif_image_handle_get_height(primary),
        .coded_width = heif_image_handle_get_ispe_width(primary),
        .coded_height = heif_image_handle_get_ispe_height(primary),
        .depth = heif_image_handle_get_luma_bits_per_pixel(primary),
        .alpha = heif_image_handle_has_alpha_channel(primary) != 0,
        .profile = icc_size > 0 || nb_codes_kind(codes[0], codes[1]) != NB_CODES_SRGB,
    };
    if (header->width < 1 || header->height < 1 || header->coded_width < 1 || header->coded_height < 1 ||
        header->depth < 8 || header->depth > 16)
        return nb_fail(error, NB_CORRUPT, "its header is invalid");
    if (icc_size == 0) header->hdr = nb_codes_hdr(codes[0], codes[1]);
    return NB_OK;
}

nb_status nb_heif_read_header(const uint8_t *bytes, size_t count, nb_heif_header *header, nb_error *error) {
    file self;
    nb_status status = open_file(bytes, count, &self, error);
    if (status == NB_OK) status = describe(&self, header, error);
    close_file(&self);
    return status;
}

/// A copy of the first block of a kind; NULL if there is none, or too much in it.
static uint8_t *copy_block(const file *self, const char *type, const char *content_type, size_t *count) {
    heif_item_id blocks[16];
    *count = 0;
    int found = heif_image_handle_get_list_of_metadata_block_IDs(self->primary, type, blocks, 16);
    for (int i = 0; i < found; i++) {
        const char *content = heif_image_handle_get_metadata_content_type(self->primary, blocks[i]);
        if (content_type != NULL && (content == NULL || strcmp(content, content_type) != 0)) continue;
        size_t size = heif_image_handle_get_metadata_size(self->primary, blocks[i]);
        uint8_t *bytes = size > 0 && size <= NB_LONGEST_METADATA ? malloc(size) : NULL;
        if (bytes == NULL) continue;
        if (heif_image_handle_get_metadata(self->primary, blocks[i], bytes).code == heif_error_Ok) {
            *count = size;
            return bytes;
        }
        free(bytes);
    }
    return NULL;
}

nb_status nb_heif_read_metadata(const uint8_t *bytes, size_t count, nb_metadata *metadata, nb_error *error) {
    file self;
    nb_status status = open_file(bytes, count, &self, error);
    if (status == NB_OK) {
        metadata->exif = copy_block(&self, "Exif", NULL, &metadata->exif_count);
        metadata->xmp = copy_block(&self, "mime", "application/rdf+xml", &metadata->xmp_count);
    }
    close_file(&self);
    return status;
}

static void copy_profile(const file *self, nb_target *target) {
    size_t size = heif_image_handle_get_raw_color_profile_size(self->primary);
    int codes[2];
    find_codes(self, codes);
    if (size == 0) nb_codes_profile(0, codes[0], codes[1], target);
    else if (size <= target->icc_capacity &&
             heif_image_handle_get_raw_color_profile(self->primary, target->icc).code == heif_error_Ok)
        target->icc_count = size;
}

/// A channel of the decoded image, and the lookup table from its values to the requested depth.
typedef struct {
    const uint8_t *data;
    int stride, wide;
    uint32_t most;
    uint16_t *scaled;
} channel;

static nb_status open_channel(const struct heif_image *image, enum heif_channel which, const nb_heif_header *header,
                              uint32_t most, channel *self, nb_error *error) {
    int bits = heif_image_get_bits_per_pixel_range(image, which);
    self->data = heif_image_get_plane_readonly(image, which, &self->stride);
    if (self->data == NULL || bits < 1 || bits > 16 || heif_image_get_width(image, which) != header->width ||
        heif_image_get_height(image, which) != header->height)
        return nb_fail(error, NB_CORRUPT, "its pixels differ from what its header says");
    self->wide = bits > 8;
    self->most = (1u << bits) - 1;
    self->scaled = malloc(((size_t)self->most + 1) * sizeof *self->scaled);
    if (self->scaled == NULL) return nb_fail(error, NB_MEMORY, "not enough memory");
    for (uint32_t i = 0; i <= self->most; i++) self->scaled[i] = (uint16_t)((i * most + self->most / 2) / self->most);
    return NB_OK;
}

static inline void take_row(const channel *from, int32_t y, int32_t width, uint8_t *to, int channels, int wide) {
    const uint8_t *row = from->data + (ptrdiff_t)y * from->stride;
    for (int32_t x = 0; x < width; x++) {
        uint32_t value = nb_get(row, x, from->wide);
        nb_put(to, (ptrdiff_t)x * channels, wide, from->scaled[value > from->most ? from->most : value]);
    }
}

static inline void take_rows(const channel *from, int channels, int premultiplied, const nb_heif_header *header,
                             uint8_t *row, nb_shrinker *shrinker, int wide) {
    for (int32_t y = 0; y < header->height; y++) {
        for (int i = 0; i < channels; i++)
            take_row(&from[i], y, header->width, row + i * (wide ? 2 : 1), channels, wide);
        if (premultiplied) nb_divide_by_alpha(row, (size_t)header->width, 4, 3, 3, wide);
        nb_shrinker_add(shrinker, row);
    }
}

static nb_status copy_pixels(const struct heif_image *image, const nb_heif_header *header, int premultiplied,
                             const nb_target *target, nb_error *error) {
    static const enum heif_channel order[4] = {heif_channel_R, heif_channel_G, heif_channel_B, heif_channel_Alpha};
    channel from[4] = {{0}};
    int channels = target->channels, wide = target->planes[0].sample_bytes == 2;
    nb_shrinker shrinker = {0};
    nb_status status = NB_OK;
    for (int i = 0; i < channels && status == NB_OK; i++)
        status = open_channel(image, order[i], header, wide ? 65535 : 255, &from[i], error);
    uint8_t *row = malloc((size_t)header->width * (size_t)channels * (wide ? 2 : 1));
    if (status == NB_OK &&
        (row == NULL || !nb_shrinker_start(&shrinker, target, channels == 4, header->width, header->height)))
        status = nb_fail(error, NB_MEMORY, "not enough memory");
    if (status == NB_OK) NB_BY_DEPTH(target->planes, take_rows, from, channels, premultiplied, header, row, &shrinker);
    nb_shrinker_end(&shrinker);
    free(row);
    for (int i = 0; i < channels; i++) free(from[i].scaled);
    return status;
}

/// Limits the sizes that libheif allocates: a grid or overlay repeats its size in its own data.
static void limit_size(const file *self, const nb_heif_header *header, uint64_t most) {
#if LIBHEIF_NUMERIC_VERSION >= 0x01130000
    (void)header;
    // Since 1.19 the limit is one of pixels, and applies to each coded picture as well.
    heif_context_get_security_limits(self->context)->max_image_size_pixels = most;
#else
    (void)most;
    // The limit applies to each side.
    int side = header->coded_width > header->coded_height ? header->coded_width : header->coded_height;
    heif_context_set_maximum_image_size_limit(self->context, side + 1);
#endif
}

static nb_status decode(const file *self, const nb_heif_header *header, nb_target *target, nb_error *error) {
    nb_heif_header found;
    nb_status status = describe(self, &found, error);
    if (status != NB_OK) return status;
    if (memcmp(&found, header, sizeof found) != 0 || target->channels != (header->alpha ? 4 : 3))
        return nb_fail(error, NB_CORRUPT, "its pixels differ from what its header says");
    // Tiles may extend past a grid, and one of 512 × 512 past the smallest.
    uint64_t most = 4 * (uint64_t)header->coded_width * (uint64_t)header->coded_height + (1 << 18);
    limit_size(self, header, most);
    nb_hevc_limit(most);
    struct heif_image *image = NULL;
    struct heif_error code = heif_decode_image(self->primary, &image, heif_colorspace_RGB, heif_chroma_444, NULL);
    nb_hevc_limit(0);
    if (code.code != heif_error_Ok) return fail(error, code);
    if (image == NULL) return nb_fail(error, NB_CORRUPT, "its decoder gives no image");
    copy_profile(self, target);
    int premultiplied = header->alpha && heif_image_handle_is_premultiplied_alpha(self->primary);
    status = copy_pixels(image, header, premultiplied, target, error);
    heif_image_release(image);
    return status;
}

nb_status nb_heif_decode(const uint8_t *bytes, size_t count, const nb_heif_header *header, nb_target *target,
                         nb_error *error) {
    file self;
    nb_status status = open_file(bytes, count, &self, error);
    if (status == NB_OK) status = decode(&self, header, target, error);
    close_file(&self);
    return status;
}
#endif
