// The parts of the encoder of small JPEGs, in the order of their work. All of it is integer arithmetic: equal on every processor.
#pragma once
#include "CImageCodecs.h"

#include <stddef.h>
#include <stdint.h>

/// Steps between coefficients of 1: how exactly they are kept before they are quantised.
enum { nb_jpeg_precision = 16 };

/// The blocks of a component, row by row, 64 coefficients each in natural order.
typedef struct {
    int columns, rows;
    int16_t *exact;      // times nb_jpeg_precision
    int16_t *quantised;
    uint16_t steps[64];  // the quantisation table
} nb_jpeg_blocks;

/// By zigzag index (ITU-T T.81, figure A.6): the natural index.
extern const uint8_t nb_jpeg_zigzag[64];

/// The scale of libjpeg's tables, in hundredths.
int nb_jpeg_scale(const nb_jpeg_settings *settings);
/// The table of luma (`component` 0) or chroma for a quality of 1 to 100.
void nb_jpeg_steps(const nb_jpeg_settings *settings, int component, uint16_t steps[64]);
/// Transforms all samples; what is outside the plane repeats its last column and row.
void nb_jpeg_transform(const nb_plane *plane, nb_jpeg_blocks *blocks);
/// Quantises each block so that its errors and its bits together cost least; at a quality of 100, bits cost nothing.
void nb_jpeg_quantise(nb_jpeg_blocks *blocks, int quality);
