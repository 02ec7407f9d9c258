// Compares the direct JPEG decoder with libjpeg-turbo in one process: equal planes, and CPU time, file by file in turn.
//
// usage: decode fit SIDE ROUNDS FILE...      the scale that the program takes to fit SIDE x SIDE
//        decode scale EIGHTHS ROUNDS FILE... one scale for all
//
// A file's time is the least of all rounds; who begins changes from round to round.
#include <CImageCodecs.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { MOST_SCANS = 100 };

typedef struct {
    const char *name;
    int files, left, differ;
    double megapixels, libjpeg, direct, *ratios;
} group;

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return (double)time.tv_sec * 1e3 + (double)time.tv_nsec * 1e-6;
}

static uint8_t *read_file(const char *path, size_t *count) {
    FILE *file = fopen(path, "rb");
    if (!file || fseek(file, 0, SEEK_END)) {
        fprintf(stderr, "decode: cannot read %s\n", path);
        exit(1);
    }
    *count = (size_t)ftell(file);
    rewind(file);
    uint8_t *bytes = malloc(*count ? *count : 1);
    if (!bytes || fread(bytes, 1, *count, file) != *count) exit(1);
    fclose(file);
    return bytes;
}

// As JPEGDecoder.plan: the smallest scale at which both sides are at least those of the fitted image.
static void plan_fit(const nb_jpeg_header *header, int side, nb_jpeg_plan *plan) {
    int longest = header->width > header->height ? header->width : header->height;
    double factor = longest > side ? (double)side / longest : 1;
    int width = (int)(header->width * factor + 0.5), height = (int)(header->height * factor + 0.5);
    for (int scale = 1; scale <= 8; scale *= 2) {
        nb_jpeg_plan_decode(header, scale, plan);
        if (plan->width >= width && plan->height >= height) return;
    }
}

static void make_planes(const nb_jpeg_plan *plan, nb_plane planes[3]) {
    for (int i = 0; i < plan->count; i++) {
        const nb_jpeg_plane_plan *part = &plan->plane[i];
        planes[i] = (nb_plane){NULL, (part->columns + 63) & ~63, part->width, part->height, 1};
        planes[i].data = nb_allocate((size_t)planes[i].stride * (size_t)part->rows);
        if (!planes[i].data) exit(1);
    }
}

static int are_equal(const nb_jpeg_plan *plan, const nb_plane a[3], const nb_plane b[3]) {
    for (int i = 0; i < plan->count; i++)
        for (int y = 0; y < plan->plane[i].height; y++)
            if (memcmp(a[i].data + y * a[i].stride, b[i].data + y * b[i].stride, (size_t)plan->plane[i].width)) return 0;
    return 1;
}

