// SSIMULACRA2 2.1, the perceptual similarity of two images (Cloudinary, github.com/cloudinary/ssimulacra2).
#include "scale.h"
#include "ssimulacra2_weights.h"

#include <math.h>
#include <string.h>

enum { norms = 6 };  // of a channel at a scale: three maps, each in two norms

typedef struct {
    nb_scale scales[nb_most_scales];
    int count;
    float *rows;    // linear red, green and blue of both images
    float *linear;  // of each sample value, IEC 61966-2-1
} comparison;

/// An image with a side below 113 has fewer scales. The published program then counts the weights on, and gives some to other
/// scales and channels; here each keeps its own.
static const double *weights_of(int channel, int scale) {
    return nb_ssimulacra2_weights + (channel * nb_most_scales + scale) * norms;
}

static int make_scales(comparison *self, int32_t width, int32_t height, int is_portable) {
    nb_scale *scales = self->scales;
    for (int i = 0; i < nb_most_scales; i++) {
        if (i > 0 && (width < nb_smallest_halved_side || height < nb_smallest_halved_side)) break;
        if (i > 0) width = width / 2 + width % 2, height = height / 2 + height % 2;
        scales[i].width = width, scales[i].height = height;
        scales[i].functions = nb_choose_row_functions(is_portable);
        self->count++;
    }
    for (int i = 0; i < self->count; i++) {
        if (i + 1 < self->count) scales[i].next = &scales[i + 1];
        for (int channel = 0; channel < 3; channel++) {
            const double *weights = weights_of(channel, i);
            scales[i].channels[channel].has_structure = weights[0] != 0 || weights[3] != 0;
            scales[i].channels[channel].has_edges = weights[1] != 0 || weights[2] != 0 || weights[4] != 0 || weights[5] != 0;
        }
        if (!nb_scale_allocate(&scales[i])) return 0;
    }
    return 1;
}

static int make_linear(comparison *self, int32_t sample_bytes) {
    int32_t count = 1 << (8 * sample_bytes);
    self->linear = nb_allocate((size_t)count * sizeof(float));
    if (!self->linear) return 0;
    for (int32_t i = 0; i < count; i++) {
        double value = (double)i / (count - 1);
        self->linear[i] = (float)(value <= 0.04045 ? value / 12.92 : pow((value + 0.055) / 1.055, 2.4));
    }
    return 1;
}

static void linearize(const comparison *self, const nb_plane *plane, int32_t y, float *to) {
    const uint8_t *row = nb_row(plane, y);
    if (plane->sample_bytes == 1) for (int32_t x = 0; x < plane->width; x++) to[x] = self->linear[row[x]];
    else for (int32_t x = 0; x < plane->width; x++) to[x] = self->linear[nb_get(row, x, 1)];
}

static double score_of(const comparison *self) {
    double sum = 0;
    for (int channel = 0; channel < 3; channel++) {
        for (int i = 0; i < self->count; i++) {
            const nb_scale *scale = &self->scales[i];
            const nb_map_sums *sums = &scale->channels[channel].sums;
            const double *weights = weights_of(channel, i), area = (double)scale->width * scale->height;
            sum += weights[0] * (sums->structure / area) + weights[1] * (sums->ringing / area) +
                   weights[2] * (sums->blur / area) + weights[3] * sqrt(sqrt(sums->structure4 / area)) +
                   weights[4] * sqrt(sqrt(sums->ringing4 / area)) + weights[5] * sqrt(sqrt(sums->blur4 / area));
        }
    }
    // The published curve, which makes the scores of an average observer.
    sum *= 0.9562382616834844;
    sum = 2.326765642916932 * sum - 0.020884521182843837 * sum * sum + 6.248496625763138e-05 * sum * sum * sum;
    return sum > 0 ? 100 - 10 * pow(sum, 0.6276336467831387) : 100;
}

static void free_comparison(comparison *self) {
    for (int i = 0; i < self->count; i++) nb_scale_free(&self->scales[i]);
    nb_free(self->rows);
    nb_free(self->linear);
}

nb_status nb_ssimulacra2(const nb_plane *reference, const nb_plane *other, int is_portable, double *score) {
    comparison self;
    memset(&self, 0, sizeof self);
    int32_t width = reference->width, height = reference->height;
    size_t stride = ((size_t)width + 3 * nb_lanes - 1) & ~(size_t)(nb_lanes - 1);
    self.rows = nb_allocate(6 * stride * sizeof(float));
    if (!self.rows || !make_scales(&self, width, height, is_portable) || !make_linear(&self, reference->sample_bytes)) {
        free_comparison(&self);
        return NB_MEMORY;
    }
    memset(self.rows, 0, 6 * stride * sizeof(float));
    float *rows[6];
    for (int i = 0; i < 6; i++) rows[i] = self.rows + (size_t)i * stride;
    for (int32_t y = 0; y < height; y++) {
        for (int i = 0; i < 3; i++) {
            linearize(&self, &reference[i], y, rows[i]);
            linearize(&self, &other[i], y, rows[3 + i]);
        }
        nb_scale_take(self.scales, (const float *const *)rows, (const float *const *)rows + 3);
    }
    nb_scale_finish(self.scales);
    *score = score_of(&self);
    free_comparison(&self);
    return NB_OK;
}
