// Layout and colour of planes: plain loops that the compiler vectorizes.
#include "internal.h"

#include <stdlib.h>
#include <string.h>

static uint8_t clamp8(int32_t value) { return (uint8_t)(value < 0 ? 0 : value > 255 ? 255 : value); }

static inline void interleave(const nb_plane *planes, int channels, uint8_t *packed, ptrdiff_t stride, int wide) {
    for (int32_t y = 0; y < planes[0].height; y++) {
        uint8_t *restrict to = packed + (ptrdiff_t)y * stride;
        for (int i = 0; i < channels; i++) {
            const uint8_t *restrict from = nb_row(&planes[i], y);
            for (int32_t x = 0; x < planes[0].width; x++)
                nb_put(to, (ptrdiff_t)x * channels + i, wide, nb_get(from, x, wide));
        }
    }
}

// RGB and RGBA of 8 bits are converted in one pass over the pixels, which takes a tenth of the time, but only where vectors
// can be shuffled: with AVX2, and on arm64.
#if defined(__x86_64__)
#define SHUFFLED __attribute__((target("avx2")))
static int has_shuffles(void) { return __builtin_cpu_supports("avx2") != 0; }
#elif defined(__aarch64__)
#define SHUFFLED
static int has_shuffles(void) { return 1; }
#else
#define SHUFFLED
static int has_shuffles(void) { return 0; }
#endif

static int are_colors(const nb_plane *planes, int channels) {
    return (channels == 3 || channels == 4) && planes[0].sample_bytes == 1;
}

SHUFFLED static void interleave_colors(const nb_plane *planes, int channels, uint8_t *packed, ptrdiff_t stride) {
    int32_t width = planes[0].width;
    for (int32_t y = 0; y < planes[0].height; y++) {
        uint8_t *restrict to = packed + (ptrdiff_t)y * stride;
        const uint8_t *restrict r = nb_row(&planes[0], y), *restrict g = nb_row(&planes[1], y);
        const uint8_t *restrict b = nb_row(&planes[2], y);
        if (channels == 3) {
            for (int32_t x = 0; x < width; x++, to += 3) to[0] = r[x], to[1] = g[x], to[2] = b[x];
        } else {
            const uint8_t *restrict a = nb_row(&planes[3], y);
            for (int32_t x = 0; x < width; x++, to += 4) to[0] = r[x], to[1] = g[x], to[2] = b[x], to[3] = a[x];
        }
    }
}

void nb_interleave(const nb_plane *planes, int channels, uint8_t *packed, ptrdiff_t stride) {
    if (are_colors(planes, channels) && has_shuffles()) interleave_colors(planes, channels, packed, stride);
    else NB_BY_DEPTH(planes, interleave, planes, channels, packed, stride);
}

int nb_interleave_rgba(const nb_plane *planes, int channels, uint8_t *rgba) {
    size_t width = (size_t)planes[0].width;
    uint8_t *opaque = malloc(width);
    if (opaque == NULL) return 0;
    memset(opaque, 255, width);
    nb_plane from[4] = {planes[0], planes[1], planes[2], planes[channels - 1]};
    if (channels == 3) from[3] = (nb_plane){opaque, 0, planes[0].width, planes[0].height, 1};
    nb_interleave(from, 4, rgba, (ptrdiff_t)(4 * width));
    free(opaque);
    return 1;
}

static inline void deinterleave(const uint8_t *packed, ptrdiff_t stride, const nb_plane *planes, int channels,
                                int wide) {
    for (int32_t y = 0; y < planes[0].height; y++) {
        const uint8_t *restrict from = packed + (ptrdiff_t)y * stride;
        for (int i = 0; i < channels; i++) {
            uint8_t *restrict to = nb_row(&planes[i], y);
            for (int32_t x = 0; x < planes[0].width; x++)
                nb_put(to, x, wide, nb_get(from, (ptrdiff_t)x * channels + i, wide));
        }
    }
}

SHUFFLED static void deinterleave_colors(const uint8_t *packed, ptrdiff_t stride, const nb_plane *planes, int channels) {
    int32_t width = planes[0].width;
    for (int32_t y = 0; y < planes[0].height; y++) {
        const uint8_t *restrict from = packed + (ptrdiff_t)y * stride;
        uint8_t *restrict r = nb_row(&planes[0], y), *restrict g = nb_row(&planes[1], y);
        uint8_t *restrict b = nb_row(&planes[2], y);
        if (channels == 3) {
            for (int32_t x = 0; x < width; x++, from += 3) r[x] = from[0], g[x] = from[1], b[x] = from[2];
        } else {
            uint8_t *restrict a = nb_row(&planes[3], y);
            for (int32_t x = 0; x < width; x++, from += 4) {
                r[x] = from[0], g[x] = from[1], b[x] = from[2], a[x] = from[3];
            }
        }
    }
}

void nb_deinterleave(const uint8_t *packed, ptrdiff_t stride, const nb_plane *planes, int channels) {
    if (are_colors(planes, channels) && has_shuffles()) deinterleave_colors(packed, stride, planes, channels);
    else NB_BY_DEPTH(planes, deinterleave, packed, stride, planes, channels);
}

static inline void mirror_row(const uint8_t *from, uint8_t *to, int32_t width, int wide) {
    for (int32_t x = 0; x < width; x++) nb_put(to, x, wide, nb_get(from, width - 1 - x, wide));
}

