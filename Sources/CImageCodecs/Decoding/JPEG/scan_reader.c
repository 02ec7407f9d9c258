#include "scan_reader.h"

#if NB_DIRECT
NB_DIRECT_BEGIN

#define WINDOW 16384
#define STRETCH 32  // blocks that are read before the window is looked at again

// Tables lie before the window. Of their union, a scan has what it needs.
static size_t tables_size(const nb_scan *s) {
    int tables = s->spectral_end == 0 ? 0 : s->high_bit ? 1 : s->count;
    return (offsetof(nb_scan_tables, ac) + (size_t)tables * sizeof(nb_lookup_table) + 63) & ~(size_t)63;
}

size_t nb_scan_memory(const nb_scan *scan) { return tables_size(scan) + NB_WINDOW_BYTES(WINDOW); }

// A scan of all three components' AC coefficients is a baseline file's, which has at most three scans.
size_t nb_most_scan_memory(void) {
    return offsetof(nb_scan_tables, ac) + sizeof(nb_lookup_table) + 64 + NB_WINDOW_BYTES(WINDOW);
}

static int make_tables(nb_scan_tables *tables, const nb_scan *s) {
    ptrdiff_t bytes = s->end - s->start;
    tables->ac_bits = bytes < 2000 ? 8 : bytes < 16000 ? 9 : bytes < 64000 ? 10 : 11;
    for (int i = 0; i < s->count; i++) {
        if (s->spectral_start == 0 && s->high_bit == 0) {
            for (int j = 0; j < s->dc[i].total; j++)
                if (s->dc[i].symbols[j] > 15) return 0;
            if (!nb_make_codes(&s->dc[i], &tables->dc_codes[i])) return 0;
            nb_make_short_codes(&s->dc[i], NB_SHORT_BITS, tables->dc[i]);
        }
        if (s->spectral_end == 0) continue;
        if (s->high_bit) {
            if (!nb_make_codes(&s->ac[i], &tables->refine.codes)) return 0;
            nb_make_short_codes(&s->ac[i], NB_REFINE_BITS, tables->refine.symbols);
        } else if (!nb_make_ac_table(&s->ac[i], tables->ac_bits, &tables->ac[i])) {
            return 0;
        }
    }
    return 1;
}

static void begin_segment(nb_scan_reader *r) {
    memset(r->dc, 0, sizeof r->dc);
    r->end_run = 0;
    r->to_restart = r->scan->restart_interval ? r->scan->restart_interval : INT32_MAX;
}

int nb_scan_start(nb_scan_reader *r, const nb_scan *scan, const uint8_t *file_end, void *memory) {
    r->scan = scan;
    r->tables = memory;
    if (!make_tables(r->tables, scan)) return 0;
    uint8_t *window = (uint8_t *)memory + tables_size(scan);
    nb_coded_start(&r->coded, window, WINDOW, scan->start, scan->end, file_end);
    begin_segment(r);
    return 1;
}

static int is_used_up(nb_scan_reader *r) { return r->end_run == 0 && nb_segment_is_used(&r->coded); }

int nb_scan_is_at_end(nb_scan_reader *r) { return is_used_up(r) && nb_coded_is_at_end(&r->coded); }

static int restart_if_due(nb_scan_reader *r) {
    if (r->to_restart > 0) return 1;
    if (!is_used_up(r) || !nb_next_segment(&r->coded)) return 0;
    begin_segment(r);
    return 1;
}

// The DC coefficient of component `i` of the scan. Coefficients are 16 bits that wrap; sums that libjpeg would refuse
// are refused.
NB_INLINE int read_dc(nb_scan_reader *r, nb_bit_reader *b, int i, int16_t *to) {
    int difference;
    if (!nb_read_dc(b, r->tables, i, &difference)) return 0;
    r->dc[i] += (uint32_t)difference;
    to[0] = (int16_t)(r->dc[i] << r->scan->low_bit);
    return r->dc[i] + (1u << 30) <= 1u << 31;
}

// A block that has its DC coefficient in this scan: of a progressive file without AC coefficients, of another with all.
NB_INLINE int read_block(nb_scan_reader *r, nb_bit_reader *b, int i, int16_t *to) {
    const nb_scan *s = r->scan;
    if (s->high_bit) {
        nb_refine_dc(b, s->low_bit, to);
        return 1;
    }
    if (!read_dc(r, b, i, to)) return 0;
    if (s->spectral_end == 0) return 1;
    nb_band all = {1, 63, 0};
    return nb_read_first(b, &r->tables->ac[i], r->tables->ac_bits, 0, all, to, NULL, &r->end_run) && r->end_run == 0;
}

static int read_with_dc(nb_scan_reader *r, int16_t *row, int x, int end, const uint8_t *limit) {
    nb_bit_reader b = r->coded.bits;
    for (; x < end; x++)
        if (!read_block(r, &b, 0, nb_block_at(row, x)) || b.next > limit) return 0;
    r->coded.bits = b;
    return 1;
}

