#include "blocks.h"

#if NB_DIRECT
#define ROW(a, b, c, d, e, f, g, h) P(a), P(b), P(c), P(d), P(e), P(f), P(g), P(h),
#define P(i) (i >> 3) * 16 + (i & 7)
const uint16_t nb_place[64] = {
    ROW(0, 1, 8, 16, 9, 2, 3, 10)
    ROW(17, 24, 32, 25, 18, 11, 4, 5)
    ROW(12, 19, 26, 33, 40, 48, 41, 34)
    ROW(27, 20, 13, 6, 7, 14, 21, 28)
    ROW(35, 42, 49, 56, 57, 50, 43, 36)
    ROW(29, 22, 15, 23, 30, 37, 44, 51)
    ROW(58, 59, 52, 45, 38, 31, 39, 46)
    ROW(53, 60, 61, 54, 47, 55, 62, 63)
};
#endif
