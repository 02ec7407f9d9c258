// The compressed data of a PNG: the contents of its IDAT chunks, one after the other.
#pragma once
#include "internal.h"

typedef struct {
    const uint8_t *chunk;  // the next chunk, from its length on
    size_t left;           // bytes from there to the end of the file
    size_t longest;        // the length of a chunk that libpng takes
} nb_idat;

/// Moves to the next piece. False if no IDAT follows, or one that only libpng should judge.
int nb_idat_next(nb_idat *idat, const uint8_t **piece, size_t *count);
/// Whether the file ends, behind its last IDAT, in a way that libpng takes without a word.
int nb_idat_ends(nb_idat *idat);
