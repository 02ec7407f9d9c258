// The forward transform (ITU-T T.81, A.3.3), and the tables of quantisation.
#include "jpeg_smallest.h"

#include <string.h>

const uint8_t nb_jpeg_zigzag[64] = {
    0,  1,  8,  16, 9,  2,  3,  10, 17, 24, 32, 25, 18, 11, 4,  5,  12, 19, 26, 33, 40, 48, 41, 34, 27, 20, 13, 6,  7,  14, 21, 28,
    35, 42, 49, 56, 57, 50, 43, 36, 29, 22, 15, 23, 30, 37, 44, 51, 58, 59, 52, 45, 38, 31, 39, 46, 53, 60, 61, 54, 47, 55, 62, 63,
};

/// cos((2x + 1)uπ/16) / 2, for u of 0 by √½, times 2^13. The other half of each row mirrors it, of odd rows with the other sign.
static const int32_t cosines[8][4] = {
    {2896, 2896, 2896, 2896},   {4017, 3406, 2276, 799},   {3784, 1567, -1567, -3784}, {3406, -799, -4017, -2276},
    {2896, -2896, -2896, 2896}, {2276, -4017, 799, 3406},  {1567, -3784, 3784, -1567}, {799, -2276, 3406, -4017},
};

/// The sums and differences of opposite rows, on which even and odd frequencies depend.
typedef int32_t half[4][8];

static inline int32_t frequency(half halves[2], int u, int x) {
    const int32_t *factors = cosines[u];
    half *rows = &halves[u & 1];
    return factors[0] * (*rows)[0][x] + factors[1] * (*rows)[1][x] + factors[2] * (*rows)[2][x] + factors[3] * (*rows)[3][x];
}

/// Down the columns, then along the rows. No sum exceeds 31 bits: a row's factors together are at most 2.83 times 2^13.
static void transform(uint8_t samples[8][8], int16_t *exact) {
    half halves[2];
    int32_t turned[8][8];  // by column, then frequency
    for (int y = 0; y < 4; y++)
        for (int x = 0; x < 8; x++) {
            int one = samples[y][x] - 128, other = samples[7 - y][x] - 128;
            halves[0][y][x] = one + other, halves[1][y][x] = one - other;
        }
    for (int v = 0; v < 8; v++)
        for (int x = 0; x < 8; x++) turned[x][v] = (frequency(halves, v, x) + 32) >> 6;
    for (int x = 0; x < 4; x++)
        for (int v = 0; v < 8; v++) {
            int32_t one = turned[x][v], other = turned[7 - x][v];
            halves[0][x][v] = one + other, halves[1][x][v] = one - other;
        }
    for (int u = 0; u < 8; u++)
        for (int v = 0; v < 8; v++) exact[v * 8 + u] = (int16_t)((frequency(halves, u, v) + (1 << 15)) >> 16);
}

static void read_block(const nb_plane *plane, int column, int row, uint8_t samples[8][8]) {
    int inside = plane->width - column < 8 ? plane->width - column : 8;
    for (int y = 0; y < 8; y++) {
        int at = row + y < plane->height ? row + y : plane->height - 1;
        const uint8_t *from = plane->data + (ptrdiff_t)at * plane->stride + column;
        memcpy(samples[y], from, (size_t)inside);
        memset(samples[y] + inside, from[inside - 1], (size_t)(8 - inside));
    }
}

void nb_jpeg_transform(const nb_plane *plane, nb_jpeg_blocks *blocks) {
    uint8_t samples[8][8];
    int16_t *exact = blocks->exact;
    for (int row = 0; row < blocks->rows; row++)
        for (int column = 0; column < blocks->columns; column++, exact += 64) {
            read_block(plane, column * 8, row * 8, samples);
            transform(samples, exact);
        }
}

static uint32_t square_root(uint32_t value) {
    uint32_t root = 0;
    for (uint32_t bit = 1 << 15; bit > 0; bit >>= 1)
        if ((root + bit) * (root + bit) <= value) root += bit;
    return root;
}

/// Steps grow with the frequency in the image, from `base` by `slope`, both in hundredths at a scale of 1. Measured by
/// Benchmarks/denser/run: the tables of T.81, K.1, take finer steps where fewer of them are missed. Chroma counts in samples of the
/// image, so that the same waves have the same steps with all of the colour and with less.
void nb_jpeg_steps(const nb_jpeg_settings *settings, int component, uint16_t steps[64]) {
    enum { luma_base = 960, luma_first = 1050, luma_slope = 640, chroma_base = 1920, chroma_slope = 1280 };
    uint64_t scale = (uint64_t)nb_jpeg_scale(settings);
    int across = component == 0 ? 1 : settings->horizontal, down = component == 0 ? 1 : settings->vertical;
    uint32_t area = (uint32_t)(across * down);
    for (int i = 0; i < 64; i++) {
        uint32_t u = (uint32_t)(i & 7), v = (uint32_t)(i >> 3);
        uint32_t length = square_root((u * u << 16) / (uint32_t)(across * across) + (v * v << 16) / (uint32_t)(down * down));
        uint64_t hundredths = component != 0 ? (chroma_base * 256 / square_root(area << 16)) + (chroma_slope * length >> 8)
            : i == 0 ? luma_first : luma_base + (luma_slope * length >> 8);
        uint64_t step = (hundredths * scale + 5000) / 10000;
        steps[i] = step < 1 ? 1 : step > 255 ? 255 : (uint16_t)step;
    }
}
