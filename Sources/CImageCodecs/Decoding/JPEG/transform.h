// From coefficients to samples: the inverse DCT of libjpeg's "islow" and its reductions, to the bit.
#pragma once
#include "vectors.h"

#include <stddef.h>
#include <stdint.h>

#if NB_DIRECT
/// A row of blocks, as blocks.h lays them out.
typedef struct {
    int16_t *coefficients;
    const int16_t *quant;
    int blocks;   // that are transformed
    int decoded;  // that are cleared afterwards; at least `blocks`
} nb_block_row;

/// Transforms blocks to `size` samples a side (1, 2, 4 or 8) and clears them. Writes whole pairs of blocks.
///
/// Returns 0 if a block is beyond what samples of 8 bits lead to, where libjpeg's own code for different processors
/// differs; its samples are then of no use.
int nb_transform_row(const nb_block_row *row, int size, uint8_t *to, ptrdiff_t stride);

// For sizes 2, 4 and 8, by vectors of 256 bits (on arm64 of 128) and of 512 bits: pairs, and two pairs at a time as long as more than two blocks
// are left. Return how many blocks were transformed, and clear `is_in_reach` for a block that is not.
int nb_transform_pairs(const nb_block_row *row, int size, uint8_t *to, ptrdiff_t stride, int *is_in_reach);
int nb_transform_quads(const nb_block_row *row, int size, uint8_t *to, ptrdiff_t stride, int *is_in_reach);
#endif
