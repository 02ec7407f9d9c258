// From the bytes of a file to its frame and scans (ITU-T T.81, annex B), as strict as libjpeg with its warnings as errors.
#include "frame.h"

#include "blocks.h"

#include <stdlib.h>

#if NB_DIRECT
NB_DIRECT_BEGIN

enum {
    SOF0 = 0xC0, SOF1 = 0xC1, SOF2 = 0xC2, DHT = 0xC4, RST0 = 0xD0, SOI = 0xD8, EOI = 0xD9, SOS = 0xDA, DQT = 0xDB,
    DRI = 0xDD, APP0 = 0xE0, APP14 = 0xEE, APP15 = 0xEF, COM = 0xFE,
};

// A file while it is read. The functions below return 0 for what is left to libjpeg.
typedef struct {
    nb_jpeg_frame *frame;
    const uint8_t *at, *end;
    int scale, found_frame;
    uint16_t quant[4][64];
    int has_quant[4];
    nb_huffman_definition dc[4], ac[4];
    int restart_interval;
} file;

static int be16(const uint8_t *p) { return p[0] << 8 | p[1]; }

static int ceil_div(int value, int by) { return (value + by - 1) / by; }

// The size that jpeg_calc_output_dimensions gives; see dct_size in jpeg_decode.c.
static int block_size(const nb_jpeg_frame *f, const nb_component *c, int scale) {
    int size = scale;
    while (size < 8 && f->max_horizontal * scale % (c->horizontal * size * 2) == 0 &&
           f->max_vertical * scale % (c->vertical * size * 2) == 0)
        size *= 2;
    return size;
}

static int read_components(nb_jpeg_frame *f, const uint8_t *p) {
    f->max_horizontal = f->max_vertical = 1;
    for (int i = 0; i < f->count; i++, p += 3) {
        nb_component *c = &f->part[i];
        c->id = p[0], c->horizontal = p[1] >> 4, c->vertical = p[1] & 15, c->quantisation = p[2];
        if (c->horizontal < 1 || c->horizontal > 4 || c->vertical < 1 || c->vertical > 4 || c->quantisation > 3) return 0;
        for (int j = 0; j < i; j++)
            if (f->part[j].id == c->id) return 0;
        if (c->horizontal > f->max_horizontal) f->max_horizontal = c->horizontal;
        if (c->vertical > f->max_vertical) f->max_vertical = c->vertical;
    }
    return 1;
}

static int read_start_of_frame(file *file, const uint8_t *p, int length, int marker) {
    nb_jpeg_frame *f = file->frame;
    if (file->found_frame || length < 6 || p[0] != 8) return 0;
    f->height = be16(p + 1), f->width = be16(p + 3), f->count = p[5];
    f->is_progressive = marker == SOF2;
    if (f->width == 0 || f->height == 0 || (f->count != 1 && f->count != 3)) return 0;
    if (length != 6 + 3 * f->count || !read_components(f, p + 6)) return 0;
    int width = 8 * f->max_horizontal, height = 8 * f->max_vertical;  // of an MCU
    f->mcus_x = ceil_div(f->width, width), f->mcus_y = ceil_div(f->height, height);
    for (int i = 0; i < f->count; i++) {
        nb_component *c = &f->part[i];
        if (f->max_horizontal % c->horizontal || f->max_vertical % c->vertical) return 0;
        c->blocks_x = ceil_div(f->width * c->horizontal, width);
        c->blocks_y = ceil_div(f->height * c->vertical, height);
        c->padded_x = (f->mcus_x * c->horizontal + 1) & ~1;
        c->size = block_size(f, c, file->scale);
    }
    file->found_frame = 1;
    return 1;
}

static int read_quantisation(file *file, const uint8_t *p, int length) {
    while (length > 0) {
        int wide = p[0] >> 4, index = p[0] & 15, bytes = wide ? 128 : 64;
        if (wide > 1 || index > 3 || length < 1 + bytes) return 0;
        for (int i = 0; i < 64; i++) file->quant[index][i] = (uint16_t)(wide ? be16(p + 1 + 2 * i) : p[1 + i]);
        file->has_quant[index] = 1;
        p += 1 + bytes, length -= 1 + bytes;
    }
    return 1;
}

static int read_huffman(file *file, const uint8_t *p, int length) {
    while (length > 0) {
        if (length < 17) return 0;
        int kind = p[0] >> 4, index = p[0] & 15;
        if (kind > 1 || index > 3) return 0;
        nb_huffman_definition *t = kind ? &file->ac[index] : &file->dc[index];
        t->total = 0;
        for (int i = 1; i <= 16; i++) t->total += t->counts[i] = p[i];
        if (t->total > 256 || length < 17 + t->total) return 0;
        memset(t->symbols, 0, sizeof t->symbols);
        memcpy(t->symbols, p + 17, (size_t)t->total);
        t->is_defined = 1;
        p += 17 + t->total, length -= 17 + t->total;
    }
    return 1;
}

// A component keeps the table that is defined when its first scan begins.
static int keep_quantisation(const file *file, nb_component *c) {
    if (c->is_quantised) return 1;
    if (!file->has_quant[c->quantisation]) return 0;
    for (int k = 0; k < 64; k++)
        c->quant[nb_place[k]] = c->quant[nb_place[k] + 8] = (int16_t)file->quant[c->quantisation][k];
    c->is_quantised = 1;
    return 1;
}

