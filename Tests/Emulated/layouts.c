// Decodes made JPEGs of thousands of layouts with the direct decoder and with libjpeg, and compares their planes.
//
// usage: layouts STEP     every STEPth layout
#include <CImageCodecs.h>
#include <made_jpeg.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    long decodes, left, refused, differ;
} counts;

static const int samplings[][6] = {  // horizontal, then vertical factors
    {1, 1, 1, 1, 1, 1}, {2, 1, 1, 1, 1, 1}, {1, 1, 1, 2, 1, 1}, {2, 1, 1, 2, 1, 1}, {4, 1, 1, 1, 1, 1},
    {1, 1, 1, 4, 1, 1}, {4, 1, 1, 2, 1, 1}, {2, 2, 1, 2, 1, 1}, {2, 1, 1, 2, 2, 1}, {2, 2, 1, 2, 2, 1},
};
static const int sizes[][2] = {{1, 1}, {7, 9}, {16, 16}, {33, 17}, {130, 75}, {257, 40}};
static const int restarts[] = {0, 1, 4, 9}, qualities[] = {1, 78, 100};

static void make_planes(const nb_jpeg_plan *plan, nb_plane planes[3]) {
    for (int i = 0; i < plan->count; i++) {
        const nb_jpeg_plane_plan *part = &plan->plane[i];
        ptrdiff_t stride = (part->columns + 63) & ~63;
        planes[i] = (nb_plane){malloc((size_t)stride * (size_t)part->rows), stride, part->width, part->height, 1};
        if (!planes[i].data) exit(2);
    }
}

static int are_equal(const nb_jpeg_plan *plan, const nb_plane a[3], const nb_plane b[3]) {
    for (int i = 0; i < plan->count; i++)
        for (int y = 0; y < plan->plane[i].height; y++)
            if (memcmp(a[i].data + y * a[i].stride, b[i].data + y * b[i].stride, (size_t)plan->plane[i].width)) return 0;
    return 1;
}

static void compare(const uint8_t *bytes, size_t count, int scale, nb_jpeg_context *context, counts *counts) {
    nb_jpeg_header header;
    nb_jpeg_plan plan;
    nb_error error;
    nb_plane libjpeg[3] = {{0}}, direct[3] = {{0}};
    if (nb_jpeg_read_header(bytes, count, &header, &error) != NB_OK) exit(2);
    nb_jpeg_plan_decode(&header, scale, &plan);
    if (!plan.planar) return;  // libjpeg's alone
    make_planes(&plan, libjpeg), make_planes(&plan, direct);
    if (nb_jpeg_decode(bytes, count, &plan, 100, 0, libjpeg, &error) != NB_OK) exit(2);
    counts->decodes++;
    if (!nb_jpeg_decode_direct(bytes, count, &plan, 100, direct, context)) counts->left++;
    else if (!are_equal(&plan, libjpeg, direct)) counts->differ++;
    for (int i = 0; i < 3; i++) free(libjpeg[i].data), free(direct[i].data);
}

static void try_layout(int number, nb_jpeg_context *context, counts *counts) {
    int rest = number;
    made_jpeg made = {.components = 3, .seed = (uint32_t)number};
    int scans = rest % 5, kind = (rest /= 5) % 10, size = (rest /= 10) % 6, interval = (rest /= 6) % 4;
    int quality = (rest /= 4) % 3, is_gray = (rest /= 3) % 2;
    made.optimize = (rest /= 2) % 2;
    made.is_rgb = number % 7 == 0;
    if (is_gray) made.components = 1, made.is_rgb = 0;
    for (int i = 0; i < 3; i++) made.horizontal[i] = samplings[kind][i], made.vertical[i] = samplings[kind][3 + i];
    made.width = sizes[size][0], made.height = sizes[size][1];
    made.scans = (made_scans)scans, made.restart_interval = restarts[interval], made.quality = qualities[quality];
    uint8_t *bytes;
    size_t count = made_jpeg_write(&made, &bytes);
    if (!count) counts->refused++;
    for (int scale = 1; count && scale <= 8; scale *= 2) compare(bytes, count, scale, context, counts);
    free(bytes);
}

int main(int argc, char **argv) {
    int step = argc > 1 ? atoi(argv[1]) : 1, all = 5 * 10 * 6 * 4 * 3 * 2 * 2;
    if (step < 1) return 2;
    counts counts = {0};
    nb_jpeg_context *context = nb_jpeg_context_make();
    for (int number = 0; number < all; number += step) try_layout(number, context, &counts);
    nb_jpeg_context_free(context);
    printf("%ld decodes: %ld left to libjpeg, %ld differ; %ld layouts that libjpeg does not write\n", counts.decodes,
           counts.left, counts.differ, counts.refused);
    return counts.decodes == 0 || counts.left || counts.differ;
}
