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
    int tells_extra_samples; // libtiff makes up what the directory does not say of them
    nb_error *error;
} nb_tiff_source;

/// Opens a file that stays in memory. No single buffer of libtiff's passes `limit`, save that lists of strips may take
/// four times their room in the file. `self` must not move until the file is closed.
nb_status nb_tiff_open(nb_tiff_source *self, const uint8_t *bytes, size_t count, size_t limit, TIFF **tiff,
                       nb_error *error);
/// Reports a file that is cut short.
nb_status nb_tiff_cut(nb_error *error);
