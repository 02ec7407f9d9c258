// A file with one baseline scan: a few MCUs are decoded, then transformed while they are in the first cache.
#include "decoders.h"

#include "baseline_blocks.h"
#include "blocks.h"
#include "transform.h"

#include <stdlib.h>

#if NB_DIRECT
NB_DIRECT_BEGIN

#define RUN 8           // MCUs; even, so that each component's blocks are pairs
#define MOST_BLOCKS 10  // in an MCU
#define WINDOW 65536

typedef struct {
    const nb_jpeg_frame *frame;
    const nb_scan *scan;
    int mcus_x, mcus_y;
    int across[3], down[3];     // blocks in an MCU, by component
    int blocks;                 // in an MCU
    int16_t *rows[3], *nowhere; // the coefficients of a run: for each component, `down` rows
    nb_step steps[RUN * MOST_BLOCKS + 1];
    const nb_lookup_table *start;
    int index_bits;
    nb_coded_data coded;
    int to_restart;             // MCUs
    uint32_t dc[3];             // the last DC coefficients
} baseline;

// The sampling factors of a single component say nothing of the order of its blocks.
static void lay_out(baseline *d) {
    const nb_jpeg_frame *f = d->frame;
    int is_alone = f->count == 1;
    d->mcus_x = is_alone ? f->part[0].blocks_x : f->mcus_x;
    d->mcus_y = is_alone ? f->part[0].blocks_y : f->mcus_y;
    for (int i = 0; i < f->count; i++) {
        d->across[i] = is_alone ? 1 : f->part[i].horizontal;
        d->down[i] = is_alone ? 1 : f->part[i].vertical;
        d->blocks += d->across[i] * d->down[i];
    }
}

// One row of a component's blocks in a run.
static int16_t *row_of(const baseline *d, int i, int y) { return d->rows[i] + y * RUN * d->across[i] * 64; }

static void make_steps(baseline *d, const nb_table_pair *pairs[3]) {
    const nb_lookup_table *dc[MOST_BLOCKS + 1], *ac[MOST_BLOCKS];
    int block = 0;
    for (int i = 0; i < d->frame->count; i++)
        for (int y = 0; y < d->down[i]; y++)
            for (int x = 0; x < d->across[i]; x++, block++) {
                dc[block] = &pairs[i]->tables[0], ac[block] = &pairs[i]->tables[1];
                for (int mcu = 0; mcu < RUN; mcu++)
                    d->steps[mcu * d->blocks + block].to = nb_block_at(row_of(d, i, y), mcu * d->across[i] + x);
            }
    dc[block] = d->start = dc[0];
    for (int mcu = 0; mcu < RUN; mcu++)
        for (int i = 0; i < d->blocks; i++) {
            nb_step *step = &d->steps[mcu * d->blocks + i];
            step->ac = ac[i], step->next_dc = dc[i + 1];
        }
}

// Differences to values. Coefficients are 16 bits that wrap, as libjpeg's; sums that it would refuse are refused.
static int sum_dc(baseline *d, const nb_step *first, const nb_step *last) {
    const nb_step *of = first;
    for (int i = 0; i < d->frame->count; i++) {
        uint32_t dc = d->dc[i];
        int each = d->across[i] * d->down[i];
        for (const nb_step *mcu = of; mcu < last; mcu += d->blocks)
            for (int j = 0; j < each; j++) mcu[j].to[0] = (int16_t)(dc += (uint32_t)(int32_t)mcu[j].to[0]);
        if (dc + (1u << 30) > 1u << 31) return 0;
        d->dc[i] = dc;
        of += each;
    }
    return 1;
}

static int decode_mcus(baseline *d, int begin, int count) {
    nb_step *first = &d->steps[begin * d->blocks], *last = first + count * d->blocks, after = *last;
    nb_need_blocks(&d->coded, count * d->blocks);
    *last = (nb_step){&nb_no_table, &nb_no_table, d->nowhere, {0}};
    last[-1].next_dc = &nb_no_table;
    int is_read = nb_read_blocks(&d->coded.bits, d->start, first, last, nb_read_limit(&d->coded), d->index_bits);
    *last = after;
    last[-1].next_dc = d->start;
    return is_read && sum_dc(d, first, last);
}

