#pragma once
#include "internal.h"

enum { NB_GIF_MOST_CODES = 1 << 12 };

/// The pixels of a frame while they are expanded.
typedef struct {
    const uint8_t *next, *end;  // the blocks, from the length of the first one on, or from within one
    size_t in_block;            // bytes left of the block
    uint32_t bits;              // read and not used yet, from the lowest on
    int held;                   // of them
    int least_width, width;     // bits of a code after a clear code, and now
    int clear, free, last;      // the clear code, the next free code, and the code before this one, or -1
    size_t stacked;
    uint16_t prefix[NB_GIF_MOST_CODES];
    uint8_t suffix[NB_GIF_MOST_CODES];
    uint8_t stack[NB_GIF_MOST_CODES + 1];  // the pixels of a code, the last one first
} nb_gif_codes;

/// Begins with the first block. Codes have at least `size` + 1 bits. Of the codes of pixels that sizes over 8 have, which the
/// format does not allow, the lowest eight bits count. Returns 0 for codes that would have more than 12 bits.
int nb_gif_codes_start(nb_gif_codes *codes, int size, const uint8_t *bytes, size_t count);
/// Reads the next pixels.
nb_status nb_gif_codes_read(nb_gif_codes *codes, uint8_t *to, size_t count, nb_error *error);
/// Warns of what is wrong after the last pixel.
void nb_gif_codes_finish(nb_gif_codes *codes, nb_error *error);
