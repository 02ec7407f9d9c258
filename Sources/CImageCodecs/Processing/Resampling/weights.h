// The weights with which samples of the source enter those of a resampled row or column.
//
// They are zimg's to the bit: integers that sum up to 1 << 14. Computing them takes zimg several times as long as
// resampling a thumbnail with them, because of two sines for each weight, twice.
#pragma once
#include "internal.h"

enum { NB_WEIGHTS_LANES = 8 };  // results that are made at once, so that there are zeros behind the last

typedef struct {
    int32_t count;    // of results
    int32_t reach;    // samples of the source that a result may be made of
    int32_t taps;     // weights of a result: as many, and zeros up to what vectors are filled with
    int32_t *first;   // the first sample of each result; that and the next `reach` - 1 are in the source
    int16_t *values;
} nb_weights;

/// Weights of `count` results that show `extent` samples from `start` on, of `source`. `taps` are 8, or a multiple of 16.
/// Returns 0 without memory, and for regions that only zimg takes.
int nb_weights_make(nb_weights *weights, nb_filter filter, int32_t source, int32_t count, double start, double extent);
void nb_weights_free(nb_weights *weights);
