// BMP decoder: Windows device-independent bitmaps, and OS/2 bitmaps of the same layout.
#include "internal.h"

#include <stdlib.h>

enum { RGB_PIXELS, RLE8, RLE4, MASKED_PIXELS, MASKED_PIXELS_WITH_ALPHA = 6 };

static uint32_t read16(const uint8_t *from) { return (uint32_t)from[0] | (uint32_t)from[1] << 8; }
static uint32_t read32(const uint8_t *from) { return read16(from) | read16(from + 2) << 16; }

static int is_header_size(uint32_t size) {
    static const uint8_t known[] = {12, 16, 40, 52, 56, 64, 108, 124};
    for (size_t i = 0; i < sizeof known; i++)
        if (size == known[i]) return 1;
    return 0;
}

static size_t row_bytes(const nb_bmp_header *header) {
    return ((size_t)header->width * (size_t)header->bits + 7) / 8;
}

static size_t stride(const nb_bmp_header *header) { return (row_bytes(header) + 3) & ~(size_t)3; }

static const uint8_t *row_at(const uint8_t *bytes, const nb_bmp_header *header, int32_t y) {
    return bytes + header->pixels + (size_t)(header->top_down ? y : header->height - 1 - y) * stride(header);
}

// Reads the colour masks: within a header of 52 bytes or more, otherwise after one of 40.
static void read_masks(const uint8_t *info, uint32_t size, uint32_t compression, nb_bmp_header *header) {
    static const uint32_t of16[3] = {0x7C00, 0x03E0, 0x001F}, of32[3] = {0xFF0000, 0xFF00, 0xFF};
    int masked = compression == MASKED_PIXELS || compression == MASKED_PIXELS_WITH_ALPHA;
    int has_alpha = masked && (size >= 56 || (size == 40 && compression == MASKED_PIXELS_WITH_ALPHA));
    for (int i = 0; i < 3; i++)
        header->masks[i] = masked ? read32(info + 40 + 4 * i) : header->bits == 16 ? of16[i] : of32[i];
    header->masks[3] = has_alpha ? read32(info + 52) : 0;
}

// Many writers declare an alpha mask and leave all alpha zero. Such an image has no alpha.
static int uses_alpha(const uint8_t *bytes, const nb_bmp_header *header) {
    size_t step = (size_t)header->bits / 8;
    for (int32_t y = 0; header->masks[3] != 0 && y < header->height; y++) {
        const uint8_t *row = row_at(bytes, header, y);
        for (int32_t x = 0; x < header->width; x++, row += step)
            if ((step == 4 ? read32(row) : read16(row)) & header->masks[3]) return 1;
    }
    return 0;
}

