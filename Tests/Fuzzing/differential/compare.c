// What our decoder makes of any bytes, the library makes too, to the bit, or else ours must leave it to the library.
//
// And whether a file is decoded at all depends on no scale or depth, nor on who decodes it: on a processor without AVX2 that
// may be the library alone. For libFuzzer; the last byte chooses the variant, and whether the verdicts of all are compared. A finding
// ends the process with a message.
#include "decoders.h"

#include <stdio.h>

static void find_difference(int variant, const picture *library_picture, const picture *ours) {
    for (int i = 0; i < ours->count; i++)
        for (int y = 0; y < ours->plane[i].height; y++) {
            const uint8_t *a = library_picture->plane[i].data + y * library_picture->plane[i].stride;
            const uint8_t *b = ours->plane[i].data + y * ours->plane[i].stride;
            for (int x = 0; x < ours->plane[i].width * ours->plane[i].sample_bytes; x++)
                if (a[x] != b[x]) {
                    fprintf(stderr, "variant %d, plane %d, %d,%d: %d, and %s has %d\n", variant, i, x, y, b[x], library, a[x]);
                    abort();
                }
        }
}

static void compare(const uint8_t *file, size_t count, int variant) {
    picture ours, theirs;
    nb_error error = {0};
    if (!make_picture(file, count, variant, &ours)) return;
    if (decode(file, count, variant, OURS, &ours, &error)) {
        if (!make_picture(file, count, variant, &theirs)) abort();
        if (!decode(file, count, variant, LIBRARY, &theirs, &error)) {
            fprintf(stderr, "variant %d: taken, but %s refuses it: %s\n", variant, library, error.message);
            abort();
        }
#ifdef NB_PLANTED  // a control: this must be found
        if (variant == 2 && ours.count == 3) ours.plane[2].data[0] ^= 1;
#endif
        find_difference(variant, &theirs, &ours);
        free_picture(&theirs);
    }
    free_picture(&ours);
}

// Whether a file is decoded; -1 if it is too large to try.
static int verdict(const uint8_t *file, size_t count, int variant, decoder decoder) {
    picture picture;
    nb_error error = {0};
    if (!make_picture(file, count, variant, &picture)) return -1;
    int is_decoded = decode(file, count, variant, decoder, &picture, &error);
    free_picture(&picture);
    return is_decoded;
}

static void compare_verdicts(const uint8_t *file, size_t count) {
    int first = verdict(file, count, 0, EITHER);
    if (first < 0) return;
    for (int variant = 0; variant < variants; variant++)
        for (int alone = 0; alone <= 1; alone++) {
            int found = verdict(file, count, variant, alone ? LIBRARY : EITHER);
            if (found < 0 || found == first) continue;
            fprintf(stderr, "variant %d, %s: another verdict than of variant 0\n", variant, alone ? library : "ours");
            abort();
        }
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count) {
    if (count < 2) return -1;
    int choice = bytes[--count];
    size_t file_count = 0;
    uint8_t *file = make_file(bytes, count, &file_count);
    if (!file) return -1;
    compare(file, file_count, choice % variants);
    if ((choice & 0x18) == 0x08) compare_verdicts(file, file_count);
    free(file);
    return 0;
}
