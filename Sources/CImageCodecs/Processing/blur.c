// Gaussian blur, one axis at a time, over strips of neighbouring lines that are processed side by side.
#include "internal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { lanes = 16 };  // lines of a strip: a multiple of the widest vectors

/// Up to this sigma, a convolution kernel is cheaper than the recursion.
static const double largest_short_sigma = 10;

/// One term of Deriche's sum, e^-bn (A cos wn + B sin wn), as a second-order recursion in both directions.
typedef struct {
    double now, before;     // weights of the current and the previous sample
    double after, beyond;   // backward pass: weights of the next sample and the one after it
    double once, twice;     // feedback, subtracted
    double start, end;      // steady states for an infinite line of the value 1
} term;

typedef struct {
    int32_t radius;         // of `weights`; 0 for the others
    float *weights;
    term terms[2];
    int is_box;
    int32_t reach;          // of a box: half its width
} kernel;

/// Deriche, "Recursively implementing the Gaussian and its derivatives" (INRIA RR-1893, 1993), order 4.
static void make_terms(kernel *self, double sigma) {
    static const double published[2][4] = {
        {1.783, 0.6318, 1.68, 3.735}, {1.723, 1.997, -0.6803, -0.2598}};  // decay, frequency, cosine, sine
    double sum = 0;
    for (int i = 0; i < 2; i++) {
        const double *p = published[i];
        double decay = exp(-p[0] / sigma), angle = p[1] / sigma;
        term *t = &self->terms[i];
        t->once = -2 * decay * cos(angle);
        t->twice = decay * decay;
        t->now = p[2];
        t->before = decay * (p[3] * sin(angle) - p[2] * cos(angle));
        t->after = t->before - t->once * t->now;
        t->beyond = -t->twice * t->now;
        double feedback = 1 + t->once + t->twice;
        t->start = (t->now + t->before) / feedback;
        t->end = (t->after + t->beyond) / feedback;
        sum += t->start + t->end;
    }
    for (int i = 0; i < 2; i++) {
        term *t = &self->terms[i];
        t->now /= sum, t->before /= sum, t->after /= sum, t->beyond /= sum, t->start /= sum, t->end /= sum;
    }
}

static int make_kernel(kernel *self, double sigma) {
    memset(self, 0, sizeof *self);
    if (sigma > largest_short_sigma) {
        make_terms(self, sigma);
        return 1;
    }
    self->radius = (int32_t)ceil(4 * sigma);
    if (self->radius < 1) self->radius = 1;
    self->weights = malloc(sizeof *self->weights * (size_t)(self->radius + 1));
    if (self->weights == NULL) return 0;
    double sum = 1;
    for (int32_t i = 1; i <= self->radius; i++) sum += 2 * exp(-0.5 * i * i / (sigma * sigma));
    self->weights[0] = (float)(1 / sum);
    for (int32_t i = 1; i <= self->radius; i++)
        self->weights[i] = (float)(exp(-0.5 * i * i / (sigma * sigma)) / sum);
    return 1;
}

/// `from` has `radius` samples more at either end than `to`.
static void convolve(const kernel *self, const float *restrict from, float *restrict to, int32_t count) {
    for (int32_t i = 0; i < count; i++) {
        const float *middle = from + (ptrdiff_t)(i + self->radius) * lanes;
        float sums[lanes];
        for (int l = 0; l < lanes; l++) sums[l] = self->weights[0] * middle[l];
        for (int32_t k = 1; k <= self->radius; k++) {
            const float *left = middle - (ptrdiff_t)k * lanes, *right = middle + (ptrdiff_t)k * lanes;
            float weight = self->weights[k];
            for (int l = 0; l < lanes; l++) sums[l] += weight * (left[l] + right[l]);
        }
        for (int l = 0; l < lanes; l++) to[(ptrdiff_t)i * lanes + l] = sums[l];
    }
}

