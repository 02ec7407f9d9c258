// The direct resampler is made for vectors of 32 bytes. Elsewhere zimg resamples alone.
//
// Files that use them stand between NB_AVX2_BEGIN and NB_AVX2_END. What is between may only run on a processor that has
// them, which nb_direct_resampler_make asks first.
#pragma once
#if defined(__x86_64__)
#define NB_AVX2 1
#include <immintrin.h>
#define NB_AVX2_BEGIN \
    _Pragma("clang attribute push(__attribute__((target(\"avx2\"))), apply_to = function)")
#define NB_AVX2_END _Pragma("clang attribute pop")
#else
#define NB_AVX2 0
#endif
