// Vectors of 32 bytes, on x86-64: 16 samples.
#pragma once
#include "lines.h"

#include <string.h>

#include "vectors.h"

NB_VECTORS_BEGIN

#define INLINE static inline __attribute__((always_inline))

INLINE __m256i load(const void *from) { return _mm256_loadu_si256((const __m256i *)from); }
INLINE void store(void *to, __m256i value) { _mm256_storeu_si256((__m256i *)to, value); }

/// Samples of a line as bytes: rounded to the nearest, and to the even one of two.
INLINE __m256i as_bytes(__m256i line) {
    __m256i words = _mm256_xor_si256(line, _mm256_set1_epi16(INT16_MIN));
    __m256i odd = _mm256_and_si256(_mm256_srli_epi16(words, 8), _mm256_set1_epi16(1));
    return _mm256_srli_epi16(_mm256_adds_epu16(words, _mm256_add_epi16(odd, _mm256_set1_epi16(127))), 8);
}

/// Stores 32 samples.
INLINE void put(uint8_t *to, int32_t x, __m256i low, __m256i high, nb_samples kind) {
    if (kind == NB_BYTES) {
        __m256i bytes = _mm256_packus_epi16(as_bytes(low), as_bytes(high));
        store(to + x, _mm256_permute4x64_epi64(bytes, _MM_SHUFFLE(3, 1, 2, 0)));
        return;
    }
    __m256i flip = kind == NB_WORDS ? _mm256_set1_epi16(INT16_MIN) : _mm256_setzero_si256();
    store(to + 2 * x, _mm256_xor_si256(low, flip));
    store(to + 2 * x + 32, _mm256_xor_si256(high, flip));
}

INLINE __m256i weigh(__m256i sum, __m256i samples, __m256i pair) {
    return _mm256_add_epi32(sum, _mm256_madd_epi16(samples, pair));
}

/// Adds a sample of `a` and one of `b`, weighted, to each of 32 sums: of bytes the first 4 and the 17th to 20th, and so on.
INLINE void add_bytes(__m256i sums[4], __m256i a, __m256i b, __m256i pair) {
    __m256i zero = _mm256_setzero_si256(), low = _mm256_unpacklo_epi8(a, b), high = _mm256_unpackhi_epi8(a, b);
    sums[0] = weigh(sums[0], _mm256_unpacklo_epi8(low, zero), pair);
    sums[1] = weigh(sums[1], _mm256_unpackhi_epi8(low, zero), pair);
    sums[2] = weigh(sums[2], _mm256_unpacklo_epi8(high, zero), pair);
    sums[3] = weigh(sums[3], _mm256_unpackhi_epi8(high, zero), pair);
}

INLINE void add_words(__m256i sums[2], const uint8_t *a, const uint8_t *b, __m256i flip, __m256i pair) {
    __m256i above = _mm256_xor_si256(load(a), flip), below = _mm256_xor_si256(load(b), flip);
    sums[0] = weigh(sums[0], _mm256_unpacklo_epi16(above, below), pair);
    sums[1] = weigh(sums[1], _mm256_unpackhi_epi16(above, below), pair);
}

INLINE __m256i rounded(const __m256i sums[2], int32_t bias, int shift) {
    __m256i low = _mm256_srai_epi32(_mm256_add_epi32(sums[0], _mm256_set1_epi32(bias)), shift);
    __m256i high = _mm256_srai_epi32(_mm256_add_epi32(sums[1], _mm256_set1_epi32(bias)), shift);
    return _mm256_packs_epi32(low, high);
}