/// The recursion in one direction. Doubles, because its poles approach 1 for a large sigma.
static void recur(double near, double far, double once, double twice, double steady, const float *restrict from,
                  float *restrict to, int32_t count, int backward, int adds) {
    double one[lanes], two[lanes], last[lanes], before[lanes];
    const float *first = from + (backward ? (ptrdiff_t)(count - 1) * lanes : 0);
    for (int l = 0; l < lanes; l++) {
        last[l] = before[l] = first[l];
        one[l] = two[l] = steady * first[l];
    }
    for (int32_t n = 0; n < count; n++) {
        ptrdiff_t i = (ptrdiff_t)(backward ? count - 1 - n : n) * lanes;
        for (int l = 0; l < lanes; l++) {
            // The forward pass includes the sample itself; the backward pass counts only the samples after it.
            double sample = from[i + l], a = backward ? last[l] : sample, b = backward ? before[l] : last[l];
            double value = near * a + far * b - once * one[l] - twice * two[l];
            two[l] = one[l];
            one[l] = value;
            before[l] = last[l];
            last[l] = sample;
            to[i + l] = (adds ? to[i + l] : 0) + (float)value;
        }
    }
}

/// One pass of a box of 2 × `reach` + 1 samples.
static void average(const float *restrict from, float *restrict to, int32_t count, int32_t reach) {
    double sums[lanes], share = 1 / (2.0 * reach + 1);
    const float *last = from + (ptrdiff_t)(count - 1) * lanes;
    int32_t inside = reach < count - 1 ? reach : count - 1;  // samples after the first one that are inside the edge
    for (int l = 0; l < lanes; l++) sums[l] = (reach + 1.0) * from[l] + (double)(reach - inside) * last[l];
    for (int32_t i = 1; i <= inside; i++)
        for (int l = 0; l < lanes; l++) sums[l] += from[(ptrdiff_t)i * lanes + l];
    for (int32_t i = 0; i < count; i++) {
        const float *leaving = i > reach ? from + (ptrdiff_t)(i - reach) * lanes : from;
        const float *coming = reach < count - 1 - i ? from + ((ptrdiff_t)i + reach + 1) * lanes : last;
        for (int l = 0; l < lanes; l++) {
            to[(ptrdiff_t)i * lanes + l] = (float)(sums[l] * share);
            sums[l] += (double)coming[l] - leaving[l];
        }
    }
}

/// May write to `from`, too.
static void blur_strip(const kernel *self, float *from, float *to, int32_t count) {
    if (self->is_box) {
        average(from, to, count, self->reach);
        average(to, from, count, self->reach);
        average(from, to, count, self->reach);
        return;
    }
    if (self->radius > 0) {
        convolve(self, from, to, count);
        return;
    }
    for (int i = 0; i < 2; i++) {
        const term *t = &self->terms[i];
        recur(t->now, t->before, t->once, t->twice, t->start, from, to, count, 0, i > 0);
        recur(t->after, t->beyond, t->once, t->twice, t->end, from, to, count, 1, 1);
    }
}

/// Reads a strip of rows or columns as 16-bit numbers.
static inline void take(const nb_plane *plane, int columns, int32_t start, int32_t lines, float *strip, int wide) {
    int32_t height = columns ? plane->height : lines, width = columns ? lines : plane->width;
    ptrdiff_t down = columns ? lanes : 1, across = columns ? 1 : lanes;
    float scale = wide ? 1 : 257;
    for (int32_t y = 0; y < height; y++) {
        const uint8_t *row = nb_row(plane, columns ? y : start + y);
        for (int32_t x = 0; x < width; x++)
            strip[y * down + x * across] = scale * (float)nb_get(row, columns ? start + x : x, wide);
    }
}

static inline uint32_t sample(float value, int wide) {
    float scaled = (wide ? value : value * (1 / 257.0f)) + 0.5f, most = wide ? 65535 : 255;
    return (uint32_t)(int32_t)(scaled < 0 ? 0 : scaled > most ? most : scaled);
}

