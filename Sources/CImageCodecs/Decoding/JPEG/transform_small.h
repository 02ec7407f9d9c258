// To 2 x 2 and 4 x 4 samples. Both use rows and columns 1, 3, 5 and 7 in full: no high frequency can be left out.
#pragma once
#include "transform_constants.h"

#include <string.h>

#if NB_DIRECT
NB_DIRECT_BEGIN

// Bits above these differ between a value that can be and one that is out of reach, whatever its sign is.
#define NB_BEYOND(x) _mm256_xor_si256(x, _mm256_srai_epi16(x, 15))

enum {
    S2A = 29692, S2B = -10426, S2C = 6967, S2D = -5906,                    // rows 1, 3, 5, 7 to two samples
    S4A = 20995, S4B = 7373, S4C = -4926, S4D = -4176,                     // to the first of four
    S4E = 8697, S4F = -17799, S4G = 11893, S4H = -1730,                    // to the second
};

typedef struct {
    __m256i top, bottom;
} nb_two_rows;

// The columns of a pair of blocks, to two samples each.
NB_INLINE nb_two_rows nb_columns_to_two(const int16_t *c, const int16_t *q) {
    __m256i r0 = ROW(0), r1 = ROW(1), r3 = ROW(3), r5 = ROW(5), r7 = ROW(7), zero = _mm256_setzero_si256();
    __m256i k13 = PAIR(S2A, S2B), k57 = PAIR(S2C, S2D), round = _mm256_set1_epi32(1 << 12);
    __m256i low = ADD(MADD(_mm256_unpacklo_epi16(r1, r3), k13), MADD(_mm256_unpacklo_epi16(r5, r7), k57));
    __m256i high = ADD(MADD(_mm256_unpackhi_epi16(r1, r3), k13), MADD(_mm256_unpackhi_epi16(r5, r7), k57));
    // 32768 is no factor of 16 bits: row 0 goes through shifts.
    __m256i even_low = ADD(_mm256_srai_epi32(_mm256_unpacklo_epi16(zero, r0), 1), round);
    __m256i even_high = ADD(_mm256_srai_epi32(_mm256_unpackhi_epi16(zero, r0), 1), round);
    return (nb_two_rows){
        _mm256_packs_epi32(DESCALE(ADD(even_low, low), 13), DESCALE(ADD(even_high, high), 13)),
        _mm256_packs_epi32(DESCALE(SUB(even_low, low), 13), DESCALE(SUB(even_high, high), 13)),
    };
}

// Two pairs of blocks, the second 128 coefficients after the first, to eight samples of two rows; only the first pair
// and four samples with `one`.
NB_INLINE void nb_pairs_to_two(const int16_t *c, const int16_t *q, uint8_t *to, ptrdiff_t stride, int one,
                               __m256i *beyond) {
    nb_two_rows a = nb_columns_to_two(c, q), b = one ? a : nb_columns_to_two(c + 128, q);
    *beyond = _mm256_or_si256(*beyond, _mm256_or_si256(NB_BEYOND(a.top), NB_BEYOND(a.bottom)));
    *beyond = _mm256_or_si256(*beyond, _mm256_or_si256(NB_BEYOND(b.top), NB_BEYOND(b.bottom)));
    __m256i k = _mm256_broadcastsi128_si256(_mm_setr_epi16(0, S2A, 0, S2B, 0, S2C, 0, S2D));
    __m256i odd = _mm256_hadd_epi32(_mm256_hadd_epi32(MADD(a.top, k), MADD(a.bottom, k)),
                                    _mm256_hadd_epi32(MADD(b.top, k), MADD(b.bottom, k)));
    // What is at index 0 of each, in the upper half of 32 bits: top and bottom of a, then of b.
    __m256i even = _mm256_unpacklo_epi64(_mm256_unpacklo_epi16(a.top, a.bottom), _mm256_unpacklo_epi16(b.top, b.bottom));
    even = _mm256_shuffle_epi8(even, _mm256_broadcastsi128_si256(_mm_setr_epi8(-1, -1, 0, 1, -1, -1, 2, 3, -1, -1, 8, 9,
                                                                               -1, -1, 10, 11)));
    even = ADD(_mm256_srai_epi32(even, 1), _mm256_set1_epi32(1 << 19));
    __m256i left = DESCALE(ADD(even, odd), 20), right = DESCALE(SUB(even, odd), 20);
    __m256i words = _mm256_packs_epi32(left, right);
    __m256i bytes = _mm256_xor_si256(_mm256_packs_epi16(words, words), _mm256_set1_epi8((char)0x80));
    bytes = _mm256_shuffle_epi8(
        bytes, _mm256_broadcastsi128_si256(_mm_setr_epi8(0, 4, 2, 6, 1, 5, 3, 7, -1, -1, -1, -1, -1, -1, -1, -1)));
    __m128i rows = _mm_unpacklo_epi16(_mm256_castsi256_si128(bytes), _mm256_extracti128_si256(bytes, 1));
    if (one) {
        uint32_t top = (uint32_t)_mm_cvtsi128_si32(rows), bottom = (uint32_t)_mm_extract_epi32(rows, 2);
        memcpy(to, &top, 4), memcpy(to + stride, &bottom, 4);
    } else {
        _mm_storel_epi64((__m128i *)to, rows);
        _mm_storeh_pd((double *)(to + stride), _mm_castsi128_pd(rows));
    }
}

