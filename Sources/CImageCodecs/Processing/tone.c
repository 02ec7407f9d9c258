// Per-pixel operations: tables, saturation, and the detail that sharpening adds.
#include "internal.h"

#include <math.h>

static inline void map(const nb_plane *source, const uint16_t *table, const nb_plane *destination, int wide) {
    for (int32_t y = 0; y < source->height; y++) {
        const uint8_t *from = nb_row(source, y);
        uint8_t *to = nb_row(destination, y);
        for (int32_t x = 0; x < source->width; x++) nb_put(to, x, wide, table[nb_get(from, x, wide)]);
    }
}

void nb_map(const nb_plane *source, const uint16_t *table, const nb_plane *destination) {
    NB_BY_DEPTH(source, map, source, table, destination);
}

static inline uint32_t rounded(float value, int wide) {
    float most = wide ? 65535 : 255;
    return (uint32_t)(int32_t)((value < 0 ? 0 : value > most ? most : value) + 0.5f);
}

static inline void saturate(const nb_plane *source, float saturation, const nb_plane *destination, int wide) {
    for (int32_t y = 0; y < source[0].height; y++) {
        const uint8_t *from[3];
        uint8_t *to[3];
        for (int i = 0; i < 3; i++) from[i] = nb_row(&source[i], y), to[i] = nb_row(&destination[i], y);
        for (int32_t x = 0; x < source[0].width; x++) {
            float r = (float)nb_get(from[0], x, wide), g = (float)nb_get(from[1], x, wide);
            float b = (float)nb_get(from[2], x, wide), luma = 0.299f * r + 0.587f * g + 0.114f * b;
            nb_put(to[0], x, wide, rounded(luma + saturation * (r - luma), wide));
            nb_put(to[1], x, wide, rounded(luma + saturation * (g - luma), wide));
            nb_put(to[2], x, wide, rounded(luma + saturation * (b - luma), wide));
        }
    }
}

void nb_saturate(const nb_plane *source, double saturation, const nb_plane *destination) {
    NB_BY_DEPTH(source, saturate, source, (float)saturation, destination);
}

static inline void add_detail(const nb_plane *source, const nb_plane *luma, const nb_plane *blurred, float amount,
                              float threshold, const nb_plane *destination, int wide) {
    float scale = wide ? 1 : 257;
    for (int32_t y = 0; y < source->height; y++) {
        const uint8_t *from = nb_row(source, y), *sharp = nb_row(luma, y), *soft = nb_row(blurred, y);
        uint8_t *to = nb_row(destination, y);
        for (int32_t x = 0; x < source->width; x++) {
            float detail = scale * (float)nb_get(sharp, x, wide) - (float)nb_get(soft, x, 1);
            float added = fabsf(detail) > threshold ? amount * detail / scale : 0;
            nb_put(to, x, wide, rounded((float)nb_get(from, x, wide) + added, wide));
        }
    }
}

void nb_add_detail(const nb_plane *source, const nb_plane *luma, const nb_plane *blurred, double amount,
                   double threshold, const nb_plane *destination) {
    NB_BY_DEPTH(source, add_detail, source, luma, blurred, (float)amount, (float)threshold, destination);
}
