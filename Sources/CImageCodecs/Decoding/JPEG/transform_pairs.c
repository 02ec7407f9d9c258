// Vectors of 256 bits: a pair of blocks.
#include "blocks.h"
#include "transform.h"

#include <string.h>

#if NB_DIRECT && defined(__x86_64__)
NB_DIRECT_BEGIN

#define VECTOR __m256i
#define OP(name) _mm256_##name
#define LOGIC(name) _mm256_##name##_si256
#define ZERO _mm256_setzero_si256()
#define IN_LANES(x) _mm256_broadcastsi128_si256(x)
#define BLOCKS 2

NB_INLINE VECTOR load(const int16_t *from) { return _mm256_loadu_si256((const __m256i *)from); }

NB_INLINE VECTOR load_row(const int16_t *c, int row) { return load(c + 16 * row); }

NB_INLINE VECTOR load_quant(const int16_t *q, int row) { return load(q + 16 * row); }

NB_INLINE int is_zero(VECTOR x) { return _mm256_testz_si256(x, x); }

NB_INLINE void clear_blocks(int16_t *c) {
    for (int i = 0; i < 8; i++) _mm256_storeu_si256((__m256i *)(c + 16 * i), ZERO);
}

NB_INLINE void store_eight(VECTOR samples, uint8_t *to, ptrdiff_t stride) {
    samples = _mm256_permute4x64_epi64(samples, 0xD8);
    _mm_storeu_si128((__m128i *)to, _mm256_castsi256_si128(samples));
    _mm_storeu_si128((__m128i *)(to + stride), _mm256_extracti128_si256(samples, 1));
}

// Two rows of eight bytes.
NB_INLINE void store_rows(__m128i rows, uint8_t *to, ptrdiff_t stride) {
    _mm_storel_epi64((__m128i *)to, rows);
    _mm_storeh_pd((double *)(to + stride), _mm_castsi128_pd(rows));
}

NB_INLINE void store_four(VECTOR samples, uint8_t *to, ptrdiff_t stride) {
    samples = _mm256_permutevar8x32_epi32(samples, _mm256_setr_epi32(0, 4, 1, 5, 2, 6, 3, 7));
    store_rows(_mm256_castsi256_si128(samples), to, stride);
    store_rows(_mm256_extracti128_si256(samples, 1), to + 2 * stride, stride);
}

#include "transform_kernels.h"

// Two pairs of blocks to eight samples of two rows; only the first pair and four samples with `one`.
NB_INLINE void pairs_to_two(const int16_t *c, const int16_t *q, uint8_t *to, ptrdiff_t stride, int one, VECTOR *beyond) {
    two_rows a = columns_to_two(c, q), b = one ? a : columns_to_two(c + 128, q);
    *beyond = LOGIC(or)(*beyond, LOGIC(or)(BEYOND(a.top), BEYOND(a.bottom)));
    *beyond = LOGIC(or)(*beyond, LOGIC(or)(BEYOND(b.top), BEYOND(b.bottom)));
    VECTOR k = IN_LANES(_mm_setr_epi16(0, TWO_1, 0, TWO_3, 0, TWO_5, 0, TWO_7));
    VECTOR odd = _mm256_hadd_epi32(_mm256_hadd_epi32(MADD(a.top, k), MADD(a.bottom, k)),
                                   _mm256_hadd_epi32(MADD(b.top, k), MADD(b.bottom, k)));
    // What is at index 0 of each, in the upper half of 32 bits: top and bottom of a, then of b.
    VECTOR even = _mm256_unpacklo_epi64(_mm256_unpacklo_epi16(a.top, a.bottom), _mm256_unpacklo_epi16(b.top, b.bottom));
    VECTOR first = IN_LANES(_mm_setr_epi8(-1, -1, 0, 1, -1, -1, 2, 3, -1, -1, 8, 9, -1, -1, 10, 11));
    even = ADD(DESCALE(_mm256_shuffle_epi8(even, first), 1), _mm256_set1_epi32(1 << 19));
    VECTOR left = DESCALE(ADD(even, odd), 20), right = DESCALE(SUB(even, odd), 20);
    VECTOR words = _mm256_packs_epi32(left, right), samples = SAMPLES(_mm256_packs_epi16(words, words));
    VECTOR turn = IN_LANES(_mm_setr_epi8(0, 4, 2, 6, 1, 5, 3, 7, -1, -1, -1, -1, -1, -1, -1, -1));
    samples = _mm256_shuffle_epi8(samples, turn);
    __m128i rows = _mm_unpacklo_epi16(_mm256_castsi256_si128(samples), _mm256_extracti128_si256(samples, 1));
    if (one) {
        uint32_t top = (uint32_t)_mm_cvtsi128_si32(rows), bottom = (uint32_t)_mm_extract_epi32(rows, 2);
        memcpy(to, &top, 4), memcpy(to + stride, &bottom, 4);
    } else {
        store_rows(rows, to, stride);
    }
}

static int transform_to_two(const nb_block_row *row, uint8_t *to, ptrdiff_t stride, int *is_in_reach) {
    VECTOR beyond = ZERO;
    int16_t *c = row->coefficients;
    int i = 0;
    for (; row->blocks - i > 2; i += 4, c += 256, to += 8) {
        pairs_to_two(c, row->quant, to, stride, 0, &beyond);
        clear_blocks(c), clear_blocks(c + 128);
    }
    if (row->blocks - i > 0) {
        pairs_to_two(c, row->quant, to, stride, 1, &beyond);
        clear_blocks(c);
    }
    *is_in_reach &= reaches(beyond, REACH_OF_TWO);
    return row->blocks;
}

int nb_transform_pairs(const nb_block_row *row, int size, uint8_t *to, ptrdiff_t stride, int *is_in_reach) {
    switch (size) {
        case 2: return transform_to_two(row, to, stride, is_in_reach);
        case 4: return transform_blocks(row, 4, to, stride, is_in_reach);
        default: return transform_blocks(row, 8, to, stride, is_in_reach);
    }
}

NB_DIRECT_END
#endif
