// Rows of a PNG as gray or RGB of 8 or 16 bits, with alpha if the file has any: what libpng's transformations do.
#include "direct.h"

#include <string.h>

#define INLINE static inline __attribute__((always_inline))

INLINE uint32_t sample(const uint8_t *row, size_t index, int depth) {
    if (depth == 8) return row[index];
    if (depth == 16) return (uint32_t)row[2 * index] << 8 | row[2 * index + 1];
    size_t bit = index * (size_t)depth;
    return row[bit / 8] >> (8 - (unsigned)depth - bit % 8) & ((1u << depth) - 1);
}

/// A sample of the file's depth in the planes' depth, rounded.
INLINE uint32_t convert(uint32_t value, int depth, int wide) {
    if (depth == 16) return wide ? value : (value + 128) / 257;
    uint32_t full = depth == 8 ? value : value * (255u / ((1u << depth) - 1));
    return wide ? full * 257 : full;
}

static void expand_palette(const nb_png_pixels *pixels, const uint8_t *row, uint8_t *to, int channels, int wide) {
    ptrdiff_t at = 0;
    for (int32_t x = 0; x < pixels->width; x++) {
        const uint8_t *color = pixels->colors[sample(row, (size_t)x, pixels->depth)];
        for (int c = 0; c < channels; c++, at++) nb_put(to, at, wide, convert(color[c], 8, wide));
    }
}

INLINE void expand_samples(const nb_png_pixels *pixels, const uint8_t *row, uint8_t *to, int depth, int wide) {
    size_t samples = (size_t)pixels->samples, count = (size_t)pixels->width * samples;
    ptrdiff_t at = 0;
    if (!pixels->has_key) {
        for (size_t i = 0; i < count; i++, at++) nb_put(to, at, wide, convert(sample(row, i, depth), depth, wide));
        return;
    }
    for (size_t i = 0; i < count; i += samples) {
        int is_key = 1;
        for (size_t c = 0; c < samples; c++, at++) {
            uint32_t value = sample(row, i + c, depth);
            is_key &= value == (pixels->key[c] & ((1u << depth) - 1));
            nb_put(to, at, wide, convert(value, depth, wide));
        }
        nb_put(to, at++, wide, is_key ? 0 : wide ? 65535 : 255);
    }
}

INLINE void expand(const nb_png_pixels *pixels, const uint8_t *row, uint8_t *to, int wide) {
    switch (pixels->depth) {
        case 8: expand_samples(pixels, row, to, 8, wide); break;
        case 16: expand_samples(pixels, row, to, 16, wide); break;
        default: expand_samples(pixels, row, to, pixels->depth, wide); break;
    }
}

void nb_png_expand_row(const nb_png_pixels *pixels, const uint8_t *row, uint8_t *to, int channels, int wide) {
    if (pixels->has_palette) expand_palette(pixels, row, to, channels, wide);
    else if (wide) expand(pixels, row, to, 1);
    else expand(pixels, row, to, 0);
}