static inline void give(const float *strip, int columns, int32_t start, int32_t lines, const nb_plane *plane, int wide) {
    int32_t height = columns ? plane->height : lines, width = columns ? lines : plane->width;
    ptrdiff_t down = columns ? lanes : 1, across = columns ? 1 : lanes;
    for (int32_t y = 0; y < height; y++) {
        uint8_t *row = nb_row(plane, columns ? y : start + y);
        for (int32_t x = 0; x < width; x++)
            nb_put(row, columns ? start + x : x, wide, sample(strip[y * down + x * across], wide));
    }
}

/// Blurs along rows or columns; returns 0 without memory.
static int blur_axis(const nb_plane *source, const kernel *kernel, int columns, const nb_plane *destination) {
    int32_t count = columns ? source->height : source->width, across = columns ? source->width : source->height;
    size_t padded = (size_t)count + 2 * (size_t)kernel->radius, step = lanes * sizeof(float);
    float *strip = calloc(padded, step), *blurred = malloc((size_t)count * step);
    int works = strip != NULL && blurred != NULL;
    for (int32_t start = 0; works && start < across; start += lanes) {
        int32_t lines = across - start < lanes ? across - start : lanes;
        float *inner = strip + (ptrdiff_t)kernel->radius * lanes;
        if (columns) NB_BY_DEPTH(source, take, source, 1, start, lines, inner);
        else NB_BY_DEPTH(source, take, source, 0, start, lines, inner);
        for (int32_t i = 0; i < kernel->radius; i++) {
            memcpy(strip + (ptrdiff_t)i * lanes, inner, step);
            memcpy(inner + (ptrdiff_t)(count + i) * lanes, inner + (ptrdiff_t)(count - 1) * lanes, step);
        }
        blur_strip(kernel, strip, blurred, count);
        if (columns) NB_BY_DEPTH(destination, give, blurred, 1, start, lines, destination);
        else NB_BY_DEPTH(destination, give, blurred, 0, start, lines, destination);
    }
    free(strip);
    free(blurred);
    return works;
}

/// Blurs rows and columns; returns 0 without memory.
static int blur(const nb_plane *source, const kernel *rows, const kernel *columns, const nb_plane *destination) {
    // The intermediate result has 16 bits, whatever the source has.
    nb_plane between = *source;
    between.sample_bytes = 2;
    between.stride = ((ptrdiff_t)source->width * 2 + 63) & ~(ptrdiff_t)63;
    between.data = nb_allocate((size_t)between.stride * (size_t)source->height);
    int works = between.data != NULL && blur_axis(source, rows, 0, &between)
                && blur_axis(&between, columns, 1, destination);
    nb_free(between.data);
    return works;
}

nb_status nb_blur(const nb_plane *source, double sigma_x, double sigma_y, const nb_plane *destination,
                  nb_error *error) {
    if (!(sigma_x > 0) || !(sigma_y > 0)) return nb_fail(error, NB_PROCESSING, "a blur needs a sigma above 0");
    kernel rows = {0}, columns = {0};
    int works = make_kernel(&rows, sigma_x) && make_kernel(&columns, sigma_y)
                && blur(source, &rows, &columns, destination);
    free(rows.weights);
    free(columns.weights);
    return works ? NB_OK : nb_fail(error, NB_MEMORY, "no memory");
}

nb_status nb_box_blur(const nb_plane *source, int32_t reach_x, int32_t reach_y, const nb_plane *destination,
                      nb_error *error) {
    if (reach_x < 0 || reach_y < 0) return nb_fail(error, NB_PROCESSING, "a box cannot have less than one sample");
    kernel rows = {.is_box = 1, .reach = reach_x}, columns = {.is_box = 1, .reach = reach_y};
    return blur(source, &rows, &columns, destination) ? NB_OK : nb_fail(error, NB_MEMORY, "no memory");
}
