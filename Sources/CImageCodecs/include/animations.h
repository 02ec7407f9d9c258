#pragma once
// Encoders of animations, which take a frame after another, and the palettes of one of them.

#include <stddef.h>
#include <stdint.h>

#include "outcomes.h"
#include "plane.h"

/// An animation while it is written. One thread at a time may use it.
typedef struct nb_animation nb_animation;
/// Begins a WebP that is played `plays` times, or for ever if that is 0.
nb_status nb_webp_animation_open(int32_t width, int32_t height, int32_t plays, float quality, int lossless, int effort,
                                 nb_animation **animation, nb_error *error);
/// Begins a GIF whose frames have at most `colors` colours each, 2 to 256 (in builds with NB_PALETTE).
nb_status nb_gif_animation_open(int32_t width, int32_t height, int32_t plays, int colors, nb_animation **animation,
                                nb_error *error);
/// Adds a frame of 3 (RGB) or 4 (RGBA) planes that is shown from `start` on, in milliseconds. Translucent pixels become opaque
/// or transparent in a GIF.
nb_status nb_animation_add(nb_animation *animation, const nb_plane *planes, int channels, int32_t start, nb_error *error);
/// Writes the file; the last frame is shown until `end`.
nb_status nb_animation_finish(nb_animation *animation, int32_t end, uint8_t **bytes, size_t *count, nb_error *error);
void nb_animation_close(nb_animation *animation);

// Palettes (in builds with NB_PALETTE)

/// Red, green, blue and alpha of up to 256 colours.
typedef struct {
    int32_t count;
    uint8_t colors[256][4];
} nb_palette;

/// Chooses at most `colors` colours, 2 to 256, for interleaved red, green, blue and alpha without gaps, and finds the index of each
/// pixel, dithered (in builds with NB_PALETTE).
nb_status nb_choose_palette(const uint8_t *rgba, int32_t width, int32_t height, int colors, nb_palette *palette,
                            uint8_t *indices, nb_error *error);
/// The version of libimagequant, as for the other libraries.
void nb_palette_version(char *text, size_t count);
