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

NB_DIRECT_END
#endif
