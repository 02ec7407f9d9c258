#include "weights.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "vectors.h"

#if NB_VECTORS
NB_VECTORS_BEGIN

enum { ONE = 1 << 14 };

/// A filter, and where a result lies between the samples.
typedef struct {
    nb_filter filter;
    double step;             // from one sample to the next, in the filter's unit
    int32_t size, source;    // samples under the filter, and of the source
    double center, begin;    // the result's place, and that of the first sample under the filter
    double *values;          // of the filter at those samples
    double *sums;            // the same added up where the edges of the source mirror them
    int32_t first, count;    // the samples of the source that these are of
} kernel;

static double cubic(double x, double c0, double c1, double c2, double c3) { return c0 + x * (c1 + x * (c2 + x * c3)); }

static double bicubic(double x, double b, double c) {
    if (x < 1) return cubic(x, (6 - 2 * b) / 6, 0, (-18 + 12 * b + 6 * c) / 6, (12 - 9 * b - 6 * c) / 6);
    if (x >= 2) return 0;
    return cubic(x, (8 * b + 24 * c) / 6, (-12 * b - 48 * c) / 6, (6 * b + 30 * c) / 6, (-b - 6 * c) / 6);
}

static double sinc(double x) { return x == 0 ? 1 : sin(x * M_PI) / (x * M_PI); }

/// The values to the bit as zimg computes them.
static void evaluate(const kernel *self) {
    for (int32_t i = 0; i < self->size; i++) {
        double x = fabs((self->begin + i - self->center) * self->step);
        switch (self->filter) {
            case NB_BILINEAR: self->values[i] = x < 1 ? 1 - x : 0; break;
            case NB_MITCHELL: self->values[i] = bicubic(x, 1.0 / 3, 1.0 / 3); break;
            case NB_BICUBIC: self->values[i] = bicubic(x, 0, 0.5); break;
            default: self->values[i] = x < 3 ? sinc(x) * sinc(x / 3) : 0;
        }
    }
}

/// Lanczos' values to 14 digits: with t = πx/3, they are sin(3t)/3t · sin(t)/t, and sin(3t) is sin(t)·(3 - 4 sin(t)²).
static void approximate(const kernel *self) {
    double begin = self->begin, center = self->center, step = self->step, *restrict values = self->values;
    for (int32_t i = 0; i < self->size; i++) {
        double x = fabs((begin + i - center) * step), t = x * (M_PI / 3);
        double a = t > M_PI / 2 ? M_PI - t : t, q = a * a;  // with the same sine, and its series from here
        double s = -1 / 51090942171709440000.0;
        s = 1 / 121645100408832000.0 + q * s;
        s = -1 / 355687428096000.0 + q * s;
        s = 1 / 1307674368000.0 + q * s;
        s = -1 / 6227020800.0 + q * s;
        s = 1 / 39916800.0 + q * s;
        s = -1 / 362880.0 + q * s;
        s = 1 / 5040.0 + q * s;
        s = -1 / 120.0 + q * s;
        s = 1 / 6.0 + q * s;
        s = a - a * q * s;
        double square = s * s, value = square * (3 - 4 * square) / (3 * t * t);
        value = t < 1e-9 ? 1 : value;
        values[i] = x < 3 ? value : 0;
    }
}

/// Which sample stands for one that may be outside.
static int32_t mirrored(int64_t index, int32_t source) {
    if (index < 0) index = -1 - index;
    else if (index >= source) index = 2 * (int64_t)source - 1 - index;
    return index < 0 ? 0 : index >= source ? source - 1 : (int32_t)index;
}

