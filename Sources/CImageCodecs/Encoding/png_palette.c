// PNG encoder with a palette: rows stay unfiltered, as RFC 2083, 9.6
// advises.
#ifdef NB_PALETTE
#include "png_chunks.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <libdeflate.h>
#include <libimagequant.h>

static uint8_t *put_palette(uint8_t *chunk, const nb_palette *palette) {
    int32_t transparent = 0;  // entries of tRNS: up to the last that is not opaque
    for (int32_t i = 0; i < palette->count; i++) {
        memcpy(chunk + 8 + 3 * i, palette->colors[i], 3);
        if (palette->colors[i][3] != 255) transparent = i + 1;
    }
    chunk = nb_png_close_chunk(chunk, "PLTE", 3 * (size_t)palette->count);
    if (transparent == 0) return chunk;
    for (int32_t i = 0; i < transparent; i++) chunk[8 + i] = palette->colors[i][3];
    return nb_png_close_chunk(chunk, "tRNS", (size_t)transparent);
}

/// Packs indices of `depth` bits into rows, each preceded by a filter byte of 0.
static void pack(const uint8_t *indices, const nb_plane *plane, int depth, uint8_t *rows, size_t row_bytes) {
    for (int32_t y = 0; y < plane->height; y++, rows += row_bytes) {
        memset(rows, 0, row_bytes);
        for (int32_t x = 0; x < plane->width; x++) {
            int bit = x * depth % 8;
            rows[1 + (size_t)x * (size_t)depth / 8] |= (uint8_t)(*indices++ << (8 - depth - bit));
        }
    }
}

static nb_status write(const uint8_t *indices, const nb_palette *palette, const nb_plane *plane, int level,
                       uint8_t **bytes, size_t *count, nb_error *error) {
    int depth = palette->count <= 2 ? 1 : palette->count <= 4 ? 2 : palette->count <= 16 ? 4 : 8;
    size_t row_bytes = 1 + ((size_t)plane->width * (size_t)depth + 7) / 8, total = row_bytes * (size_t)plane->height;
    uint8_t head[NB_PNG_HEAD + 12 + 3 * 256 + 12 + 256];
    uint8_t *end = put_palette(nb_png_put_head(head, plane, depth, 3), palette);
    uint8_t *rows = malloc(total);
    if (rows == NULL) return nb_fail(error, NB_MEMORY, "not enough memory");
    pack(indices, plane, depth, rows, row_bytes);
    nb_status status = nb_png_write(head, (size_t)(end - head), rows, total, level, bytes, count, error);
    free(rows);
    return status;
}

nb_status nb_png_encode_palette(const nb_plane *planes, int channels, int level, uint8_t **bytes, size_t *count,
                                nb_error *error) {
    size_t pixels = (size_t)planes[0].width * (size_t)planes[0].height;
    uint8_t *rgba = malloc(4 * pixels), *indices = malloc(pixels);
    nb_status status = NB_OK;
    if (rgba == NULL || indices == NULL || !nb_interleave_rgba(planes, channels, rgba)) {
        status = nb_fail(error, NB_MEMORY, "not enough memory");
    } else {
        nb_palette palette;
        status = nb_choose_palette(rgba, planes[0].width, planes[0].height, 256, &palette, indices, error);
        if (status == NB_OK) status = write(indices, &palette, &planes[0], level, bytes, count, error);
    }
    free(indices);
    free(rgba);
    return status;
}

void nb_png_palette_version(char *text, size_t count) {
    snprintf(text, count, "libimagequant %s, libdeflate %s", LIQ_VERSION_STRING, LIBDEFLATE_VERSION_STRING);
}
#endif
