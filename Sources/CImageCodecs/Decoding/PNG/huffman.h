// Tables that decode the Huffman codes of DEFLATE (RFC 1951, 3.2).
#pragma once
#include <stddef.h>
#include <stdint.h>

// An entry: the bits to take, with the extra ones (bits 0 to 7), those of the code alone (8 to 11), flags, and from bit 16
// on a literal, or the base of a length or distance.
#define NB_CODE_LITERAL 0x8000u
#define NB_CODE_SPECIAL 0x4000u   // neither literal nor base; without one of the next two, no code at all
#define NB_CODE_SUBTABLE 0x2000u  // bits 8 to 11: its size in bits; from bit 16 on: where it begins
#define NB_CODE_END 0x1000u       // of the block

enum {
    NB_CODE_LENGTHS = 0,
    NB_CODE_LITERALS = 1,
    NB_CODE_DISTANCES = 2,
    NB_LENGTH_BITS = 7,  // the longest code for code lengths
    NB_LITERAL_BITS = 11,
    NB_DISTANCE_BITS = 9,
    // A complete code has at least two symbols in each subtable, and none is longer than 15 bits.
    NB_LITERAL_ENTRIES = (1 << NB_LITERAL_BITS) + (288 / 2) * (1 << (15 - NB_LITERAL_BITS)),
    NB_DISTANCE_ENTRIES = (1 << NB_DISTANCE_BITS) + (32 / 2) * (1 << (15 - NB_DISTANCE_BITS)),
};

/// Makes a table for codes of these lengths. False for what zlib refuses: codes that overlap, or that leave bits without a
/// meaning, unless there is only one code, of one bit, or no distance at all.
int nb_code_build(uint32_t *table, int kind, const uint8_t *lengths, size_t count);