// Four 32-bit sums a row for columns 0-3 and 4-7 of a pair, as rows of 16 bits in an order that makes pairs of columns
// (0, 4), (2, 6), (1, 3) and (5, 7).
NB_INLINE __m256i nb_in_pairs(__m256i low, __m256i high) {
    __m256i order = _mm256_broadcastsi128_si256(_mm_setr_epi8(0, 1, 8, 9, 4, 5, 12, 13, 2, 3, 6, 7, 10, 11, 14, 15));
    return _mm256_shuffle_epi8(_mm256_packs_epi32(low, high), order);
}

// A pair of blocks, to four rows of eight samples. `row0` is its first row, dequantised.
NB_INLINE void nb_pair_to_four(const int16_t *c, const int16_t *q, __m256i row0, uint8_t *to, ptrdiff_t stride) {
    __m256i r1 = ROW(1), r2 = ROW(2), r3 = ROW(3), r5 = ROW(5), r6 = ROW(6), r7 = ROW(7);
    __m256i zero = _mm256_setzero_si256(), round = _mm256_set1_epi32(1 << 11), out[4][2];
    __m256i k26 = PAIR(F1847, -F0765);
    __m256i ka13 = PAIR(S4A, S4B), ka57 = PAIR(S4C, S4D), kb13 = PAIR(S4E, S4F), kb57 = PAIR(S4G, S4H);
#define HALF(unpack, side) \
    { \
        __m256i p13 = unpack(r1, r3), p57 = unpack(r5, r7); \
        __m256i even = ADD(_mm256_srai_epi32(unpack(zero, row0), 2), round), t = MADD(unpack(r2, r6), k26); \
        __m256i a = ADD(MADD(p13, ka13), MADD(p57, ka57)), b = ADD(MADD(p13, kb13), MADD(p57, kb57)); \
        __m256i e0 = ADD(even, t), e1 = SUB(even, t); \
        out[0][side] = DESCALE(ADD(e0, a), 12), out[3][side] = DESCALE(SUB(e0, a), 12); \
        out[1][side] = DESCALE(ADD(e1, b), 12), out[2][side] = DESCALE(SUB(e1, b), 12); \
    }
    HALF(_mm256_unpacklo_epi16, 0)
    HALF(_mm256_unpackhi_epi16, 1)
#undef HALF
    __m256i w0 = nb_in_pairs(out[0][0], out[0][1]), w1 = nb_in_pairs(out[1][0], out[1][1]);
    __m256i w2 = nb_in_pairs(out[2][0], out[2][1]), w3 = nb_in_pairs(out[3][0], out[3][1]);
    __m256i t0 = _mm256_unpacklo_epi32(w0, w1), t1 = _mm256_unpacklo_epi32(w2, w3);
    __m256i t2 = _mm256_unpackhi_epi32(w0, w1), t3 = _mm256_unpackhi_epi32(w2, w3);
    __m256i p04 = _mm256_unpacklo_epi64(t0, t1), p26 = _mm256_unpackhi_epi64(t0, t1);
    __m256i p13 = _mm256_unpacklo_epi64(t2, t3), p57 = _mm256_unpackhi_epi64(t2, t3);
    __m256i even = ADD(MADD(p04, PAIR(16384, 0)), _mm256_set1_epi32(1 << 18)), t = MADD(p26, k26);
    __m256i a = ADD(MADD(p13, ka13), MADD(p57, ka57)), b = ADD(MADD(p13, kb13), MADD(p57, kb57));
    __m256i e0 = ADD(even, t), e1 = SUB(even, t);
    __m256i o01 = _mm256_packs_epi32(DESCALE(ADD(e0, a), 19), DESCALE(ADD(e1, b), 19));
    __m256i o23 = _mm256_packs_epi32(DESCALE(SUB(e1, b), 19), DESCALE(SUB(e0, a), 19));
    __m256i bytes = _mm256_xor_si256(_mm256_packs_epi16(o01, o23), _mm256_set1_epi8((char)0x80));
    bytes = _mm256_shuffle_epi8(
        bytes, _mm256_broadcastsi128_si256(_mm_setr_epi8(0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15)));
    bytes = _mm256_permutevar8x32_epi32(bytes, _mm256_setr_epi32(0, 4, 1, 5, 2, 6, 3, 7));
    __m128i upper = _mm256_castsi256_si128(bytes), lower = _mm256_extracti128_si256(bytes, 1);
    _mm_storel_epi64((__m128i *)to, upper);
    _mm_storeh_pd((double *)(to + stride), _mm_castsi128_pd(upper));
    _mm_storel_epi64((__m128i *)(to + 2 * stride), lower);
    _mm_storeh_pd((double *)(to + 3 * stride), _mm_castsi128_pd(lower));
}

NB_DIRECT_END
#endif
