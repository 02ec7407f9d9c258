// 8 bits to 16 and back, around a resampling in linear light or of colours multiplied by their alpha.
#include "internal.h"

#include <math.h>
#include <pthread.h>

static uint16_t to_linear[256];
static uint8_t from_linear[65536];
static pthread_once_t tables_made = PTHREAD_ONCE_INIT;

/// IEC 61966-2-1: sRGB's transfer function.
static double linear_light(double value) {
    return value <= 0.04045 ? value / 12.92 : pow((value + 0.055) / 1.055, 2.4);
}

static void make_tables(void) {
    for (int i = 0; i < 256; i++) to_linear[i] = (uint16_t)lround(linear_light(i / 255.0) * 65535);
    int next = 0;
    for (int i = 0; i < 256; i++) {
        int end = i == 255 ? 65536 : (int)ceil(linear_light((i + 0.5) / 255.0) * 65535);
        for (; next < end; next++) from_linear[next] = (uint8_t)i;
    }
}

static uint8_t *row_of(const nb_plane *plane, int32_t y) { return plane->data + (ptrdiff_t)y * plane->stride; }

void nb_widen(const nb_plane *source, const nb_plane *alpha, int linear, const nb_plane *destination) {
    if (linear) pthread_once(&tables_made, make_tables);
    for (int32_t y = 0; y < source->height; y++) {
        const uint8_t *from = row_of(source, y);
        const uint8_t *opacity = alpha == NULL ? NULL : row_of(alpha, y);
        uint16_t *to = (uint16_t *)(void *)row_of(destination, y);
        for (int32_t x = 0; x < source->width; x++) {
            uint32_t value = linear ? to_linear[from[x]] : from[x] * 257u;
            to[x] = (uint16_t)(opacity == NULL ? value : (value * opacity[x] + 127) / 255);
        }
    }
}

void nb_narrow(const nb_plane *source, const nb_plane *alpha, int linear, const nb_plane *destination) {
    if (linear) pthread_once(&tables_made, make_tables);
    for (int32_t y = 0; y < source->height; y++) {
        const uint16_t *from = (const uint16_t *)(const void *)row_of(source, y);
        const uint16_t *opacity = alpha == NULL ? NULL : (const uint16_t *)(const void *)row_of(alpha, y);
        uint8_t *to = row_of(destination, y);
        for (int32_t x = 0; x < source->width; x++) {
            uint32_t value = from[x];
            if (opacity != NULL) {
                uint32_t by = opacity[x];
                value = by == 0 ? 0 : (uint32_t)(((uint64_t)value * 65535 + by / 2) / by);
                if (value > 65535) value = 65535;  // a kernel with lobes may pass the alpha
            }
            to[x] = linear ? from_linear[value] : (uint8_t)((value + 128) / 257);
        }
    }
}
