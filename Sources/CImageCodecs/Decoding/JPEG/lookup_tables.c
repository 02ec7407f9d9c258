// Tables of coefficients with their values: made from the codes alone and used for whole files.
#include "huffman.h"

#if NB_DIRECT
NB_DIRECT_BEGIN

// The definitions of a table while it is made, by index: codes, and what single AC symbols are. A single entry is as one
// of nb_lookup_table, but bits 16-31 hold the value; 0 if there is no such entry.
typedef struct {
    int bits;
    uint32_t mask;
    uint16_t dc[1 << NB_INDEX_BITS], ac[1 << NB_INDEX_BITS];
    uint32_t single[1 << NB_INDEX_BITS];
} draft;

static uint32_t slow_entry(uint32_t code) { return NB_SLOW | code >> 8 | code << 24; }

static int bits_of(uint32_t single) { return (int)(single & 63); }

// The coefficient of `size` bits that ends `used` bits into an index.
static int value_in(const draft *d, uint32_t index, int used, int size) {
    return size ? nb_extend((index >> (d->bits - used)) & ((1u << size) - 1), size) : 0;
}

// With `values`, all bits of the coefficient must be in the index.
static void make_singles(draft *d, int values) {
    for (uint32_t i = 0; i <= d->mask; i++) {
        int length = d->ac[i] >> 8, run = d->ac[i] >> 4 & 15, size = d->ac[i] & 15, total = length + size;
        int is_end = size == 0 && run == 0;
        d->single[i] = 0;
        if (!length || (size == 0 && run != 0 && run != 15) || (values && total > d->bits)) continue;
        int value = values ? value_in(d, i, total, size) : 0;
        d->single[i] = is_end ? (uint32_t)length | NB_END
                              : (uint32_t)total | (uint32_t)(run + 1) << 7 | (uint32_t)value << 16;
    }
}

// The DC coefficient that an index starts with. Returns its bits, or 0 if they are not all there.
static int dc_in(const draft *d, uint32_t index, int *value) {
    int length = d->dc[index] >> 8, size = d->dc[index] & 255, used = length + size;
    if (!length || used > d->bits) return 0;
    *value = value_in(d, index, used, size);
    return used;
}

// What follows after `used` bits of an index, or 0 if it is not all there.
static uint32_t next_in(const draft *d, uint32_t index, int used) {
    uint32_t e = d->single[index << used & d->mask];
    return bits_of(e) && bits_of(e) <= d->bits - used ? e : 0;
}

static uint32_t entry_at(const draft *d, uint32_t i, int is_dc) {
    uint32_t end = 0, first = 0, second = 0;
    int used, v1 = 0, v2 = 0;
    if (is_dc) {
        used = dc_in(d, i, &v1);
    } else {
        uint32_t e = d->single[i];
        used = bits_of(e), end = e & NB_END, first = e >> 7 & 31, v1 = (int32_t)e >> 16;
        if (end) first = 1;  // a zero where one is
    }
    uint32_t slow = slow_entry(is_dc ? d->dc[i] : d->ac[i]);
    if (!used) return slow;
    if (!end) {
        uint32_t e = next_in(d, i, used);
        used += bits_of(e), end = e & NB_END;
        if (e && !end) {
            second = e >> 7 & 31, v2 = (int32_t)e >> 16;
            e = next_in(d, i, used);
            if (e & NB_END) used += bits_of(e), end = NB_END;
        }
    }
    if (v1 < -128 || v1 > 127 || v2 < -64 || v2 > 63) return slow;
    return (uint32_t)used | end | first << 7 | second << 12 | (uint32_t)(v2 & 127) << 17 | (uint32_t)v1 << 24;
}

// The same where AC coefficients are of no use: any number of symbols at once, whose values may lie after the index.
static uint32_t passing_entry_at(const draft *d, uint32_t i, int is_dc) {
    uint32_t end = 0, distance = 0, most = is_dc ? 31 : 61;
    int used = 0, value = 0;
    uint32_t slow = slow_entry(is_dc ? d->dc[i] : d->ac[i]);
    if (is_dc && !(used = dc_in(d, i, &value))) return slow;
    while (used < d->bits && !end) {
        uint32_t rest = i << used & d->mask, e = d->single[rest], advance = e >> 7 & 31;
        int total = bits_of(e), code = d->ac[rest] >> 8;
        if (!total || code > d->bits - used || used + total > NB_MOST_TAKEN || distance + advance > most) break;
        used += total, distance += advance, end = e & NB_END;
    }
    if (!used || value < -128 || value > 127) return slow;
    if (!is_dc && !distance) distance = 1;
    uint32_t first = is_dc ? 0 : (distance + 1) / 2;
    return (uint32_t)used | end | first << 7 | (distance - first) << 12 | (uint32_t)value << 24;
}

static void start(draft *d, int index_bits) {
    d->bits = index_bits;
    d->mask = (1u << index_bits) - 1;
}

int nb_make_block_tables(const nb_huffman_definition *dc, const nb_huffman_definition *ac, int only_dc, int index_bits,
                         nb_lookup_table pair[2]) {
    for (int i = 0; i < dc->total; i++)
        if (dc->symbols[i] > 15) return 0;
    if (!nb_make_codes(dc, &pair[0].codes) || !nb_make_codes(ac, &pair[1].codes)) return 0;
    draft d;
    start(&d, index_bits);
    nb_make_short_codes(dc, index_bits, d.dc);
    nb_make_short_codes(ac, index_bits, d.ac);
    make_singles(&d, !only_dc);
    for (int rest = 0; rest < 2; rest++) {
        pair[rest].is_dc = !rest;
        for (uint32_t i = 0; i <= d.mask; i++)
            pair[rest].entry[i] = only_dc ? passing_entry_at(&d, i, !rest) : entry_at(&d, i, !rest);
    }
    return 1;
}

int nb_make_ac_table(const nb_huffman_definition *ac, int index_bits, nb_lookup_table *table) {
    if (!nb_make_codes(ac, &table->codes)) return 0;
    draft d;
    start(&d, index_bits);
    nb_make_short_codes(ac, index_bits, d.ac);
    make_singles(&d, 1);
    table->is_dc = 0;
    for (uint32_t i = 0; i <= d.mask; i++) table->entry[i] = entry_at(&d, i, 0);
    return 1;
}

NB_DIRECT_END
#endif
