// PNG decoder: libpng reads what comes before the pixels, and the pixels of files that the direct decoder leaves to it. It
// expands every colour type to gray or RGB of 8 or 16 bits, with alpha if the file has any.
#include "PNG/direct.h"
#include "PNG/parts.h"

#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <png.h>

enum { LONGEST_CHUNK = 8 << 20 };

typedef struct {
    nb_png_parts parts;
    int piece;         // that is read
    size_t read;       // bytes of it
    int reads_pixels;  // what libpng warns of then concerns them
    nb_status status;
    nb_error *error;
    uint8_t *packed;
    nb_shrinker shrinker;
    nb_png_pixels pixels;
    png_structp png;
    png_infop info;
} reader;

static void on_error(png_structp png, png_const_charp message) {
    reader *self = png_get_error_ptr(png);
    snprintf(self->error->message, sizeof self->error->message, "%s", message);
    png_longjmp(png, 1);
}

// Of the pixels, libpng only warns of a wrong checksum once it has all of them.
static void on_warning(png_structp png, png_const_charp message) {
    reader *self = png_get_error_ptr(png);
    int is_extra = strstr(message, "Extra compressed data") != NULL || strstr(message, "Too much image data") != NULL ||
                   strstr(message, "Too many IDATs") != NULL;
    if (is_extra) nb_warn(self->error, NB_WARNING_EXTRA_PIXELS);
    else if (self->reads_pixels) png_error(png, message);
}

static void read_bytes(png_structp png, png_bytep to, size_t count) {
    reader *self = png_get_io_ptr(png);
    while (count > 0) {
        if (self->piece == self->parts.count) {
            self->status = NB_TRUNCATED;
            png_error(png, "the data ends before the image does");
        }
        const nb_png_piece *piece = &self->parts.pieces[self->piece];
        size_t left = piece->count - self->read, part = left < count ? left : count;
        if (part > 0) memcpy(to, piece->start + self->read, part);
        to += part, count -= part, self->read += part;
        if (self->read == piece->count) self->piece++, self->read = 0;
    }
}

static void configure(reader *self, int32_t width, int32_t height) {
    png_structp png = self->png;
    png_set_read_fn(png, self, read_bytes);
    png_set_user_limits(png, (png_uint_32)width, (png_uint_32)height);
    png_set_chunk_cache_max(png, 128);
    png_set_chunk_malloc_max(png, LONGEST_CHUNK);
    // Of the chunks before the pixels, it gets those that are right.
    png_set_crc_action(png, PNG_CRC_ERROR_QUIT, PNG_CRC_WARN_DISCARD);
    // Unused chunks behind the pixels are skipped, not stored: libpng clears as many bytes as such a chunk claims to have.
    static const png_byte skipped[] = "tEXt\0zTXt\0iTXt\0sPLT\0pCAL\0sCAL\0hIST\0bKGD\0sBIT\0oFFs\0pHYs\0tIME\0eXIf";
    png_set_keep_unknown_chunks(png, PNG_HANDLE_CHUNK_NEVER, skipped, sizeof skipped / 5);
}

static void expand(reader *self, int wide) {
    png_structp png = self->png;
    int type = png_get_color_type(png, self->info), depth = png_get_bit_depth(png, self->info);
    if (type == PNG_COLOR_TYPE_PALETTE) png_set_palette_to_rgb(png);
    if (type == PNG_COLOR_TYPE_GRAY && depth < 8) png_set_expand_gray_1_2_4_to_8(png);
    if (png_get_valid(png, self->info, PNG_INFO_tRNS)) png_set_tRNS_to_alpha(png);
    if (!wide && depth == 16) png_set_scale_16(png);  // round(v / 257), not the upper byte
    if (wide && depth < 16) png_set_expand_16(png);
    if (wide) png_set_swap(png);  // the file's samples are big-endian
}

static void copy_profile(reader *self, nb_target *target) {
    png_charp name;
    png_bytep profile;
    png_uint_32 length;
    int method, type = png_get_color_type(self->png, self->info);
    if (self->parts.has_codes)
        nb_codes_profile(!(type & PNG_COLOR_MASK_COLOR), self->parts.codes[0], self->parts.codes[1], target);
    if (!self->parts.has_profile) return;
    if (!png_get_iCCP(self->png, self->info, &name, &method, &profile, &length)) {
        nb_warn(self->error, NB_WARNING_COLORS);
        return;
    }
    if (length > target->icc_capacity) return;
    memcpy(target->icc, profile, length);
    target->icc_count = length;
}

// A file without a profile may still describe its colours (RFC 2083, 4.2.2 and 4.2.3).
static void describe_profile(reader *self, nb_target *target) {
    png_structp png = self->png;
    int intent, gray = !(png_get_color_type(png, self->info) & PNG_COLOR_MASK_COLOR);
    double gamma, primaries[8];
    memcpy(primaries, nb_codes_primaries(1), sizeof primaries);
    if (target->icc_count > 0 || png_get_sRGB(png, self->info, &intent) || !png_get_gAMA(png, self->info, &gamma)) return;
    png_get_cHRM(png, self->info, &primaries[0], &primaries[1], &primaries[2], &primaries[3], &primaries[4],
                 &primaries[5], &primaries[6], &primaries[7]);
    if (gamma > 0.01 && gamma < 10)
        target->icc_count = nb_profile_describe(gray, 1 / gamma, primaries, target->icc, target->icc_capacity);
}

