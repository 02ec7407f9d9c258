// A scan among several while the file is decoded.
#pragma once
#include "frame.h"
#include "scan_blocks.h"

#if NB_DIRECT
NB_DIRECT_BEGIN

/// One MCU row of a component's coefficients.
typedef struct {
    int16_t *blocks;    // rows of `padded_x`
    uint64_t *known;    // by block, where later scans refine: which AC coefficients are not zero
} nb_coefficients;

typedef struct {
    const nb_scan *scan;
    nb_scan_tables *tables;
    nb_coded_data coded;
    int to_restart;     // MCUs
    uint32_t dc[3];     // the last DC coefficients
    uint32_t end_run;   // blocks that have no more coefficients in this scan
} nb_scan_reader;

/// The bytes that a scan holds at most.
size_t nb_scan_memory(const nb_scan *scan);
size_t nb_most_scan_memory(void);
/// Makes tables in memory of nb_scan_memory and begins. Returns 0 for tables that are not valid.
int nb_scan_start(nb_scan_reader *reader, const nb_scan *scan, const uint8_t *file_end, void *memory);
/// Reads MCU row `y` into coefficients by component. Returns 0 for damaged data.
int nb_scan_read_row(nb_scan_reader *reader, const nb_jpeg_frame *frame, int y, const nb_coefficients *into);
/// Whether the scan was used up.
int nb_scan_is_at_end(nb_scan_reader *reader);

NB_DIRECT_END
#endif