static nb_status read_layout(const uint8_t *bytes, size_t count, uint32_t size, nb_bmp_header *header,
                             nb_error *error) {
    const uint8_t *info = bytes + 14;
    uint32_t compression = size > 16 ? read32(info + 16) : RGB_PIXELS, colors = size > 32 ? read32(info + 32) : 0;
    int bits = header->bits, is_indexed = bits <= 8;
    int fits = compression == RGB_PIXELS
                   ? bits == 1 || bits == 2 || bits == 4 || bits == 8 || bits == 16 || bits == 24 || bits == 32
               : compression == RLE8 ? bits == 8
               : compression == RLE4 ? bits == 4
                                     : (compression == MASKED_PIXELS || compression == MASKED_PIXELS_WITH_ALPHA) &&
                                           (bits == 16 || bits == 32) && size != 64;
    if (!fits) return nb_fail(error, NB_UNSUPPORTED, "its bits a pixel and compression are no common pair");
    header->rle = compression == RLE4 || compression == RLE8;
    // From top to bottom, runs are not allowed (BITMAPINFOHEADER), and mean the same.
    if (header->rle && header->top_down) nb_warn(error, NB_WARNING_HEADER_VALUE);
    size_t masks = size == 40 && compression == MASKED_PIXELS              ? 12
                   : size == 40 && compression == MASKED_PIXELS_WITH_ALPHA ? 16
                                                                           : 0;
    header->palette = 14 + size + masks;
    header->entry = size <= 16 && size == 12 ? 3 : 4;
    if (header->palette > count) return nb_cut(error);
    header->colors = !is_indexed ? 0 : colors == 0 || colors > 1u << bits ? 1 << bits : (int32_t)colors;
    if (is_indexed && colors > 1u << bits) nb_warn(error, NB_WARNING_HEADER_VALUE);
    header->pixels = read32(bytes + 10);
    // Some writers omit the offset, or give that of the palette.
    if (header->pixels == 0 || (is_indexed && header->pixels <= header->palette)) header->pixels = header->palette + (size_t)(header->colors * header->entry);
    if (header->pixels < header->palette) return nb_fail(error, NB_CORRUPT, "its pixels begin within its header");
    size_t room = (header->pixels - header->palette) / (size_t)header->entry;
    if (room < (size_t)header->colors) header->colors = (int32_t)room;
    if (is_indexed && header->colors == 0) return nb_fail(error, NB_CORRUPT, "it has no palette");
    if (header->pixels > count) return nb_cut(error);
    size_t rows = (size_t)header->height - 1;
    if (!header->rle && (rows > (count - header->pixels) / stride(header) ||
                         count - header->pixels - rows * stride(header) < row_bytes(header)))
        return nb_cut(error);
    if (bits == 16 || bits == 32) read_masks(info, size, compression, header);
    header->alpha = uses_alpha(bytes, header);
    return NB_OK;
}

nb_status nb_bmp_read_header(const uint8_t *bytes, size_t count, nb_bmp_header *header, nb_error *error) {
    *header = (nb_bmp_header){0};
    if (count < 18) return nb_cut(error);
    uint32_t size = read32(bytes + 14);
    const uint8_t *info = bytes + 14;
    if (!is_header_size(size)) return nb_fail(error, NB_UNSUPPORTED, "its header is of an unknown kind");
    if (count < 14 + size) return nb_cut(error);
    int64_t height;
    if (size == 12) {
        header->width = (int32_t)read16(info + 4);
        height = read16(info + 6);
        header->bits = (int32_t)read16(info + 10);
    } else {
        header->width = (int32_t)read32(info + 4);
        height = (int32_t)read32(info + 8);
        header->bits = (int32_t)read16(info + 14);
    }
    header->top_down = height < 0;
    height = height < 0 ? -height : height;
    if (header->width < 1 || height < 1 || height > INT32_MAX) return nb_fail(error, NB_CORRUPT, "it has no pixels");
    header->height = (int32_t)height;
    // An embedded profile is marked by BITMAPV5HEADER's colour space 'MBED'; its offset counts from the header's start.
    if (size == 124 && read32(info + 56) == 0x4D424544) {
        header->profile = 14 + (size_t)read32(info + 112);
        header->profile_count = read32(info + 116);
        if (header->profile + header->profile_count > count) return nb_cut(error);
    }
    return read_layout(bytes, count, size, header, error);
}

// A channel of a masked pixel as 8 bits.
static uint8_t masked(uint32_t pixel, uint32_t mask) {
    if (mask == 0) return 0;
    int shift = __builtin_ctz(mask);
    uint64_t most = mask >> shift, value = (pixel & mask) >> shift;
    return (uint8_t)((value * 255 + most / 2) / most);
}

