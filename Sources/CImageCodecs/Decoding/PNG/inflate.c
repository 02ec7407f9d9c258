#include "inflate.h"

#include <stddef.h>
#include <string.h>

enum { AT_HEAD, IN_STORED, IN_CODES, AT_END };

#define LIKELY(x) __builtin_expect(!!(x), 1)

/// Reads ahead byte by byte, over the edges of pieces. Behind the last byte, `count` stays below what is asked for.
static void fill(nb_inflater *self) {
    while (self->count < 56) {
        if (self->next == self->end) {
            size_t count;
            if (!nb_idat_next(self->idat, &self->next, &count)) {
                self->end = self->next;
                return;
            }
            self->end = self->next + count;
        }
        self->bits |= (uint64_t)*self->next++ << self->count;
        self->count += 8;
    }
}

static void drop(nb_inflater *self, unsigned count) {
    self->bits >>= count;
    self->count -= count;
}

/// Takes at most 16 bits; -1 if they are not there.
static int32_t take(nb_inflater *self, unsigned count) {
    fill(self);
    if (self->count < count) return -1;
    int32_t value = (int32_t)(self->bits & ((1u << count) - 1));
    drop(self, count);
    return value;
}

int nb_inflate_begin(nb_inflater *self, nb_idat *idat, size_t count) {
    memset(self, 0, offsetof(nb_inflater, own_literals));
    self->idat = idat;
    self->state = AT_HEAD;
    self->has_fixed = 0;
    int32_t method = take(self, 8), flags = take(self, 8);
    if (method < 0 || flags < 0 || (method << 8 | flags) % 31 != 0) return 0;
    if ((method & 15) != 8 || method >> 4 > 7 || (flags & 32) != 0) return 0;
    // A small window may be too small for what the stream refers to; zlib then judges by what it has at hand.
    return method >> 4 == 7 || (size_t)256 << (method >> 4) >= count;
}

int nb_inflate_ends(nb_inflater *self, uint32_t adler) {
    drop(self, self->count % 8);
    int32_t high = take(self, 8);
    for (int i = 1; i < 4 && high >= 0; i++) {
        int32_t low = take(self, 8);
        if ((adler >> (32 - 8 * i) & 255) != (uint32_t)high || low < 0) return 0;
        high = low;
    }
    return high == (int32_t)(adler & 255) && self->count == 0 && self->next == self->end;
}

static int read_codes(nb_inflater *self) {
    static const uint8_t order[19] = {16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15};
    int32_t counts = take(self, 14);
    if (counts < 0) return 0;
    int literals = (counts & 31) + 257, distances = (counts >> 5 & 31) + 1, codes = (counts >> 10) + 4;
    if (literals > 286 || distances > 30) return 0;
    uint8_t lengths[320] = {0};
    for (int i = 0; i < codes; i++) {
        int32_t length = take(self, 3);
        if (length < 0) return 0;
        lengths[order[i]] = (uint8_t)length;
    }
    // The place of the table for distances is free until those are known.
    uint32_t *table = self->own_distances;
    if (!nb_code_build(table, NB_CODE_LENGTHS, lengths, 19)) return 0;
    memset(lengths, 0, 19);
    for (int have = 0, all = literals + distances; have < all;) {
        fill(self);
        uint32_t entry = table[self->bits & ((1u << NB_LENGTH_BITS) - 1)], symbol = entry >> 16;
        if ((entry & 255) > self->count) return 0;
        drop(self, entry & 255);
        if (symbol < 16) {
            lengths[have++] = (uint8_t)symbol;
            continue;
        }
        if (symbol == 16 && have == 0) return 0;
        int32_t more = take(self, symbol == 16 ? 2 : symbol == 17 ? 3 : 7);
        int repeat = more + (symbol == 18 ? 11 : 3);
        if (more < 0 || repeat > all - have) return 0;
        memset(lengths + have, symbol == 16 ? lengths[have - 1] : 0, (size_t)repeat);
        have += repeat;
    }
    self->literals = self->own_literals;
    self->distances = self->own_distances;
    return lengths[256] != 0 && nb_code_build(self->own_literals, NB_CODE_LITERALS, lengths, (size_t)literals) &&
           nb_code_build(self->own_distances, NB_CODE_DISTANCES, lengths + literals, (size_t)distances);
}

static int set_fixed_codes(nb_inflater *self) {
    self->literals = self->fixed_literals;
    self->distances = self->fixed_distances;
    // An empty block takes ten bits, so that a small file has millions of them.
    if (self->has_fixed) return 1;
    uint8_t lengths[288];
    for (int i = 0; i < 288; i++) lengths[i] = i < 144 ? 8 : i < 256 ? 9 : i < 280 ? 7 : 8;
    int set = nb_code_build(self->fixed_literals, NB_CODE_LITERALS, lengths, 288);
    memset(lengths, 5, 32);
    return self->has_fixed = nb_code_build(self->fixed_distances, NB_CODE_DISTANCES, lengths, 32) && set;
}

