// Composites one image over another.
#include "internal.h"

static inline void compose(const nb_plane *base, int colors, int has_alpha, const nb_plane *overlay, int32_t left,
                           int32_t top, float opacity, int wide) {
    float most = wide ? 65535 : 255, scale = opacity * most / 65535;
    int32_t first = left < 0 ? -left : 0, last = overlay[0].width;
    if (last > base[0].width - left) last = base[0].width - left;
    for (int32_t y = top < 0 ? -top : 0; y < overlay[0].height && y < base[0].height - top; y++) {
        const uint8_t *cover = nb_row(&overlay[colors], y);
        uint8_t *under = has_alpha ? nb_row(&base[colors], y + top) : NULL;
        for (int i = 0; i < colors; i++) {
            const uint8_t *from = nb_row(&overlay[i], y);
            uint8_t *to = nb_row(&base[i], y + top);
            for (int32_t x = first; x < last; x++) {
                float above = (float)nb_get(from, x, 1) * scale, through = 1 - (float)nb_get(cover, x, 1) * opacity / 65535;
                float below = (float)nb_get(to, x + left, wide), whole = 1;
                if (has_alpha) {
                    float alpha = (float)nb_get(under, x + left, wide) / most;
                    below *= alpha;
                    whole = 1 - through * (1 - alpha);
                }
                float sum = above + below * through, value = whole > 0 ? sum / whole : 0;
                // A resampled overlay may exceed its alpha.
                nb_put(to, x + left, wide, (uint32_t)(int32_t)((value > most ? most : value) + 0.5f));
            }
        }
        for (int32_t x = first; has_alpha && x < last; x++) {
            float through = 1 - (float)nb_get(cover, x, 1) * opacity / 65535;
            float alpha = (float)nb_get(under, x + left, wide);
            nb_put(under, x + left, wide, (uint32_t)(int32_t)(most - through * (most - alpha) + 0.5f));
        }
    }
}

void nb_compose(const nb_plane *base, int colors, int has_alpha, const nb_plane *overlay, int32_t left, int32_t top,
                double opacity) {
    float by = (float)opacity;
    if (has_alpha) NB_BY_DEPTH(base, compose, base, colors, 1, overlay, left, top, by);
    else NB_BY_DEPTH(base, compose, base, colors, 0, overlay, left, top, by);
}
