// What the filters of PNG do with vectors of bytes: 32 with AVX2, 16 on arm64. Elsewhere rows are filtered plainly.
//
// What stands between NB_VECTORS_BEGIN and NB_VECTORS_END may only run where has_vectors().
#pragma once
#include <stdint.h>

#define INLINE static inline __attribute__((always_inline))

#if defined(__x86_64__)
#define NB_VECTORS 1
#include <immintrin.h>
#define NB_VECTORS_BEGIN _Pragma("clang attribute push(__attribute__((target(\"avx2\"))), apply_to = function)")
#define NB_VECTORS_END _Pragma("clang attribute pop")
INLINE int has_vectors(void) { return __builtin_cpu_supports("avx2") != 0; }

NB_VECTORS_BEGIN

typedef __m256i vector, totals;

INLINE vector load(const uint8_t *from) { return _mm256_loadu_si256((const __m256i *)(const void *)from); }
INLINE void store(uint8_t *to, vector value) { _mm256_storeu_si256((__m256i *)(void *)to, value); }
INLINE vector subtract(vector a, vector b) { return _mm256_sub_epi8(a, b); }
INLINE vector add_to_most(vector a, vector b) { return _mm256_adds_epu8(a, b); }
INLINE vector distance(vector a, vector b) { return _mm256_sub_epi8(_mm256_max_epu8(a, b), _mm256_min_epu8(a, b)); }
INLINE vector both(vector a, vector b) { return _mm256_and_si256(a, b); }
INLINE vector equal(vector a, vector b) { return _mm256_cmpeq_epi8(a, b); }
INLINE vector at_most(vector a, vector b) { return equal(_mm256_min_epu8(a, b), a); }
INLINE vector choose(vector is_first, vector first, vector second) { return _mm256_blendv_epi8(second, first, is_first); }

/// Rounded down, where _mm256_avg_epu8 rounds up.
INLINE vector half_of_sum(vector a, vector b) {
    vector odd = both(_mm256_xor_si256(a, b), _mm256_set1_epi8(1));
    return subtract(_mm256_avg_epu8(a, b), odd);
}

/// Adds the absolute values of signed bytes.
INLINE totals add_magnitudes(totals sums, vector bytes) {
    return _mm256_add_epi64(sums, _mm256_sad_epu8(_mm256_abs_epi8(bytes), _mm256_setzero_si256()));
}

INLINE uint64_t sum_of(totals sums) {
    uint64_t parts[4];
    _mm256_storeu_si256((__m256i *)(void *)parts, sums);
    return parts[0] + parts[1] + parts[2] + parts[3];
}

NB_VECTORS_END
#elif defined(__aarch64__)
#define NB_VECTORS 1
#include <arm_neon.h>
#define NB_VECTORS_BEGIN
#define NB_VECTORS_END
INLINE int has_vectors(void) { return 1; }

typedef uint8x16_t vector;
typedef uint64x2_t totals;

INLINE vector load(const uint8_t *from) { return vld1q_u8(from); }
INLINE void store(uint8_t *to, vector value) { vst1q_u8(to, value); }
INLINE vector subtract(vector a, vector b) { return vsubq_u8(a, b); }
INLINE vector add_to_most(vector a, vector b) { return vqaddq_u8(a, b); }
INLINE vector distance(vector a, vector b) { return vabdq_u8(a, b); }
INLINE vector both(vector a, vector b) { return vandq_u8(a, b); }
INLINE vector equal(vector a, vector b) { return vceqq_u8(a, b); }
INLINE vector at_most(vector a, vector b) { return vcleq_u8(a, b); }
INLINE vector choose(vector is_first, vector first, vector second) { return vbslq_u8(is_first, first, second); }
INLINE vector half_of_sum(vector a, vector b) { return vhaddq_u8(a, b); }

/// Adds the absolute values of signed bytes; that of -128 is 128 as an unsigned one.
INLINE totals add_magnitudes(totals sums, vector bytes) {
    uint8x16_t magnitudes = vreinterpretq_u8_s8(vabsq_s8(vreinterpretq_s8_u8(bytes)));
    return vpadalq_u32(sums, vpaddlq_u16(vpaddlq_u8(magnitudes)));
}

INLINE uint64_t sum_of(totals sums) { return vaddvq_u64(sums); }
#else
#define NB_VECTORS 0
INLINE int has_vectors(void) { return 0; }
#endif
