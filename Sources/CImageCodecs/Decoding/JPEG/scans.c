// A file of several scans: all are decoded at once, an MCU row of each, so that the coefficients of one MCU row are all
// that is held.
#include "decoders.h"

#include "scan_reader.h"
#include "transform.h"

#include <stdlib.h>

#if NB_DIRECT
NB_DIRECT_BEGIN

typedef struct {
    const nb_jpeg_frame *frame;
    nb_scan_reader readers[NB_JPEG_SCANS];
    nb_coefficients parts[3];
    uint64_t *known;      // of all components
    size_t known_bytes;
    uint8_t *memory;
} scans;

static int is_refined(const nb_jpeg_frame *f, int part) {
    for (int i = 0; i < f->scan_count; i++)
        if (f->scans[i].part[0] == part && f->scans[i].spectral_start && f->scans[i].high_bit) return 1;
    return 0;
}

// Each coefficient comes first once, then bit by bit; DC before AC.
static int is_in_order(const nb_jpeg_frame *f) {
    int8_t low_bits[3][64];
    memset(low_bits, -1, sizeof low_bits);
    for (int i = 0; i < f->scan_count; i++) {
        const nb_scan *s = &f->scans[i];
        for (int j = 0; j < s->count; j++) {
            int8_t *of = low_bits[s->part[j]];
            if (s->spectral_start && of[0] < 0) return 0;
            for (int k = s->spectral_start; k <= s->spectral_end; k++) {
                if (of[k] != (s->high_bit ? s->high_bit : -1)) return 0;
                of[k] = (int8_t)s->low_bit;
            }
        }
    }
    for (int i = 0; i < f->count; i++)
        if (low_bits[i][0] < 0) return 0;
    return 1;
}

static size_t blocks_in_row(const nb_component *c) { return (size_t)c->vertical * (size_t)c->padded_x; }

static int start(scans *d) {
    const nb_jpeg_frame *f = d->frame;
    size_t blocks = 0, scans = 0;
    for (int i = 0; i < f->count; i++) {
        blocks += blocks_in_row(&f->part[i]);
        if (is_refined(f, i)) d->known_bytes += blocks_in_row(&f->part[i]) * sizeof(uint64_t);
    }
    for (int i = 0; i < f->scan_count; i++) scans += nb_scan_memory(&f->scans[i]);
    size_t cleared = blocks * 64 * sizeof(int16_t) + ((d->known_bytes + 63) & ~(size_t)63);
    d->memory = nb_allocate(cleared + scans);
    if (!d->memory) return 0;
    memset(d->memory, 0, cleared);

    int16_t *at = (int16_t *)d->memory;
    uint64_t *known = d->known = (uint64_t *)(d->memory + blocks * 64 * sizeof(int16_t));
    for (int i = 0; i < f->count; i++) {
        d->parts[i].blocks = at, at += blocks_in_row(&f->part[i]) * 64;
        if (is_refined(f, i)) d->parts[i].known = known, known += blocks_in_row(&f->part[i]);
    }
    uint8_t *memory = d->memory + cleared;
    for (int i = 0; i < f->scan_count; memory += nb_scan_memory(&f->scans[i++]))
        if (!nb_scan_start(&d->readers[i], &f->scans[i], f->file_end, memory)) return 0;
    return 1;
}

static int transform_mcu_row(scans *d, int y, const nb_plane *planes) {
    int is_in_reach = 1;
    for (int i = 0; i < d->frame->count; i++) {
        const nb_component *c = &d->frame->part[i];
        for (int v = 0; v < c->vertical; v++) {
            int row = y * c->vertical + v;
            int16_t *blocks = d->parts[i].blocks + v * c->padded_x * 64;
            if (row >= c->blocks_y) {
                memset(blocks, 0, (size_t)c->padded_x * 128);
                continue;
            }
            nb_block_row whole = {blocks, c->quant, c->blocks_x, c->padded_x};
            uint8_t *to = planes[i].data + (ptrdiff_t)row * c->size * planes[i].stride;
            is_in_reach &= nb_transform_row(&whole, c->size, to, planes[i].stride);
        }
    }
    return is_in_reach;
}

static int decode_all(scans *d, const nb_plane *planes) {
    const nb_jpeg_frame *f = d->frame;
    for (int y = 0; y < f->mcus_y; y++) {
        memset(d->known, 0, d->known_bytes);
        for (int i = 0; i < f->scan_count; i++)
            if (!nb_scan_read_row(&d->readers[i], f, y, d->parts)) return 0;
        if (!transform_mcu_row(d, y, planes)) return 0;
    }
    for (int i = 0; i < f->scan_count; i++)
        if (!nb_scan_is_at_end(&d->readers[i])) return 0;
    return 1;
}

int nb_decode_scans(const nb_jpeg_frame *frame, const nb_plane *planes) {
    if (!is_in_order(frame)) return 0;
    scans *d = calloc(1, sizeof *d);
    if (!d) return 0;
    d->frame = frame;
    int is_decoded = start(d) && decode_all(d, planes);
    nb_free(d->memory);
    free(d);
    return is_decoded;
}

size_t nb_scans_memory(size_t blocks) {
    return sizeof(scans) + blocks * (64 * sizeof(int16_t) + sizeof(uint64_t)) + 128 +
           NB_JPEG_SCANS * nb_most_scan_memory();
}

NB_DIRECT_END
#endif
