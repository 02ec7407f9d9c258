// Vectors of 128 bits, on arm64: a block.
//
// libjpeg-turbo's NEON code cuts sums off where its AVX2 code saturates, and the other way round, so every row and every
// intermediate value must be in reach.
#include "blocks.h"
#include "transform.h"
#include "transform_constants.h"

#include <string.h>

#if NB_DIRECT && defined(__aarch64__)

typedef struct {
    int16x8_t quant[8];
    int16x8_t beyond;  // bits that a value in reach does not have
} block_transform;

// Two halves of a row, as 32 bits.
typedef struct {
    int32x4_t low, high;
} sums;

NB_INLINE int16x8_t beyond(int16x8_t x, int reach) {
    return vandq_s16(veorq_s16(x, vshrq_n_s16(x, 15)), vdupq_n_s16((int16_t)-reach));
}

NB_INLINE sums times(int16x8_t x, int factor) {
    return (sums){vmull_n_s16(vget_low_s16(x), (int16_t)factor), vmull_n_s16(vget_high_s16(x), (int16_t)factor)};
}

NB_INLINE sums plus(sums s, int16x8_t x, int factor) {
    return (sums){vmlal_n_s16(s.low, vget_low_s16(x), (int16_t)factor),
                  vmlal_n_s16(s.high, vget_high_s16(x), (int16_t)factor)};
}

NB_INLINE sums add(sums a, sums b) { return (sums){vaddq_s32(a.low, b.low), vaddq_s32(a.high, b.high)}; }

NB_INLINE sums subtract(sums a, sums b) { return (sums){vsubq_s32(a.low, b.low), vsubq_s32(a.high, b.high)}; }

// Shifts to the right, rounded.
NB_INLINE int16x8_t descale(sums s, int shift) {
    int32x4_t by = vdupq_n_s32(-shift);
    return vcombine_s16(vqmovn_s32(vrshlq_s32(s.low, by)), vqmovn_s32(vrshlq_s32(s.high, by)));
}

NB_INLINE sums odd_sum(const int16x8_t r[8], int f1, int f3, int f5, int f7) {
    return plus(plus(plus(times(r[1], f1), r[3], f3), r[5], f5), r[7], f7);
}

// Rows of inputs to rows of outputs.
NB_INLINE void transform_columns(int16x8_t r[8], int shift) {
    sums a = plus(times(r[0], 8192), r[4], 8192), b = plus(times(r[0], 8192), r[4], -8192);
    sums t3 = plus(times(r[2], F0541 + F0765), r[6], F0541), t2 = plus(times(r[2], F0541), r[6], F0541 - F1847);
    sums even[4] = {add(a, t3), add(b, t2), subtract(b, t2), subtract(a, t3)};
    sums odd[4] = {
        odd_sum(r, F1175 + F1501 - F0899 - F0390, F1175, F1175 - F0390, F1175 - F0899),
        odd_sum(r, F1175, F1175 + F3072 - F2562 - F1961, F1175 - F2562, F1175 - F1961),
        odd_sum(r, F1175 - F0390, F1175 - F2562, F1175 + F2053 - F2562 - F0390, F1175),
        odd_sum(r, F1175 - F0899, F1175 - F1961, F1175, F1175 + F0298 - F0899 - F1961),
    };
    for (int i = 0; i < 4; i++) {
        r[i] = descale(add(even[i], odd[i]), shift);
        r[7 - i] = descale(subtract(even[i], odd[i]), shift);
    }
}

NB_INLINE void transpose(int16x8_t r[8]) {
    int16x8x2_t a0 = vtrnq_s16(r[0], r[1]), a1 = vtrnq_s16(r[2], r[3]);
    int16x8x2_t a2 = vtrnq_s16(r[4], r[5]), a3 = vtrnq_s16(r[6], r[7]);
    for (int i = 0; i < 2; i++) {
        int32x4x2_t b0 = vtrnq_s32(vreinterpretq_s32_s16(a0.val[i]), vreinterpretq_s32_s16(a1.val[i]));
        int32x4x2_t b1 = vtrnq_s32(vreinterpretq_s32_s16(a2.val[i]), vreinterpretq_s32_s16(a3.val[i]));
        for (int j = 0; j < 2; j++) {
            int64x2_t x = vreinterpretq_s64_s32(b0.val[j]), y = vreinterpretq_s64_s32(b1.val[j]);
            r[i + 2 * j] = vreinterpretq_s16_s64(vzip1q_s64(x, y));
            r[i + 2 * j + 4] = vreinterpretq_s16_s64(vzip2q_s64(x, y));
        }
    }
}

NB_INLINE uint8x8_t samples(int16x8_t x) { return veor_u8(vreinterpret_u8_s8(vqmovn_s16(x)), vdup_n_u8(0x80)); }

static void block_to_eight(block_transform *t, int16x8_t r[8], uint8_t *to, ptrdiff_t stride) {
    transform_columns(r, 11);
    for (int i = 0; i < 8; i++) t->beyond = vorrq_s16(t->beyond, beyond(r[i], REACH_OF_TWO));
    transpose(r);
    transform_columns(r, 18);
    transpose(r);
    for (int i = 0; i < 8; i++) vst1_u8(to + i * stride, samples(r[i]));
}

