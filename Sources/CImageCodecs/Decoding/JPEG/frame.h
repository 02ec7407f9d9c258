// What the markers of a file say: its components and scans.
#pragma once
#include "coded_data.h"
#include "huffman.h"

#if NB_DIRECT
NB_DIRECT_BEGIN

/// Files with more scans are left to libjpeg; encoders write ten, and each scan has a window of its own.
#define NB_JPEG_SCANS 32

typedef struct {
    int id, horizontal, vertical, quantisation;
    int size;                // samples a side that a block is decoded to: 1, 2, 4 or 8
    int blocks_x, blocks_y;  // that are coded
    int padded_x;            // up to whole MCUs, and even
    int is_quantised;        // its table was defined before its first scan
    int is_refined;          // a later scan adds bits to its AC coefficients
    int16_t quant[128];      // twice beside each other, as a pair of blocks lies
} nb_component;

typedef struct {
    int count, part[3];      // of components; their indexes
    int spectral_start, spectral_end, high_bit, low_bit;
    nb_huffman_definition dc[3], ac[3];  // as they were when the scan began
    int restart_interval;
    const uint8_t *start, *end;          // of its coded data; `end` is the next marker
} nb_scan;

typedef struct {
    const uint8_t *file_end;
    int width, height, count, is_progressive;
    int max_horizontal, max_vertical, mcus_x, mcus_y;
    nb_component part[3];
    nb_scan *scans;
    int scan_count;
} nb_jpeg_frame;

/// Reads all markers. Returns 0 for what the direct decoder leaves to libjpeg: what it does not read, and whatever is
/// odd. `nb_frame_free` is due in both cases.
int nb_read_frame(nb_jpeg_frame *frame, const uint8_t *bytes, size_t count, int scale);
void nb_frame_free(nb_jpeg_frame *frame);

NB_DIRECT_END
#endif
