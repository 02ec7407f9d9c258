// Filters made rows of PNG in vectors and plainly, and undoes all filters in vectors and by the letter of RFC 2083.
//
// usage: png_rows SEED COUNT
#include "trials.h"

#include "Decoding/PNG/unfilter.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { LONGEST = 6000, PADDED = LONGEST + 2 * NB_UNFILTER_PADDING };

typedef struct {
    long filtered, unfiltered, differ, chosen[5];
    uint64_t digest;
} counts;

static int predict(int filter, int left, int up, int corner) {
    int sum = left + up - corner, a = abs(sum - left), b = abs(sum - up), c = abs(sum - corner);
    int predictions[] = {0, left, up, (left + up) / 2, a <= b && a <= c ? left : b <= c ? up : corner};
    return predictions[filter];
}

static void unfilter_by_the_letter(int filter, const uint8_t *from, const uint8_t *above, uint8_t *to, int count, int step) {
    for (int i = 0; i < count; i++) to[i] = (uint8_t)(from[i] + predict(filter, to[i - step], above[i], above[i - step]));
}

/// Counts and adds to the digest what both ways gave.
static void compare(const uint8_t *a, const uint8_t *b, size_t count, counts *counts) {
    if (memcmp(a, b, count)) counts->differ++;
    counts->digest = digest_of(counts->digest, a, count);
}

static void try_one(trials *trials, counts *counts) {
    static const int steps[] = {1, 2, 3, 4, 6, 8};
    int step = steps[random_between(trials, 0, 5)], count = step * random_size(trials, LONGEST / step);
    uint8_t rows[2][PADDED] = {{0}}, filtered[2][LONGEST + 1], results[2][PADDED] = {{0}};
    uint8_t *row = rows[0] + NB_UNFILTER_PADDING, *above = rows[1] + NB_UNFILTER_PADDING;
    random_fill(trials, above, (size_t)count);
    random_fill(trials, row, (size_t)count);
    int is_similar = random_between(trials, 0, 1);  // to the row above, as in photographs
    for (int i = 0; is_similar && i < count; i++) row[i] = (uint8_t)(above[i] + row[i] / 16);

    for (int plainly = 0; plainly < 2; plainly++)
        nb_png_filter(row, above, (size_t)count, (size_t)step, plainly, filtered[plainly]);
    compare(filtered[0], filtered[1], (size_t)count + 1, counts);
    counts->filtered++;
    counts->chosen[filtered[0][0]]++;

    uint8_t *result = results[0] + NB_UNFILTER_PADDING, *expected = results[1] + NB_UNFILTER_PADDING;
    uint8_t padded[PADDED] = {0}, *from = padded + NB_UNFILTER_PADDING;
    memcpy(from, filtered[0] + 1, (size_t)count);
    if (!nb_unfilter(filtered[0][0], from, above, result, (size_t)count, (size_t)step)) exit(2);
    compare(result, row, (size_t)count, counts);
    for (int filter = 0; filter < 5; filter++, counts->unfiltered++) {
        if (!nb_unfilter(filter, row, above, result, (size_t)count, (size_t)step)) exit(2);
        unfilter_by_the_letter(filter, row, above, expected, count, step);
        compare(result, expected, (size_t)count, counts);
    }
}

int main(int argc, char **argv) {
    if (argc != 3) return 2;
    trials trials = {strtoull(argv[1], NULL, 10)};
    counts counts = {.digest = NO_DIGEST};
    for (long i = strtol(argv[2], NULL, 10); i > 0; i--) try_one(&trials, &counts);
    printf("PNG: %ld rows filtered, %ld unfiltered, %ld differ; chosen", counts.filtered, counts.unfiltered, counts.differ);
    for (int filter = 0; filter < 5; filter++) printf(" %ld", counts.chosen[filter]);
    printf("; digest %016" PRIx64 "\n", counts.digest);
    return counts.filtered == 0 || counts.differ;
}
