#include "direct.h"

#include <stdlib.h>
#include <string.h>

#include <libdeflate.h>

#include "inflate.h"
#include "unfilter.h"

/// Inflated data come and go through a window that stays in the processor's cache: as far as a match reaches back, a part of
/// some rows, and room for more.
enum { ROOM = 65536 };

typedef struct {
    const nb_png_pixels *pixels;
    size_t row_bytes, step;
    int is_plain;                // rows of the file are as those of the planes, but interleaved
    uint8_t *row, *above, *expanded;
    nb_shrinker shrinker;
    int32_t y;
} rows;

/// Takes a filtered row.
static int add_row(rows *self, const uint8_t *filtered) {
    if (!nb_unfilter(filtered[0], filtered + 1, self->above, self->row, self->row_bytes, self->step)) return 0;
    const uint8_t *packed = self->row;
    if (!self->is_plain) {
        nb_png_expand_row(self->pixels, self->row, self->expanded, self->shrinker.channels, self->shrinker.wide);
        packed = self->expanded;
    }
    nb_shrinker_add(&self->shrinker, packed);
    uint8_t *swap = self->row;
    self->row = self->above;
    self->above = swap;
    self->y++;
    return 1;
}

static int read_rows(rows *self, nb_inflater *inflater, nb_idat *idat, uint8_t *window, size_t size) {
    size_t row = self->row_bytes + 1, expected = row * (size_t)self->pixels->height;
    if (!nb_inflate_begin(inflater, idat, expected)) return 0;
    uint8_t *to = window, *unread = window, *limit = window + size - NB_INFLATE_SLACK;
    uint32_t adler = 1;
    nb_inflate_state state = NB_INFLATE_MORE;
    while (state == NB_INFLATE_MORE) {
        uint8_t *from = to;
        // One byte more than expected is one too many.
        uint8_t *target = expected < (size_t)(limit - to) ? to + expected + 1 : limit;
        state = nb_inflate_run(inflater, window, &to, target);
        if (state == NB_INFLATE_BROKEN || (size_t)(to - from) > expected) return 0;
        expected -= (size_t)(to - from);
        adler = libdeflate_adler32(adler, from, (size_t)(to - from));
        for (; (size_t)(to - unread) >= row; unread += row)
            if (!add_row(self, unread)) return 0;
        const uint8_t *keep = to - window > NB_INFLATE_HISTORY ? to - NB_INFLATE_HISTORY : window;
        if (keep > unread) keep = unread;
        memmove(window, keep, (size_t)(to - keep));
        unread -= keep - window;
        to -= keep - window;
    }
    if (expected != 0 || !nb_inflate_ends(inflater, adler)) return 0;
    idat->longest = self->pixels->longest;
    return nb_idat_ends(idat);
}

static size_t padded(size_t count) { return (count + 2 * NB_UNFILTER_PADDING + 15) & ~(size_t)15; }

nb_status nb_png_decode_pixels(const nb_png_pixels *pixels, const nb_target *target, nb_error *error) {
    int channels = target->channels, wide = target->planes[0].sample_bytes == 2, has_alpha = channels == 2 || channels == 4;
    size_t bits = (size_t)pixels->samples * (size_t)pixels->depth, row_bytes = ((size_t)pixels->width * bits + 7) / 8;
    size_t expanded = padded((size_t)pixels->width * (size_t)channels * (wide ? 2u : 1u));
    size_t window = NB_INFLATE_HISTORY + row_bytes + 1 + ROOM + NB_INFLATE_SLACK;
    if (row_bytes + 1 > SIZE_MAX / 2 / (size_t)pixels->height) return NB_UNSUPPORTED;
    rows self = {.pixels = pixels, .row_bytes = row_bytes, .step = bits < 8 ? 1 : bits / 8};
    self.is_plain = !pixels->has_palette && !pixels->has_key && pixels->depth == 8 && !wide;
    // libpng takes IDATs up to what the image has inflated, and a little more.
    size_t total = (row_bytes + 1) * (size_t)pixels->height;
    nb_idat idat = {pixels->idat, pixels->left, total > pixels->longest ? total : pixels->longest};
    nb_inflater *inflater = malloc(sizeof *inflater);
    uint8_t *memory = calloc(1, 2 * padded(row_bytes) + expanded + window);
    nb_status status = NB_UNSUPPORTED;
    if (inflater == NULL || memory == NULL ||
        !nb_shrinker_start(&self.shrinker, target, has_alpha, pixels->width, pixels->height)) {
        status = nb_fail(error, NB_MEMORY, "not enough memory");
    } else {
        self.row = memory + NB_UNFILTER_PADDING;
        self.above = self.row + padded(row_bytes);
        self.expanded = memory + 2 * padded(row_bytes);
        if (read_rows(&self, inflater, &idat, self.expanded + expanded, window)) status = NB_OK;
        nb_shrinker_end(&self.shrinker);
    }
    free(memory);
    free(inflater);
    return status;
}
