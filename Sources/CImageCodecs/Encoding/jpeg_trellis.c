// Quantisation at the least cost of errors and bits (Ramchandran and Vetterli, "Rate-distortion optimal fast thresholding with
// complete JPEG/MPEG decoder compatibility", 1994; Crouse and Ramchandran, "Joint thresholding and quantizer selection for
// transform image coding", 1997): the cheapest path through the coefficients of a block, by dynamic programming.
#include "jpeg_smallest.h"

enum {
    bit = 16,             // rates are in sixteenths of a bit
    unit = 256,           // values are in 1/256 of a step
    most_length = 16,     // of a code (ITU-T T.81, K.2)
    most_size = 10,       // bits of a coefficient
    most_value = (1 << most_size) - 1,
    long_run = 0xF0,      // the symbol of sixteen zeros
    most_blocks = 32767,  // of a run of ended blocks (ITU-T T.81, G.1.2.2)
    usual_price = 205,    // of a sixteenth of a bit, in squares of `unit`: 0.05 squared steps a bit
    best_qualities = 95,  // above, the price sinks to 0 at 100, so that the best files are as good as libjpeg's
};

typedef struct {
    int32_t symbol[16][most_size + 1];  // by the zeros before a coefficient and its size, with the bits of its value
    int32_t long_run;
    int32_t end, empty;                 // of a block that has coefficients, and of one that has none
    int32_t price;
} rates;

static inline int magnitude(int value) { return value < 0 ? -value : value; }
static inline int size_of(int value) { return value == 0 ? 0 : 32 - __builtin_clz((unsigned)value); }

/// Lengths of Huffman codes; symbols that do not occur get long ones too.
static void find_lengths(const uint32_t counts[256], uint8_t lengths[256]) {
    uint64_t weights[512];
    int16_t alive[256], parents[512];
    int left = 256, next = 256;
    for (int i = 0; i < 256; i++) weights[i] = (uint64_t)counts[i] * 64 + 1, alive[i] = (int16_t)i;
    for (; left > 1; next++) {
        for (int end = 1; end <= 2; end++) {  // the lightest goes to the end, the second before it
            int lightest = 0;
            for (int i = 1; i <= left - end; i++)
                if (weights[alive[i]] < weights[alive[lightest]]) lightest = i;
            int16_t moved = alive[lightest];
            alive[lightest] = alive[left - end];
            alive[left - end] = moved;
        }
        weights[next] = weights[alive[left - 1]] + weights[alive[left - 2]];
        parents[alive[left - 1]] = parents[alive[left - 2]] = (int16_t)next;
        alive[left-- - 2] = (int16_t)next;
    }
    uint8_t depths[512];
    depths[next - 1] = 0;
    for (int i = next - 2; i >= 0; i--) depths[i] = (uint8_t)(depths[parents[i]] + 1);
    for (int i = 0; i < 256; i++) lengths[i] = depths[i] < most_length ? depths[i] : most_length;
}

/// Counts the symbols of a block's coefficients; returns whether the block ends before its last one.
static int count_block(const int16_t *block, uint32_t counts[256], int *is_empty) {
    int zeros = 0;
    *is_empty = 1;
    for (int k = 1; k < 64; k++) {
        int value = magnitude(block[nb_jpeg_zigzag[k]]);
        if (value == 0) {
            zeros++;
            continue;
        }
        for (; zeros > 15; zeros -= 16) counts[long_run]++;
        int size = size_of(value);
        counts[zeros << 4 | (size < most_size ? size : most_size)]++;
        zeros = *is_empty = 0;
    }
    return zeros > 0;
}

