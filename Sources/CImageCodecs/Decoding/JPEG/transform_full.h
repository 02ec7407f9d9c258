// To 8 x 8 samples. Sums of two rows are 16 bits that wrap: libjpeg-turbo's are.
#pragma once
#include "transform_constants.h"

#if NB_DIRECT
NB_DIRECT_BEGIN

// Rows of inputs to rows of outputs, in both halves of their columns.
NB_INLINE void nb_transform_columns(__m256i r[8], int shift) {
    const __m256i zero = _mm256_setzero_si256(), round = _mm256_set1_epi32(1 << (shift - 1));
    __m256i sum04 = _mm256_add_epi16(r[0], r[4]), difference04 = _mm256_sub_epi16(r[0], r[4]);
    __m256i sum37 = _mm256_add_epi16(r[3], r[7]), sum15 = _mm256_add_epi16(r[1], r[5]), out[8][2];
#define HALF(unpack, side) \
    { \
        __m256i p26 = unpack(r[2], r[6]), p71 = unpack(r[7], r[1]), p53 = unpack(r[5], r[3]), z = unpack(sum37, sum15); \
        __m256i a = ADD(_mm256_srai_epi32(unpack(zero, sum04), 3), round); \
        __m256i b = ADD(_mm256_srai_epi32(unpack(zero, difference04), 3), round); \
        __m256i t3 = MADD(p26, PAIR(F0541 + F0765, F0541)), t2 = MADD(p26, PAIR(F0541, F0541 - F1847)); \
        __m256i e0 = ADD(a, t3), e3 = SUB(a, t3), e1 = ADD(b, t2), e2 = SUB(b, t2); \
        __m256i z3 = MADD(z, PAIR(F1175 - F1961, F1175)), z4 = MADD(z, PAIR(F1175, F1175 - F0390)); \
        __m256i o3 = ADD(MADD(p71, PAIR(F0298 - F0899, -F0899)), z3); \
        __m256i o0 = ADD(MADD(p71, PAIR(-F0899, F1501 - F0899)), z4); \
        __m256i o2 = ADD(MADD(p53, PAIR(F2053 - F2562, -F2562)), z4); \
        __m256i o1 = ADD(MADD(p53, PAIR(-F2562, F3072 - F2562)), z3); \
        out[0][side] = DESCALE(ADD(e0, o0), shift), out[7][side] = DESCALE(SUB(e0, o0), shift); \
        out[1][side] = DESCALE(ADD(e1, o1), shift), out[6][side] = DESCALE(SUB(e1, o1), shift); \
        out[2][side] = DESCALE(ADD(e2, o2), shift), out[5][side] = DESCALE(SUB(e2, o2), shift); \
        out[3][side] = DESCALE(ADD(e3, o3), shift), out[4][side] = DESCALE(SUB(e3, o3), shift); \
    }
    HALF(_mm256_unpacklo_epi16, 0)
    HALF(_mm256_unpackhi_epi16, 1)
#undef HALF
    _Pragma("clang loop unroll(full)") for (int i = 0; i < 8; i++) r[i] = _mm256_packs_epi32(out[i][0], out[i][1]);
}

// Rows to columns, in each half of a vector.
NB_INLINE void nb_transpose(__m256i r[8]) {
    __m256i a0 = _mm256_unpacklo_epi16(r[0], r[1]), a1 = _mm256_unpackhi_epi16(r[0], r[1]);
    __m256i a2 = _mm256_unpacklo_epi16(r[2], r[3]), a3 = _mm256_unpackhi_epi16(r[2], r[3]);
    __m256i a4 = _mm256_unpacklo_epi16(r[4], r[5]), a5 = _mm256_unpackhi_epi16(r[4], r[5]);
    __m256i a6 = _mm256_unpacklo_epi16(r[6], r[7]), a7 = _mm256_unpackhi_epi16(r[6], r[7]);
    __m256i b0 = _mm256_unpacklo_epi32(a0, a2), b1 = _mm256_unpackhi_epi32(a0, a2);
    __m256i b2 = _mm256_unpacklo_epi32(a1, a3), b3 = _mm256_unpackhi_epi32(a1, a3);
    __m256i b4 = _mm256_unpacklo_epi32(a4, a6), b5 = _mm256_unpackhi_epi32(a4, a6);
    __m256i b6 = _mm256_unpacklo_epi32(a5, a7), b7 = _mm256_unpackhi_epi32(a5, a7);
    r[0] = _mm256_unpacklo_epi64(b0, b4), r[1] = _mm256_unpackhi_epi64(b0, b4);
    r[2] = _mm256_unpacklo_epi64(b1, b5), r[3] = _mm256_unpackhi_epi64(b1, b5);
    r[4] = _mm256_unpacklo_epi64(b2, b6), r[5] = _mm256_unpackhi_epi64(b2, b6);
    r[6] = _mm256_unpacklo_epi64(b3, b7), r[7] = _mm256_unpackhi_epi64(b3, b7);
}

// A pair of blocks, to eight rows of sixteen samples. `row0` is its first row, dequantised.
NB_INLINE void nb_pair_to_eight(const int16_t *c, const int16_t *q, __m256i row0, uint8_t *to, ptrdiff_t stride) {
    __m256i r[8] = {row0, ROW(1), ROW(2), ROW(3), ROW(4), ROW(5), ROW(6), ROW(7)};
    nb_transform_columns(r, 11);
    nb_transpose(r);
    nb_transform_columns(r, 18);
    nb_transpose(r);
    const __m256i middle = _mm256_set1_epi8((char)0x80);
    _Pragma("clang loop unroll(full)") for (int i = 0; i < 8; i += 2) {
        __m256i bytes = _mm256_xor_si256(_mm256_packs_epi16(r[i], r[i + 1]), middle);
        bytes = _mm256_permute4x64_epi64(bytes, 0xD8);
        _mm_storeu_si128((__m128i *)(to + i * stride), _mm256_castsi256_si128(bytes));
        _mm_storeu_si128((__m128i *)(to + (i + 1) * stride), _mm256_extracti128_si256(bytes, 1));
    }
}

NB_DIRECT_END
#endif
