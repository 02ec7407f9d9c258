// Rectangles with rounded corners: their coverage of each pixel, and images cut and framed by them.
#include "internal.h"

#include <math.h>

enum { parts = 16 };  // lines into which a row is split; along a line, the coverage is exact

/// The extent of a shape on the line at `y`; empty outside.
static void stretch(const nb_shape *shape, double y, double *start, double *end) {
    *start = *end = 0;
    if (y <= shape->top || y >= shape->bottom) return;
    double beyond = fmax(shape->top + shape->radius_y - y, y - (shape->bottom - shape->radius_y));
    double inset = 0;
    if (beyond > 0 && shape->radius_y > 0) {
        double part = fmin(beyond / shape->radius_y, 1);
        inset = shape->radius_x * (1 - sqrt(1 - part * part));
    }
    *start = shape->left + inset;
    *end = fmax(*start, shape->right - inset);
}

void nb_cover(const nb_shape *shape, const nb_plane *mask) {
    for (int32_t y = 0; y < mask->height; y++) {
        double starts[parts], ends[parts], full_start = -INFINITY, full_end = INFINITY;
        for (int i = 0; i < parts; i++) {
            stretch(shape, y + (i + 0.5) / parts, &starts[i], &ends[i]);
            full_start = fmax(full_start, starts[i]);
            full_end = fmin(full_end, ends[i]);
        }
        uint8_t *row = nb_row(mask, y);
        for (int32_t x = 0; x < mask->width; x++) {
            double covered = 0;
            if (x >= full_start && x + 1 <= full_end) {
                covered = parts;
            } else {
                for (int i = 0; i < parts; i++) covered += fmax(0, fmin(ends[i], x + 1) - fmax(starts[i], x));
            }
            nb_put(row, x, 1, (uint32_t)(covered / parts * 65535 + 0.5));
        }
    }
}

static inline void frame(const nb_plane *source, int colors, int has_alpha, const nb_plane *outer,
                         const nb_plane *inner, const uint8_t border[4], const nb_plane *destination, int wide) {
    float most = wide ? 65535 : 255, border_alpha = border[3] / 255.0f;
    for (int32_t y = 0; y < source[0].height; y++) {
        const uint8_t *shape = nb_row(outer, y), *hole = nb_row(inner, y);
        for (int32_t x = 0; x < source[0].width; x++) {
            // `inside` is the part of the pixel that shows the image, `ring` the part that shows the border over the
            // image; the rest is transparent.
            float inside = (float)nb_get(hole, x, 1) / 65535, ring = (float)nb_get(shape, x, 1) / 65535 - inside;
            float opacity = has_alpha ? (float)nb_get(nb_row(&source[colors], y), x, wide) / most : 1;
            float picture = opacity * (inside + ring * (1 - border_alpha)), line = ring * border_alpha;
            float alpha = picture + line;
            for (int i = 0; i < colors; i++) {
                float color = (float)nb_get(nb_row(&source[i], y), x, wide);
                float sum = picture * color + line * (border[i] * most / 255);
                nb_put(nb_row(&destination[i], y), x, wide, alpha > 0 ? (uint32_t)(sum / alpha + 0.5f) : 0);
            }
            nb_put(nb_row(&destination[colors], y), x, wide, (uint32_t)(alpha * most + 0.5f));
        }
    }
}

void nb_frame(const nb_plane *source, int colors, int has_alpha, const nb_plane *outer, const nb_plane *inner,
              const uint8_t border[4], const nb_plane *destination) {
    NB_BY_DEPTH(source, frame, source, colors, has_alpha, outer, inner, border, destination);
}
