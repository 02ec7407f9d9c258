#pragma once
#include "tiff_samples.h"
#include "tiff_source.h"

/// The state of reading a TIFF's first image.
typedef struct {
    nb_tiff_source from;
    TIFF *tiff;
    uint32_t width, height, band_rows, tile_width;
    nb_tiff_samples stored;
    uint16_t bits, samples, photometric, compression, extra;  // bits: of a number in `band`; extra: the kind of alpha
    int is_separate, is_tiled, by_rows, by_rgba, is_lab, is_linear;
    void *lab_transform;
    uint16_t *lab;          // a row of CIELAB
    uint16_t alpha;         // the sample that is alpha, or 0
    uint16_t *tables[NB_MOST_CHANNELS];  // per channel: the result for each stored sample
    uint16_t *band;         // `band_rows` rows of interleaved samples as stored
    uint8_t *packed;        // a row of the result
    void *raw;              // a row, strip or tile as libtiff gives it
} nb_tiff_reader;

/// Reads the first directory of an open file: the meaning and layout of its samples, and the memory that a decode will
/// hold.
nb_status nb_tiff_read_directory(nb_tiff_reader *self, nb_tiff_header *header);