static int read_first(nb_scan_reader *r, int16_t *row, uint64_t *known, int x, int end, const uint8_t *limit) {
    nb_bit_reader b = r->coded.bits;
    const nb_scan *s = r->scan;
    const nb_band band = {(unsigned)s->spectral_start, (unsigned)s->spectral_end, s->low_bit};
    const nb_lookup_table *table = &r->tables->ac[0];
    const int bits = r->tables->ac_bits;
    uint32_t end_run = r->end_run;
    while (x < end) {
        if (end_run) {
            int passed = end_run < (uint32_t)(end - x) ? (int)end_run : end - x;
            x += passed, end_run -= (uint32_t)passed;
            continue;
        }
        int16_t *to = nb_block_at(row, x);
        if (!nb_read_first(&b, table, bits, band.start - 1, band, to, known ? &known[x] : NULL, &end_run)) return 0;
        if (b.next > limit) return 0;
        x++;
    }
    r->coded.bits = b, r->end_run = end_run;
    return 1;
}

static int read_refinement(nb_scan_reader *r, int16_t *row, uint64_t *known, int x, int end, const uint8_t *limit) {
    nb_bit_reader b = r->coded.bits;
    const nb_scan *s = r->scan;
    const uint64_t band = ~0ull >> s->spectral_start & ~0ull << (63 - s->spectral_end);
    uint32_t end_run = r->end_run;
    for (; x < end; x++) {
        if (end_run && !(known[x] & band)) {
            end_run--;
            continue;
        }
        if (!nb_refine(&b, r->tables, band, s->low_bit, nb_block_at(row, x), &known[x], &end_run)) return 0;
        if (b.next > limit) return 0;
    }
    r->coded.bits = b, r->end_run = end_run;
    return 1;
}

// A row of blocks of a scan of one component, where an MCU is a block.
static int read_alone(nb_scan_reader *r, const nb_component *c, int16_t *row, uint64_t *known) {
    const nb_scan *s = r->scan;
    for (int x = 0; x < c->blocks_x;) {
        if (!restart_if_due(r)) return 0;
        int count = c->blocks_x - x < STRETCH ? c->blocks_x - x : STRETCH;
        if (count > r->to_restart) count = r->to_restart;
        nb_need_blocks(&r->coded, count);
        const uint8_t *limit = nb_read_limit(&r->coded);
        int is_read = s->spectral_start == 0 ? read_with_dc(r, row, x, x + count, limit)
                      : s->high_bit         ? read_refinement(r, row, known, x, x + count, limit)
                                            : read_first(r, row, known, x, x + count, limit);
        if (!is_read) return 0;
        x += count, r->to_restart -= count;
    }
    return 1;
}

static int read_mcu(nb_scan_reader *r, nb_bit_reader *b, const nb_jpeg_frame *f, int x, const nb_coefficients *into) {
    for (int i = 0; i < r->scan->count; i++) {
        const nb_component *c = &f->part[r->scan->part[i]];
        int16_t *row = into[r->scan->part[i]].blocks;
        for (int v = 0; v < c->vertical; v++, row += c->padded_x * 64)
            for (int h = 0; h < c->horizontal; h++)
                if (!read_block(r, b, i, nb_block_at(row, x * c->horizontal + h))) return 0;
    }
    return 1;
}

// An MCU has at most ten blocks.
static int read_together(nb_scan_reader *r, const nb_jpeg_frame *f, const nb_coefficients *into) {
    for (int x = 0; x < f->mcus_x;) {
        if (!restart_if_due(r)) return 0;
        int count = f->mcus_x - x < STRETCH / 10 ? f->mcus_x - x : STRETCH / 10;
        if (count > r->to_restart) count = r->to_restart;
        nb_need_blocks(&r->coded, STRETCH);
        const uint8_t *limit = nb_read_limit(&r->coded);
        nb_bit_reader b = r->coded.bits;
        for (int end = x + count; x < end; x++)
            if (!read_mcu(r, &b, f, x, into) || b.next > limit) return 0;
        r->coded.bits = b;
        r->to_restart -= count;
    }
    return 1;
}

int nb_scan_read_row(nb_scan_reader *r, const nb_jpeg_frame *f, int y, const nb_coefficients *into) {
    if (r->scan->count > 1) return read_together(r, f, into);
    int part = r->scan->part[0];
    const nb_component *c = &f->part[part];
    for (int v = 0; v < c->vertical && y * c->vertical + v < c->blocks_y; v++) {
        uint64_t *known = into[part].known ? into[part].known + v * c->padded_x : NULL;
        if (!read_alone(r, c, into[part].blocks + v * c->padded_x * 64, known)) return 0;
    }
    return 1;
}

NB_DIRECT_END
#endif
