// The innermost loop of a baseline scan.
#pragma once
#include "huffman.h"

#if NB_DIRECT
NB_DIRECT_BEGIN

/// One of the blocks that are decoded in a row. The last is followed by one with nb_no_table.
///
/// Its size is NB_END, so that the flag of an entry that ends a block leads to the next step without a branch.
typedef struct {
    const nb_lookup_table *ac, *next_dc;
    int16_t *to;
    void *unused[5];
} nb_step;
_Static_assert(sizeof(nb_step) == NB_END, "the flag is what leads to the next step");

/// Tables of zeros: lookups there do nothing.
extern const nb_lookup_table nb_no_table;

/// Decodes the blocks from `first` to before `last`, with DC coefficients as differences. `start` is the table that the
/// first begins with. Returns 0 for damaged data.
int nb_read_blocks(nb_bit_reader *from, const nb_lookup_table *start, const nb_step *first, const nb_step *last,
                   const uint8_t *limit, int index_bits);

NB_DIRECT_END
#endif
