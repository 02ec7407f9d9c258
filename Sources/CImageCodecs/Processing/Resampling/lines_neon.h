// Vectors of 16 bytes, on arm64: 8 samples.
//
// Products are added up in 32 bits, where the order makes no difference, so results are those of AVX2.
#pragma once
#include "lines.h"

#include "vectors.h"

#define INLINE static inline __attribute__((always_inline))

/// Weighted sums of eight samples.
typedef struct {
    int32x4_t low, high;
} sums;

/// Eight samples of a row, less half of their range.
INLINE int16x8_t samples(const uint8_t *row, int32_t x, nb_samples from) {
    if (from == NB_BYTES) return vreinterpretq_s16_u16(vsubl_u8(vld1_u8(row + x), vdup_n_u8(128)));
    int16x8_t words = vld1q_s16((const int16_t *)(const void *)(row + 2 * x));
    return from == NB_WORDS ? veorq_s16(words, vdupq_n_s16(INT16_MIN)) : words;
}

INLINE sums weigh(sums sums, int16x8_t samples, int16_t weight) {
    sums.low = vmlal_n_s16(sums.low, vget_low_s16(samples), weight);
    sums.high = vmlal_high_n_s16(sums.high, samples, weight);
    return sums;
}

/// Samples of a line. Those of bytes end in 8 zeros, which their sums lack.
INLINE int16x8_t rounded(sums sums, int are_bytes) {
    if (are_bytes) return vqrshrn_high_n_s32(vqrshrn_n_s32(sums.low, 6), sums.high, 6);
    return vqrshrn_high_n_s32(vqrshrn_n_s32(sums.low, 14), sums.high, 14);
}

/// Stores eight samples of a line.
INLINE void put(uint8_t *to, int32_t x, int16x8_t line, nb_samples kind) {
    uint16x8_t words = vreinterpretq_u16_s16(kind == NB_LINE ? line : veorq_s16(line, vdupq_n_s16(INT16_MIN)));
    if (kind == NB_BYTES) {
        // Rounded to the nearest, and to the even one of two.
        uint16x8_t odd = vandq_u16(vshrq_n_u16(words, 8), vdupq_n_u16(1));
        vst1_u8(to + x, vshrn_n_u16(vqaddq_u16(words, vaddq_u16(odd, vdupq_n_u16(127))), 8));
    } else {
        vst1q_u16((uint16_t *)(void *)(to + 2 * x), words);
    }
}

INLINE void down(const nb_weights *weights, int32_t y, const uint8_t *const *rows, int32_t width, uint8_t *to,
                 nb_samples from, nb_samples kind) {
    const int16_t *values = weights->values + (size_t)y * (size_t)weights->taps;
    // Four vectors at once, because a sum waits for the one before.
    for (int32_t x = 0; x < width; x += 32) {
        sums parts[4] = {0};
        for (int32_t i = 0; i < weights->reach; i++)
            for (int part = 0; part < 4; part++)
                parts[part] = weigh(parts[part], samples(rows[i], x + 8 * part, from), values[i]);
        for (int part = 0; part < 4; part++) put(to, x + 8 * part, rounded(parts[part], from == NB_BYTES), kind);
    }
}

/// The weighted sum of a result, in four parts.
INLINE int32x4_t sum_one(const nb_weights *weights, const int16_t *line, int32_t x, int32_t taps) {
    const int16_t *from = line + weights->first[x], *values = weights->values + (size_t)x * (size_t)taps;
    int32x4_t sum = vdupq_n_s32(0);
    for (int32_t i = 0; i < taps; i += 8) {
        int16x8_t samples = vld1q_s16(from + i), weight = vld1q_s16(values + i);
        sum = vmlal_s16(sum, vget_low_s16(samples), vget_low_s16(weight));
        sum = vmlal_high_s16(sum, samples, weight);
    }
    return sum;
}

/// Four results from `x` on.
INLINE int32x4_t sum_four(const nb_weights *weights, const int16_t *line, int32_t x, int32_t taps) {
    int32x4_t a = vpaddq_s32(sum_one(weights, line, x, taps), sum_one(weights, line, x + 1, taps));
    int32x4_t b = vpaddq_s32(sum_one(weights, line, x + 2, taps), sum_one(weights, line, x + 3, taps));
    return vpaddq_s32(a, b);
}

INLINE void across(const nb_weights *weights, const int16_t *line, int are_bytes, uint8_t *to, nb_samples kind,
                   int is_short) {
    int32_t taps = is_short ? 8 : weights->taps;
    for (int32_t x = 0; x < weights->count; x += 8) {
        sums eight = {sum_four(weights, line, x, taps), sum_four(weights, line, x + 4, taps)};
        put(to, x, rounded(eight, are_bytes), kind);
    }
}
