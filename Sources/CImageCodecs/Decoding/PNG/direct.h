// The direct PNG decoder: for files that are whole, not interlaced, and such that libpng has nothing to say about them.
//
// libpng reads what comes before the pixels. Whatever is odd in the rest is left to it too, so that what is refused, and in
// which words, does not depend on this decoder.
#pragma once
#include "internal.h"

/// What libpng read before the pixels.
typedef struct {
    const uint8_t *idat;        // the first IDAT chunk, from its length on
    size_t left;                // bytes from there
    size_t longest;             // the length that libpng takes of any chunk
    int32_t width, height;
    int depth, samples;         // bits per sample; samples per pixel, of a palette 1
    int has_palette;            // `colors` are RGB, or RGBA
    int has_key;                // gray or RGB with a transparent colour, `key`
    uint8_t colors[256][4];
    uint16_t key[3];
} nb_png_pixels;

/// Decodes into the planes of a target. NB_UNSUPPORTED leaves the file to libpng.
nb_status nb_png_decode_pixels(const nb_png_pixels *pixels, const nb_target *target, nb_error *error);

/// Makes interleaved samples of the planes' depth of a row of the file; may write a byte behind them.
void nb_png_expand_row(const nb_png_pixels *pixels, const uint8_t *row, uint8_t *to, int channels, int wide);