/// False for a stream with so many blocks for what it holds that making their tables takes all the time: zlib has smaller ones,
/// made in a third of the time. Its encoder's blocks hold 16 KB or more.
static int is_worth_tables(nb_inflater *self) { return ++self->blocks <= 256 + self->inflated / 256; }

static int read_head(nb_inflater *self) {
    int32_t head = take(self, 3);
    if (head < 0) return 0;
    self->is_last = head & 1;
    switch (head >> 1) {
        case 0: {
            drop(self, self->count % 8);
            int32_t count = take(self, 16), inverse = take(self, 16);
            if (count < 0 || (count ^ 0xFFFF) != inverse) return 0;
            self->stored = (uint32_t)count;
            self->state = IN_STORED;
            return 1;
        }
        case 1: self->state = IN_CODES; return set_fixed_codes(self);
        case 2: self->state = IN_CODES; return is_worth_tables(self) && read_codes(self);
        default: return 0;
    }
}

static void end_block(nb_inflater *self) { self->state = self->is_last ? AT_END : AT_HEAD; }

static int copy_stored(nb_inflater *self, uint8_t **to, const uint8_t *target) {
    while (self->stored > 0 && *to < target) {
        if (self->count == 0 && self->next < self->end) {
            size_t count = (size_t)(self->end - self->next), room = (size_t)(target - *to);
            if (count > self->stored) count = self->stored;
            if (count > room) count = room;
            memcpy(*to, self->next, count);
            *to += count;
            self->next += count;
            self->stored -= (uint32_t)count;
            continue;
        }
        if (self->count == 0) fill(self);
        if (self->count == 0) return 0;
        *(*to)++ = (uint8_t)self->bits;
        drop(self, 8);
        self->stored--;
    }
    if (self->stored == 0) end_block(self);
    return 1;
}

/// Repeats what is `distance` back; writes up to 15 bytes more than `length`.
static inline uint8_t *repeat(uint8_t *to, size_t distance, size_t length) {
    const uint8_t *from = to - distance;
    uint8_t *end = to + length, block[16];
    // What repeats in less than 16 bytes also repeats in twice as many.
    for (; distance < 16 && to < end; to += distance, distance *= 2) {
        memcpy(block, from, 16);
        memcpy(to, block, 16);
    }
    for (from = to - distance; to < end; to += 16, from += 16) {
        memcpy(block, from, 16);
        memcpy(to, block, 16);
    }
    return end;
}

static inline uint32_t extended(uint32_t entry, uint64_t bits) {
    uint64_t taken = bits & (((uint64_t)1 << (entry & 255)) - 1);
    return (entry >> 16) + (uint32_t)(taken >> (entry >> 8 & 15));
}

/// Decodes the codes of a block one by one, where a piece or the window may end.
static int decode_slowly(nb_inflater *self, const uint8_t *window, uint8_t **to) {
    fill(self);
    uint32_t entry = self->literals[self->bits & ((1u << NB_LITERAL_BITS) - 1)];
    if (entry & NB_CODE_SUBTABLE) {
        if (self->count < NB_LITERAL_BITS) return 0;
        drop(self, NB_LITERAL_BITS);
        entry = self->literals[(entry >> 16) + (self->bits & ((1u << (entry >> 8 & 15)) - 1))];
    }
    if ((entry & 255) > self->count) return 0;
    uint32_t length = extended(entry, self->bits);
    drop(self, entry & 255);
    if (entry & NB_CODE_LITERAL) {
        *(*to)++ = (uint8_t)(entry >> 16);
        return 1;
    }
    if (entry & NB_CODE_SPECIAL) {
        end_block(self);
        return (entry & NB_CODE_END) != 0;
    }
    fill(self);
    entry = self->distances[self->bits & ((1u << NB_DISTANCE_BITS) - 1)];
    if (entry & NB_CODE_SUBTABLE) {
        if (self->count < NB_DISTANCE_BITS) return 0;
        drop(self, NB_DISTANCE_BITS);
        entry = self->distances[(entry >> 16) + (self->bits & ((1u << (entry >> 8 & 15)) - 1))];
    }
    if ((entry & 255) > self->count || (entry & NB_CODE_SPECIAL)) return 0;
    uint32_t distance = extended(entry, self->bits);
    drop(self, entry & 255);
    if (distance > (size_t)(*to - window)) return 0;
    *to = repeat(*to, distance, length);
    return 1;
}

