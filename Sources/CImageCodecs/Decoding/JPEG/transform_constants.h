// The constants of the inverse DCT of Loeffler, Ligtenberg and Moschytz ("Practical fast 1-D DCT algorithms with 11
// multiplications", ICASSP 1989) in 13 bits, as libjpeg rounds them, and of its reductions.
//
// Every output is a sum of products of 32 bits, which is the same to the bit in whatever order it is added.
#pragma once

enum {
    F0298 = 2446, F0390 = 3196, F0541 = 4433, F0765 = 6270, F0899 = 7373, F1175 = 9633, F1501 = 12299, F1847 = 15137,
    F1961 = 16069, F2053 = 16819, F2562 = 20995, F3072 = 25172,
};

// Rows or columns 1, 3, 5 and 7 to samples. Smaller sizes need them all: no high frequency can be left out.
enum {
    TWO_1 = 29692, TWO_3 = -10426, TWO_5 = 6967, TWO_7 = -5906,                    // to the first of two samples
    FOUR_1 = 20995, FOUR_3 = 7373, FOUR_5 = -4926, FOUR_7 = -4176,                 // to the first of four
    SECOND_1 = 8697, SECOND_3 = -17799, SECOND_5 = 11893, SECOND_7 = -1730,        // to the second
};

// The largest dequantised values in row 0, and the largest outputs of the columns where they become two, at which
// libjpeg-turbo's vector code does as its C code does. Samples of 8 bits lead to at most 1,024 and 4,096 or so.
enum { REACH_OF_ROW = 8192, REACH_OF_TWO = 16384 };
