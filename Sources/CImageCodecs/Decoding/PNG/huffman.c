#include "huffman.h"

#include <string.h>

// RFC 1951, 3.2.5: base << 16 | extra bits.
#define B(base, extra) ((uint32_t)(base) << 16 | (extra))
static const uint32_t lengths_of[29] = {
    B(3, 0), B(4, 0), B(5, 0), B(6, 0), B(7, 0), B(8, 0), B(9, 0), B(10, 0), B(11, 1), B(13, 1),
    B(15, 1), B(17, 1), B(19, 2), B(23, 2), B(27, 2), B(31, 2), B(35, 3), B(43, 3), B(51, 3), B(59, 3),
    B(67, 4), B(83, 4), B(99, 4), B(115, 4), B(131, 5), B(163, 5), B(195, 5), B(227, 5), B(258, 0),
};
static const uint32_t distances_of[30] = {
    B(1, 0), B(2, 0), B(3, 0), B(4, 0), B(5, 1), B(7, 1), B(9, 2), B(13, 2), B(17, 3), B(25, 3),
    B(33, 4), B(49, 4), B(65, 5), B(97, 5), B(129, 6), B(193, 6), B(257, 7), B(385, 7), B(513, 8), B(769, 8),
    B(1025, 9), B(1537, 9), B(2049, 10), B(3073, 10), B(4097, 11), B(6145, 11), B(8193, 12), B(12289, 12),
    B(16385, 13), B(24577, 13),
};
#undef B

static uint32_t meaning(int kind, uint32_t symbol) {
    if (kind == NB_CODE_LENGTHS) return symbol << 16;
    if (kind == NB_CODE_DISTANCES) return symbol < 30 ? distances_of[symbol] : NB_CODE_SPECIAL;
    if (symbol < 256) return symbol << 16 | NB_CODE_LITERAL;
    if (symbol == 256) return NB_CODE_SPECIAL | NB_CODE_END;
    return symbol < 286 ? lengths_of[symbol - 257] : NB_CODE_SPECIAL;
}

/// The next code of `length` bits, in the order of the lowest bit first that they are read in; 0 behind the last.
static uint32_t next_code(uint32_t code, unsigned length) {
    uint32_t bit = 1u << (length - 1);
    while (code & bit) bit >>= 1;
    return bit == 0 ? 0 : (code & (bit - 1)) | bit;
}

int nb_code_build(uint32_t *table, int kind, const uint8_t *lengths, size_t count) {
    static const unsigned roots[3] = {NB_LENGTH_BITS, NB_LITERAL_BITS, NB_DISTANCE_BITS};
    unsigned root = roots[kind], longest = 15, counts[16] = {0}, starts[16];
    for (size_t i = 0; i < count; i++) counts[lengths[i]]++;
    while (longest > 0 && counts[longest] == 0) longest--;
    int free = 1;  // codes of the length at hand that no shorter one begins
    starts[0] = 0;
    counts[0] = 0;
    for (unsigned length = 1; length <= 15; length++) {
        free = 2 * free - (int)counts[length];
        if (free < 0) return 0;
        starts[length] = starts[length - 1] + counts[length - 1];
    }
    if (free > 0) {
        int allowed = kind == NB_CODE_LITERALS ? longest == 1 : kind == NB_CODE_DISTANCES && longest <= 1;
        if (!allowed) return 0;
    }
    uint16_t sorted[288];
    for (size_t i = 0; i < count; i++)
        if (lengths[i] > 0) sorted[starts[lengths[i]]++] = (uint16_t)i;

    const uint16_t *symbol = sorted;
    uint32_t code = 0, mask = (1u << root) - 1, prefix = UINT32_MAX, start = 0, end = 1u << root;
    // The table for codes of one bit more is that for the shorter ones, twice: one store for each code, however short it is.
    table[0] = NB_CODE_SPECIAL;
    for (unsigned length = 1; length <= root; length++) {
        memcpy(table + (1u << (length - 1)), table, sizeof *table << (length - 1));
        for (unsigned i = 0; i < counts[length]; i++, code = next_code(code, length))
            table[code] = meaning(kind, *symbol++) + length * 0x101;
    }
    for (unsigned length = root + 1; length <= longest; length++) {
        unsigned below = longest - root;  // the bits of every subtable
        for (unsigned i = 0; i < counts[length]; i++, code = next_code(code, length)) {
            if ((code & mask) != prefix) {
                prefix = code & mask;
                start = end;
                end += 1u << below;
                table[prefix] = start << 16 | NB_CODE_SPECIAL | NB_CODE_SUBTABLE | below << 8 | root;
            }
            uint32_t entry = meaning(kind, *symbol++) + (length - root) * 0x101;
            for (uint32_t at = code >> root; at < 1u << below; at += 1u << (length - root)) table[start + at] = entry;
        }
    }
    return 1;
}
