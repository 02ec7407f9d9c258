// The direct JPEG decoder: 8-bit Huffman files, baseline and progressive, to raw planes at 1/8, 1/4, 1/2 and 1/1, equal
// to the bit to libjpeg-turbo's (islow, no block smoothing), in a third to half of its time.
//
// The way of a file:
//   markers.c          frame and scans; what is odd is left to libjpeg, whose messages and strictness stay
//   coded_data.c       a window along each scan's coded data, without its stuffing
//   lookup_tables.c    tables that take up to two coefficients and the end of a block at once; context.c keeps them
//   baseline.c         one scan: runs of MCUs, decoded by baseline_blocks.c
//   scans.c            several: an MCU row of each at a time (scan_reader.c, scan_blocks.h)
//   transform.c        the inverse DCT, two blocks at a time, or four with AVX-512 (transform_kernels.h)
//
// It is made for AVX2 and BMI2, asked for at run time, and for arm64 (transform_neon.c); elsewhere libjpeg decodes. docs/adr/0009-direct-jpeg.md has why.
#include "decoders.h"

#include <stdlib.h>

#if NB_DIRECT

static int has_processor(void) {
#if defined(__x86_64__)
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2") &&
           __builtin_cpu_supports("lzcnt") && __builtin_cpu_supports("popcnt");
#else
    return 1;
#endif
}

NB_DIRECT_BEGIN

// The plan may come from other bytes, and whole pairs of blocks are written.
static int fits(const nb_jpeg_frame *f, const nb_jpeg_plan *plan, const nb_plane *planes) {
    if (!plan->planar || plan->count != f->count) return 0;
    for (int i = 0; i < f->count; i++) {
        const nb_component *c = &f->part[i];
        const nb_jpeg_plane_plan *part = &plan->plane[i];
        int width = 8 * f->max_horizontal, height = 8 * f->max_vertical, h = c->horizontal * c->size;
        int v = c->vertical * c->size, pairs = (c->blocks_x + 1) & ~1;
        if (part->width != (f->width * h + width - 1) / width || part->columns < c->blocks_x * c->size ||
            part->height != (f->height * v + height - 1) / height || part->rows < f->mcus_y * v ||
            planes[i].stride < (ptrdiff_t)pairs * c->size)
            return 0;
    }
    return 1;
}

static int decode(const nb_jpeg_frame *f, const nb_plane *planes, nb_jpeg_context *context) {
    int is_single = !f->is_progressive && f->scan_count == 1 && f->scans[0].count == f->count;
    return is_single ? nb_decode_baseline(f, planes, context) : nb_decode_scans(f, planes);
}

static int decode_file(const uint8_t *bytes, size_t count, const nb_jpeg_plan *plan, int max_scans,
                       const nb_plane *planes, nb_jpeg_context *context) {
    nb_jpeg_frame frame;
    int is_decoded = nb_read_frame(&frame, bytes, count, plan->scale) && frame.scan_count <= max_scans &&
                     fits(&frame, plan, planes) && decode(&frame, planes, context);
    nb_frame_free(&frame);
    return is_decoded;
}

static size_t memory_of(const nb_jpeg_header *header) {
    if (!header->multiple_scans) return nb_baseline_memory();
    size_t blocks = 0;
    int across = 1;
    for (int i = 0; i < header->components; i++)
        if (header->horizontal[i] > across) across = header->horizontal[i];
    size_t mcus = ((size_t)header->width + 8 * (size_t)across - 1) / (8 * (size_t)across);
    for (int i = 0; i < header->components; i++)
        blocks += (size_t)header->vertical[i] * ((mcus * (size_t)header->horizontal[i] + 1) & ~(size_t)1);
    return nb_scans_memory(blocks);
}

NB_DIRECT_END

size_t nb_jpeg_direct_memory(const nb_jpeg_header *header, const nb_jpeg_plan *plan) {
    if (!has_processor() || !plan->planar || (header->components != 1 && header->components != 3)) return 0;
    return memory_of(header);
}

int nb_jpeg_decode_direct(const uint8_t *bytes, size_t count, const nb_jpeg_plan *plan, int max_scans,
                          const nb_plane *planes, nb_jpeg_context *context) {
    if (!context || !has_processor()) return 0;
    return decode_file(bytes, count, plan, max_scans, planes, context);
}

#else

size_t nb_jpeg_direct_memory(const nb_jpeg_header *header, const nb_jpeg_plan *plan) {
    (void)header, (void)plan;
    return 0;
}

int nb_jpeg_decode_direct(const uint8_t *bytes, size_t count, const nb_jpeg_plan *plan, int max_scans,
                          const nb_plane *planes, nb_jpeg_context *context) {
    (void)bytes, (void)count, (void)plan, (void)max_scans, (void)planes, (void)context;
    return 0;
}

#endif