static int by_size(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

typedef struct {
    const uint8_t *bytes;
    size_t count;
    const nb_jpeg_plan *plan;
    nb_plane libjpeg[3], direct[3];
    nb_jpeg_context *context;
} pair;

static double time_libjpeg(const pair *p) {
    nb_error error;
    double begin = now();
    if (nb_jpeg_decode(p->bytes, p->count, p->plan, MOST_SCANS, 0, p->libjpeg, &error) != NB_OK) {
        fprintf(stderr, "decode: libjpeg: %s\n", error.message);
        exit(1);
    }
    return now() - begin;
}

static double time_direct(const pair *p) {
    double begin = now();
    nb_jpeg_decode_direct(p->bytes, p->count, p->plan, MOST_SCANS, p->direct, p->context);
    return now() - begin;
}

static void measure(group *group, const pair *p, int rounds, double megapixels) {
    double libjpeg = 1e9, direct = 1e9, ratios[100];
    for (int i = 0; i < rounds; i++) {
        double a, b;
        if (i & 1) b = time_direct(p), a = time_libjpeg(p);
        else a = time_libjpeg(p), b = time_direct(p);
        if (a < libjpeg) libjpeg = a;
        if (b < direct) direct = b;
        ratios[i] = a / b;
    }
    qsort(ratios, (size_t)rounds, sizeof *ratios, by_size);
    group->libjpeg += libjpeg, group->direct += direct, group->megapixels += megapixels;
    if (rounds) group->ratios[group->files - 1] = ratios[rounds / 2];
}

static void run_file(const char *path, int is_fit, int size, int rounds, group groups[8], nb_jpeg_context *context) {
    pair p = {.context = context};
    nb_jpeg_header header;
    nb_jpeg_plan plan;
    nb_error error;
    uint8_t *bytes = read_file(path, &p.count);
    p.bytes = bytes;
    if (nb_jpeg_read_header(bytes, p.count, &header, &error) != NB_OK) {
        fprintf(stderr, "decode: %s: %s\n", path, error.message);
        exit(1);
    }
    if (is_fit) plan_fit(&header, size, &plan);
    else nb_jpeg_plan_decode(&header, size, &plan);
    int scale = plan.scale == 1 ? 0 : plan.scale == 2 ? 1 : plan.scale == 4 ? 2 : 3;
    group *group = &groups[scale + (header.progressive ? 4 : 0)];
    p.plan = &plan;
    make_planes(&plan, p.libjpeg);
    make_planes(&plan, p.direct);
    time_libjpeg(&p);
    group->files++;
    if (!nb_jpeg_decode_direct(bytes, p.count, &plan, MOST_SCANS, p.direct, context)) {
        printf("%s is left to libjpeg\n", path);
        group->left++;
        group->files--;
    } else {
        if (!are_equal(&plan, p.libjpeg, p.direct)) printf("%s differs\n", path), group->differ++;
        measure(group, &p, rounds, header.width * 1e-6 * header.height);
    }
    for (int i = 0; i < plan.count; i++) nb_free(p.libjpeg[i].data), nb_free(p.direct[i].data);
    free(bytes);
}

static void print_group(const group *g) {
    if (!g->files && !g->left) return;
    printf("%-16s %5d %5d %5d %7.2f %9.4f %9.4f %6.2f %6.2f\n", g->name, g->files, g->left, g->differ,
           g->files ? g->megapixels / g->files : 0, g->libjpeg / g->files, g->direct / g->files,
           g->libjpeg / g->direct, g->files ? g->ratios[g->files / 2] : 0);
}

int main(int argc, char **argv) {
    if (argc < 5) {
        fprintf(stderr, "usage: decode fit SIDE | scale EIGHTHS ROUNDS FILE...\n");
        return 2;
    }
    int is_fit = !strcmp(argv[1], "fit"), size = atoi(argv[2]), rounds = atoi(argv[3]), files = argc - 4;
    if (rounds > 100) rounds = 100;
    const char *names[8] = {"baseline 1/8", "baseline 1/4", "baseline 1/2", "baseline 1/1",
                            "progressive 1/8", "progressive 1/4", "progressive 1/2", "progressive 1/1"};
    group groups[8];
    for (int i = 0; i < 8; i++) groups[i] = (group){.name = names[i], .ratios = calloc((size_t)files, sizeof(double))};
    nb_jpeg_context *context = nb_jpeg_context_make();
    for (int i = 0; i < files; i++) run_file(argv[4 + i], is_fit, size, rounds, groups, context);
    nb_jpeg_context_free(context);

    printf("%-16s %5s %5s %5s %7s %9s %9s %6s %6s\n", "", "files", "left", "diff.", "MP", "turbo ms", "direct ms",
           "ratio", "median");
    int failed = 0;
    for (int kind = 0; kind < 2; kind++) {
        group all = {.name = kind ? "progressive" : "baseline", .ratios = calloc((size_t)files, sizeof(double))};
        for (int i = kind * 4; i < kind * 4 + 4; i++) {
            group *g = &groups[i];
            memcpy(all.ratios + all.files, g->ratios, (size_t)g->files * sizeof(double));
            all.files += g->files, all.left += g->left, all.differ += g->differ, all.megapixels += g->megapixels;
            all.libjpeg += g->libjpeg, all.direct += g->direct;
            qsort(g->ratios, (size_t)g->files, sizeof(double), by_size);
            print_group(g);
        }
        qsort(all.ratios, (size_t)all.files, sizeof(double), by_size);
        print_group(&all);
        failed |= all.differ || (all.left && !getenv("MAY_LEAVE"));
        free(all.ratios);
    }
    for (int i = 0; i < 8; i++) free(groups[i].ratios);
    return failed;
}
