#include "transform.h"

#include "blocks.h"

#include <string.h>

#if NB_DIRECT
NB_DIRECT_BEGIN

// Averages alone, of which libjpeg takes ten bits.
static void transform_to_one(const nb_block_row *row, uint8_t *to) {
    for (int i = 0; i < row->blocks; i++) {
        int value = (nb_block_at(row->coefficients, i)[0] * row->quant[0] + 4) >> 3;
        int sample = ((int32_t)((uint32_t)value << 22) >> 22) + 128;
        to[i] = (uint8_t)(sample < 0 ? 0 : sample > 255 ? 255 : sample);
    }
}

static void clear_from(const nb_block_row *row, int block) {
    if (row->decoded > block)
        memset(nb_block_at(row->coefficients, block), 0, (size_t)((row->decoded + 1) / 2 - block / 2) * 256);
}

#if defined(__x86_64__) && !defined(NB_NARROW)  // NB_NARROW: to compare what processors without such vectors do
// As many blocks as vectors of 512 bits take.
static int transform_wide(const nb_block_row *row, int size, uint8_t *to, ptrdiff_t stride, int *is_in_reach) {
    if (!__builtin_cpu_supports("avx512bw") || !__builtin_cpu_supports("avx512vl")) return 0;
    return nb_transform_quads(row, size, to, stride, is_in_reach);
}
#else
#define transform_wide(...) 0
#endif

int nb_transform_row(const nb_block_row *row, int size, uint8_t *to, ptrdiff_t stride) {
    if (size == 1) {
        transform_to_one(row, to);
        clear_from(row, 0);
        return 1;
    }
    int is_in_reach = 1, done = transform_wide(row, size, to, stride, &is_in_reach);
    nb_block_row rest = *row;
    rest.coefficients += done * 64, rest.blocks -= done;
    nb_transform_pairs(&rest, size, to + (ptrdiff_t)done * size, stride, &is_in_reach);
    clear_from(row, (row->blocks + 1) & ~1);
    return is_in_reach;
}

NB_DIRECT_END
#endif
