// Box averages by integer factors, row by row, while an image is decoded.
#include "internal.h"

#include <stdlib.h>
#include <string.h>

// Samples of 8 bits, multiplied by alpha, fit 65 000 times into a sum of 32 bits; factors are far below.
static size_t sum_bytes(const nb_shrinker *self) { return self->wide ? 8 : 4; }

static inline uint64_t get_sum(const void *sums, size_t index, int wide) {
    return wide ? ((const uint64_t *)sums)[index] : ((const uint32_t *)sums)[index];
}

static inline void add_to_sum(void *sums, size_t index, int wide, uint32_t value, uint32_t weight) {
    if (wide) ((uint64_t *)sums)[index] += (uint64_t)value * weight;
    else ((uint32_t *)sums)[index] += value * weight;
}

int nb_shrinker_start(nb_shrinker *self, const nb_target *target, int has_alpha, int32_t width, int32_t height) {
    int wide = target->planes[0].sample_bytes == 2;
    *self = (nb_shrinker){target->planes, target->channels, has_alpha, target->factor, wide, width, height, 0, 0, NULL};
    if (self->factor == 1) return 1;
    self->sums = calloc((size_t)width * (size_t)self->channels, sum_bytes(self));
    return self->sums != NULL;
}

void nb_shrinker_end(nb_shrinker *self) {
    free(self->sums);
    self->sums = NULL;
}

// The kernels are inlined with the depth and the channels as constants.

static inline void add_row(nb_shrinker *self, const uint8_t *restrict packed, int wide, int channels) {
    int colors = channels - self->has_alpha;
    void *restrict sums = self->sums;
    size_t count = (size_t)self->width * (size_t)channels;
    if (colors == channels) {
        for (size_t i = 0; i < count; i++) add_to_sum(sums, i, wide, nb_get(packed, (ptrdiff_t)i, wide), 1);
        return;
    }
    for (size_t i = 0; i < count; i += (size_t)channels) {
        uint32_t alpha = nb_get(packed, (ptrdiff_t)i + channels - 1, wide);
        for (int c = 0; c < channels - 1; c++)
            add_to_sum(sums, i + (size_t)c, wide, nb_get(packed, (ptrdiff_t)i + c, wide), alpha);
        add_to_sum(sums, i + (size_t)channels - 1, wide, alpha, 1);
    }
}

static inline void give_row(nb_shrinker *self, int32_t rows, int wide, int channels) {
    int colors = channels - self->has_alpha;
    uint8_t *to[NB_MOST_CHANNELS];
    for (int c = 0; c < channels; c++) to[c] = nb_row(&self->planes[c], self->row);
    size_t from = 0;
    for (int32_t x = 0, left = self->width; left > 0; x++, left -= self->factor) {
        int32_t columns = left < self->factor ? left : self->factor;
        uint64_t sums[NB_MOST_CHANNELS] = {0}, pixels = (uint64_t)columns * (uint64_t)rows;
        for (int32_t i = 0; i < columns; i++, from += (size_t)channels)
            for (int c = 0; c < channels; c++) sums[c] += get_sum(self->sums, from + (size_t)c, wide);
        uint64_t weight = self->has_alpha ? sums[channels - 1] : pixels;
        for (int c = 0; c < colors; c++)
            nb_put(to[c], x, wide, weight == 0 ? 0 : (uint32_t)((sums[c] + weight / 2) / weight));
        if (self->has_alpha) nb_put(to[channels - 1], x, wide, (uint32_t)((sums[channels - 1] + pixels / 2) / pixels));
    }
    memset(self->sums, 0, sum_bytes(self) * (size_t)self->width * (size_t)channels);
}

#define BY_CHANNELS(kernel, self, argument, wide) \
    switch ((self)->channels) { \
        case 1: kernel(self, argument, wide, 1); break; \
        case 2: kernel(self, argument, wide, 2); break; \
        case 3: kernel(self, argument, wide, 3); break; \
        case 4: kernel(self, argument, wide, 4); break; \
        default: kernel(self, argument, wide, NB_MOST_CHANNELS); break; \
    }

void nb_shrinker_add(nb_shrinker *self, const uint8_t *packed) {
    if (self->next >= self->height) return;
    int32_t y = self->next++;
    if (self->factor == 1) {
        nb_plane lines[NB_MOST_CHANNELS];
        for (int c = 0; c < self->channels; c++) lines[c] = nb_line(&self->planes[c], y);
        nb_deinterleave(packed, 0, lines, self->channels);
        return;
    }
    if (self->wide) BY_CHANNELS(add_row, self, packed, 1)
    else BY_CHANNELS(add_row, self, packed, 0)
    int32_t rows = y % self->factor + 1;
    if (rows < self->factor && self->next < self->height) return;
    if (self->wide) BY_CHANNELS(give_row, self, rows, 1)
    else BY_CHANNELS(give_row, self, rows, 0)
    self->row++;
}

int nb_shrink(const uint8_t *packed, size_t stride, int32_t width, int32_t height, const nb_target *target, int has_alpha) {
    nb_shrinker shrinker;
    if (!nb_shrinker_start(&shrinker, target, has_alpha, width, height)) return 0;
    for (int32_t y = 0; y < height; y++) nb_shrinker_add(&shrinker, packed + (size_t)y * stride);
    nb_shrinker_end(&shrinker);
    return 1;
}
