// The functions of rows.h, to be inlined into one of each kind of processor.
#pragma once
#include "rows.h"

#include <string.h>

// The way functions pass vectors depends on the processor that they are compiled for. All of these are inlined, and pass none.
#pragma clang diagnostic ignored "-Wpsabi"

#define KERNEL static inline __attribute__((always_inline))

typedef float lanes __attribute__((vector_size(32)));
typedef int32_t integers __attribute__((vector_size(32)));
typedef float unaligned_lanes __attribute__((vector_size(32), aligned(4)));

KERNEL lanes get(const float *from) { return *(const unaligned_lanes *)(const void *)from; }
KERNEL void put(float *to, lanes value) { *(unaligned_lanes *)(void *)to = value; }
KERNEL lanes all(float value) { return (lanes){value, value, value, value, value, value, value, value}; }
KERNEL lanes magnitude(lanes value) { return (lanes)((integers)value & 0x7FFFFFFF); }
KERNEL lanes at_least_zero(lanes value) { return (lanes)((integers)value & (value > all(0))); }

/// A guess from the exponent, and Halley's method twice: to a unit in the last place for 0.003 to 2.
KERNEL lanes cube_root(lanes value) {
    lanes third = __builtin_convertvector((integers)value, lanes) * all(1 / 3.0f);
    lanes root = (lanes)(__builtin_convertvector(third, integers) + 709921077);
    for (int i = 0; i < 2; i++) {
        lanes cube = root * root * root;
        root = root * (cube + all(2) * value) / (all(2) * cube + value);
    }
    return root;
}

/// The opsin absorbance of ISO/IEC 18181-1, annex L, whose X, Y and B are moved into the range of 0 to 1 as the published
/// metric does it.
KERNEL void to_xyb(const float *const linear[3], float *const xyb[3], int32_t width) {
    const lanes bias = all(0.0037930732552754493f), bias_root = all(0.15595420054f);
    for (int32_t x = 0; x < width; x += nb_lanes) {
        lanes red = get(linear[0] + x), green = get(linear[1] + x), blue = get(linear[2] + x);
        lanes blues = all(0.078f) * blue + bias;
        lanes l = cube_root(all(0.3f) * red + all(0.622f) * green + blues);
        lanes m = cube_root(all(0.23f) * red + all(0.692f) * green + blues);
        lanes s = cube_root(all(0.24342268924547819f) * red + all(0.20476744424496821f) * green +
                            all(0.55180986650955360f) * blue + bias);
        lanes y_channel = all(0.5f) * (l + m) - bias_root;
        put(xyb[0] + x, all(7) * (l - m) + all(0.42f));
        put(xyb[1] + x, y_channel + all(0.01f));
        put(xyb[2] + x, s - bias_root - y_channel + all(0.55f));
    }
}

KERNEL void halve(const float *upper, const float *lower, float *to, int32_t width) {
    int32_t full = width / 2;
    for (int32_t x = 0; x < full; x += nb_lanes) {
        lanes first = get(upper + 2 * x) + get(lower + 2 * x);
        lanes second = get(upper + 2 * x + nb_lanes) + get(lower + 2 * x + nb_lanes);
        lanes even = __builtin_shufflevector(first, second, 0, 2, 4, 6, 8, 10, 12, 14);
        lanes odd = __builtin_shufflevector(first, second, 1, 3, 5, 7, 9, 11, 13, 15);
        put(to + x, all(0.25f) * (even + odd));
    }
    if (width & 1) to[full] = 0.5f * (upper[width - 1] + lower[width - 1]);
}

KERNEL void square(const float *reference, const float *other, float *squares, float *differences, int32_t width) {
    for (int32_t x = 0; x < width; x += nb_lanes) {
        lanes a = get(reference + x), b = get(other + x), difference = a - b;
        put(squares + x, a * a + b * b);
        put(differences + x, difference * difference);
    }
}

