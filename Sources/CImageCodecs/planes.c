// Layout and colour of planes: plain loops that the compiler vectorises.
#include "internal.h"

#include <string.h>

static uint8_t *row_of(const nb_plane *plane, int32_t y) { return plane->data + (ptrdiff_t)y * plane->stride; }

static uint8_t clamp8(int32_t value) { return (uint8_t)(value < 0 ? 0 : value > 255 ? 255 : value); }

void nb_interleave(const nb_plane *planes, int channels, uint8_t *packed, ptrdiff_t stride) {
    for (int32_t y = 0; y < planes[0].height; y++) {
        uint8_t *restrict to = packed + (ptrdiff_t)y * stride;
        for (int i = 0; i < channels; i++) {
            const uint8_t *restrict from = row_of(&planes[i], y);
            for (int32_t x = 0; x < planes[0].width; x++) to[x * channels + i] = from[x];
        }
    }
}

void nb_deinterleave(const uint8_t *packed, ptrdiff_t stride, const nb_plane *planes, int channels) {
    for (int32_t y = 0; y < planes[0].height; y++) {
        const uint8_t *restrict from = packed + (ptrdiff_t)y * stride;
        for (int i = 0; i < channels; i++) {
            uint8_t *restrict to = row_of(&planes[i], y);
            for (int32_t x = 0; x < planes[0].width; x++) to[x] = from[x * channels + i];
        }
    }
}

static void mirror_row(const uint8_t *from, uint8_t *to, int32_t width) {
    for (int32_t x = 0; x < width; x++) to[x] = from[width - 1 - x];
}

// Blocks of 32 × 32 keep the rows of one side and the columns of the other in the first-level cache.
static void transpose(const nb_plane *source, const nb_plane *to, int flip_x, int flip_y) {
    enum { block = 32 };
    int32_t width = to->width, height = to->height;
    for (int32_t top = 0; top < height; top += block) {
        for (int32_t left = 0; left < width; left += block) {
            for (int32_t y = top; y < height && y < top + block; y++) {
                uint8_t *row = row_of(to, y);
                int32_t column = flip_x ? height - 1 - y : y;
                for (int32_t x = left; x < width && x < left + block; x++)
                    row[x] = row_of(source, flip_y ? width - 1 - x : x)[column];
            }
        }
    }
}

void nb_orient(const nb_plane *source, const nb_plane *destination, int orientation) {
    if (orientation > 4) {
        transpose(source, destination, orientation == 7 || orientation == 8, orientation == 6 || orientation == 7);
        return;
    }
    for (int32_t y = 0; y < destination->height; y++) {
        const uint8_t *from = row_of(source, orientation >= 3 ? source->height - 1 - y : y);
        uint8_t *to = row_of(destination, y);
        if (orientation == 2 || orientation == 3)
            mirror_row(from, to, destination->width);
        else
            memcpy(to, from, (size_t)destination->width);
    }
}

// JFIF 1.02, page 3, in 16-bit fixed point.

void nb_ycbcr_to_rgb(const nb_plane *source, const nb_plane *destination) {
    for (int32_t y = 0; y < source[0].height; y++) {
        const uint8_t *luma = row_of(&source[0], y), *blue = row_of(&source[1], y), *red = row_of(&source[2], y);
        uint8_t *r = row_of(&destination[0], y), *g = row_of(&destination[1], y), *b = row_of(&destination[2], y);
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
        const uint8_t *r = row_of(&source[0], y), *g = row_of(&source[1], y), *b = row_of(&source[2], y);
        uint8_t *luma = row_of(&destination[0], y);
        uint8_t *blue = row_of(&destination[1], y), *red = row_of(&destination[2], y);
        for (int32_t x = 0; x < source[0].width; x++) {
            int32_t rr = r[x], gg = g[x], bb = b[x], half = (128 << 16) + 32768;
            luma[x] = (uint8_t)((19595 * rr + 38470 * gg + 7471 * bb + 32768) >> 16);
            blue[x] = clamp8((-11059 * rr - 21709 * gg + 32768 * bb + half) >> 16);
            red[x] = clamp8((32768 * rr - 27439 * gg - 5329 * bb + half) >> 16);
        }
    }
}

void nb_rgb_to_gray(const nb_plane *source, const nb_plane *destination) {
    for (int32_t y = 0; y < source[0].height; y++) {
        const uint8_t *r = row_of(&source[0], y), *g = row_of(&source[1], y), *b = row_of(&source[2], y);
        uint8_t *to = row_of(destination, y);
        for (int32_t x = 0; x < source[0].width; x++)
            to[x] = (uint8_t)((19595 * r[x] + 38470 * g[x] + 7471 * b[x] + 32768) >> 16);
    }
}

static uint8_t multiply8(int32_t a, int32_t b) { return (uint8_t)((a * b + 127) / 255); }

void nb_cmyk_to_rgb(const nb_plane *packed, int inverted, const nb_plane *destination) {
    int32_t flip = inverted ? 0 : 255;
    for (int32_t y = 0; y < destination[0].height; y++) {
        const uint8_t *from = row_of(packed, y);
        for (int i = 0; i < 3; i++) {
            uint8_t *to = row_of(&destination[i], y);
            for (int32_t x = 0; x < destination[0].width; x++)
                to[x] = multiply8(from[4 * x + i] ^ flip, from[4 * x + 3] ^ flip);
        }
    }
}

void nb_flatten(const nb_plane *source, const nb_plane *alpha, uint8_t background, const nb_plane *destination) {
    for (int32_t y = 0; y < source->height; y++) {
        const uint8_t *from = row_of(source, y), *opacity = row_of(alpha, y);
        uint8_t *to = row_of(destination, y);
        for (int32_t x = 0; x < source->width; x++)
            to[x] = (uint8_t)((from[x] * opacity[x] + background * (255 - opacity[x]) + 127) / 255);
    }
}
