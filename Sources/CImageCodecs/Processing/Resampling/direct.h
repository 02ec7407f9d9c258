// The direct resampler: zimg's resampling of a plane, to the bit, prepared in a fraction of the time.
#pragma once
#include "internal.h"

typedef struct nb_direct_resampler nb_direct_resampler;

/// NULL for what is left to zimg: a box filter, a plain copy, an odd region, another processor; and without memory.
nb_direct_resampler *nb_direct_resampler_make(const nb_resampling *what);
nb_status nb_direct_resampler_run(const nb_direct_resampler *resampler, const nb_plane *source,
                                  const nb_plane *destination, nb_error *error);
void nb_direct_resampler_free(nb_direct_resampler *resampler);
