#include "huffman.h"

#if NB_DIRECT
NB_DIRECT_BEGIN

int nb_make_codes(const nb_huffman_definition *from, nb_huffman_codes *codes) {
    uint32_t code = 0;
    int index = 0;
    for (int length = 1; length <= 16; length++) {
        codes->offset[length] = index - (int32_t)code;
        index += from->counts[length];
        code += from->counts[length];
        // No code is all ones (ITU-T T.81, annex C); libjpeg refuses it as well.
        if (from->counts[length] > 0 && code >= 1u << length) return 0;
        codes->limit[length] = code << (16 - length);
        code <<= 1;
    }
    codes->limit[17] = UINT32_MAX;
    memcpy(codes->symbols, from->symbols, sizeof codes->symbols);
    return 1;
}

int nb_same_codes(const nb_huffman_definition *a, const nb_huffman_definition *b) {
    return !memcmp(a->counts + 1, b->counts + 1, 16) && !memcmp(a->symbols, b->symbols, (size_t)a->total);
}

void nb_make_short_codes(const nb_huffman_definition *from, int index_bits, uint16_t *table) {
    memset(table, 0, sizeof(uint16_t) << index_bits);
    uint32_t at = 0;
    int index = 0;
    for (int length = 1; length <= index_bits; length++)
        for (int i = 0; i < from->counts[length]; i++) {
            uint16_t entry = (uint16_t)(length << 8 | from->symbols[index++]);
            for (uint32_t n = 1u << (index_bits - length); n; n--) table[at++] = entry;
        }
}

NB_DIRECT_END
#endif
