// The constants of the inverse DCT of Loeffler, Ligtenberg and Moschytz ("Practical fast 1-D DCT algorithms with 11
// multiplications", ICASSP 1989) in 13 bits, as libjpeg rounds them, and vectors of them.
//
// Every output is a sum of products of 32 bits, which is the same to the bit in whatever order it is added.
#pragma once
#include "vectors.h"

#include <stdint.h>

#if NB_DIRECT
enum {
    F0298 = 2446, F0390 = 3196, F0541 = 4433, F0765 = 6270, F0899 = 7373, F1175 = 9633, F1501 = 12299, F1847 = 15137,
    F1961 = 16069, F2053 = 16819, F2562 = 20995, F3072 = 25172,
};

/// A vector of 16-bit pairs, a and b in turn.
#define PAIR(a, b) _mm256_set1_epi32((int)((uint16_t)(a) | (uint32_t)(uint16_t)(b) << 16))
#define LOAD(p) _mm256_loadu_si256((const __m256i *)(p))
/// A dequantised row of a pair of blocks; wraps at 16 bits, as libjpeg-turbo's does.
#define ROW(i) _mm256_mullo_epi16(LOAD(c + 16 * (i)), LOAD(q + 16 * (i)))
#define ADD _mm256_add_epi32
#define SUB _mm256_sub_epi32
#define MADD _mm256_madd_epi16
#define DESCALE(x, bits) _mm256_srai_epi32(x, bits)
#endif