static void begin_segment(baseline *d) {
    memset(d->dc, 0, sizeof d->dc);
    d->to_restart = d->scan->restart_interval ? d->scan->restart_interval : INT32_MAX;
}

static int decode_run(baseline *d, int mcus) {
    for (int done = 0; done < mcus;) {
        if (d->to_restart == 0) {
            if (!nb_next_segment(&d->coded)) return 0;
            begin_segment(d);
        }
        int count = mcus - done < d->to_restart ? mcus - done : d->to_restart;
        if (!decode_mcus(d, done, count)) return 0;
        done += count, d->to_restart -= count;
    }
    return 1;
}

// The samples of a run go to many rows, which come from memory while its coefficients are decoded.
static void prefetch_run(const baseline *d, const nb_plane *planes, int x, int y, int mcus) {
    for (int i = 0; i < d->frame->count; i++) {
        const nb_component *c = &d->frame->part[i];
        int rows = d->down[i] * c->size, bytes = mcus * d->across[i] * c->size;
        const uint8_t *to = planes[i].data + (ptrdiff_t)y * rows * planes[i].stride + (ptrdiff_t)x * d->across[i] * c->size;
        for (int row = 0; row < rows; row++, to += planes[i].stride)
            for (int at = 0; at < bytes; at += 64) __builtin_prefetch(to + at, 1);
    }
}

static int transform_run(baseline *d, const nb_plane *planes, int x, int y, int mcus) {
    int is_in_reach = 1;
    for (int i = 0; i < d->frame->count; i++) {
        const nb_component *c = &d->frame->part[i];
        int at = x * d->across[i], blocks = mcus * d->across[i], left = c->blocks_x - at;
        for (int v = 0; v < d->down[i]; v++) {
            uint8_t *to = planes[i].data + (ptrdiff_t)(y * d->down[i] + v) * c->size * planes[i].stride;
            nb_block_row row = {row_of(d, i, v), c->quant, left < blocks ? left : blocks, blocks};
            is_in_reach &= nb_transform_row(&row, c->size, to + (ptrdiff_t)at * c->size, planes[i].stride);
        }
    }
    return is_in_reach;
}

static int decode_all(baseline *d, const nb_plane *planes) {
    for (int y = 0; y < d->mcus_y; y++)
        for (int x = 0; x < d->mcus_x; x += RUN) {
            int mcus = d->mcus_x - x < RUN ? d->mcus_x - x : RUN;
            prefetch_run(d, planes, x, y, mcus);
            if (!decode_run(d, mcus) || !transform_run(d, planes, x, y, mcus)) return 0;
        }
    return nb_segment_is_used(&d->coded) && nb_coded_is_at_end(&d->coded);
}

static const size_t most_coefficients = RUN * MOST_BLOCKS * 64 + 64;

int nb_decode_baseline(const nb_jpeg_frame *frame, const nb_plane *planes, nb_jpeg_context *context) {
    baseline d = {.frame = frame, .scan = &frame->scans[0]};
    lay_out(&d);
    const nb_table_pair *pairs[3];
    if (d.blocks > MOST_BLOCKS || !nb_context_tables(context, frame, d.scan, pairs, &d.index_bits)) return 0;

    size_t coefficients = ((size_t)RUN * d.blocks + 1) * 64 * sizeof(int16_t);
    int16_t *memory = nb_allocate(coefficients + NB_WINDOW_BYTES(WINDOW));
    if (!memory) return 0;
    memset(memory, 0, coefficients);
    int16_t *at = memory;
    for (int i = 0; i < frame->count; i++) d.rows[i] = at, at += RUN * d.across[i] * d.down[i] * 64;
    d.nowhere = at;
    make_steps(&d, pairs);
    nb_coded_start(&d.coded, (uint8_t *)memory + coefficients, WINDOW, d.scan->start, d.scan->end, frame->file_end);
    begin_segment(&d);
    int is_decoded = decode_all(&d, planes);
    nb_free(memory);
    return is_decoded;
}

size_t nb_baseline_memory(void) { return most_coefficients * sizeof(int16_t) + NB_WINDOW_BYTES(WINDOW); }

NB_DIRECT_END
#endif