// The even and the odd part of four outputs, of which the second half mirrors the first.
NB_INLINE void to_four(sums even, const int16x8_t r[8], int shift, int16x8_t out[4]) {
    sums t = plus(times(r[2], F1847), r[6], -F0765), e0 = add(even, t), e1 = subtract(even, t);
    sums a = odd_sum(r, FOUR_1, FOUR_3, FOUR_5, FOUR_7), b = odd_sum(r, SECOND_1, SECOND_3, SECOND_5, SECOND_7);
    out[0] = descale(add(e0, a), shift), out[3] = descale(subtract(e0, a), shift);
    out[1] = descale(add(e1, b), shift), out[2] = descale(subtract(e1, b), shift);
}

static void block_to_four(block_transform *t, int16x8_t r[8], uint8_t *to, ptrdiff_t stride) {
    int16x8_t w[8] = {0};
    to_four(times(r[0], 16384), r, 12, w);
    for (int i = 0; i < 4; i++) t->beyond = vorrq_s16(t->beyond, beyond(w[i], REACH_OF_TWO));
    transpose(w);
    to_four(times(w[0], 16384), w, 19, w);
    w[4] = w[5] = w[6] = w[7] = vdupq_n_s16(0);
    transpose(w);
    for (int i = 0; i < 4; i++) vst1_lane_u32((uint32_t *)(void *)(to + i * stride), vreinterpret_u32_u8(samples(w[i])), 0);
}

// A row of two samples; its columns are `x`.
NB_INLINE void row_to_two(int16x8_t x, uint8_t *to) {
    const int16_t factors[8] = {0, TWO_1, 0, TWO_3, 0, TWO_5, 0, TWO_7};
    int16x8_t k = vld1q_s16(factors);
    int32x4_t products = vmlal_high_s16(vmull_s16(vget_low_s16(x), vget_low_s16(k)), x, k);
    int32_t odd = vaddvq_s32(products), even = vgetq_lane_s16(x, 0) * 32768 + (1 << 19);
    for (int i = 0; i < 2; i++) {
        int value = ((i ? even - odd : even + odd) >> 20) + 128;
        to[i] = (uint8_t)(value < 0 ? 0 : value > 255 ? 255 : value);
    }
}

static void block_to_two(block_transform *t, int16x8_t r[8], uint8_t *to, ptrdiff_t stride) {
    sums even = {vshll_n_s16(vget_low_s16(r[0]), 15), vshll_n_s16(vget_high_s16(r[0]), 15)};
    sums odd = odd_sum(r, TWO_1, TWO_3, TWO_5, TWO_7);
    int16x8_t top = descale(add(even, odd), 13), bottom = descale(subtract(even, odd), 13);
    t->beyond = vorrq_s16(t->beyond, vorrq_s16(beyond(top, REACH_OF_TWO), beyond(bottom, REACH_OF_TWO)));
    row_to_two(top, to);
    row_to_two(bottom, to + stride);
}

// Reads, dequantises and clears a block. Returns whether it has AC coefficients.
NB_INLINE int take_block(block_transform *t, int16_t *c, int16x8_t r[8]) {
    int16x8_t any = vsetq_lane_s16(0, vld1q_s16(c), 0);
    for (int i = 0; i < 8; i++) {
        int16x8_t row = vld1q_s16(c + 16 * i);
        if (i) any = vorrq_s16(any, row);
        r[i] = vmulq_s16(row, t->quant[i]);
        t->beyond = vorrq_s16(t->beyond, beyond(r[i], REACH_OF_ROW));
        vst1q_s16(c + 16 * i, vdupq_n_s16(0));
    }
    return vmaxvq_u16(vreinterpretq_u16_s16(any)) != 0;
}

NB_INLINE void fill_block(int dc, int size, uint8_t *to, ptrdiff_t stride) {
    int value = ((dc + 4) >> 3) + 128;
    for (int y = 0; y < size; y++) memset(to + y * stride, value < 0 ? 0 : value > 255 ? 255 : value, (size_t)size);
}

int nb_transform_pairs(const nb_block_row *row, int size, uint8_t *to, ptrdiff_t stride, int *is_in_reach) {
    block_transform t = {.beyond = vdupq_n_s16(0)};
    for (int i = 0; i < 8; i++) t.quant[i] = vld1q_s16(row->quant + 16 * i);
    for (int i = 0; i < row->blocks; i++, to += size) {
        int16x8_t r[8];
        int has_ac = take_block(&t, nb_block_at(row->coefficients, i), r);
        if (size == 2) block_to_two(&t, r, to, stride);
        else if (!has_ac) fill_block(vgetq_lane_s16(r[0], 0), size, to, stride);
        else if (size == 4) block_to_four(&t, r, to, stride);
        else block_to_eight(&t, r, to, stride);
    }
    *is_in_reach &= vmaxvq_u16(vreinterpretq_u16_s16(t.beyond)) == 0;
    return row->blocks;
}
#endif