INLINE void down(const nb_weights *weights, int32_t y, const uint8_t *const *rows, int32_t width, uint8_t *to,
                 nb_samples from, nb_samples kind) {
    const int16_t *values = weights->values + (size_t)y * (size_t)weights->taps;
    int32_t reach = weights->reach;
    __m256i zero = _mm256_setzero_si256(), flip = from == NB_WORDS ? _mm256_set1_epi16(INT16_MIN) : zero;
    for (int32_t x = 0; x < width; x += 32) {
        __m256i sums[4] = {zero, zero, zero, zero};
        for (int32_t i = 0; i < reach; i += 2) {
            int32_t both;
            memcpy(&both, values + i, 4);
            __m256i pair = _mm256_set1_epi32(both);
            // Behind the last row, the weight is zero.
            const uint8_t *a = rows[i], *b = rows[i + 1 < reach ? i + 1 : i];
            if (from == NB_BYTES) {
                add_bytes(sums, load(a + x), load(b + x), pair);
            } else {
                add_words(sums, a + 2 * x, b + 2 * x, flip, pair);
                add_words(sums + 2, a + 2 * x + 32, b + 2 * x + 32, flip, pair);
            }
        }
        if (from == NB_BYTES) {
            // The weights sum up to 1 << 14, so 128 less of each byte are 1 << 21 less of the sum.
            __m256i a = rounded(sums, 32 - (1 << 21), 6), b = rounded(sums + 2, 32 - (1 << 21), 6);
            put(to, x, _mm256_permute2x128_si256(a, b, 0x20), _mm256_permute2x128_si256(a, b, 0x31), kind);
        } else {
            put(to, x, rounded(sums, 1 << 13, 14), rounded(sums + 2, 1 << 13, 14), kind);
        }
    }
}

INLINE __m128i load8(const int16_t *from) { return _mm_loadu_si128((const __m128i *)(const void *)from); }

/// The weighted sums of two results of at most 8 samples, four of each.
INLINE __m256i sum_pair(const nb_weights *weights, const int16_t *line, int32_t x) {
    const int32_t *first = weights->first + x;
    return _mm256_madd_epi16(_mm256_set_m128i(load8(line + first[1]), load8(line + first[0])), load(weights->values + 8 * x));
}

INLINE __m256i sum_one(const nb_weights *weights, const int16_t *line, int32_t x) {
    const int16_t *samples = line + weights->first[x], *values = weights->values + (size_t)x * (size_t)weights->taps;
    __m256i sum = _mm256_madd_epi16(load(samples), load(values));
    for (int32_t i = 16; i < weights->taps; i += 16)
        sum = _mm256_add_epi32(sum, _mm256_madd_epi16(load(samples + i), load(values + i)));
    return sum;
}

/// Four results from `x` on.
INLINE __m128i sum_four(const nb_weights *weights, const int16_t *line, int32_t x) {
    __m256i a = _mm256_hadd_epi32(sum_one(weights, line, x), sum_one(weights, line, x + 1));
    __m256i b = _mm256_hadd_epi32(sum_one(weights, line, x + 2), sum_one(weights, line, x + 3));
    __m256i both = _mm256_hadd_epi32(a, b);
    return _mm_add_epi32(_mm256_castsi256_si128(both), _mm256_extracti128_si256(both, 1));
}

INLINE void across(const nb_weights *weights, const int16_t *line, int are_bytes, uint8_t *to, nb_samples kind,
                   int is_short) {
    __m128i bias = _mm_set1_epi32(are_bytes ? 32 : 1 << 13), shift = _mm_cvtsi32_si128(are_bytes ? 6 : 14);
    for (int32_t x = 0; x < weights->count; x += 8) {
        __m128i low, high;
        if (is_short) {
            __m256i a = _mm256_hadd_epi32(sum_pair(weights, line, x), sum_pair(weights, line, x + 2));
            __m256i b = _mm256_hadd_epi32(sum_pair(weights, line, x + 4), sum_pair(weights, line, x + 6));
            __m256i both = _mm256_hadd_epi32(a, b);  // the even ones, and the odd ones
            __m128i even = _mm256_castsi256_si128(both), odd = _mm256_extracti128_si256(both, 1);
            low = _mm_unpacklo_epi32(even, odd);
            high = _mm_unpackhi_epi32(even, odd);
        } else {
            low = sum_four(weights, line, x);
            high = sum_four(weights, line, x + 4);
        }
        low = _mm_sra_epi32(_mm_add_epi32(low, bias), shift);
        high = _mm_sra_epi32(_mm_add_epi32(high, bias), shift);
        __m128i result = _mm_packs_epi32(low, high);
        if (kind == NB_BYTES) {
            __m128i bytes = _mm256_castsi256_si128(as_bytes(_mm256_castsi128_si256(result)));
            _mm_storel_epi64((__m128i *)(void *)(to + x), _mm_packus_epi16(bytes, bytes));
        } else {
            __m128i flip = _mm_set1_epi16(kind == NB_WORDS ? INT16_MIN : 0);
            _mm_storeu_si128((__m128i *)(void *)(to + 2 * x), _mm_xor_si128(result, flip));
        }
    }
}

NB_VECTORS_END
