// The transforms to 4 x 4 and 8 x 8 samples, and half of that to 2 x 2, for vectors of any width. Included once for each, with
//   VECTOR, OP(name), LOGIC(name)       the type, its intrinsics, and those of its bits
//   ZERO, IN_LANES(x)                   its zero, and 128 bits in each of its lanes
//   BLOCKS                              in a vector, each in a lane
//   load_row, load_quant                a row of so many blocks, and of their quantisation
//   is_zero, clear_blocks               of a vector, and of blocks
//   store_four, store_eight             bytes of four rows, and of two
#include "transform_constants.h"

#define ADD OP(add_epi32)
#define SUB OP(sub_epi32)
#define MADD OP(madd_epi16)
#define DESCALE(x, bits) OP(srai_epi32)(x, bits)
/// 16-bit factors a and b in turn.
#define PAIR(a, b) OP(set1_epi32)((int)((uint16_t)(a) | (uint32_t)(uint16_t)(b) << 16))
/// A dequantised row; wraps at 16 bits, as libjpeg-turbo's does.
#define ROW(i) OP(mullo_epi16)(load_row(c, i), load_quant(q, i))
/// Bits above these differ between a value that can be and one that is out of reach, whatever its sign is.
#define BEYOND(x) LOGIC(xor)(x, OP(srai_epi16)(x, 15))
#define SAMPLES(x) LOGIC(xor)(x, OP(set1_epi8)((char)0x80))

// `reach` is a power of two.
NB_INLINE int reaches(VECTOR beyond, int reach) {
    return is_zero(LOGIC(and)(beyond, OP(set1_epi16)((int16_t)-reach)));
}

// Rows of inputs to rows of outputs. Sums of two rows are 16 bits that wrap: libjpeg-turbo's are.
NB_INLINE void transform_columns(VECTOR r[8], int shift) {
    const VECTOR zero = ZERO, round = OP(set1_epi32)(1 << (shift - 1));
    VECTOR sum04 = OP(add_epi16)(r[0], r[4]), difference04 = OP(sub_epi16)(r[0], r[4]);
    VECTOR sum37 = OP(add_epi16)(r[3], r[7]), sum15 = OP(add_epi16)(r[1], r[5]), out[8][2];
#define HALF(unpack, side) \
    { \
        VECTOR p26 = unpack(r[2], r[6]), p71 = unpack(r[7], r[1]), p53 = unpack(r[5], r[3]), z = unpack(sum37, sum15); \
        VECTOR a = ADD(DESCALE(unpack(zero, sum04), 3), round), b = ADD(DESCALE(unpack(zero, difference04), 3), round); \
        VECTOR t3 = MADD(p26, PAIR(F0541 + F0765, F0541)), t2 = MADD(p26, PAIR(F0541, F0541 - F1847)); \
        VECTOR e0 = ADD(a, t3), e3 = SUB(a, t3), e1 = ADD(b, t2), e2 = SUB(b, t2); \
        VECTOR z3 = MADD(z, PAIR(F1175 - F1961, F1175)), z4 = MADD(z, PAIR(F1175, F1175 - F0390)); \
        VECTOR o3 = ADD(MADD(p71, PAIR(F0298 - F0899, -F0899)), z3); \
        VECTOR o0 = ADD(MADD(p71, PAIR(-F0899, F1501 - F0899)), z4); \
        VECTOR o2 = ADD(MADD(p53, PAIR(F2053 - F2562, -F2562)), z4); \
        VECTOR o1 = ADD(MADD(p53, PAIR(-F2562, F3072 - F2562)), z3); \
        out[0][side] = DESCALE(ADD(e0, o0), shift), out[7][side] = DESCALE(SUB(e0, o0), shift); \
        out[1][side] = DESCALE(ADD(e1, o1), shift), out[6][side] = DESCALE(SUB(e1, o1), shift); \
        out[2][side] = DESCALE(ADD(e2, o2), shift), out[5][side] = DESCALE(SUB(e2, o2), shift); \
        out[3][side] = DESCALE(ADD(e3, o3), shift), out[4][side] = DESCALE(SUB(e3, o3), shift); \
    }
    HALF(OP(unpacklo_epi16), 0)
    HALF(OP(unpackhi_epi16), 1)
#undef HALF
    _Pragma("clang loop unroll(full)") for (int i = 0; i < 8; i++) r[i] = OP(packs_epi32)(out[i][0], out[i][1]);
}

