#pragma once
// The likeness of two images.

#include "outcomes.h"
#include "plane.h"

/// The score of SSIMULACRA2 2.1: 100 for equal images, 90 for differences that are not seen side by side, 70 for those of a
/// JPEG of high quality, below 0 for other images.
///
/// Both images are three planes (red, green and blue, sRGB) of one size and depth. Holds about 900 bytes for each sample of a
/// row, whatever the height. With `is_portable`, does without the processor's wide vectors, for the same score, bit by bit.
/// NB_MEMORY is the only failure.
nb_status nb_ssimulacra2(const nb_plane *reference, const nb_plane *other, int is_portable, double *score);
