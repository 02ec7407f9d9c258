// How coefficients lie in memory: blocks in pairs, the rows of both beside each other, so that a vector of 256 bits is a
// row of two blocks.
#pragma once
#include "vectors.h"

#include <stdint.h>

#if NB_DIRECT
/// By zigzag index (ITU-T T.81, figure A.6): where the coefficient goes, counted from its block's first.
extern const uint16_t nb_place[64];

/// The first coefficient of block `x` in a row of blocks.
NB_INLINE int16_t *nb_block_at(int16_t *row, int x) { return row + (x >> 1) * 128 + (x & 1) * 8; }
#endif
