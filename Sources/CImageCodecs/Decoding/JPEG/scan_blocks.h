// The blocks of a file of several scans: a scan adds to coefficients that earlier ones left (ITU-T T.81, annex G).
#pragma once
#include "blocks.h"
#include "coded_data.h"
#include "huffman.h"

#if NB_DIRECT
#define NB_SHORT_BITS 9
#define NB_REFINE_BITS 10

NB_DIRECT_BEGIN

/// The tables of a scan, by component; a scan that refines has one, of symbols alone.
typedef struct {
    uint16_t dc[3][1 << NB_SHORT_BITS];  // as nb_make_short_codes has it
    nb_huffman_codes dc_codes[3];
    int ac_bits;                         // of the index of `ac`
    union {
        nb_lookup_table ac[3];
        struct {
            uint16_t symbols[1 << NB_REFINE_BITS];
            nb_huffman_codes codes;
        } refine;
    };
} nb_scan_tables;

/// What a block's coefficients of a scan need.
typedef struct {
    unsigned start, end;  // of the band
    int low_bit;
} nb_band;

/// A DC difference. Returns 0 for a code that there is not.
NB_INLINE int nb_read_dc(nb_bit_reader *b, const nb_scan_tables *tables, int i, int *difference) {
    nb_refill(b);
    int code = tables->dc[i][b->bits >> (64 - NB_SHORT_BITS)], length = code >> 8, size = code & 255;
    if (NB_UNLIKELY(!length)) {
        length = nb_find_code(&tables->dc_codes[i], (uint32_t)(b->bits >> 48), &size);
        if (length > 16) return 0;
    }
    uint64_t rest = b->bits << length;
    int64_t is_negative = ~(int64_t)rest >> 63;
    *difference = (int)((rest >> 1) >> (63 - size)) + (int)(is_negative & (1 - (1 << size)));
    nb_take(b, length + size);
    return 1;
}

NB_INLINE void nb_refine_dc(nb_bit_reader *b, int low_bit, int16_t *to) {
    nb_refill(b);
    to[0] = (int16_t)(to[0] | (int16_t)((b->bits >> 63) << low_bit));
    nb_take(b, 1);
}

/// Coefficients in their first scan, after index `k`. Adds to `mask`, where there is one, which of them are not zero:
/// index k at bit 63 - k. Returns 0 for damaged data.
NB_INLINE int nb_read_first(nb_bit_reader *from, const nb_lookup_table *table, int index_bits, unsigned k, nb_band band,
                            int16_t *to, uint64_t *mask, uint32_t *end_run) {
    nb_bit_reader b = *from;
    const unsigned last = band.end;
    const int scale = 1 << band.low_bit;
    uint64_t found = 0;
    for (;;) {
        nb_refill(&b);
        uint32_t entry = table->entry[b.bits >> (64 - index_bits)];
        unsigned k1 = k + nb_first_distance(entry), k2 = k1 + nb_second_distance(entry);
        // A block that reaches the band's end has no end code: the flag would be the next block's.
        if (NB_LIKELY((k2 < last || (k2 == last && !(entry & NB_END))) && (entry & NB_SLOW) != NB_SLOW)) {
            int v1 = nb_first_value(entry), v2 = nb_second_value(entry);
            to[nb_place[k2]] = (int16_t)(v2 * scale);
            to[nb_place[k1]] = (int16_t)(v1 * scale);
            if (mask) found |= (uint64_t)(v1 != 0) << (63 - k1) | (uint64_t)(v2 != 0) << (63 - k2);
            nb_take(&b, (int)(entry & 63));
            k = k2;
            if (entry & NB_END || k == last) break;
            continue;
        }
        int symbol, length = nb_find_symbol(table, entry, b.bits, &symbol);
        if (length > 16) return 0;
        int run = symbol >> 4, size = symbol & 15;
        nb_take(&b, length);
        if (size == 0 && run < 15) {
            *end_run = (1u << run) - 1 + nb_peek(&b, run);
            nb_take(&b, run);
            break;
        }
        k += (unsigned)run + 1;
        if (k > last || (size == 0 && k == last)) return 0;
        if (size) {
            to[nb_place[k]] = (int16_t)(nb_extend((uint32_t)(b.bits >> (64 - size)), size) * scale);
            nb_take(&b, size);
            found |= 1ull << (63 - k);
            if (k == last) break;
        }
    }
    if (mask) *mask |= found;
    *from = b;
    return 1;
}