static int is_progression(const nb_scan *s) {
    if (s->spectral_start > s->spectral_end || s->spectral_end > 63) return 0;
    if (s->spectral_start == 0 ? s->spectral_end != 0 : s->count != 1) return 0;
    return s->low_bit <= 10 && (s->high_bit == 0 || s->high_bit == s->low_bit + 1);
}

static int read_scan_component(file *file, nb_scan *s, int i, const uint8_t *p) {
    nb_jpeg_frame *f = file->frame;
    int index = 0, dc = p[1] >> 4, ac = p[1] & 15;
    while (index < f->count && f->part[index].id != p[0]) index++;
    if (index == f->count || (i && index <= s->part[i - 1]) || dc > 3 || ac > 3) return 0;
    s->part[i] = index;
    if (s->spectral_start == 0 && s->high_bit == 0) {
        if (!file->dc[dc].is_defined) return 0;
        s->dc[i] = file->dc[dc];
    }
    if (s->spectral_end > 0) {
        if (!file->ac[ac].is_defined) return 0;
        s->ac[i] = file->ac[ac];
    }
    return keep_quantisation(file, &f->part[index]);
}

// Most files have one scan, so that room for more is made as they come, twice as much each time.
static nb_scan *add_scan(nb_jpeg_frame *f) {
    int n = f->scan_count;
    if ((n & (n - 1)) == 0) {
        nb_scan *more = realloc(f->scans, (size_t)(n ? 2 * n : 1) * sizeof *more);
        if (!more) return NULL;
        f->scans = more;
    }
    return memset(&f->scans[n], 0, sizeof *f->scans);
}

static int read_scan(file *file, const uint8_t *p, int length) {
    nb_jpeg_frame *f = file->frame;
    if (!file->found_frame || f->scan_count == NB_JPEG_SCANS || length < 1) return 0;
    nb_scan *s = add_scan(f);
    if (!s) return 0;
    s->count = p[0];
    if (s->count < 1 || s->count > f->count || length != 4 + 2 * s->count) return 0;
    const uint8_t *spectrum = p + 1 + 2 * s->count;
    s->spectral_start = spectrum[0], s->spectral_end = spectrum[1];
    s->high_bit = spectrum[2] >> 4, s->low_bit = spectrum[2] & 15;
    if (f->is_progressive ? !is_progression(s)
                          : s->spectral_start != 0 || s->spectral_end != 63 || s->high_bit || s->low_bit)
        return 0;
    int blocks = 0;
    for (int i = 0; i < s->count; i++) {
        if (!read_scan_component(file, s, i, p + 1 + 2 * i)) return 0;
        blocks += f->part[s->part[i]].horizontal * f->part[s->part[i]].vertical;
    }
    if (s->count > 1 && blocks > 10) return 0;
    s->restart_interval = file->restart_interval;
    s->start = file->at;
    s->end = file->at = nb_find_scan_end(file->at, file->end);
    if (!s->end) return 0;
    f->scan_count++;
    return 1;
}

// libjpeg warns of these two.
static int is_usual_application_data(const uint8_t *p, int length, int marker) {
    if (marker == APP0 && length >= 14 && !memcmp(p, "JFIF", 5)) return p[5] == 1;
    if (marker == APP14 && length >= 12 && !memcmp(p, "Adobe", 5)) return p[11] <= 1;
    return 1;
}

static int read_segment(file *file, const uint8_t *p, int length, int marker) {
    switch (marker) {
        case SOF0: case SOF1: case SOF2: return read_start_of_frame(file, p, length, marker);
        case DHT: return read_huffman(file, p, length);
        case DQT: return read_quantisation(file, p, length);
        case SOS: return read_scan(file, p, length);
        case COM: return 1;
        case DRI:
            if (length != 2) return 0;
            file->restart_interval = be16(p);
            return 1;
        default:
            return marker >= APP0 && marker <= APP15 && is_usual_application_data(p, length, marker);
    }
}

static int read_markers(file *file) {
    const uint8_t *end = file->end;
    if (end - file->at < 4 || file->at[0] != 0xFF || file->at[1] != SOI) return 0;
    file->at += 2;
    for (;;) {
        if (end - file->at < 2 || file->at[0] != 0xFF) return 0;
        int marker = file->at[1];
        if (marker == 0xFF) {
            file->at++;
            continue;
        }
        file->at += 2;
        if (marker == EOI) return file->frame->scan_count > 0;
        if (marker <= 1 || (marker >= RST0 && marker <= SOI) || end - file->at < 2) return 0;
        int length = be16(file->at) - 2;
        const uint8_t *p = file->at + 2;
        if (length < 0 || end - p < length) return 0;
        file->at = p + length;
        if (!read_segment(file, p, length, marker)) return 0;
    }
}

int nb_read_frame(nb_jpeg_frame *frame, const uint8_t *bytes, size_t count, int scale) {
    file *reading = calloc(1, sizeof *reading);
    memset(frame, 0, sizeof *frame);
    if (!reading) return 0;
    frame->file_end = bytes + count;
    reading->frame = frame;
    reading->at = bytes, reading->end = bytes + count;
    reading->scale = scale;
    int is_read = read_markers(reading);
    free(reading);
    return is_read;
}

void nb_frame_free(nb_jpeg_frame *frame) { free(frame->scans); }

NB_DIRECT_END
#endif
