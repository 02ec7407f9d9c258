// The filters of PNG (RFC 2083, chapter 6): plainly, and a vector of bytes at once.
#include "internal.h"

#include <stdlib.h>
#include <string.h>

#include "png_vectors.h"

static uint8_t paeth(int left, int up, int corner) {
    int to_left = abs(up - corner), to_up = abs(left - corner), to_corner = abs(left + up - 2 * corner);
    if (to_left <= to_up && to_left <= to_corner) return (uint8_t)left;
    return (uint8_t)(to_up <= to_corner ? up : corner);
}

static uint8_t filter_byte(int filter, uint8_t byte, uint8_t left, uint8_t up, uint8_t corner) {
    switch (filter) {
        case 0: return byte;
        case 1: return (uint8_t)(byte - left);
        case 2: return (uint8_t)(byte - up);
        case 3: return (uint8_t)(byte - ((left + up) >> 1));
        default: return (uint8_t)(byte - paeth(left, up, corner));
    }
}

/// Adds to each filter's sum the bytes from `start` on.
static void add_plainly(const uint8_t *row, const uint8_t *above, size_t start, size_t count, size_t step,
                        uint64_t sums[5]) {
    const uint8_t *left = row - step, *corner = above - step;
    for (size_t i = start; i < count; i++)
        for (int filter = 0; filter < 5; filter++)
            sums[filter] += (uint64_t)abs((int8_t)filter_byte(filter, row[i], left[i], above[i], corner[i]));
}

static void filter_plainly(int filter, const uint8_t *row, const uint8_t *above, size_t start, size_t count, size_t step,
                           uint8_t *to) {
    const uint8_t *left = row - step, *corner = above - step;
    for (size_t i = start; i < count; i++) to[i] = filter_byte(filter, row[i], left[i], above[i], corner[i]);
}

#if NB_VECTORS
NB_VECTORS_BEGIN

/// As paeth(). Where left and up lie on different sides of the corner, left + up - 2 · corner is the difference of their
/// distances to it, and otherwise the sum, which no distance exceeds, so that it may end at 255.
INLINE vector paeth_in_vectors(vector left, vector up, vector corner) {
    vector to_left = distance(up, corner), to_up = distance(left, corner);
    vector is_one_side = equal(at_most(corner, up), at_most(corner, left));
    vector to_corner = choose(is_one_side, add_to_most(to_left, to_up), distance(to_left, to_up));
    vector is_left = both(at_most(to_left, to_up), at_most(to_left, to_corner));
    return choose(is_left, left, choose(at_most(to_up, to_corner), up, corner));
}

INLINE vector filter_vector(int filter, vector bytes, vector left, vector up, vector corner) {
    switch (filter) {
        case 0: return bytes;
        case 1: return subtract(bytes, left);
        case 2: return subtract(bytes, up);
        case 3: return subtract(bytes, half_of_sum(left, up));
        default: return subtract(bytes, paeth_in_vectors(left, up, corner));
    }
}

static size_t add_vectors(const uint8_t *row, const uint8_t *above, size_t count, size_t step, uint64_t sums[5]) {
    totals totals[5] = {0};
    size_t i = 0;
    for (; i + sizeof(vector) <= count; i += sizeof(vector)) {
        vector bytes = load(row + i), left = load(row + i - step), up = load(above + i), corner = load(above + i - step);
#define ADD(filter) totals[filter] = add_magnitudes(totals[filter], filter_vector(filter, bytes, left, up, corner))
        ADD(0), ADD(1), ADD(2), ADD(3), ADD(4);
#undef ADD
    }
    for (int filter = 0; filter < 5; filter++) sums[filter] = sum_of(totals[filter]);
    return i;
}

INLINE size_t filter_vectors(int filter, const uint8_t *row, const uint8_t *above, size_t count, size_t step, uint8_t *to) {
    size_t i = 0;
    for (; i + sizeof(vector) <= count; i += sizeof(vector)) {
        vector left = load(row + i - step), corner = load(above + i - step);
        store(to + i, filter_vector(filter, load(row + i), left, load(above + i), corner));
    }
    return i;
}

static size_t filter_row(int filter, const uint8_t *row, const uint8_t *above, size_t count, size_t step, uint8_t *to) {
    switch (filter) {
        case 0: return filter_vectors(0, row, above, count, step, to);
        case 1: return filter_vectors(1, row, above, count, step, to);
        case 2: return filter_vectors(2, row, above, count, step, to);
        case 3: return filter_vectors(3, row, above, count, step, to);
        default: return filter_vectors(4, row, above, count, step, to);
    }
}

NB_VECTORS_END
#else
#define add_vectors(row, above, count, step, sums) 0
#define filter_row(filter, row, above, count, step, to) 0
#endif

void nb_png_filter(const uint8_t *row, const uint8_t *above, size_t count, size_t step, int plainly, uint8_t *filtered) {
    uint64_t sums[5] = {0, 0, 0, 0, 0};
    int in_vectors = !plainly && has_vectors(), best = 0;
    size_t start = in_vectors ? add_vectors(row, above, count, step, sums) : 0;
    add_plainly(row, above, start, count, step, sums);
    for (int filter = 1; filter < 5; filter++) best = sums[filter] < sums[best] ? filter : best;
    filtered[0] = (uint8_t)best;
    start = in_vectors ? filter_row(best, row, above, count, step, filtered + 1) : 0;
    filter_plainly(best, row, above, start, count, step, filtered + 1);
}