// Blocks of 32 × 32 keep the rows of one side and the columns of the other in the first-level cache.
static inline void transpose(const nb_plane *source, const nb_plane *to, int flip_x, int flip_y, int wide) {
    enum { block = 32 };
    int32_t width = to->width, height = to->height;
    for (int32_t top = 0; top < height; top += block) {
        for (int32_t left = 0; left < width; left += block) {
            for (int32_t y = top; y < height && y < top + block; y++) {
                uint8_t *row = nb_row(to, y);
                int32_t column = flip_x ? height - 1 - y : y;
                for (int32_t x = left; x < width && x < left + block; x++)
                    nb_put(row, x, wide, nb_get(nb_row(source, flip_y ? width - 1 - x : x), column, wide));
            }
        }
    }
}

void nb_orient(const nb_plane *source, const nb_plane *destination, int orientation) {
    if (orientation > 4) {
        int flip_x = orientation == 7 || orientation == 8, flip_y = orientation == 6 || orientation == 7;
        NB_BY_DEPTH(source, transpose, source, destination, flip_x, flip_y);
        return;
    }
    for (int32_t y = 0; y < destination->height; y++) {
        const uint8_t *from = nb_row(source, orientation >= 3 ? source->height - 1 - y : y);
        uint8_t *to = nb_row(destination, y);
        if (orientation == 2 || orientation == 3)
            NB_BY_DEPTH(source, mirror_row, from, to, destination->width);
        else
            memcpy(to, from, (size_t)destination->width * (size_t)source->sample_bytes);
    }
}

// JFIF 1.02, page 3, in 16-bit fixed point.

void nb_ycbcr_to_rgb(const nb_plane *source, const nb_plane *destination) {
    for (int32_t y = 0; y < source[0].height; y++) {
        const uint8_t *luma = nb_row(&source[0], y), *blue = nb_row(&source[1], y), *red = nb_row(&source[2], y);
        uint8_t *r = nb_row(&destination[0], y), *g = nb_row(&destination[1], y), *b = nb_row(&destination[2], y);
        for (int32_t x = 0; x < source[0].width; x++) {
            int32_t base = (luma[x] << 16) + 32768, cb = blue[x] - 128, cr = red[x] - 128;
            r[x] = clamp8((base + 91881 * cr) >> 16);
            g[x] = clamp8((base - 22554 * cb - 46802 * cr) >> 16);
            b[x] = clamp8((base + 116130 * cb) >> 16);
        }
    }
}

void nb_rgb_to_ycbcr(const nb_plane *source, const nb_plane *destination) {
    for (int32_t y = 0; y < source[0].height; y++) {
        const uint8_t *r = nb_row(&source[0], y), *g = nb_row(&source[1], y), *b = nb_row(&source[2], y);
        uint8_t *luma = nb_row(&destination[0], y);
        uint8_t *blue = nb_row(&destination[1], y), *red = nb_row(&destination[2], y);
        for (int32_t x = 0; x < source[0].width; x++) {
            int32_t rr = r[x], gg = g[x], bb = b[x], half = (128 << 16) + 32768;
            luma[x] = (uint8_t)((19595 * rr + 38470 * gg + 7471 * bb + 32768) >> 16);
            blue[x] = clamp8((-11059 * rr - 21709 * gg + 32768 * bb + half) >> 16);
            red[x] = clamp8((32768 * rr - 27439 * gg - 5329 * bb + half) >> 16);
        }
    }
}

static inline void rgb_to_gray(const nb_plane *source, const nb_plane *destination, int wide) {
    for (int32_t y = 0; y < source[0].height; y++) {
        const uint8_t *r = nb_row(&source[0], y), *g = nb_row(&source[1], y), *b = nb_row(&source[2], y);
        uint8_t *to = nb_row(destination, y);
        for (int32_t x = 0; x < source[0].width; x++) {
            uint32_t luma = 19595 * nb_get(r, x, wide) + 38470 * nb_get(g, x, wide) + 7471 * nb_get(b, x, wide);
            nb_put(to, x, wide, (luma + 32768) >> 16);
        }
    }
}

void nb_rgb_to_gray(const nb_plane *source, const nb_plane *destination) {
    NB_BY_DEPTH(source, rgb_to_gray, source, destination);
}

static uint8_t multiply8(int32_t a, int32_t b) { return (uint8_t)((a * b + 127) / 255); }

void nb_cmyk_to_rgb(const nb_plane *packed, int inverted, const nb_plane *destination) {
    int32_t flip = inverted ? 0 : 255;
    for (int32_t y = 0; y < destination[0].height; y++) {
        const uint8_t *from = nb_row(packed, y);
        for (int i = 0; i < 3; i++) {
            uint8_t *to = nb_row(&destination[i], y);
            for (int32_t x = 0; x < destination[0].width; x++)
                to[x] = multiply8(from[4 * x + i] ^ flip, from[4 * x + 3] ^ flip);
        }
    }
}

static inline void flatten(const nb_plane *source, const nb_plane *alpha, uint8_t background,
                           const nb_plane *destination, int wide) {
    uint64_t most = wide ? 65535 : 255, below = wide ? background * 257u : background;
    for (int32_t y = 0; y < source->height; y++) {
        const uint8_t *from = nb_row(source, y), *opacity = nb_row(alpha, y);
        uint8_t *to = nb_row(destination, y);
        for (int32_t x = 0; x < source->width; x++) {
            uint64_t by = nb_get(opacity, x, wide);
            nb_put(to, x, wide, (uint32_t)((nb_get(from, x, wide) * by + below * (most - by) + most / 2) / most));
        }
    }
}

void nb_flatten(const nb_plane *source, const nb_plane *alpha, uint8_t background, const nb_plane *destination) {
    NB_BY_DEPTH(source, flatten, source, alpha, background, destination);
}