/// The rates of the blocks as they are quantised now. Blocks end in runs, as in progressive scans, whose bits they share.
static void find_rates(const nb_jpeg_blocks *blocks, rates *rates) {
    uint32_t counts[256] = {0}, ended = 0, runs = 0;
    size_t count = (size_t)blocks->columns * (size_t)blocks->rows;
    for (size_t i = 0; i < count; i++) {
        int is_empty, ends = count_block(blocks->quantised + i * 64, counts, &is_empty);
        if (ended > 0 && (!is_empty || ended == most_blocks || i == count - 1)) {
            counts[(size_of((int)ended) - 1) << 4]++;
            runs++, ended = 0;
        }
        ended += ends != 0;
    }
    uint8_t lengths[256];
    find_lengths(counts, lengths);
    uint64_t bits = 0;
    for (int power = 0; power < 15; power++) bits += (uint64_t)counts[power << 4] * (lengths[power << 4] + (unsigned)power);
    rates->end = runs > 0 ? (int32_t)(bits * bit / runs) : 4 * bit;
    rates->empty = rates->end / 2;
    rates->long_run = lengths[long_run] * bit;
    for (int zeros = 0; zeros < 16; zeros++)
        for (int size = 1; size <= most_size; size++) rates->symbol[zeros][size] = (lengths[zeros << 4 | size] + size) * bit;
}

/// A coefficient that a path goes through.
typedef struct {
    int position, previous;  // the zigzag index, and the stop before
    int value;
    int64_t cost;            // of the path, less that of dropping everything up to here
} stop;

static inline int64_t squared(int64_t value) { return value * value; }

/// Sets a stop's best value and way from one of the stops between `first` and it.
static void find_way(stop *stops, int first, int at, int exact, int64_t dropped, const rates *rates) {
    stop *self = &stops[at];
    int nearest = (exact + unit / 2) / unit;
    if (nearest > most_value) nearest = most_value;
    // Of one size, the nearest value has the least error; a smaller size takes fewer bits.
    int values[2] = {nearest, (1 << (size_of(nearest) - 1)) - 1};
    int64_t best = INT64_MAX;
    for (int i = 0; i < 2 && values[i] > 0; i++) {
        int value = values[i];
        int size = size_of(value);
        int64_t error = dropped + squared(exact - value * unit);
        for (int j = at - 1; j >= first; j--) {
            int zeros = self->position - stops[j].position - 1;
            int64_t rate = rates->symbol[zeros & 15][size] + (zeros >> 4) * rates->long_run;
            int64_t cost = stops[j].cost + error + rates->price * rate;
            if (cost < best) best = cost, self->previous = j, self->value = value;
        }
    }
    self->cost = best - dropped - squared(exact);
}

static void quantise_block(const int16_t *exact, const uint16_t steps[64], const rates *rates, int16_t *quantised) {
    stop stops[64] = {{0}};
    int count = 1, first = 0;
    int64_t dropped = 0;  // the errors if all coefficients so far are 0
    for (int k = 1; k < 64; k++) {
        int index = nb_jpeg_zigzag[k], step = steps[index];
        int value = (magnitude(exact[index]) * (unit / nb_jpeg_precision) + step / 2) / step;
        quantised[index] = 0;
        if (value >= unit / 2) {
            stops[count].position = k;
            find_way(stops, first, count, value, dropped, rates);
            if (value >= 3 * unit) first = count;  // never worth dropping
            count++;
        }
        dropped += squared(value);
    }
    int last = first;
    int64_t best = INT64_MAX;
    for (int j = count - 1; j >= first; j--) {
        int64_t end = stops[j].position == 63 ? 0 : j > 0 ? rates->end : rates->empty;
        if (stops[j].cost + rates->price * end < best) best = stops[j].cost + rates->price * end, last = j;
    }
    for (; last > 0; last = stops[last].previous) {
        int index = nb_jpeg_zigzag[stops[last].position];
        quantised[index] = (int16_t)(exact[index] < 0 ? -stops[last].value : stops[last].value);
    }
}

void nb_jpeg_quantise(nb_jpeg_blocks *blocks, int quality) {
    size_t count = (size_t)blocks->columns * (size_t)blocks->rows * 64;
    for (size_t i = 0; i < count; i++) {
        int step = blocks->steps[i & 63] * nb_jpeg_precision;
        int value = (magnitude(blocks->exact[i]) + step / 2) / step;
        blocks->quantised[i] = (int16_t)(blocks->exact[i] < 0 ? -value : value);
    }
    rates rates;
    find_rates(blocks, &rates);
    rates.price = quality < best_qualities ? usual_price : usual_price * (100 - quality) / (100 - best_qualities);
    for (size_t i = 0; i < count; i += 64) quantise_block(blocks->exact + i, blocks->steps, &rates, blocks->quantised + i);
}