/// The symmetric filter of nine taps that Charalampidis' recursive Gaussian ("Recursive implementation of the Gaussian filter
/// using truncated cosine functions", IEEE Transactions on Signal Processing 64, 2016) is for sigma 1.5 and three cosines.
KERNEL lanes weigh(lanes middle, lanes one, lanes two, lanes three, lanes four) {
    return all(0.26462110548819856f) * middle + all(0.2129285920104222f) * one + all(0.10933537277746032f) * two +
           all(0.036011114658364374f) * three + all(0.0094143678096537f) * four;
}

KERNEL lanes down(const float *const rows[nb_taps], int32_t x) {
    return weigh(get(rows[4] + x), get(rows[3] + x) + get(rows[5] + x), get(rows[2] + x) + get(rows[6] + x),
                 get(rows[1] + x) + get(rows[7] + x), get(rows[0] + x) + get(rows[8] + x));
}

KERNEL lanes across(const float *at) {
    return weigh(get(at), get(at - 1) + get(at + 1), get(at - 2) + get(at + 2), get(at - 3) + get(at + 3),
                 get(at - 4) + get(at + 4));
}

/// The lanes that belong to the row if `count` samples are left of it.
KERNEL integers first_lanes(int32_t count) {
    integers index = {0, 1, 2, 3, 4, 5, 6, 7};
    return index < (integers){count, count, count, count, count, count, count, count};
}

KERNEL double total(lanes value) {
    return (((double)value[0] + value[1]) + ((double)value[2] + value[3])) +
           (((double)value[4] + value[5]) + ((double)value[6] + value[7]));
}

KERNEL lanes fourth_power(lanes value) {
    lanes square = value * value;
    return square * square;
}

/// The means, and with `has_structure` the moments, are blurred down into `scratch`, then across while the maps are summed.
///
/// The published map of structure is 1 - (1 - d^2) (2 cov + c) / (var + c), with the difference d of the means, the covariance,
/// the sum of the variances, and c = 0.0009. Twice the covariance is that sum less the variance of the difference v, so the map
/// is d^2 + (1 - d^2) v / (var + c), in which nothing close to 1 is subtracted from 1.
KERNEL void add_maps(const nb_map_rows *rows, int32_t width, int has_structure, int has_edges, float *scratch,
                     nb_map_sums *sums) {
    int32_t stride = ((width + nb_lanes - 1) & -nb_lanes) + 2 * nb_margin;
    float *means_a = scratch + nb_margin, *means_b = means_a + stride;
    float *squares = means_b + stride, *differences = squares + stride;
    for (int32_t x = 0; x < width; x += nb_lanes) {
        put(means_a + x, down(rows->reference, x));
        put(means_b + x, down(rows->other, x));
        if (!has_structure) continue;
        put(squares + x, down(rows->squares, x));
        put(differences + x, down(rows->differences, x));
    }
    lanes structure = all(0), structure4 = all(0), ringing = all(0), ringing4 = all(0), blur = all(0), blur4 = all(0);
    for (int32_t x = 0; x < width; x += nb_lanes) {
        integers inside = first_lanes(width - x);
        lanes a = across(means_a + x), b = across(means_b + x);
        if (has_structure) {
            lanes change = a - b, changed = change * change;
            lanes variances = across(squares + x) - (a * a + b * b);
            lanes variance_of_difference = across(differences + x) - changed;
            lanes map = changed + (all(1) - changed) * (variance_of_difference / (variances + all(0.0009f)));
            map = at_least_zero(map);
            map = (lanes)((integers)map & inside);
            structure += map;
            structure4 += fourth_power(map);
        }
        if (has_edges) {
            lanes before = magnitude(get(rows->reference[4] + x) - a), after = magnitude(get(rows->other[4] + x) - b);
            lanes change = (all(1) + after) / (all(1) + before) - all(1);
            change = (lanes)((integers)change & inside);
            lanes more = at_least_zero(change), less = at_least_zero(-change);
            ringing += more;
            blur += less;
            ringing4 += fourth_power(more);
            blur4 += fourth_power(less);
        }
    }
    sums->structure += total(structure), sums->structure4 += total(structure4);
    sums->ringing += total(ringing), sums->ringing4 += total(ringing4);
    sums->blur += total(blur), sums->blur4 += total(blur4);
}
