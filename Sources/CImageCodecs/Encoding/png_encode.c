// PNG encoder (RFC 2083): for each row the filter with the smallest sum of absolute differences, then libdeflate in one
// IDAT.
#include "png_chunks.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <libdeflate.h>
#include <png.h>

// A PNG's samples are big-endian; the supported machines are little-endian.
static void swap_bytes(uint8_t *row, size_t count) {
    for (size_t i = 0; i + 1 < count; i += 2) {
        uint8_t low = row[i];
        row[i] = row[i + 1];
        row[i + 1] = low;
    }
}

/// Fills `filtered` with a filter byte and the filtered bytes of every row.
static int filter_rows(const nb_plane *planes, int channels, uint8_t *filtered, size_t row_bytes) {
    size_t step = (size_t)channels * (size_t)planes[0].sample_bytes, padded = row_bytes + step;
    uint8_t *memory = calloc(2, padded);
    if (memory == NULL) return 0;
    uint8_t *row = memory + step, *above = memory + padded + step;
    for (int32_t y = 0; y < planes[0].height; y++) {
        nb_plane lines[4];
        for (int i = 0; i < channels; i++) lines[i] = nb_line(&planes[i], y);
        nb_interleave(lines, channels, row, (ptrdiff_t)row_bytes);
        if (planes[0].sample_bytes == 2) swap_bytes(row, row_bytes);
        nb_png_filter(row, above, row_bytes, step, 0, filtered);
        filtered += row_bytes + 1;
        uint8_t *swap = row;
        row = above;
        above = swap;
    }
    free(memory);
    return 1;
}

uint8_t *nb_png_put32(uint8_t *to, uint32_t value) {
    to[0] = (uint8_t)(value >> 24), to[1] = (uint8_t)(value >> 16), to[2] = (uint8_t)(value >> 8), to[3] = (uint8_t)value;
    return to + 4;
}

uint8_t *nb_png_close_chunk(uint8_t *chunk, const char *type, size_t count) {
    nb_png_put32(chunk, (uint32_t)count);
    memcpy(chunk + 4, type, 4);
    return nb_png_put32(chunk + 8 + count, libdeflate_crc32(0, chunk + 4, count + 4));
}

uint8_t *nb_png_put_head(uint8_t *to, const nb_plane *plane, int depth, int color_type) {
    static const uint8_t signature[8] = {137, 'P', 'N', 'G', 13, 10, 26, 10};
    memcpy(to, signature, 8);
    uint8_t *chunk = to + 8;
    nb_png_put32(chunk + 8, (uint32_t)plane->width);
    nb_png_put32(chunk + 12, (uint32_t)plane->height);
    const uint8_t rest[5] = {(uint8_t)depth, (uint8_t)color_type, 0, 0, 0};
    memcpy(chunk + 16, rest, 5);
    chunk = nb_png_close_chunk(chunk, "IHDR", 13);
    chunk[8] = 0;  // perceptual
    return nb_png_close_chunk(chunk, "sRGB", 1);
}

nb_status nb_png_write(const uint8_t *head, size_t head_count, const uint8_t *rows, size_t row_count, int level,
                       uint8_t **bytes, size_t *count, nb_error *error) {
    enum { around = 12 };
    struct libdeflate_compressor *deflate = libdeflate_alloc_compressor(level);
    size_t bound = deflate == NULL ? 0 : libdeflate_zlib_compress_bound(deflate, row_count);
    uint8_t *file = bound == 0 ? NULL : malloc(head_count + bound + 2 * around);
    nb_status status = NB_OK;
    if (file == NULL) {
        status = nb_fail(error, NB_MEMORY, "not enough memory");
    } else {
        memcpy(file, head, head_count);
        uint8_t *chunk = file + head_count;
        size_t packed = libdeflate_zlib_compress(deflate, rows, row_count, chunk + 8, bound);
        if (packed == 0 || packed > INT32_MAX) {
            status = nb_fail(error, NB_LIMITS, "the image is too large for one PNG chunk");
        } else {
            chunk = nb_png_close_chunk(nb_png_close_chunk(chunk, "IDAT", packed), "IEND", 0);
            *count = (size_t)(chunk - file);
            *bytes = nb_fitted(file, *count);
        }
    }
    if (status != NB_OK) free(file);
    if (deflate != NULL) libdeflate_free_compressor(deflate);
    return status;
}

uint32_t nb_crc32(const uint8_t *bytes, size_t count) { return libdeflate_crc32(0, bytes, count); }

nb_status nb_inflate(const uint8_t *bytes, size_t count, uint8_t *to, size_t capacity, size_t *to_count, nb_error *error) {
    struct libdeflate_decompressor *inflate = libdeflate_alloc_decompressor();
    if (inflate == NULL) return nb_fail(error, NB_MEMORY, "not enough memory");
    enum libdeflate_result result = libdeflate_zlib_decompress(inflate, bytes, count, to, capacity, to_count);
    libdeflate_free_decompressor(inflate);
    return result == LIBDEFLATE_SUCCESS ? NB_OK : nb_fail(error, NB_CORRUPT, "its deflated data are damaged or too long");
}

nb_status nb_png_encode(const nb_plane *planes, int channels, int level, uint8_t **bytes, size_t *count,
                        nb_error *error) {
    static const uint8_t color_types[5] = {0, 0, 4, 2, 6};
    size_t row_bytes = (size_t)planes[0].width * (size_t)channels * (size_t)planes[0].sample_bytes;
    size_t total = (row_bytes + 1) * (size_t)planes[0].height;
    uint8_t *filtered = malloc(total), head[NB_PNG_HEAD];
    nb_status status = NB_OK;
    if (filtered == NULL || !filter_rows(planes, channels, filtered, row_bytes)) {
        status = nb_fail(error, NB_MEMORY, "not enough memory");
    } else {
        nb_png_put_head(head, &planes[0], 8 * planes[0].sample_bytes, color_types[channels]);
        status = nb_png_write(head, sizeof head, filtered, total, level, bytes, count, error);
    }
    free(filtered);
    return status;
}

void nb_png_version(char *text, size_t count) {
    snprintf(text, count, "libdeflate %s, libpng %s", LIBDEFLATE_VERSION_STRING, png_get_libpng_ver(NULL));
}