/// Divides the values by their sum, and adds up those of the same sample of the source.
static void add_up(kernel *self) {
    double total = 0;
    for (int32_t i = 0; i < self->size; i++) total += self->values[i];
    int64_t begin = (int64_t)floor(self->begin);
    if (begin >= 0 && begin + self->size <= self->source) {
        self->first = (int32_t)begin;
        self->count = self->size;
        for (int32_t i = 0; i < self->size; i++) self->sums[i] = self->values[i] / total;
        return;
    }
    int32_t first = self->source, last = 0;
    for (int32_t i = 0; i < self->size; i++) {
        int32_t index = mirrored(begin + i, self->source);
        first = index < first ? index : first;
        last = index > last ? index : last;
        self->sums[i] = 0;
    }
    for (int32_t i = 0; i < self->size; i++) self->sums[mirrored(begin + i, self->source) - first] += self->values[i] / total;
    self->first = first;
    self->count = last - first + 1;
}

/// Rounds, with the error of each weight taken from the next one. Returns 0 where another 14 digits might round otherwise.
static int round_weights(const kernel *self, int16_t *weights, int is_exact) {
    const double to_integer = 6755399441055744;  // added and subtracted, leaves no bits behind the point
    double error = 0;
    int16_t sum = 0, greatest = 0;
    int32_t place = 0;
    for (int32_t i = 0; i < self->count; i++) {
        double wanted = self->sums[i] * ONE - error, rounded = wanted + to_integer - to_integer;
        error = rounded - wanted;
        if (!is_exact && fabs(error) > 0.5 - 1e-6) return 0;
        weights[i] = (int16_t)rounded;
        sum = (int16_t)(sum + weights[i]);
        if (abs(weights[i]) > greatest) {
            greatest = weights[i];
            place = i;
        }
    }
    weights[place] = (int16_t)(weights[place] + ONE - sum);
    return 1;
}

static void fill(nb_weights *weights, kernel *kernel, double start, double scale) {
    for (int32_t i = 0; i < weights->count; i++) {
        kernel->center = (i + 0.5) / scale + start;
        double left = kernel->center - kernel->size / 2.0;
        kernel->begin = floor(left + (left < 0 ? 0.5 : 0.49999999999999994)) + 0.5;
        int16_t *to = weights->values + (size_t)i * (size_t)weights->taps;
        int32_t last = kernel->source - weights->reach, is_exact = kernel->filter != NB_LANCZOS3, is_done = 0;
        for (; !is_done; is_exact = 1) {
            if (is_exact) evaluate(kernel);
            else approximate(kernel);
            add_up(kernel);
            weights->first[i] = kernel->first < last ? kernel->first : last;
            is_done = round_weights(kernel, to + (kernel->first - weights->first[i]), is_exact);
        }
    }
}

int nb_weights_make(nb_weights *weights, nb_filter filter, int32_t source, int32_t count, double start, double extent) {
    static const double supports[] = {[NB_LANCZOS3] = 3, [NB_MITCHELL] = 2, [NB_BICUBIC] = 2, [NB_BILINEAR] = 1};
    double scale = count / extent, step = scale < 1 ? scale : 1, size = 2 * ceil(supports[filter] / step);
    *weights = (nb_weights){.count = count};
    // Places are computed to a fraction of a sample, and a region that is not a number has none.
    if (!(size < 1 << 20 && fabs(start) < 1 << 30 && extent > 0 && extent < 1 << 30)) return 0;
    kernel kernel = {.filter = filter, .step = step, .size = (int32_t)size, .source = source};
    weights->reach = kernel.size < source ? kernel.size : source;
    weights->taps = weights->reach <= 8 ? 8 : (weights->reach + 15) / 16 * 16;
    size_t results = (size_t)count + NB_WEIGHTS_LANES;
    kernel.values = malloc(2 * sizeof(double) * (size_t)kernel.size);
    weights->first = calloc(results, sizeof(int32_t));
    weights->values = calloc(results * (size_t)weights->taps, sizeof(int16_t));
    int made = kernel.values != NULL && weights->first != NULL && weights->values != NULL;
    if (made) {
        kernel.sums = kernel.values + kernel.size;
        fill(weights, &kernel, start, scale);
    } else {
        nb_weights_free(weights);
    }
    free(kernel.values);
    return made;
}

void nb_weights_free(nb_weights *weights) {
    free(weights->first);
    free(weights->values);
    *weights = (nb_weights){0};
}

NB_VECTORS_END
#endif
