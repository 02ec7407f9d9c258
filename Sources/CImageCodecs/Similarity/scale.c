#include "scale.h"

#include <string.h>

static float *zeroed(size_t count) {
    float *samples = nb_allocate(count * sizeof(float));
    if (samples) memset(samples, 0, count * sizeof(float));
    return samples;
}

/// All rows are parts of one allocation, in the order of their use.
int nb_scale_allocate(nb_scale *self) {
    self->stride = ((size_t)self->width + nb_lanes - 1) & ~(size_t)(nb_lanes - 1);
    size_t ring = self->stride * nb_taps, padded = self->stride + 2 * nb_margin, count = 0;
    for (int i = 0; i < 3; i++) {
        nb_scale_channel *channel = &self->channels[i];
        if (channel->has_structure || channel->has_edges) count += ring * (channel->has_structure ? 4 : 2);
    }
    // A row is halved in pairs of vectors, which read up to one vector beyond it.
    count += self->stride * 15 + 4 * padded + 2 * nb_lanes;
    float *at = self->zeros = zeroed(count);
    if (!at) return 0;
    at += self->stride;
    for (int image = 0; image < 2; image++) {
        for (int i = 0; i < 3; i++) self->upper[image][i] = at, at += self->stride;
        for (int i = 0; i < 3; i++) self->halved[image][i] = at, at += self->stride;
        self->spare[image] = at, at += self->stride;
    }
    self->scratch = at, at += 4 * padded;
    for (int i = 0; i < 3; i++) {
        nb_scale_channel *channel = &self->channels[i];
        if (!channel->has_structure && !channel->has_edges) continue;
        channel->reference = at, at += ring;
        channel->other = at, at += ring;
        if (!channel->has_structure) continue;
        channel->squares = at, at += ring;
        channel->differences = at, at += ring;
    }
    return 1;
}

void nb_scale_free(nb_scale *self) { nb_free(self->zeros); }

/// The nine rows of a ring around the row `middle`; rows outside the image are black, as the published blur has it.
static void around(const nb_scale *self, const float *ring, int32_t middle, const float *rows[nb_taps]) {
    for (int i = 0; i < nb_taps; i++) {
        int32_t row = middle - nb_taps / 2 + i;
        rows[i] = row < 0 || row >= self->height ? self->zeros : ring + (size_t)(row % nb_taps) * self->stride;
    }
}

static void add_row(nb_scale *self, int32_t middle) {
    for (int i = 0; i < 3; i++) {
        nb_scale_channel *channel = &self->channels[i];
        if (!channel->reference) continue;
        nb_map_rows rows;
        around(self, channel->reference, middle, rows.reference);
        around(self, channel->other, middle, rows.other);
        if (channel->has_structure) {
            around(self, channel->squares, middle, rows.squares);
            around(self, channel->differences, middle, rows.differences);
        }
        self->functions->add_maps(&rows, self->width, channel->has_structure, channel->has_edges, self->scratch,
                                  &channel->sums);
    }
}

/// Gives the next scale the mean of the row above and this one.
static void hand_on(nb_scale *self, const float *const lower[2][3]) {
    for (int image = 0; image < 2; image++)
        for (int i = 0; i < 3; i++)
            self->functions->halve(self->upper[image][i], lower[image][i], self->halved[image][i], self->width);
    nb_scale_take(self->next, (const float *const *)self->halved[0], (const float *const *)self->halved[1]);
}

void nb_scale_take(nb_scale *self, const float *const reference[3], const float *const other[3]) {
    const float *const images[2][3] = {{reference[0], reference[1], reference[2]}, {other[0], other[1], other[2]}};
    size_t place = (size_t)(self->seen % nb_taps) * self->stride;
    for (int image = 0; image < 2; image++) {
        float *xyb[3];
        for (int i = 0; i < 3; i++) {
            float *ring = image == 0 ? self->channels[i].reference : self->channels[i].other;
            xyb[i] = ring ? ring + place : self->spare[image];
        }
        self->functions->to_xyb(images[image], xyb, self->width);
        // Values beyond the end of the row are no samples.
        for (int i = 0; i < 3; i++) memset(xyb[i] + self->width, 0, (self->stride - (size_t)self->width) * sizeof(float));
    }
    for (int i = 0; i < 3; i++) {
        nb_scale_channel *channel = &self->channels[i];
        if (channel->has_structure)
            self->functions->square(channel->reference + place, channel->other + place, channel->squares + place,
                                      channel->differences + place, self->width);
    }
    if (self->next && self->seen % 2 == 1) hand_on(self, images);
    else if (self->next)
        for (int image = 0; image < 2; image++)
            for (int i = 0; i < 3; i++)
                memcpy(self->upper[image][i], images[image][i], (size_t)self->width * sizeof(float));
    self->seen++;
    if (self->seen > nb_taps / 2) add_row(self, self->seen - 1 - nb_taps / 2);
}

void nb_scale_finish(nb_scale *self) {
    if (self->next && self->height % 2 == 1) {
        const float *const upper[2][3] = {{self->upper[0][0], self->upper[0][1], self->upper[0][2]},
                                          {self->upper[1][0], self->upper[1][1], self->upper[1][2]}};
        hand_on(self, upper);
    }
    int32_t first = self->height - nb_taps / 2;
    for (int32_t row = first < 0 ? 0 : first; row < self->height; row++) add_row(self, row);
    if (self->next) nb_scale_finish(self->next);
}
