// The filters of PNG (RFC 2083, chapter 6): plainly, and 32 bytes at once where vectors have so many.
#include "internal.h"

#include <stdlib.h>
#include <string.h>

#define INLINE static inline __attribute__((always_inline))

static uint8_t paeth(int left, int up, int corner) {
    int to_left = abs(up - corner), to_up = abs(left - corner), to_corner = abs(left + up - 2 * corner);
    if (to_left <= to_up && to_left <= to_corner) return (uint8_t)left;
    return (uint8_t)(to_up <= to_corner ? up : corner);
}

static uint8_t filter_byte(int filter, uint8_t byte, uint8_t left, uint8_t up, uint8_t corner) {
    switch (filter) {
        case 0: return byte;
        case 1: return (uint8_t)(byte - left);
        case 2: return (uint8_t)(byte - up);
        case 3: return (uint8_t)(byte - ((left + up) >> 1));
        default: return (uint8_t)(byte - paeth(left, up, corner));
    }
}

/// Adds to each filter's sum the bytes from `start` on.
static void add_plainly(const uint8_t *row, const uint8_t *above, size_t start, size_t count, size_t step,
                        uint64_t sums[5]) {
    const uint8_t *left = row - step, *corner = above - step;
    for (size_t i = start; i < count; i++)
        for (int filter = 0; filter < 5; filter++)
            sums[filter] += (uint64_t)abs((int8_t)filter_byte(filter, row[i], left[i], above[i], corner[i]));
}

static void filter_plainly(int filter, const uint8_t *row, const uint8_t *above, size_t start, size_t count, size_t step,
                           uint8_t *to) {
    const uint8_t *left = row - step, *corner = above - step;
    for (size_t i = start; i < count; i++) to[i] = filter_byte(filter, row[i], left[i], above[i], corner[i]);
}

#if defined(__x86_64__)
#include <immintrin.h>
_Pragma("clang attribute push(__attribute__((target(\"avx2\"))), apply_to = function)")

INLINE __m256i load(const uint8_t *from) { return _mm256_loadu_si256((const __m256i *)(const void *)from); }

INLINE __m256i distance(__m256i a, __m256i b) { return _mm256_sub_epi8(_mm256_max_epu8(a, b), _mm256_min_epu8(a, b)); }

INLINE __m256i at_most(__m256i a, __m256i b) { return _mm256_cmpeq_epi8(_mm256_min_epu8(a, b), a); }

/// As paeth(). Where left and up lie on different sides of the corner, left + up - 2 · corner is the difference of their
/// distances to it, and otherwise the sum, which no distance exceeds, so that it may end at 255.
INLINE __m256i paeth_of_32(__m256i left, __m256i up, __m256i corner) {
    __m256i to_left = distance(up, corner), to_up = distance(left, corner);
    __m256i is_one_side = _mm256_cmpeq_epi8(at_most(corner, up), at_most(corner, left));
    __m256i to_corner = _mm256_blendv_epi8(distance(to_left, to_up), _mm256_adds_epu8(to_left, to_up), is_one_side);
    __m256i is_left = _mm256_and_si256(at_most(to_left, to_up), at_most(to_left, to_corner));
    __m256i other = _mm256_blendv_epi8(corner, up, at_most(to_up, to_corner));
    return _mm256_blendv_epi8(other, left, is_left);
}

INLINE __m256i filter_32(int filter, __m256i bytes, __m256i left, __m256i up, __m256i corner) {
    // _mm256_avg_epu8 rounds up.
    __m256i odd = _mm256_and_si256(_mm256_xor_si256(left, up), _mm256_set1_epi8(1));
    switch (filter) {
        case 0: return bytes;
        case 1: return _mm256_sub_epi8(bytes, left);
        case 2: return _mm256_sub_epi8(bytes, up);
        case 3: return _mm256_sub_epi8(bytes, _mm256_sub_epi8(_mm256_avg_epu8(left, up), odd));
        default: return _mm256_sub_epi8(bytes, paeth_of_32(left, up, corner));
    }
}

static size_t add_vectors(const uint8_t *row, const uint8_t *above, size_t count, size_t step, uint64_t sums[5]) {
    __m256i zero = _mm256_setzero_si256(), totals[5] = {zero, zero, zero, zero, zero};
    size_t i = 0;
    for (; i + 32 <= count; i += 32) {
        __m256i bytes = load(row + i), left = load(row + i - step), up = load(above + i), corner = load(above + i - step);
#define ADD(filter) \
    totals[filter] = _mm256_add_epi64( \
        totals[filter], _mm256_sad_epu8(_mm256_abs_epi8(filter_32(filter, bytes, left, up, corner)), zero))
        ADD(0), ADD(1), ADD(2), ADD(3), ADD(4);
#undef ADD
    }
    for (int filter = 0; filter < 5; filter++) {
        uint64_t parts[4];
        _mm256_storeu_si256((__m256i *)(void *)parts, totals[filter]);
        sums[filter] = parts[0] + parts[1] + parts[2] + parts[3];
    }
    return i;
}

INLINE size_t filter_vectors(int filter, const uint8_t *row, const uint8_t *above, size_t count, size_t step, uint8_t *to) {
    size_t i = 0;
    for (; i + 32 <= count; i += 32) {
        __m256i left = load(row + i - step), corner = load(above + i - step);
        __m256i filtered = filter_32(filter, load(row + i), left, load(above + i), corner);
        _mm256_storeu_si256((__m256i *)(void *)(to + i), filtered);
    }
    return i;
}

static size_t filter_row(int filter, const uint8_t *row, const uint8_t *above, size_t count, size_t step, uint8_t *to) {
    switch (filter) {
        case 0: return filter_vectors(0, row, above, count, step, to);
        case 1: return filter_vectors(1, row, above, count, step, to);
        case 2: return filter_vectors(2, row, above, count, step, to);
        case 3: return filter_vectors(3, row, above, count, step, to);
        default: return filter_vectors(4, row, above, count, step, to);
    }
}

_Pragma("clang attribute pop")

static int has_vectors(void) { return __builtin_cpu_supports("avx2") != 0; }
#else
static int has_vectors(void) { return 0; }
#define add_vectors(row, above, count, step, sums) 0
#define filter_row(filter, row, above, count, step, to) 0
#endif

void nb_png_filter(const uint8_t *row, const uint8_t *above, size_t count, size_t step, int plainly, uint8_t *filtered) {
    uint64_t sums[5] = {0, 0, 0, 0, 0};
    int in_vectors = !plainly && has_vectors(), best = 0;
    size_t start = in_vectors ? add_vectors(row, above, count, step, sums) : 0;
    add_plainly(row, above, start, count, step, sums);
    for (int filter = 1; filter < 5; filter++) best = sums[filter] < sums[best] ? filter : best;
    filtered[0] = (uint8_t)best;
    start = in_vectors ? filter_row(best, row, above, count, step, filtered + 1) : 0;
    filter_plainly(best, row, above, start, count, step, filtered + 1);
}
