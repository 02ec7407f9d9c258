// What the direct JPEG decoder makes of any bytes, libjpeg makes too: the same planes, or else it must be left to libjpeg.
//
// And whether a file is decoded at all depends on no scale, nor on who decodes it: on a processor without AVX2 that is libjpeg alone.
//
// For libFuzzer. The last byte chooses the scale, and whether the verdicts of all are compared. A finding ends the process with a
// message.
#include <CImageCodecs.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_SCANS = 40, MOST_SAMPLES = 300000 };

// Planes of exactly the size that was planned, so that the address sanitizer sees the first byte beyond.
static int make_planes(const nb_jpeg_plan *plan, nb_plane planes[3]) {
    for (int i = 0; i < plan->count; i++) {
        const nb_jpeg_plane_plan *part = &plan->plane[i];
        ptrdiff_t stride = (part->columns + 63) & ~63;
        planes[i] = (nb_plane){malloc((size_t)stride * (size_t)part->rows), stride, part->width, part->height, 1};
        if (!planes[i].data) return 0;
    }
    return 1;
}

static void find_difference(const nb_jpeg_plan *plan, const nb_plane libjpeg[3], const nb_plane direct[3]) {
    for (int i = 0; i < plan->count; i++)
        for (int y = 0; y < plan->plane[i].height; y++) {
            const uint8_t *a = libjpeg[i].data + y * libjpeg[i].stride, *b = direct[i].data + y * direct[i].stride;
            for (int x = 0; x < plan->plane[i].width; x++)
                if (a[x] != b[x]) {
                    fprintf(stderr, "scale %d, plane %d, %d,%d: %d, and libjpeg has %d\n", plan->scale, i, x, y, b[x], a[x]);
                    abort();
                }
        }
}

static void compare(const uint8_t *bytes, size_t count, const nb_jpeg_plan *plan, nb_jpeg_context *context) {
    nb_plane direct[3] = {{0}}, libjpeg[3] = {{0}};
    nb_error error = {0};
    if (make_planes(plan, direct) && nb_jpeg_decode_direct(bytes, count, plan, MOST_SCANS, direct, context)) {
        if (!make_planes(plan, libjpeg)) exit(1);
        if (nb_jpeg_decode(bytes, count, plan, MOST_SCANS, 0, libjpeg, &error) != NB_OK) {
            fprintf(stderr, "scale %d: taken, but libjpeg refuses it: %s\n", plan->scale, error.message);
            abort();
        }
#ifdef NB_PLANTED  // a control: this must be found
        if (plan->scale == 4 && plan->count == 3) direct[2].data[0] ^= 1;
#endif
        find_difference(plan, libjpeg, direct);
    }
    for (int i = 0; i < 3; i++) free(direct[i].data), free(libjpeg[i].data);
}

// Whether a file is decoded at a scale, by libjpeg alone or by the direct decoder first; -1 if it is too large to try.
static int is_decoded(const uint8_t *bytes, size_t count, const nb_jpeg_header *header, int scale, nb_jpeg_context *context) {
    nb_jpeg_plan plan;
    nb_plane planes[3] = {{0}};
    nb_error error = {0};
    size_t samples = 0;
    nb_jpeg_plan_decode(header, scale, &plan);
    for (int i = 0; i < plan.count; i++) samples += (size_t)plan.plane[i].columns * (size_t)plan.plane[i].rows;
    if (samples > MOST_SAMPLES) return -1;
    int done = make_planes(&plan, planes) &&
               ((context && nb_jpeg_decode_direct(bytes, count, &plan, MOST_SCANS, planes, context)) ||
                nb_jpeg_decode(bytes, count, &plan, MOST_SCANS, 0, planes, &error) == NB_OK);
    for (int i = 0; i < 3; i++) free(planes[i].data);
    return done;
}

static void compare_verdicts(const uint8_t *bytes, size_t count, const nb_jpeg_header *header, nb_jpeg_context *context) {
    int whole = is_decoded(bytes, count, header, 1, context);
    if (whole < 0) return;
    for (int scale = 1; scale <= 8; scale *= 2)
        for (int alone = 0; alone <= 1; alone++) {
            int found = is_decoded(bytes, count, header, scale, alone ? NULL : context);
            if (found < 0 || found == whole) continue;
            fprintf(stderr, "scale %d, %s: another verdict than at scale 1\n", scale, alone ? "libjpeg alone" : "direct");
            abort();
        }
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count) {
    static nb_jpeg_context *context;
    if (!context) context = nb_jpeg_context_make();
    if (count < 2) return 0;
    int scale = 1 << (bytes[count - 1] & 3), compares_verdicts = (bytes[count - 1] & 12) == 4;
    // A copy of its own, so that the address sanitizer sees the first byte beyond it.
    uint8_t *copy = malloc(--count);
    if (!copy) return 0;
    memcpy(copy, bytes, count);
    nb_jpeg_header header;
    nb_jpeg_plan plan;
    nb_error error = {0};
    if (nb_jpeg_read_header(copy, count, &header, &error) == NB_OK && header.color <= NB_JPEG_RGB) {
        nb_jpeg_plan_decode(&header, scale, &plan);
        size_t samples = 0;
        for (int i = 0; i < plan.count; i++) samples += (size_t)plan.plane[i].columns * (size_t)plan.plane[i].rows;
        if (samples <= MOST_SAMPLES) compare(copy, count, &plan, context);
        if (compares_verdicts) compare_verdicts(copy, count, &header, context);
    }
    free(copy);
    return 0;
}
