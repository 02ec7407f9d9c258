// Blocks follow each other without a branch on where one ends: that is what a processor cannot foresee. The end flag of
// an entry selects between this block's table and the next block's, sets the index back, and is the way to the next step.
#include "baseline_blocks.h"

#include "blocks.h"

#if NB_DIRECT
NB_DIRECT_BEGIN

const nb_lookup_table nb_no_table;

// Where the decoding stands: in a step, after coefficient `k`, before an entry of `table`.
typedef struct {
    nb_bit_reader bits;
    const nb_lookup_table *table;
    const nb_step *step;
    unsigned k;
} position;

// One symbol of any length. Mostly, the entry holds it, but not its value. Returns 0 for a symbol that there cannot be.
NB_INLINE int read_symbol(position *at, uint32_t entry) {
    const nb_lookup_table *table = at->table;
    nb_bit_reader b = at->bits;
    nb_refill(&b);
    int symbol, length = nb_find_symbol(table, entry, b.bits, &symbol);
    if (length > 16) return 0;
    nb_take(&b, length);
    int run = symbol >> 4, size = symbol & 15, ends = 0;
    int value = size ? nb_extend((uint32_t)(b.bits >> (64 - size)), size) : 0;
    nb_take(&b, size);
    if (table->is_dc) {
        at->step->to[0] = (int16_t)value;
    } else if (symbol == 0) {
        ends = 1;
    } else {
        at->k += (unsigned)run + 1;
        if (at->k > 63 || (size == 0 && (run != 15 || at->k == 63))) return 0;
        at->step->to[nb_place[at->k]] = (int16_t)value;
        ends = at->k == 63;
    }
    at->bits = b;
    at->table = ends ? at->step->next_dc : at->step->ac;
    if (ends) at->step++, at->k = 0;
    return 1;
}

int nb_read_blocks(nb_bit_reader *from, const nb_lookup_table *start, const nb_step *first, const nb_step *last,
                   const uint8_t *limit, int index_bits) {
    nb_bit_reader b = *from;
    const nb_lookup_table *table = start, *ac = first->ac, *next_dc = first->next_dc;
    const nb_step *step = first;
    int16_t *to = step->to;
    unsigned k = 0;
    uint32_t entry;
    const int shift = 64 - index_bits;
    do {
        uint32_t taken = 0;  // in its low six bits
        nb_refill(&b);
        if (NB_UNLIKELY(b.next > limit)) return 0;
        // What the block after needs is loaded before it is known whether it is wanted. What reaches index 62 is read
        // symbol by symbol, as a block whose last coefficient is not zero has no end flag.
#define LOOK_UP \
    { \
        entry = table->entry[b.bits >> shift]; \
        unsigned k1 = k + nb_first_distance(entry), k2 = k1 + nb_second_distance(entry); \
        if (NB_UNLIKELY(k2 >= 62)) goto slowly; \
        to[nb_place[k2]] = (int16_t)nb_second_value(entry); \
        to[nb_place[k1]] = (int16_t)nb_first_value(entry); \
        b.bits <<= entry & 63; \
        taken += entry; \
        NB_KEEP(ac); \
        NB_KEEP(next_dc); \
        table = entry & NB_END ? next_dc : ac; \
        k = entry & NB_END ? 0 : k2; \
        step = (const nb_step *)((const char *)step + (entry & NB_END)); \
        ac = step->ac, next_dc = step->next_dc, to = step->to; \
    }
        LOOK_UP LOOK_UP LOOK_UP LOOK_UP
#undef LOOK_UP
        b.have -= (int)(taken & 63);
        continue;
    slowly:;
        b.have -= (int)(taken & 63);
        position at = {b, table, step, k};
        if (!read_symbol(&at, entry)) return 0;
        b = at.bits, table = at.table, step = at.step, k = at.k;
        ac = step->ac, next_dc = step->next_dc, to = step->to;
    } while (step < last);
    *from = b;
    return 1;
}

NB_DIRECT_END
#endif
