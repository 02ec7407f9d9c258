// The work of SSIMULACRA2 on rows of samples, eight at a time.
//
// The vectors are the compiler's own, so the same lines run on every processor. All operations are single ones of IEEE 754
// in a fixed order: no fused product, no estimate, eight partial sums. So is the result the same everywhere, bit by bit.
#pragma once
#include "internal.h"

enum { nb_lanes = 8, nb_margin = 8, nb_taps = 9 };

/// The sum and the sum of fourth powers of each map of one channel at one scale.
typedef struct {
    double structure, ringing, blur, structure4, ringing4, blur4;
} nb_map_sums;

/// Rows of one channel around the row in the middle, nine each: of the reference, of the other image, of the sum of their
/// squares, and of the squares of their differences.
typedef struct {
    const float *reference[nb_taps], *other[nb_taps], *squares[nb_taps], *differences[nb_taps];
} nb_map_rows;

/// Two implementations of the same functions. Rows have `width` samples and are allocated, and zero, up to a multiple of
/// the lanes.
typedef struct {
    /// Linear red, green and blue to X, Y and B of the metric.
    void (*to_xyb)(const float *const linear[3], float *const xyb[3], int32_t width);
    /// Two rows to one of half the width; an odd sample at the end counts twice.
    void (*halve)(const float *upper, const float *lower, float *to, int32_t width);
    /// The rows that the maps of structure need beside the samples.
    void (*square)(const float *reference, const float *other, float *squares, float *differences, int32_t width);
    /// Adds the maps of one row. `scratch` has four rows with a margin on either side.
    void (*add_maps)(const nb_map_rows *rows, int32_t width, int has_structure, int has_edges, float *scratch,
                     nb_map_sums *sums);
} nb_row_functions;

/// The fastest functions that this processor has, or those for any processor.
const nb_row_functions *nb_choose_row_functions(int is_portable);