static void refuse_memory(reader *self) {
    self->status = NB_MEMORY;
    png_error(self->png, "not enough memory");
}

static void allocate(reader *self, size_t stride, int32_t rows) {
    if ((size_t)rows > SIZE_MAX / stride || (self->packed = malloc(stride * (size_t)rows)) == NULL) refuse_memory(self);
}

/// Decodes the pixels directly; NB_UNSUPPORTED if libpng should.
static nb_status decode_directly(reader *self, int32_t width, int32_t height, const nb_target *target) {
    png_structp png = self->png;
    png_colorp palette;
    png_bytep alphas = NULL;
    png_color_16p key;
    int count = 0, alpha_count = 0, has_transparency = png_get_tRNS(png, self->info, &alphas, &alpha_count, &key) != 0;
    nb_png_pixels *pixels = &self->pixels;
    *pixels = (nb_png_pixels){
        .idat = self->parts.pixels.start, .left = self->parts.pixels.count, .longest = LONGEST_CHUNK, .width = width,
        .height = height, .depth = png_get_bit_depth(png, self->info), .samples = png_get_channels(png, self->info)};
    pixels->has_palette = png_get_color_type(png, self->info) == PNG_COLOR_TYPE_PALETTE;
    int colors = pixels->has_palette ? 3 : pixels->samples;
    if (png_get_image_width(png, self->info) != (png_uint_32)width ||
        png_get_image_height(png, self->info) != (png_uint_32)height || colors + has_transparency != target->channels ||
        png_get_interlace_type(png, self->info) != PNG_INTERLACE_NONE)
        return NB_UNSUPPORTED;
    if (pixels->has_palette) {
        if (!png_get_PLTE(png, self->info, &palette, &count)) return NB_UNSUPPORTED;
        // An index behind the palette is black.
        for (int i = 0; i < 256; i++) {
            if (i < count) memcpy(pixels->colors[i], &palette[i], 3);
            pixels->colors[i][3] = i < alpha_count ? alphas[i] : 255;
        }
    } else if (has_transparency) {
        const uint16_t values[2][3] = {{key->gray}, {key->red, key->green, key->blue}};
        pixels->has_key = 1;
        memcpy(pixels->key, values[colors == 3], sizeof pixels->key);
    }
    return nb_png_decode_pixels(pixels, target, self->error);
}

static void read_pixels(reader *self, int32_t width, int32_t height, const nb_target *target) {
    png_structp png = self->png;
    int channels = target->channels, wide = target->planes[0].sample_bytes == 2, has_alpha = channels == 2 || channels == 4;
    int passes = png_set_interlace_handling(png);
    png_read_update_info(png, self->info);
    size_t stride = png_get_rowbytes(png, self->info);
    if (png_get_channels(png, self->info) != channels ||
        stride != (size_t)width * (size_t)channels * (wide ? 2u : 1u) ||
        png_get_image_width(png, self->info) != (png_uint_32)width ||
        png_get_image_height(png, self->info) != (png_uint_32)height)
        png_error(png, "its pixels differ from what its header says");
    // The passes of an interlaced image complete each other, so all rows are kept; otherwise one row is enough.
    if (!nb_shrinker_start(&self->shrinker, target, has_alpha, width, height)) refuse_memory(self);
    allocate(self, stride, passes > 1 ? height : 1);
    self->reads_pixels = 1;
    for (int pass = 0; pass < passes; pass++) {
        for (int32_t row = 0; row < height; row++) {
            uint8_t *to = self->packed + (passes > 1 ? stride * (size_t)row : 0);
            png_read_row(png, to, NULL);
            if (pass + 1 == passes) nb_shrinker_add(&self->shrinker, to);
        }
    }
    self->reads_pixels = 0;
    if (!self->parts.lacks_end) png_read_end(png, NULL);
}

nb_status nb_png_decode(const uint8_t *bytes, size_t count, int32_t width, int32_t height, nb_png_way way, nb_target *target,
                        nb_error *error) {
    reader self = {.status = NB_CORRUPT, .error = error};
    nb_status found = nb_png_find_parts(bytes, count, &self.parts, error);
    if (found != NB_OK) return found;
    reader *volatile kept = &self;  // read after longjmp
    self.png = png_create_read_struct(PNG_LIBPNG_VER_STRING, &self, on_error, on_warning);
    self.info = self.png == NULL ? NULL : png_create_info_struct(self.png);
    if (self.info == NULL) {
        png_destroy_read_struct(&self.png, &self.info, NULL);
        return nb_fail(error, NB_MEMORY, "not enough memory");
    }
    volatile nb_status status = NB_UNSUPPORTED;
    if (setjmp(png_jmpbuf(self.png))) {
        status = kept->status;
    } else {
        configure(&self, width, height);
        png_read_info(self.png, self.info);
        copy_profile(&self, target);
        describe_profile(&self, target);
        if (way != NB_PNG_LIBRARY) status = decode_directly(&self, width, height, target);
        if (status == NB_UNSUPPORTED && way != NB_PNG_DIRECT) {
            expand(&self, target->planes[0].sample_bytes == 2);
            read_pixels(&self, width, height, target);
            status = NB_OK;
        }
    }
    nb_shrinker_end(&kept->shrinker);
    free(kept->packed);
    png_destroy_read_struct(&kept->png, &kept->info, NULL);
    return status;
}
