// The coded data of one scan: a window that moves along the file, in which stuffing is taken out.
#pragma once
#include "bits.h"

#if NB_DIRECT
NB_DIRECT_BEGIN

/// No block has more bytes: a DC coefficient of 31 bits and 63 symbols of at most 31, with room for what is read ahead.
#define NB_BLOCK_BYTES 256
/// Bytes after the last one that may be read, as zeros: more than a block can take.
#define NB_WINDOW_PAD 512
#define NB_WINDOW_BYTES(data) ((data) + NB_WINDOW_PAD)

typedef struct {
    nb_bit_reader bits;
    const uint8_t *at, *end;   // what is left in the file; `end` is the marker that ends the scan
    const uint8_t *file_end;
    uint8_t *window, *filled;  // what is there to read
    size_t size;               // of the window, without its pad
    int segment_ends;          // all of a segment, up to the next restart, is there
} nb_coded_data;

/// Begins with the first segment.
void nb_coded_start(nb_coded_data *data, uint8_t *window, size_t size, const uint8_t *start, const uint8_t *end,
                    const uint8_t *file_end);
/// Fills the window behind what is not read yet.
void nb_coded_fill(nb_coded_data *data);
/// Whether a segment was used up but for less than a byte.
int nb_segment_is_used(nb_coded_data *data);
/// Whether it was the scan's last.
int nb_coded_is_at_end(const nb_coded_data *data);
/// Goes on after a restart. Returns 0 if there is none, or the segment is not used up.
int nb_next_segment(nb_coded_data *data);

/// Makes `blocks` blocks ready, or what is left of the segment.
NB_INLINE void nb_need_blocks(nb_coded_data *data, int blocks) {
    if (NB_UNLIKELY(!data->segment_ends && data->filled - data->bits.next < (ptrdiff_t)blocks * NB_BLOCK_BYTES))
        nb_coded_fill(data);
}

/// The bit reader must not have passed this after blocks that were made ready.
NB_INLINE const uint8_t *nb_read_limit(const nb_coded_data *data) { return data->filled + 16; }

/// Finds the marker that ends a scan, which no restart does. Returns NULL if there is none, restarts are out of order, or
/// a fill byte stands before a stuffed one.
const uint8_t *nb_find_scan_end(const uint8_t *start, const uint8_t *end);

NB_DIRECT_END
#endif
