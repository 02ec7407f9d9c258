#pragma once
#include "internal.h"

#include <stdio.h>
#include <tiffio.h>

typedef struct {
    const uint8_t *bytes;
    size_t count, at;
    int is_reading;  // warnings about tags are common and harmless; those about pixels are neither
    int failed;
    uint64_t tag_bytes;      // of the first directory's values
    int has_extra_samples;   // libtiff substitutes a default if the directory omits them
    nb_error *error;
} nb_tiff_source;

/// Opens a file that stays in memory. No single buffer of libtiff exceeds `limit`, except that lists of strips may take
/// four times their size in the file. `self` must not move until the file is closed.
nb_status nb_tiff_open(nb_tiff_source *self, const uint8_t *bytes, size_t count, size_t limit, TIFF **tiff,
                       nb_error *error);