/// A bit for each coefficient of `which`, from the lowest index on: those that grow.
NB_INLINE uint64_t nb_read_growth(nb_bit_reader *b, uint64_t which) {
    int count = __builtin_popcountll(which);
    if (NB_UNLIKELY(count > 39)) {  // more than is sure to be there after a symbol
        uint64_t last = nb_deposit((1ull << (count - 32)) - 1, which), first = which & ~last;
        nb_refill(b);
        uint64_t grows = nb_deposit(b->bits >> 32, first);
        nb_take(b, 32);
        nb_refill(b);
        grows |= nb_deposit((b->bits >> 1) >> (63 - (count - 32)), last);
        nb_take(b, count - 32);
        return grows;
    }
    uint64_t grows = nb_deposit((b->bits >> 1) >> (63 - count), which);
    nb_take(b, count);
    return grows;
}

// The magnitude of each coefficient of `which` grows by a bit.
NB_INLINE void nb_grow(uint64_t which, int low_bit, int16_t *to) {
    while (which) {
        int k = __builtin_clzll(which);
        which ^= 1ull << 63 >> k;
        int16_t *c = &to[nb_place[k]];
        *c = (int16_t)(*c + ((*c >> 15) | 1) * (1 << low_bit));
    }
}

/// Coefficients of `band`, a mask of indexes, in a later scan. What a run passes over and how many bits come for those
/// that are not zero is counted, not walked. Returns 0 for damaged data.
NB_INLINE int nb_refine(nb_bit_reader *from, const nb_scan_tables *tables, uint64_t band, int low_bit, int16_t *to,
                        uint64_t *mask, uint32_t *end_run) {
    nb_bit_reader b = *from;
    uint64_t known = *mask, grows = 0;
    while (*end_run == 0 && band) {
        nb_refill(&b);
        int symbol = tables->refine.symbols[b.bits >> (64 - NB_REFINE_BITS)], length = symbol >> 8;
        symbol &= 255;
        if (NB_UNLIKELY(!length)) {
            length = nb_find_code(&tables->refine.codes, (uint32_t)(b.bits >> 48), &symbol);
            if (length > 16) return 0;
        }
        int run = symbol >> 4, size = symbol & 15;
        nb_take(&b, length);
        if (size == 0 && run < 15) {
            *end_run = (1u << run) + nb_peek(&b, run);
            nb_take(&b, run);
            break;
        }
        if (NB_UNLIKELY(size > 1)) return 0;
        int value = (int64_t)b.bits < 0 ? 1 << low_bit : -(1 << low_bit);
        nb_take(&b, size);
        // The zero after `run` others, where the new coefficient goes: the first index is the highest bit.
        uint64_t zeros = ~known & band;
        int after = __builtin_popcountll(zeros) - 1 - run;
        if (NB_UNLIKELY(after < 0)) return 0;
        uint64_t here = nb_deposit(1ull << after, zeros);
        grows |= nb_read_growth(&b, known & band & ~(here | (here - 1)));
        if (NB_LIKELY(size)) to[nb_place[__builtin_clzll(here)]] = (int16_t)value, known |= here;
        band &= here - 1;
    }
    if (*end_run) {
        nb_refill(&b);
        grows |= nb_read_growth(&b, known & band);
        --*end_run;
    }
    nb_grow(grows, low_bit, to);
    *mask = known;
    *from = b;
    return 1;
}

NB_DIRECT_END
#endif
