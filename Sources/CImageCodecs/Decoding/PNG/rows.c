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

INLINE void expand_palette(const nb_png_pixels *pixels, const uint8_t *row, uint8_t *to, int depth, int channels, int wide) {
    for (int32_t x = 0; x < pixels->width; x++) {
        const uint8_t *color = pixels->colors[sample(row, (size_t)x, depth)];
        if (wide) {
            for (int c = 0; c < channels; c++) nb_put(to, c, 1, color[c] * 257u);
            to += 2 * channels;
        } else {
            memcpy(to, color, 4);  // of RGB, the fourth byte is the next pixel's or padding
            to += channels;
        }
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

// The kernels are inlined with the file's depth and what follows it as constants.
#define BY_FILE_DEPTH(kernel, pixels, row, to, ...) \
    switch ((pixels)->depth) { \
        case 1: kernel(pixels, row, to, 1, __VA_ARGS__); break; \
        case 2: kernel(pixels, row, to, 2, __VA_ARGS__); break; \
        case 4: kernel(pixels, row, to, 4, __VA_ARGS__); break; \
        case 8: kernel(pixels, row, to, 8, __VA_ARGS__); break; \
        default: kernel(pixels, row, to, 16, __VA_ARGS__); break; \
    }

void nb_png_expand_row(const nb_png_pixels *pixels, const uint8_t *row, uint8_t *to, int channels, int wide) {
    if (pixels->has_palette && wide) BY_FILE_DEPTH(expand_palette, pixels, row, to, channels, 1)
    else if (pixels->has_palette && channels == 3) BY_FILE_DEPTH(expand_palette, pixels, row, to, 3, 0)
    else if (pixels->has_palette) BY_FILE_DEPTH(expand_palette, pixels, row, to, 4, 0)
    else if (wide) BY_FILE_DEPTH(expand_samples, pixels, row, to, 1)
    else BY_FILE_DEPTH(expand_samples, pixels, row, to, 0)
}
