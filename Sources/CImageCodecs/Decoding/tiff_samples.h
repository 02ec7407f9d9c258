#pragma once
#include "internal.h"

#include <tiffio.h>

/// The type of a sample: bits, and a value of TIFFTAG_SAMPLEFORMAT.
typedef struct {
    int bits, format;
} nb_tiff_samples;

/// Refuses samples without an agreed meaning.
nb_status nb_tiff_check_samples(nb_tiff_samples samples, nb_error *error);
/// The bits of nb_tiff_unpack's output, at most 16.
int nb_tiff_depth(nb_tiff_samples samples);
/// Writes the samples of a row, as libtiff returns them, to every `step`-th number.
void nb_tiff_unpack(const uint8_t *from, nb_tiff_samples samples, uint16_t *to, size_t step, size_t count);