// Expands the runs into a zeroed map of indices, in the file's order of rows. Skipped pixels stay 0.
static nb_status expand_runs(const uint8_t *from, const uint8_t *end, const nb_bmp_header *header, uint8_t *map,
                             nb_error *error) {
    int64_t x = 0, y = 0;
    int is_nibbles = header->bits == 4;
    while (y < header->height) {
        // The end mark may be missing after the last pixel.
        if (end - from < 2) return y == header->height - 1 && x >= header->width ? NB_OK : nb_cut(error);
        int32_t count = from[0], value = from[1];
        from += 2;
        if (count == 0 && value == 0) {
            x = 0;
            y++;
        } else if (count == 0 && value == 1) {
            return NB_OK;
        } else if (count == 0 && value == 2) {
            if (end - from < 2) return nb_cut(error);
            x += from[0];
            y += from[1];
            from += 2;
        } else {
            int is_run = count > 0;
            if (!is_run) count = value;
            ptrdiff_t length = is_run ? 0 : is_nibbles ? (count + 1) / 2 : count;
            if (end - from < length) return nb_cut(error);
            uint8_t *to = map + (size_t)y * (size_t)header->width;
            for (int32_t i = 0; i < count; i++, x++) {
                int32_t code = is_run ? value : is_nibbles ? from[i / 2] : from[i];
                // Pixels past the end of a row are dropped.
                if (x >= header->width) nb_warn(error, NB_WARNING_ROW_LENGTH);
                else to[x] = (uint8_t)(!is_nibbles ? code : i % 2 ? code & 15 : code >> 4);
            }
            length += length & 1;  // literal pixels are padded to two bytes, but the data may end with the last one
            from = end - from < length ? end : from + length;
        }
    }
    return NB_OK;
}

static int index_at(const uint8_t *row, int32_t x, int bits) {
    ptrdiff_t at = (ptrdiff_t)x * bits;
    return row[at / 8] >> (8 - bits - at % 8) & ((1 << bits) - 1);
}

// Expands a row to interleaved samples. Colours beyond the palette are black, as in all common decoders.
static void expand_row(const uint8_t *bytes, const nb_bmp_header *header, const uint8_t *row, int bits, uint8_t *to,
                       nb_error *error) {
    static const uint8_t black[3] = {0, 0, 0};
    for (int32_t x = 0; x < header->width; x++) {
        if (bits <= 8) {
            int index = bits == 8 ? row[x] : index_at(row, x, bits);
            int is_known = index < header->colors;
            if (!is_known) nb_warn(error, NB_WARNING_PALETTE_INDEX);
            const uint8_t *color = is_known ? bytes + header->palette + (size_t)index * (size_t)header->entry : black;
            for (int i = 0; i < 3; i++) *to++ = color[2 - i];
        } else if (bits == 24) {
            for (int i = 0; i < 3; i++) *to++ = row[3 * (size_t)x + 2 - (size_t)i];
        } else {
            uint32_t pixel = bits == 16 ? read16(row + 2 * (size_t)x) : read32(row + 4 * (size_t)x);
            for (int i = 0; i < 3 + header->alpha; i++) *to++ = masked(pixel, header->masks[i]);
        }
    }
}

nb_status nb_bmp_decode(const uint8_t *bytes, size_t count, const nb_bmp_header *expected, nb_target *target, nb_error *error) {
    nb_bmp_header header;
    nb_status status = nb_bmp_read_header(bytes, count, &header, error);
    if (status != NB_OK) return status;
    if (header.width != expected->width || header.height != expected->height || header.alpha != expected->alpha ||
        target->channels != 3 + header.alpha)
        return nb_fail(error, NB_CORRUPT, "its pixels differ from what its header says");
    size_t width = (size_t)header.width;
    uint8_t *packed = malloc(width * (size_t)target->channels), *map = NULL;
    nb_shrinker shrinker;
    int started = nb_shrinker_start(&shrinker, target, header.alpha, header.width, header.height);
    if (header.rle) map = calloc((size_t)header.height, width);
    if (packed == NULL || !started || (header.rle && map == NULL))
        status = nb_fail(error, NB_MEMORY, "not enough memory");
    else if (header.rle)
        status = expand_runs(bytes + header.pixels, bytes + count, &header, map, error);
    for (int32_t y = 0; status == NB_OK && y < header.height; y++) {
        int32_t coded = header.top_down ? y : header.height - 1 - y;
        const uint8_t *row = map != NULL ? map + (size_t)coded * width : row_at(bytes, &header, y);
        expand_row(bytes, &header, row, map != NULL ? 8 : header.bits, packed, error);
        nb_shrinker_add(&shrinker, packed);
    }
    nb_shrinker_end(&shrinker);
    free(packed);
    free(map);
    return status;
}
