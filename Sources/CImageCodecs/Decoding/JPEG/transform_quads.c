// Vectors of 512 bits: two pairs of blocks.
#include "blocks.h"
#include "transform.h"

#if NB_DIRECT && defined(__x86_64__)
NB_WIDE_BEGIN

#define VECTOR __m512i
#define OP(name) _mm512_##name
#define LOGIC(name) _mm512_##name##_si512
#define ZERO _mm512_setzero_si512()
#define IN_LANES(x) _mm512_broadcast_i32x4(x)
#define BLOCKS 4

NB_INLINE __m256i load(const int16_t *from) { return _mm256_loadu_si256((const __m256i *)from); }

NB_INLINE VECTOR load_row(const int16_t *c, int row) {
    return _mm512_inserti64x4(_mm512_castsi256_si512(load(c + 16 * row)), load(c + 128 + 16 * row), 1);
}

NB_INLINE VECTOR load_quant(const int16_t *q, int row) { return _mm512_broadcast_i64x4(load(q + 16 * row)); }

NB_INLINE int is_zero(VECTOR x) { return _mm512_test_epi32_mask(x, x) == 0; }

NB_INLINE void clear_blocks(int16_t *c) {
    for (int i = 0; i < 8; i++) _mm512_storeu_si512(c + 32 * i, ZERO);
}

NB_INLINE void store_eight(VECTOR samples, uint8_t *to, ptrdiff_t stride) {
    samples = _mm512_permutexvar_epi64(_mm512_setr_epi64(0, 2, 4, 6, 1, 3, 5, 7), samples);
    _mm256_storeu_si256((__m256i *)to, _mm512_castsi512_si256(samples));
    _mm256_storeu_si256((__m256i *)(to + stride), _mm512_extracti64x4_epi64(samples, 1));
}

NB_INLINE void store_four(VECTOR samples, uint8_t *to, ptrdiff_t stride) {
    VECTOR rows = _mm512_setr_epi32(0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15);
    samples = _mm512_permutexvar_epi32(rows, samples);
    _mm_storeu_si128((__m128i *)to, _mm512_castsi512_si128(samples));
    _mm_storeu_si128((__m128i *)(to + stride), _mm512_extracti32x4_epi32(samples, 1));
    _mm_storeu_si128((__m128i *)(to + 2 * stride), _mm512_extracti32x4_epi32(samples, 2));
    _mm_storeu_si128((__m128i *)(to + 3 * stride), _mm512_extracti32x4_epi32(samples, 3));
}

#include "transform_kernels.h"

// The sums of the odd columns of both rows: top, bottom, top, bottom in each lane.
NB_INLINE VECTOR sum_columns(VECTOR top, VECTOR bottom) {
    VECTOR k = IN_LANES(_mm_setr_epi16(0, TWO_1, 0, TWO_3, 0, TWO_5, 0, TWO_7));
    VECTOR t = MADD(top, k), b = MADD(bottom, k);
    VECTOR halves = ADD(_mm512_unpacklo_epi32(t, b), _mm512_unpackhi_epi32(t, b));
    return ADD(halves, _mm512_shuffle_epi32(halves, _MM_PERM_BADC));
}

NB_INLINE void blocks_to_two(const int16_t *c, const int16_t *q, uint8_t *to, ptrdiff_t stride, VECTOR *beyond) {
    two_rows rows = columns_to_two(c, q);
    VECTOR top = rows.top, bottom = rows.bottom, zero = ZERO;
    *beyond = LOGIC(or)(*beyond, LOGIC(or)(BEYOND(top), BEYOND(bottom)));

    VECTOR odd = sum_columns(top, bottom);
    VECTOR even = _mm512_unpacklo_epi32(_mm512_unpacklo_epi16(zero, top), _mm512_unpacklo_epi16(zero, bottom));
    even = ADD(DESCALE(even, 1), _mm512_set1_epi32(1 << 19));
    VECTOR words = _mm512_packs_epi32(DESCALE(ADD(even, odd), 20), DESCALE(SUB(even, odd), 20));
    // In each lane: left and right of the top row, then of the bottom one.
    VECTOR turn = IN_LANES(_mm_setr_epi8(0, 4, 1, 5, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0));
    VECTOR samples = _mm512_shuffle_epi8(SAMPLES(_mm512_packs_epi16(words, words)), turn);
    VECTOR order = _mm512_castsi128_si512(_mm_setr_epi16(0, 8, 16, 24, 1, 9, 17, 25));
    __m128i bytes = _mm512_castsi512_si128(_mm512_permutexvar_epi16(order, samples));
    _mm_storel_epi64((__m128i *)to, bytes);
    _mm_storeh_pd((double *)(to + stride), _mm_castsi128_pd(bytes));
}

static int transform_to_two(const nb_block_row *row, uint8_t *to, ptrdiff_t stride, int *is_in_reach) {
    VECTOR beyond = ZERO;
    int16_t *c = row->coefficients;
    int i = 0;
    for (; row->blocks - i > 2; i += 4, c += 256, to += 8) {
        blocks_to_two(c, row->quant, to, stride, &beyond);
        clear_blocks(c);
    }
    *is_in_reach &= reaches(beyond, REACH_OF_TWO);
    return i;
}

int nb_transform_quads(const nb_block_row *row, int size, uint8_t *to, ptrdiff_t stride, int *is_in_reach) {
    switch (size) {
        case 2: return transform_to_two(row, to, stride, is_in_reach);
        case 4: return transform_blocks(row, 4, to, stride, is_in_reach);
        default: return transform_blocks(row, 8, to, stride, is_in_reach);
    }
}

NB_DIRECT_END
#endif
