// Looks for the file that takes a decoder the most time for each of its bytes and samples, and tells what the library takes.
//
// For libFuzzer, without sanitizers, whose own time would count. A file that is slower than all before it counts as new coverage, so
// that it is changed further. Each that is slower by a tenth than the slowest is written to SLOWEST, and a line printed. One that
// takes far longer than the library, and than any of its bytes is worth, ends the process.
#include "decoders.h"

#include <math.h>
#include <stdio.h>
#include <time.h>

enum {
    EVERY_FILE = 5000,  // bytes that what every file takes is worth: tables, and the scans that are allowed
    STEPS = 256,        // of 1/8 of a doubling, from 2^-8 nanoseconds
    LIBRARIES = 8,      // times the library's time
    NANOSECONDS = 200,  // for each byte and sample
};

__attribute__((section("__libfuzzer_extra_counters"))) static uint8_t steps[STEPS];

static double nanoseconds(void) {
    struct timespec time;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return (double)time.tv_sec * 1e9 + (double)time.tv_nsec;
}

// The least time of several tries: what is beside them on the machine only adds.
static double least_time(const uint8_t *file, size_t count, int variant, decoder decoder, picture *picture, int tries) {
    double least = INFINITY;
    for (int i = 0; i < tries; i++) {
        nb_error error = {0};
        double start = nanoseconds();
        decode(file, count, variant, decoder, picture, &error);
#ifdef NB_PLANTED  // a control: files with many bytes of one kind, which the fuzzer must find
        for (size_t at = 0; decoder != LIBRARY && at < count; at++)
            for (volatile int turn = 0; turn < 10000 && file[at] == 0xA5; turn++) {}
#endif
        least = fmin(least, nanoseconds() - start);
    }
    return least;
}

static double value_of(size_t count, const picture *picture) { return (double)(EVERY_FILE + count + picture->samples); }

static void tell(const uint8_t *file, size_t count, const picture *picture, double ours, double theirs) {
    double each = ours / value_of(count, picture);
    fprintf(stderr, "slowest: %.0f ns for each byte and sample (%zu bytes, %zu samples): %.2f ms, and %s takes %.2f ms\n", each, count,
            picture->samples, ours / 1e6, library, theirs / 1e6);
    const char *path = getenv("SLOWEST");
    FILE *out = path ? fopen(path, "wb") : NULL;
    if (out) fwrite(file, 1, count, out), fclose(out);
    if (ours > LIBRARIES * theirs && each > NANOSECONDS) {
        fprintf(stderr, "slowest: that is too slow\n");
        abort();
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count) {
    static double slowest;
    if (count < 2) return -1;
    int variant = bytes[--count] % variants;
    size_t file_count = 0;
    uint8_t *file = make_file(bytes, count, &file_count);
    picture picture;
    if (!file || !make_picture(file, file_count, variant, &picture)) {
        free(file);
        return -1;
    }
    double value = value_of(file_count, &picture), ours = least_time(file, file_count, variant, EITHER, &picture, 2);
    int step = (int)(8 * (log2(ours / value) + 8));
    for (int i = 0; i <= step && i < STEPS; i++) steps[i] = 1;
    if (ours / value > 1.1 * slowest) {
        ours = least_time(file, file_count, variant, EITHER, &picture, 9);
        if (ours / value > 1.1 * slowest) {
            slowest = ours / value;
            tell(file, file_count, &picture, ours, least_time(file, file_count, variant, LIBRARY, &picture, 9));
        }
    }
    free_picture(&picture);
    free(file);
    return 0;
}
