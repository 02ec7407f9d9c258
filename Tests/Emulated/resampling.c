// Resamples made planes of random sizes, regions, filters and depths, and compares the direct resampler with zimg.
//
// On arm64, zimg's weights differ by one of 16,384 where a compiler for arm64 fused its products and sums and a weight lies
// between two integers. There, samples may be a step away from zimg's; what must be equal are the digests on both processors.
//
// usage: resampling SEED COUNT
#include "trials.h"

#include <inttypes.h>
#include <stdio.h>

#if defined(__aarch64__)
enum { MAY_DIFFER = 1 };
#else
enum { MAY_DIFFER = 0 };
#endif

typedef struct {
    long direct, left, near, far;  // the last two: of those that differ from zimg
    uint64_t bytes, words;  // digests of the results
} counts;

/// All of the source, a part that ends within samples, one that goes past the edges, or one that repeats its weights.
static void choose_region(trials *trials, nb_resampling *what) {
    int width = what->source_width, height = what->source_height, kind = random_between(trials, 0, 3);
    what->region_width = width, what->region_height = height;
    if (kind == 1) {
        what->x = random_real(trials, 0, width / 2.0), what->y = random_real(trials, 0, height / 2.0);
        what->region_width = random_real(trials, width / 8.0, width / 2.0);
        what->region_height = random_real(trials, height / 8.0, height / 2.0);
    } else if (kind == 2) {
        what->x = random_real(trials, -2, 2), what->y = random_real(trials, -2, 2);
        what->region_width = width + random_real(trials, -0.9, 3), what->region_height = height + random_real(trials, -0.9, 3);
    } else if (kind == 3) {
        int factor = random_between(trials, 2, 6), halves = random_between(trials, 0, 1);
        what->width = (width + factor - 1) / factor, what->height = halves ? what->height : (height + factor - 1) / factor;
        what->region_width = what->width * factor, what->region_height = halves ? height : what->height * factor;
        what->x = halves / 2.0;
    }
}

static nb_plane resample(nb_resampling what, const nb_plane *source, int by_library, int *is_direct) {
    nb_resampler *resampler;
    nb_error error;
    nb_plane result = make_plane(what.width, what.height, what.sample_bytes);
    what.by_library = by_library;
    if (nb_resampler_make(&what, &resampler, &error) != NB_OK) exit(2);
    *is_direct = nb_resampler_is_direct(resampler);
    if (nb_resampler_run(resampler, source, &result, &error) != NB_OK) exit(2);
    nb_resampler_free(resampler);
    return result;
}

static int greatest_difference(const nb_plane *a, const nb_plane *b) {
    int greatest = 0;
    for (int y = 0; y < a->height; y++) {
        const uint8_t *left = a->data + y * a->stride, *right = b->data + y * b->stride;
        for (int x = 0; x < a->width; x++) {
            int difference = abs(a->sample_bytes == 1 ? left[x] - right[x] : ((uint16_t *)left)[x] - ((uint16_t *)right)[x]);
            greatest = difference > greatest ? difference : greatest;
        }
    }
    return greatest;
}

static void try_one(trials *trials, counts *counts) {
    nb_resampling what = {
        .source_width = random_size(trials, 300), .source_height = random_size(trials, 200),
        .width = random_size(trials, 300), .height = random_size(trials, 200),
        .filter = (nb_filter)random_between(trials, 0, 4), .sample_bytes = random_between(trials, 0, 3) ? 1 : 2,
    };
    choose_region(trials, &what);
    nb_plane source = random_plane(trials, what.source_width, what.source_height, what.sample_bytes);
    int is_direct, is_library_direct;
    nb_plane result = resample(what, &source, 0, &is_direct), expected = resample(what, &source, 1, &is_library_direct);
    uint64_t *digest = what.sample_bytes == 1 ? &counts->bytes : &counts->words;
    *digest = digest_of_plane(*digest, &result);
    *(is_direct ? &counts->direct : &counts->left) += 1;
    int difference = greatest_difference(&result, &expected);
    if (difference > MAY_DIFFER * (what.sample_bytes == 1 ? 1 : 16)) counts->far++;
    else if (difference > 0) counts->near++;
    nb_free(source.data), nb_free(result.data), nb_free(expected.data);
}

int main(int argc, char **argv) {
    if (argc != 3) return 2;
    trials trials = {strtoull(argv[1], NULL, 10)};
    counts counts = {.bytes = NO_DIGEST, .words = NO_DIGEST};
    for (long i = strtol(argv[2], NULL, 10); i > 0; i--) try_one(&trials, &counts);
    printf("resampling: %ld directly, %ld otherwise; digests of bytes %016" PRIx64 ", of words %016" PRIx64 "\n", counts.direct,
           counts.left, counts.bytes, counts.words);
    fprintf(stderr, "of these, %ld are a step away from zimg, and %ld farther\n", counts.near, counts.far);
    return counts.direct == 0 || counts.far;
}
