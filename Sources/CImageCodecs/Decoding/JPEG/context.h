// What a thread keeps from one image to the next: tables that were made, as most files have the same.
#pragma once
#include "frame.h"

#include <CImageCodecs.h>

#if NB_DIRECT
NB_DIRECT_BEGIN

/// The tables of a component in a baseline scan: for what a block starts with, and for the rest of it.
typedef struct {
    nb_huffman_definition dc, ac;
    int only_dc;
    int index_bits;  // 0: not made
    nb_lookup_table tables[2];
} nb_table_pair;

/// Finds or makes the tables of all components of a scan, which all have an index of `*index_bits` bits. Returns 0 for
/// tables that are not valid, or without memory. They stay as they are until the next call.
int nb_context_tables(nb_jpeg_context *context, const nb_jpeg_frame *frame, const nb_scan *scan,
                      const nb_table_pair *pairs[3], int *index_bits);

NB_DIRECT_END
#endif
