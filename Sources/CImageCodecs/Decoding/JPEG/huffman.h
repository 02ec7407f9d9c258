// Huffman codes as a file defines them (ITU-T T.81, annex C), and the tables that decode several symbols at once.
#pragma once
#include "bits.h"

#if NB_DIRECT
NB_DIRECT_BEGIN

/// A DHT segment's table: how many codes there are of each length, and their symbols.
typedef struct {
    uint8_t counts[17], symbols[256];
    int total, is_defined;
} nb_huffman_definition;

/// For each length the first code, left-aligned in 16 bits, that is too large for it, and where its symbols are.
typedef struct {
    uint32_t limit[18];
    int32_t offset[17];
    uint8_t symbols[256];
} nb_huffman_codes;

/// Returns 0 if the definition has more codes of a length than there can be.
int nb_make_codes(const nb_huffman_definition *from, nb_huffman_codes *codes);
/// Whether two definitions give the same codes.
int nb_same_codes(const nb_huffman_definition *a, const nb_huffman_definition *b);
/// What each `index_bits` bits start with: length << 8 | symbol, 0 if the code is longer.
void nb_make_short_codes(const nb_huffman_definition *from, int index_bits, uint16_t *table);

/// The symbol whose code the next 16 bits start with. Returns its length, above 16 if there is none.
NB_INLINE int nb_find_code(const nb_huffman_codes *codes, uint32_t bits, int *symbol) {
    int length = 1;
    while (bits >= codes->limit[length]) length++;
    if (length <= 16) *symbol = codes->symbols[(uint8_t)((int32_t)(bits >> (16 - length)) + codes->offset[length])];
    return length;
}

// A lookup takes up to two coefficients with their values, and the end of the block. An entry is
//   bits 0-5    all bits taken, at most NB_MOST_TAKEN
//   bit 6       the block ends
//   bits 7-11   how far the first coefficient is from the last one
//   bits 12-16  how far the second is from the first; 0 if there is none, and its value of 0 is overwritten by the first
//   bits 17-23  the second's value
//   bits 24-31  the first's value
// or, where that does not hold what comes next, NB_SLOW with one symbol: bits 0-5 are the length of its code (0 if it is
// longer than the index) and bits 24-31 the symbol. Its distances lead past any block, so it is recognised as that is.
#define NB_INDEX_BITS 12
#define NB_MOST_TAKEN 14  // so that four lookups follow a refill
#define NB_END 0x40u
#define NB_SLOW (0x3FFu << 7)

typedef struct {
    uint32_t entry[1 << NB_INDEX_BITS];
    nb_huffman_codes codes;
    int is_dc;
} nb_lookup_table;

NB_INLINE unsigned nb_first_distance(uint32_t entry) { return entry >> 7 & 31; }
NB_INLINE unsigned nb_second_distance(uint32_t entry) { return entry >> 12 & 31; }
NB_INLINE int nb_first_value(uint32_t entry) { return (int32_t)entry >> 24; }
NB_INLINE int nb_second_value(uint32_t entry) { return (int32_t)(entry << 8) >> 25; }

/// The one symbol that comes next where an entry does not hold all of it. Returns its length, above 16 if there is none.
NB_INLINE int nb_find_symbol(const nb_lookup_table *table, uint32_t entry, uint64_t bits, int *symbol) {
    int length = (int)(entry & 63);
    *symbol = (int)(entry >> 24);
    if ((entry & NB_SLOW) == NB_SLOW && length != 0) return length;
    return nb_find_code(&table->codes, (uint32_t)(bits >> 48), symbol);
}

/// Fills a pair of tables: for what a block starts with, its DC coefficient, and for the rest of it. Returns 0 for a
/// definition that is not valid.
///
/// With `only_dc`, AC coefficients are passed over, any number at once, and their values are all 0.
int nb_make_block_tables(const nb_huffman_definition *dc, const nb_huffman_definition *ac, int only_dc, int index_bits,
                         nb_lookup_table pair[2]);
/// Fills the table of AC coefficients alone.
int nb_make_ac_table(const nb_huffman_definition *ac, int index_bits, nb_lookup_table *table);

NB_DIRECT_END
#endif
