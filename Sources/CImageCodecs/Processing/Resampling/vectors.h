// The vectors that the direct resampler is made for. Elsewhere zimg resamples alone.
//
// Files that use them stand between NB_VECTORS_BEGIN and NB_VECTORS_END. What is between may only run on a processor that
// has them, which nb_direct_resampler_make asks first.
#pragma once
#if defined(__x86_64__)
#define NB_VECTORS 1
#include <immintrin.h>
#define NB_VECTORS_BEGIN \
    _Pragma("clang attribute push(__attribute__((target(\"avx2\"))), apply_to = function)")
#define NB_VECTORS_END _Pragma("clang attribute pop")
static inline int nb_has_vectors(void) { return __builtin_cpu_supports("avx2") != 0; }
#elif defined(__aarch64__)
#define NB_VECTORS 1
#include <arm_neon.h>
#define NB_VECTORS_BEGIN
#define NB_VECTORS_END
static inline int nb_has_vectors(void) { return 1; }  // every processor has them
#else
#define NB_VECTORS 0
#endif
