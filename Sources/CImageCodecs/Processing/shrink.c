// Box averages by integer factors, row by row, while an image is decoded.
#include "internal.h"

#include <stdlib.h>
#include <string.h>

int nb_shrinker_start(nb_shrinker *self, const nb_plane *planes, int channels, int has_alpha, int factor,
                      int32_t width, int32_t height) {
    *self = (nb_shrinker){planes, channels, has_alpha, factor, planes[0].sample_bytes == 2, width, height, 0, 0, NULL};
    if (factor == 1) return 1;
    self->sums = calloc((size_t)width * (size_t)channels, sizeof *self->sums);
    return self->sums != NULL;
}

void nb_shrinker_end(nb_shrinker *self) {
    free(self->sums);
    self->sums = NULL;
}

static inline void add_row(nb_shrinker *self, const uint8_t *packed, int wide) {
    size_t count = (size_t)self->width * (size_t)self->channels;
    if (!self->has_alpha) {
        for (size_t i = 0; i < count; i++) self->sums[i] += nb_get(packed, (ptrdiff_t)i, wide);
        return;
    }
    int channels = self->channels, colors = channels - 1;
    for (size_t i = 0; i < count; i += (size_t)channels) {
        uint64_t alpha = nb_get(packed, (ptrdiff_t)i + colors, wide);
        for (int c = 0; c < colors; c++) self->sums[i + (size_t)c] += alpha * nb_get(packed, (ptrdiff_t)i + c, wide);
        self->sums[i + (size_t)colors] += alpha;
    }
}

static inline void give_row(nb_shrinker *self, int32_t rows, int wide) {
    int channels = self->channels, colors = channels - self->has_alpha;
    uint8_t *to[4];
    for (int c = 0; c < channels; c++) to[c] = nb_row(&self->planes[c], self->row);
    const uint64_t *from = self->sums;
    for (int32_t x = 0, left = self->width; left > 0; x++, left -= self->factor) {
        int32_t columns = left < self->factor ? left : self->factor;
        uint64_t sums[4] = {0, 0, 0, 0}, pixels = (uint64_t)columns * (uint64_t)rows;
        for (int32_t i = 0; i < columns; i++, from += channels)
            for (int c = 0; c < channels; c++) sums[c] += from[c];
        uint64_t weight = self->has_alpha ? sums[colors] : pixels;
        for (int c = 0; c < colors; c++)
            nb_put(to[c], x, wide, weight == 0 ? 0 : (uint32_t)((sums[c] + weight / 2) / weight));
        if (self->has_alpha) nb_put(to[colors], x, wide, (uint32_t)((sums[colors] + pixels / 2) / pixels));
    }
    memset(self->sums, 0, sizeof *self->sums * (size_t)self->width * (size_t)channels);
}

void nb_shrinker_add(nb_shrinker *self, const uint8_t *packed) {
    if (self->next >= self->height) return;
    int32_t y = self->next++;
    if (self->factor == 1) {
        nb_plane lines[4];
        for (int c = 0; c < self->channels; c++) lines[c] = nb_line(&self->planes[c], y);
        nb_deinterleave(packed, 0, lines, self->channels);
        return;
    }
    if (self->wide) add_row(self, packed, 1);
    else add_row(self, packed, 0);
    int32_t rows = y % self->factor + 1;
    if (rows < self->factor && self->next < self->height) return;
    if (self->wide) give_row(self, rows, 1);
    else give_row(self, rows, 0);
    self->row++;
}

int nb_shrink(const uint8_t *packed, size_t stride, int32_t width, int32_t height, const nb_plane *planes,
              int channels, int has_alpha, int factor) {
    nb_shrinker shrinker;
    if (!nb_shrinker_start(&shrinker, planes, channels, has_alpha, factor, width, height)) return 0;
    for (int32_t y = 0; y < height; y++) nb_shrinker_add(&shrinker, packed + (size_t)y * stride);
    nb_shrinker_end(&shrinker);
    return 1;
}
