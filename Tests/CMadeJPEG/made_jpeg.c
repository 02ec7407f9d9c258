#include "made_jpeg.h"

#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <jpeglib.h>

typedef struct {
    struct jpeg_error_mgr errors;
    jmp_buf escape;
} failure;

static void leave(j_common_ptr jpeg) { longjmp(((failure *)jpeg->err)->escape, 1); }

static uint32_t next(uint32_t *state) { return *state = *state * 1664525u + 1013904223u, *state >> 16; }

// Smooth, with edges, and noise in its right half: blocks of every kind.
static void draw(const made_jpeg *made, int y, uint32_t *state, uint8_t *row) {
    for (int x = 0; x < made->width; x++)
        for (int i = 0; i < made->components; i++) {
            int value = (x * (3 + i) + y * 2 + (int)(made->seed % 97)) & 255;
            if (((x >> 4) ^ (y >> 4)) & 1) value = 255 - value / 4;
            if (2 * x > made->width) value += (int)(next(state) % 90) - 45;
            row[x * made->components + i] = (uint8_t)(value < 0 ? 0 : value > 255 ? 255 : value);
        }
}

static void one(jpeg_scan_info *scan, int component, int start, int end, int high, int low) {
    *scan = (jpeg_scan_info){1, {component}, start, end, high, low};
}

static int all_together(jpeg_scan_info *scan, int components, int high, int low) {
    *scan = (jpeg_scan_info){components, {0, 1, 2}, 0, 0, high, low};
    return 1;
}

static int lay_out(const made_jpeg *made, jpeg_scan_info *scans) {
    int n = 0;
    switch (made->scans) {
        case MADE_SCAN_EACH:
            for (int i = 0; i < made->components; i++) one(&scans[n++], i, 0, 63, 0, 0);
            break;
        case MADE_SPECTRAL_SCANS:
            n += all_together(&scans[n], made->components, 0, 0);
            for (int start = 1; start < 64; start += 21)
                for (int i = 0; i < made->components; i++) one(&scans[n++], i, start, start + 20, 0, 0);
            break;
        case MADE_MANY_REFINEMENTS:
            n += all_together(&scans[n], made->components, 0, 2);
            for (int i = 0; i < made->components; i++) {
                one(&scans[n++], i, 1, 63, 0, 3);
                for (int low = 2; low >= 0; low--) one(&scans[n++], i, 1, 63, low + 1, low);
            }
            for (int low = 1; low >= 0; low--) n += all_together(&scans[n], made->components, low + 1, low);
            break;
        default: break;
    }
    return n;
}

static void write_picture(struct jpeg_compress_struct *jpeg, const made_jpeg *made) {
    uint32_t state = made->seed;
    uint8_t *row = malloc((size_t)made->width * (size_t)made->components);
    JSAMPROW rows[1] = {row};
    for (int y = 0; y < made->height; y++) {
        draw(made, y, &state, row);
        jpeg_write_scanlines(jpeg, rows, 1);
    }
    free(row);
}

size_t made_jpeg_write(const made_jpeg *made, uint8_t **bytes) {
    struct jpeg_compress_struct jpeg;
    failure failure;
    jpeg_scan_info scans[32];
    unsigned long count = 0;
    *bytes = NULL;
    jpeg.err = jpeg_std_error(&failure.errors);
    failure.errors.error_exit = leave;
    if (setjmp(failure.escape)) {
        jpeg_destroy_compress(&jpeg);
        return 0;
    }
    jpeg_create_compress(&jpeg);
    jpeg_mem_dest(&jpeg, bytes, &count);
    jpeg.image_width = (JDIMENSION)made->width, jpeg.image_height = (JDIMENSION)made->height;
    jpeg.input_components = made->components;
    jpeg.in_color_space = made->components == 1 ? JCS_GRAYSCALE : JCS_RGB;
    jpeg_set_defaults(&jpeg);
    if (made->is_rgb) jpeg_set_colorspace(&jpeg, JCS_RGB);
    for (int i = 0; i < made->components; i++) {
        jpeg.comp_info[i].h_samp_factor = made->horizontal[i];
        jpeg.comp_info[i].v_samp_factor = made->vertical[i];
    }
    jpeg_set_quality(&jpeg, made->quality, TRUE);
    jpeg.optimize_coding = made->optimize;
    jpeg.restart_interval = (unsigned)made->restart_interval;
    if (made->scans == MADE_USUAL_PROGRESSION) jpeg_simple_progression(&jpeg);
    int laid_out = lay_out(made, scans);
    if (laid_out) jpeg.scan_info = scans, jpeg.num_scans = laid_out;
    jpeg_start_compress(&jpeg, TRUE);
    write_picture(&jpeg, made);
    jpeg_finish_compress(&jpeg);
    jpeg_destroy_compress(&jpeg);
    return count;
}
