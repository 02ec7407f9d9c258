#include "direct.h"

#include <stdlib.h>
#include <string.h>

#include "vectors.h"
#include "lines.h"

struct nb_direct_resampler {
    int has_across, has_down, is_down_first;
    nb_weights across, down;
};

void nb_direct_resampler_free(nb_direct_resampler *self) {
#if NB_VECTORS
    if (self == NULL) return;
    nb_weights_free(&self->across);
    nb_weights_free(&self->down);
#endif
    free(self);
}

#if NB_VECTORS

/// The axis that zimg takes first; results differ, because those in between are rounded.
static int is_down_first(double across, double down) {
    double larger_across = across > 1 ? across : 1, larger_down = down > 1 ? down : 1;
    return !(larger_across * 2 + across * larger_down < larger_down + down * larger_across * 2);
}

nb_direct_resampler *nb_direct_resampler_make(const nb_resampling *what) {
    if (what->filter == NB_BOX || !nb_has_vectors()) return NULL;
    if (what->source_width <= 0 || what->source_height <= 0 || what->width <= 0 || what->height <= 0) return NULL;
    nb_direct_resampler *self = calloc(1, sizeof *self);
    if (self == NULL) return NULL;
    self->has_across = what->width != what->source_width || what->x != 0 || what->region_width != what->source_width;
    self->has_down = what->height != what->source_height || what->y != 0 || what->region_height != what->source_height;
    self->is_down_first = is_down_first(what->width / what->region_width, what->height / what->region_height);
    int made = self->has_across || self->has_down;
    if (made && self->has_across)
        made = nb_weights_make(&self->across, what->filter, what->source_width, what->width, what->x, what->region_width);
    if (made && self->has_down)
        made = nb_weights_make(&self->down, what->filter, what->source_height, what->height, what->y, what->region_height);
    if (made) return self;
    nb_direct_resampler_free(self);
    return NULL;
}

/// What a run holds: a row of the source, and as many resampled ones as a result may be made of.
typedef struct {
    int16_t *line, *ring;
    size_t ring_stride;
    const uint8_t **rows;
    void *memory;
} scratch;

static int make_scratch(const nb_direct_resampler *self, const nb_plane *source, const nb_plane *destination,
                        scratch *made) {
    size_t reach = self->has_down ? (size_t)self->down.reach : 1, rows = self->has_across && !self->is_down_first ? reach : 0;
    size_t taps = self->has_across ? (size_t)self->across.taps : 0;
    size_t line = ((size_t)source->width + taps + 2 * NB_LINE_SLACK) & ~(size_t)31;
    made->ring_stride = ((size_t)destination->width + 2 * NB_LINE_SLACK) & ~(size_t)31;
    size_t pointers = (reach * sizeof(uint8_t *) + 63) & ~(size_t)63;
    size_t count = pointers + sizeof(int16_t) * (line + made->ring_stride * rows);
    made->memory = nb_allocate(count);
    if (made->memory == NULL) return 0;
    memset(made->memory, 0, count);  // what is behind a line has no weight
    made->rows = made->memory;
    made->line = (int16_t *)(void *)((uint8_t *)made->memory + pointers);
    made->ring = made->line + line;
    return 1;
}

static void run_across(const nb_direct_resampler *self, const nb_plane *source, int32_t y, scratch *scratch, uint8_t *to,
                       nb_samples kind) {
    int are_bytes = source->sample_bytes == 1;
    nb_fill_line(nb_row(source, y), source->width, are_bytes, scratch->line);
    nb_resample_across(&self->across, scratch->line, are_bytes, to, kind);
}

/// Down first: a line of each result's rows, and that across.
static void run_down_first(const nb_direct_resampler *self, const nb_plane *source, const nb_plane *destination,
                           scratch *scratch, nb_samples kind) {
    for (int32_t y = 0; y < destination->height; y++) {
        for (int32_t i = 0; i < self->down.reach; i++) scratch->rows[i] = nb_row(source, self->down.first[y] + i);
        uint8_t *to = nb_row(destination, y), *line = (uint8_t *)scratch->line;
        nb_resample_down(&self->down, y, scratch->rows, kind, source->width, self->has_across ? line : to,
                         self->has_across ? NB_LINE : kind);
        if (self->has_across) nb_resample_across(&self->across, scratch->line, 0, to, kind);
    }
}

/// Across first: each row of the source once, kept while results need it. Only at an edge that the region goes beyond may a
/// result need rows above those of the one before.
static void run_across_first(const nb_direct_resampler *self, const nb_plane *source, const nb_plane *destination,
                             scratch *scratch, nb_samples kind) {
    int32_t reach = self->down.reach, next = 0;
    for (int32_t y = 0; y < destination->height; y++) {
        int32_t first = self->down.first[y];
        if (next < first || (y > 0 && first < self->down.first[y - 1])) next = first;
        for (; next < first + reach; next++) {
            int16_t *line = scratch->ring + (size_t)(next % reach) * scratch->ring_stride;
            run_across(self, source, next, scratch, (uint8_t *)line, NB_LINE);
        }
        for (int32_t i = 0; i < reach; i++)
            scratch->rows[i] = (uint8_t *)(scratch->ring + (size_t)((first + i) % reach) * scratch->ring_stride);
        nb_resample_down(&self->down, y, scratch->rows, NB_LINE, destination->width, nb_row(destination, y), kind);
    }
}

nb_status nb_direct_resampler_run(const nb_direct_resampler *self, const nb_plane *source, const nb_plane *destination,
                                  nb_error *error) {
    scratch scratch;
    if (!make_scratch(self, source, destination, &scratch)) return nb_fail(error, NB_MEMORY, "not enough memory");
    nb_samples kind = source->sample_bytes == 1 ? NB_BYTES : NB_WORDS;
    if (!self->has_down)
        for (int32_t y = 0; y < destination->height; y++)
            run_across(self, source, y, &scratch, nb_row(destination, y), kind);
    else if (!self->has_across || self->is_down_first) run_down_first(self, source, destination, &scratch, kind);
    else run_across_first(self, source, destination, &scratch, kind);
    nb_free(scratch.memory);
    return NB_OK;
}

#else

nb_direct_resampler *nb_direct_resampler_make(const nb_resampling *what) {
    (void)what;
    return NULL;
}

nb_status nb_direct_resampler_run(const nb_direct_resampler *self, const nb_plane *source, const nb_plane *destination,
                                  nb_error *error) {
    (void)self, (void)source, (void)destination;
    return nb_fail(error, NB_PROCESSING, "no direct resampler");
}

#endif