// Rows to columns, in each lane.
NB_INLINE void transpose(VECTOR r[8]) {
    VECTOR a0 = OP(unpacklo_epi16)(r[0], r[1]), a1 = OP(unpackhi_epi16)(r[0], r[1]);
    VECTOR a2 = OP(unpacklo_epi16)(r[2], r[3]), a3 = OP(unpackhi_epi16)(r[2], r[3]);
    VECTOR a4 = OP(unpacklo_epi16)(r[4], r[5]), a5 = OP(unpackhi_epi16)(r[4], r[5]);
    VECTOR a6 = OP(unpacklo_epi16)(r[6], r[7]), a7 = OP(unpackhi_epi16)(r[6], r[7]);
    VECTOR b0 = OP(unpacklo_epi32)(a0, a2), b1 = OP(unpackhi_epi32)(a0, a2);
    VECTOR b2 = OP(unpacklo_epi32)(a1, a3), b3 = OP(unpackhi_epi32)(a1, a3);
    VECTOR b4 = OP(unpacklo_epi32)(a4, a6), b5 = OP(unpackhi_epi32)(a4, a6);
    VECTOR b6 = OP(unpacklo_epi32)(a5, a7), b7 = OP(unpackhi_epi32)(a5, a7);
    r[0] = OP(unpacklo_epi64)(b0, b4), r[1] = OP(unpackhi_epi64)(b0, b4);
    r[2] = OP(unpacklo_epi64)(b1, b5), r[3] = OP(unpackhi_epi64)(b1, b5);
    r[4] = OP(unpacklo_epi64)(b2, b6), r[5] = OP(unpackhi_epi64)(b2, b6);
    r[6] = OP(unpacklo_epi64)(b3, b7), r[7] = OP(unpackhi_epi64)(b3, b7);
}

// `row0` is dequantised.
NB_INLINE void blocks_to_eight(const int16_t *c, const int16_t *q, VECTOR row0, uint8_t *to, ptrdiff_t stride) {
    VECTOR r[8] = {row0, ROW(1), ROW(2), ROW(3), ROW(4), ROW(5), ROW(6), ROW(7)};
    transform_columns(r, 11);
    transpose(r);
    transform_columns(r, 18);
    transpose(r);
    _Pragma("clang loop unroll(full)") for (int y = 0; y < 8; y += 2)
        store_eight(SAMPLES(OP(packs_epi16)(r[y], r[y + 1])), to + y * stride, stride);
}

typedef struct {
    VECTOR top, bottom;
} two_rows;

// The columns of blocks, to two samples each. 32768 is no factor of 16 bits: row 0 goes through shifts.
NB_INLINE two_rows columns_to_two(const int16_t *c, const int16_t *q) {
    VECTOR r0 = ROW(0), r1 = ROW(1), r3 = ROW(3), r5 = ROW(5), r7 = ROW(7), zero = ZERO;
    VECTOR k13 = PAIR(TWO_1, TWO_3), k57 = PAIR(TWO_5, TWO_7), round = OP(set1_epi32)(1 << 12);
    VECTOR low = ADD(MADD(OP(unpacklo_epi16)(r1, r3), k13), MADD(OP(unpacklo_epi16)(r5, r7), k57));
    VECTOR high = ADD(MADD(OP(unpackhi_epi16)(r1, r3), k13), MADD(OP(unpackhi_epi16)(r5, r7), k57));
    VECTOR even_low = ADD(DESCALE(OP(unpacklo_epi16)(zero, r0), 1), round);
    VECTOR even_high = ADD(DESCALE(OP(unpackhi_epi16)(zero, r0), 1), round);
    return (two_rows){
        OP(packs_epi32)(DESCALE(ADD(even_low, low), 13), DESCALE(ADD(even_high, high), 13)),
        OP(packs_epi32)(DESCALE(SUB(even_low, low), 13), DESCALE(SUB(even_high, high), 13)),
    };
}

// Four sums for columns 0-3 and 4-7, as 16 bits in an order that makes pairs of columns (0, 4), (2, 6), (1, 3), (5, 7).
NB_INLINE VECTOR in_pairs(VECTOR low, VECTOR high) {
    VECTOR order = IN_LANES(_mm_setr_epi8(0, 1, 8, 9, 4, 5, 12, 13, 2, 3, 6, 7, 10, 11, 14, 15));
    return OP(shuffle_epi8)(OP(packs_epi32)(low, high), order);
}

