// Reading bits from coded data without its stuffing: a buffer of 64 bits that is filled without a branch.
#pragma once
#include "vectors.h"

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#if NB_DIRECT
NB_DIRECT_BEGIN

typedef struct {
    uint64_t bits;        // the next ones, from the top; those after `have` are already right, but do not count
    int have;
    const uint8_t *next;  // what follows `have`
} nb_bit_reader;

/// At least 56 bits are there afterwards. Reads eight bytes from `next`.
NB_INLINE void nb_refill(nb_bit_reader *b) {
    uint64_t word;
    memcpy(&word, b->next, 8);
    b->bits |= __builtin_bswap64(word) >> b->have;
    b->next += (63 - b->have) >> 3;
    b->have |= 56;
}

NB_INLINE void nb_take(nb_bit_reader *b, int count) {
    b->bits <<= count;
    b->have -= count;
}

/// The next `count` bits, 0 to 32, as a number.
NB_INLINE uint32_t nb_peek(const nb_bit_reader *b, int count) { return (uint32_t)((b->bits >> 1) >> (63 - count)); }

/// A coefficient of `size` bits (ITU-T T.81, F.2.2.1: EXTEND); `size` is at least 1.
NB_INLINE int nb_extend(uint32_t value, int size) {
    return value < 1u << (size - 1) ? (int)value - (1 << size) + 1 : (int)value;
}

/// The lowest bits of `bits`, to where `mask` has ones.
NB_INLINE uint64_t nb_deposit(uint64_t bits, uint64_t mask) {
#if defined(__x86_64__)
    return _pdep_u64(bits, mask);
#else
    uint64_t to = 0;
    for (; bits; bits >>= 1, mask &= mask - 1)
        if (bits & 1) to |= mask & -mask;
    return to;
#endif
}

/// Copies 32 bytes. Returns how many come before the first FF.
NB_INLINE int nb_copy_plain(const uint8_t *from, uint8_t *to) {
#if defined(__x86_64__)
    __m256i bytes = _mm256_loadu_si256((const __m256i *)from);
    _mm256_storeu_si256((__m256i *)to, bytes);
    uint32_t found = (uint32_t)_mm256_movemask_epi8(_mm256_cmpeq_epi8(bytes, _mm256_set1_epi8(-1)));
    return found ? __builtin_ctz(found) : 32;
#else
    for (int i = 0; i < 32; i += 16) {
        uint8x16_t bytes = vld1q_u8(from + i), ones = vceqq_u8(bytes, vdupq_n_u8(0xFF));
        vst1q_u8(to + i, bytes);
        uint64_t found = vget_lane_u64(vreinterpret_u64_u8(vshrn_n_u16(vreinterpretq_u16_u8(ones), 4)), 0);
        if (found) return i + __builtin_ctzll(found) / 4;
    }
    return 32;
#endif
}

NB_DIRECT_END
#endif
