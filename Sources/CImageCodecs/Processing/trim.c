// Finds the part of an image inside its border.
#include "internal.h"

#include <stdlib.h>

/// True if a pixel differs from the first one. Colours are compared after multiplication by alpha.
static inline int differs(const nb_plane *planes, int colors, int has_alpha, int32_t x, int32_t y, int32_t tolerance,
                          int wide) {
    int64_t most = wide ? 65535 : 255, alpha = most, first_alpha = most;
    if (has_alpha) {
        alpha = nb_get(nb_row(&planes[colors], y), x, wide);
        first_alpha = nb_get(planes[colors].data, 0, wide);
        if (llabs(alpha - first_alpha) > tolerance) return 1;
    }
    for (int i = 0; i < colors; i++) {
        int64_t value = nb_get(nb_row(&planes[i], y), x, wide) * alpha;
        int64_t first = nb_get(planes[i].data, 0, wide) * first_alpha;
        if (llabs(value - first) > tolerance * most) return 1;
    }
    return 0;
}

static inline void find(const nb_plane *planes, int colors, int has_alpha, int32_t tolerance, nb_box *box, int wide) {
    int32_t width = planes[0].width, height = planes[0].height, left = width, right = 0, top = height, bottom = 0;
    for (int32_t y = 0; y < height; y++) {
        int32_t start = 0, end = width;
        while (start < width && !differs(planes, colors, has_alpha, start, y, tolerance, wide)) start++;
        if (start == width) continue;
        // Pixels between the sides found so far cannot move them.
        while (end > right && !differs(planes, colors, has_alpha, end - 1, y, tolerance, wide)) end--;
        if (start < left) left = start;
        if (end > right) right = end;
        if (top > y) top = y;
        bottom = y + 1;
    }
    *box = right > left ? (nb_box){left, top, right, bottom} : (nb_box){0, 0, width, height};
}

void nb_find_content(const nb_plane *planes, int colors, int has_alpha, int32_t tolerance, nb_box *box) {
    if (has_alpha) NB_BY_DEPTH(planes, find, planes, colors, 1, tolerance, box);
    else NB_BY_DEPTH(planes, find, planes, colors, 0, tolerance, box);
}