/// Decodes while 16 bytes of the piece are left, so that a load of 8 bytes for each half of a match is within it.
static inline __attribute__((always_inline)) int decode_quickly(nb_inflater *self, const uint8_t *window,
                                                                uint8_t **output, const uint8_t *target) {
    const uint8_t *next = self->next, *last = self->end - 16;
    uint8_t *to = *output;
    uint64_t bits = self->bits, ahead;
    unsigned count = self->count;
    // What is written could be anything but these.
    const uint32_t *const literals = self->literals, *const distances = self->distances;
    const uint64_t mask = (1u << NB_LITERAL_BITS) - 1;
    int good = 1;
// At least 56 bits afterwards. The upper ones may hold the beginning of the byte at `next`, which is then loaded again.
#define FILL() (memcpy(&ahead, next, 8), bits |= ahead << count, next += (63 - count) >> 3, count |= 56)
#define DROP(entry) (bits >>= (entry) & 63, count -= (entry) & 255)
#define NEXT() (literals[bits & mask])
#define PUT() (DROP(entry), *to++ = (uint8_t)(entry >> 16))
    FILL();
    // Each entry is looked up before the bits are filled up again, which does not change those that it stands for.
    uint32_t entry = NEXT();
    while (next <= last && to < target) {
        // Three literals of the first table take at most 33 bits; a length needs 20 more. Behind four, a look takes 11.
        if (LIKELY(entry & NB_CODE_LITERAL)) {
            PUT();
            entry = NEXT();
            if (LIKELY(entry & NB_CODE_LITERAL)) {
                PUT();
                entry = NEXT();
                if (LIKELY(entry & NB_CODE_LITERAL)) {
                    PUT();
                    entry = NEXT();
                    if (entry & NB_CODE_LITERAL) {
                        PUT();
                        entry = NEXT();
                        FILL();
                        continue;
                    }
                }
            }
        }
        if (entry & NB_CODE_SUBTABLE) {
            DROP(entry & 255);
            entry = literals[(entry >> 16) + (bits & ((1u << (entry >> 8 & 15)) - 1))];
            if (entry & NB_CODE_LITERAL) {
                PUT();
                FILL();
                entry = NEXT();
                continue;
            }
        }
        uint32_t length = extended(entry, bits);
        DROP(entry);
        if (__builtin_expect(entry & NB_CODE_SPECIAL, 0)) {
            end_block(self);
            good = (entry & NB_CODE_END) != 0;
            break;
        }
        FILL();
        entry = distances[bits & ((1u << NB_DISTANCE_BITS) - 1)];
        if (entry & NB_CODE_SUBTABLE) {
            DROP(entry & 255);
            entry = distances[(entry >> 16) + (bits & ((1u << (entry >> 8 & 15)) - 1))];
        }
        uint32_t distance = extended(entry, bits);
        DROP(entry);
        if (__builtin_expect((entry & NB_CODE_SPECIAL) || distance > (size_t)(to - window), 0)) {
            good = 0;
            break;
        }
        entry = NEXT();
        FILL();
        to = repeat(to, distance, length);
    }
#undef PUT
#undef NEXT
#undef FILL
#undef DROP
    self->bits = bits & (((uint64_t)1 << count) - 1);
    self->count = count;
    self->next = next;
    *output = to;
    return good;
}

#if defined(__x86_64__) && !defined(NB_NARROW)  // NB_NARROW: to compare what processors without these instructions do
#define HAS_BMI2
// Shifts by a variable count and masks are one instruction each.
__attribute__((target("bmi,bmi2"))) static int decode_bmi2(nb_inflater *self, const uint8_t *window, uint8_t **to,
                                                           const uint8_t *target) {
    return decode_quickly(self, window, to, target);
}
#endif

static int decode_any(nb_inflater *self, const uint8_t *window, uint8_t **to, const uint8_t *target) {
    return decode_quickly(self, window, to, target);
}

nb_inflate_state nb_inflate_run(nb_inflater *self, const uint8_t *window, uint8_t **to, const uint8_t *target) {
    int (*decode)(nb_inflater *, const uint8_t *, uint8_t **, const uint8_t *) = decode_any;
#ifdef HAS_BMI2
    if (__builtin_cpu_supports("bmi2")) decode = decode_bmi2;
#endif
    int good = 1;
    while (good && *to < target && self->state != AT_END) {
        const uint8_t *from = *to;
        switch (self->state) {
            case AT_HEAD: good = read_head(self); break;
            case IN_STORED: good = copy_stored(self, to, target); break;
            default:
                good = self->end - self->next >= 16 ? decode(self, window, to, target) : decode_slowly(self, window, to);
        }
        self->inflated += (size_t)(*to - from);
    }
    return !good ? NB_INFLATE_BROKEN : self->state == AT_END ? NB_INFLATE_DONE : NB_INFLATE_MORE;
}