NB_INLINE void blocks_to_four(const int16_t *c, const int16_t *q, VECTOR row0, uint8_t *to, ptrdiff_t stride) {
    VECTOR r1 = ROW(1), r2 = ROW(2), r3 = ROW(3), r5 = ROW(5), r6 = ROW(6), r7 = ROW(7), zero = ZERO, out[4][2];
    VECTOR round = OP(set1_epi32)(1 << 11), k26 = PAIR(F1847, -F0765);
    VECTOR ka13 = PAIR(FOUR_1, FOUR_3), ka57 = PAIR(FOUR_5, FOUR_7);
    VECTOR kb13 = PAIR(SECOND_1, SECOND_3), kb57 = PAIR(SECOND_5, SECOND_7);
#define HALF(unpack, side) \
    { \
        VECTOR p13 = unpack(r1, r3), p57 = unpack(r5, r7); \
        VECTOR even = ADD(DESCALE(unpack(zero, row0), 2), round), t = MADD(unpack(r2, r6), k26); \
        VECTOR a = ADD(MADD(p13, ka13), MADD(p57, ka57)), b = ADD(MADD(p13, kb13), MADD(p57, kb57)); \
        VECTOR e0 = ADD(even, t), e1 = SUB(even, t); \
        out[0][side] = DESCALE(ADD(e0, a), 12), out[3][side] = DESCALE(SUB(e0, a), 12); \
        out[1][side] = DESCALE(ADD(e1, b), 12), out[2][side] = DESCALE(SUB(e1, b), 12); \
    }
    HALF(OP(unpacklo_epi16), 0)
    HALF(OP(unpackhi_epi16), 1)
#undef HALF
    VECTOR w0 = in_pairs(out[0][0], out[0][1]), w1 = in_pairs(out[1][0], out[1][1]);
    VECTOR w2 = in_pairs(out[2][0], out[2][1]), w3 = in_pairs(out[3][0], out[3][1]);
    VECTOR t0 = OP(unpacklo_epi32)(w0, w1), t1 = OP(unpacklo_epi32)(w2, w3);
    VECTOR t2 = OP(unpackhi_epi32)(w0, w1), t3 = OP(unpackhi_epi32)(w2, w3);
    VECTOR p04 = OP(unpacklo_epi64)(t0, t1), p26 = OP(unpackhi_epi64)(t0, t1);
    VECTOR p13 = OP(unpacklo_epi64)(t2, t3), p57 = OP(unpackhi_epi64)(t2, t3);
    VECTOR even = ADD(MADD(p04, PAIR(16384, 0)), OP(set1_epi32)(1 << 18)), t = MADD(p26, k26);
    VECTOR a = ADD(MADD(p13, ka13), MADD(p57, ka57)), b = ADD(MADD(p13, kb13), MADD(p57, kb57));
    VECTOR e0 = ADD(even, t), e1 = SUB(even, t);
    VECTOR o01 = OP(packs_epi32)(DESCALE(ADD(e0, a), 19), DESCALE(ADD(e1, b), 19));
    VECTOR o23 = OP(packs_epi32)(DESCALE(SUB(e1, b), 19), DESCALE(SUB(e0, a), 19));
    // Columns of four samples to rows, in each lane.
    VECTOR turn = IN_LANES(_mm_setr_epi8(0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15));
    store_four(OP(shuffle_epi8)(SAMPLES(OP(packs_epi16)(o01, o23)), turn), to, stride);
}

// Blocks without AC coefficients: (dc + 4) >> 3 everywhere.
NB_INLINE void fill_blocks(VECTOR row0, int size, uint8_t *to, ptrdiff_t stride) {
    VECTOR dc = OP(srai_epi16)(OP(adds_epi16)(row0, OP(set1_epi16)(4)), 3);
    dc = OP(shuffle_epi8)(dc, OP(set1_epi16)(0x0100));
    VECTOR samples = SAMPLES(OP(packs_epi16)(dc, dc));
    if (size == 4) store_four(samples, to, stride);
    else
        for (int y = 0; y < 8; y += 2) store_eight(samples, to + y * stride, stride);
}

/// To four or eight samples a side, as long as more than BLOCKS - 2 blocks are left.
NB_INLINE int transform_blocks(const nb_block_row *row, int size, uint8_t *to, ptrdiff_t stride, int *is_in_reach) {
    const VECTOR all_but_dc = IN_LANES(_mm_setr_epi16(0, -1, -1, -1, -1, -1, -1, -1));
    VECTOR beyond = ZERO;
    int16_t *c = row->coefficients;
    const int16_t *q = row->quant;
    int i = 0;
    for (; row->blocks - i > BLOCKS - 2; i += BLOCKS, c += BLOCKS * 64, to += BLOCKS * size) {
        VECTOR first = load_row(c, 0), any = LOGIC(and)(first, all_but_dc);
        for (int y = 1; y < 8; y++) any = LOGIC(or)(any, load_row(c, y));
        VECTOR row0 = OP(mullo_epi16)(first, load_quant(q, 0));
        beyond = LOGIC(or)(beyond, BEYOND(row0));
        if (is_zero(any)) fill_blocks(row0, size, to, stride);
        else if (size == 4) blocks_to_four(c, q, row0, to, stride);
        else blocks_to_eight(c, q, row0, to, stride);
        clear_blocks(c);
    }
    *is_in_reach &= reaches(beyond, REACH_OF_ROW);
    return i;
}
