// Inflates the zlib stream of a PNG (RFC 1950, RFC 1951), piece by piece into a window.
//
// It takes exactly the streams that zlib takes. libdeflate reads more: symbols that the format reserves, and codes that no
// symbol has; files that libpng refuses would pass.
#pragma once
#include "huffman.h"
#include "idat.h"

enum {
    NB_INFLATE_HISTORY = 32768,  // how far a match may reach back
    NB_INFLATE_SLACK = 304       // bytes behind the target that may be written
};

typedef struct {
    nb_idat *idat;
    const uint8_t *next, *end;  // of the piece
    uint64_t bits;              // read ahead, the next bit lowest
    unsigned count;             // bits in `bits`
    int state, is_last;
    uint32_t stored;            // bytes left of a stored block
    size_t blocks, inflated;    // blocks with codes of their own, and bytes made so far
    // The tables of the block: its own, or those of the format, which are made when they are needed first.
    const uint32_t *literals, *distances;
    uint32_t own_literals[NB_LITERAL_ENTRIES], own_distances[NB_DISTANCE_ENTRIES];
    int has_fixed;
    uint32_t fixed_literals[1 << NB_LITERAL_BITS], fixed_distances[1 << NB_DISTANCE_BITS];
} nb_inflater;

typedef enum { NB_INFLATE_BROKEN, NB_INFLATE_MORE, NB_INFLATE_DONE } nb_inflate_state;

/// Reads the header of a stream that has `count` bytes when it is inflated. False if only libpng should read it.
int nb_inflate_begin(nb_inflater *inflater, nb_idat *idat, size_t count);
/// Inflates to `*to` until that reaches `target` or the stream ends; matches may reach back to `window`.
nb_inflate_state nb_inflate_run(nb_inflater *inflater, const uint8_t *window, uint8_t **to, const uint8_t *target);
/// Whether the data end with this checksum and nothing behind it.
int nb_inflate_ends(nb_inflater *inflater, uint32_t adler);
