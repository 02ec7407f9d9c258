#include "transform.h"

#include "blocks.h"
#include "transform_full.h"
#include "transform_small.h"

#include <string.h>

#if NB_DIRECT
NB_DIRECT_BEGIN

// The largest dequantised values in row 0, and the largest outputs of the columns where they become two, at which
// libjpeg-turbo's vector code does as its C code does. Samples of 8 bits lead to at most 1,024 and 4,096 or so.
enum { REACH_OF_ROW = 8192, REACH_OF_TWO = 16384 };

static uint8_t clamp_sample(int x) {
    x += 128;
    return (uint8_t)(x < 0 ? 0 : x > 255 ? 255 : x);
}

static void clear_pair(int16_t *c) {
    for (int i = 0; i < 8; i++) _mm256_storeu_si256((__m256i *)(c + 16 * i), _mm256_setzero_si256());
}

// `bits` are those in which NB_BEYOND of a value in reach has no 1.
static int is_in_reach(__m256i beyond, int reach) {
    return _mm256_testz_si256(beyond, _mm256_set1_epi16((int16_t)-reach));
}

// Averages alone, of which libjpeg takes ten bits.
static void to_one(const nb_block_row *row, uint8_t *to) {
    for (int i = 0; i < row->blocks; i++) {
        int value = (nb_block_at(row->coefficients, i)[0] * row->quant[0] + 4) >> 3;
        to[i] = clamp_sample((int32_t)((uint32_t)value << 22) >> 22);
    }
    memset(row->coefficients, 0, (size_t)((row->decoded + 1) / 2) * 256);
}

static int to_two(const nb_block_row *row, uint8_t *to, ptrdiff_t stride) {
    __m256i beyond = _mm256_setzero_si256();
    int16_t *c = row->coefficients;
    int i = 0;
    for (; i + 2 < row->blocks; i += 4, c += 256, to += 8) {
        nb_pairs_to_two(c, row->quant, to, stride, 0, &beyond);
        clear_pair(c), clear_pair(c + 128);
    }
    if (i < row->blocks) {
        nb_pairs_to_two(c, row->quant, to, stride, 1, &beyond);
        clear_pair(c);
    }
    return is_in_reach(beyond, REACH_OF_TWO);
}

// Two blocks without AC coefficients; a and b are their averages.
NB_INLINE void fill_pair(int a, int b, int size, uint8_t *to, ptrdiff_t stride) {
    uint64_t left = clamp_sample(a) * 0x0101010101010101u, right = clamp_sample(b) * 0x0101010101010101u;
    if (size == 4) left = (left & 0xFFFFFFFF) | right << 32;
    for (int y = 0; y < size; y++) {
        memcpy(to + y * stride, &left, 8);
        if (size == 8) memcpy(to + y * stride + 8, &right, 8);
    }
}

NB_INLINE int to_four_or_eight(const nb_block_row *row, int size, uint8_t *to, ptrdiff_t stride) {
    const __m256i all_but_dc = _mm256_setr_epi32((int)0xFFFF0000, -1, -1, -1, (int)0xFFFF0000, -1, -1, -1);
    __m256i beyond = _mm256_setzero_si256();
    int16_t *c = row->coefficients;
    const int16_t *q = row->quant;
    for (int i = 0; i < row->blocks; i += 2, c += 128, to += 2 * size) {
        __m256i first = LOAD(c), any = _mm256_and_si256(first, all_but_dc);
        for (int y = 1; y < 8; y++) any = _mm256_or_si256(any, LOAD(c + 16 * y));
        __m256i row0 = _mm256_mullo_epi16(first, LOAD(q));
        beyond = _mm256_or_si256(beyond, NB_BEYOND(row0));
        if (_mm256_testz_si256(any, any)) {
            int a = (int16_t)_mm256_extract_epi16(row0, 0), b = (int16_t)_mm256_extract_epi16(row0, 8);
            fill_pair((a + 4) >> 3, (b + 4) >> 3, size, to, stride);
            c[0] = c[8] = 0;
            continue;
        }
        if (size == 4) nb_pair_to_four(c, q, row0, to, stride);
        else nb_pair_to_eight(c, q, row0, to, stride);
        clear_pair(c);
    }
    return is_in_reach(beyond, REACH_OF_ROW);
}

int nb_transform_row(const nb_block_row *row, int size, uint8_t *to, ptrdiff_t stride) {
    int is_sound = 1, done = (row->blocks + 1) & ~1;
    switch (size) {
        case 1: to_one(row, to); return 1;
        case 2: is_sound = to_two(row, to, stride); break;
        case 4: is_sound = to_four_or_eight(row, 4, to, stride); break;
        default: is_sound = to_four_or_eight(row, 8, to, stride); break;
    }
    if (row->decoded > done)
        memset(nb_block_at(row->coefficients, done), 0, (size_t)((row->decoded + 1) / 2 - done / 2) * 256);
    return is_sound;
}

NB_DIRECT_END
#endif
