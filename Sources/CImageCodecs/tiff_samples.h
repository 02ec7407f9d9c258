#pragma once
#include "internal.h"

#include <tiffio.h>

/// What a sample is: bits, and a value of TIFFTAG_SAMPLEFORMAT.
typedef struct {
    int bits, format;
} nb_tiff_samples;

/// Refuses what has no agreed meaning as a picture.
nb_status nb_tiff_check_samples(nb_tiff_samples samples, nb_error *error);
/// Bits of what nb_tiff_unpack makes of them, at most 16.
int nb_tiff_depth(nb_tiff_samples samples);
/// Writes the samples of a row, as libtiff gives them, to every `step`-th number.
void nb_tiff_unpack(const uint8_t *from, nb_tiff_samples samples, uint16_t *to, size_t step, size_t count);
