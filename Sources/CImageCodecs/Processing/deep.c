// Converts 8 bits to 16 and back, around a resampling in linear light or of colours multiplied by alpha.
#include "internal.h"

#include <math.h>
#include <pthread.h>

// sRGB's curve (IEC 61966-2-1) over 16 bits, both ways. 8-bit samples are looked up at value × 257.
static uint16_t to_linear[65536], from_linear[65536];
static pthread_once_t tables_made = PTHREAD_ONCE_INIT;

static double linear_light(double value) {
    return value <= 0.04045 ? value / 12.92 : pow((value + 0.055) / 1.055, 2.4);
}

static double gamma_light(double value) {
    return value <= 0.0031308 ? value * 12.92 : 1.055 * pow(value, 1 / 2.4) - 0.055;
}

static void make_tables(void) {
    for (int i = 0; i < 65536; i++) {
        to_linear[i] = (uint16_t)lround(linear_light(i / 65535.0) * 65535);
        from_linear[i] = (uint16_t)lround(gamma_light(i / 65535.0) * 65535);
    }
}

static inline void widen(const nb_plane *source, const nb_plane *alpha, int linear, const nb_plane *destination,
                         int wide) {
    uint32_t scale = wide ? 1 : 257;
    for (int32_t y = 0; y < source->height; y++) {
        const uint8_t *from = nb_row(source, y), *opacity = alpha == NULL ? NULL : nb_row(alpha, y);
        uint8_t *to = nb_row(destination, y);
        for (int32_t x = 0; x < source->width; x++) {
            uint32_t value = nb_get(from, x, wide) * scale;
            if (linear) value = to_linear[value];
            if (opacity != NULL) value = (uint32_t)(((uint64_t)value * nb_get(opacity, x, wide) * scale + 32767) / 65535);
            nb_put(to, x, 1, value);
        }
    }
}

void nb_widen(const nb_plane *source, const nb_plane *alpha, int linear, const nb_plane *destination) {
    if (linear) pthread_once(&tables_made, make_tables);
    NB_BY_DEPTH(source, widen, source, alpha, linear, destination);
}

static inline void narrow(const nb_plane *source, const nb_plane *alpha, int linear, const nb_plane *destination,
                          int wide) {
    for (int32_t y = 0; y < source->height; y++) {
        const uint8_t *from = nb_row(source, y), *opacity = alpha == NULL ? NULL : nb_row(alpha, y);
        uint8_t *to = nb_row(destination, y);
        for (int32_t x = 0; x < source->width; x++) {
            uint32_t value = nb_get(from, x, 1);
            if (opacity != NULL) {
                uint32_t by = nb_get(opacity, x, 1);
                value = by == 0 ? 0 : (uint32_t)(((uint64_t)value * 65535 + by / 2) / by);
                if (value > 65535) value = 65535;  // a kernel with lobes may exceed the alpha
            }
            if (linear) value = from_linear[value];
            nb_put(to, x, wide, wide ? value : (value + 128) / 257);
        }
    }
}

void nb_narrow(const nb_plane *source, const nb_plane *alpha, int linear, const nb_plane *destination) {
    if (linear) pthread_once(&tables_made, make_tables);
    NB_BY_DEPTH(destination, narrow, source, alpha, linear, destination);
}
