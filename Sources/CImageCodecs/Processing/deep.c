// Converts 8 bits to 16 and back, around a resampling in linear light or of colours multiplied by alpha.
#include "internal.h"

#include <math.h>
#include <pthread.h>

#define INLINE static inline __attribute__((always_inline))

// sRGB's curve (IEC 61966-2-1) over 16 bits, both ways. 8-bit samples are looked up at value × 257.
static uint16_t to_linear[65536], from_linear[65536];
static pthread_once_t tables_made = PTHREAD_ONCE_INIT;

static uint16_t *words(const nb_plane *plane, int32_t y) { return (uint16_t *)(void *)nb_row(plane, y); }

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

// The usual ones of 8 bits without linear light are written for vectors, which know neither 64 bits nor integer division.
// Each gives what the general kernel below gives.

/// Multiplies by alpha, if any.
INLINE void premultiply(const uint8_t *restrict from, const uint8_t *restrict opacity, uint16_t *restrict to,
                        int32_t count) {
    if (opacity == NULL) {
        for (int32_t x = 0; x < count; x++) to[x] = (uint16_t)(from[x] * 257);
        return;
    }
    for (int32_t x = 0; x < count; x++) {
        // from · 257 · opacity · 257 / 65535 = product + product · 514 / 65535, rounded
        uint32_t product = (uint32_t)from[x] * opacity[x], rest = product * 514 + 32767;
        to[x] = (uint16_t)(product + ((rest + (rest >> 16) + 1) >> 16));
    }
}

INLINE uint8_t to_byte(uint32_t value) { return (uint8_t)(((value + 128) * 65281) >> 24); }  // (value + 128) / 257

/// Divides by alpha.
INLINE void unpremultiply(const uint16_t *restrict from, const uint16_t *restrict opacity, uint8_t *restrict to,
                          int32_t count) {
    for (int32_t x = 0; x < count; x++) {
        uint32_t alpha = opacity[x], by = alpha == 0 ? 1 : alpha, value = from[x] < alpha ? from[x] : alpha;
        // At most one off, as the remainder shows.
        int32_t quotient = (int32_t)((float)value * 65535 / (float)by);
        int32_t rest = (int32_t)(value * 65535 + alpha / 2 - (uint32_t)quotient * by);
        quotient += (rest >= (int32_t)by) - (rest < 0);
        to[x] = to_byte((uint32_t)quotient);
    }
}

INLINE void to_bytes(const uint16_t *restrict from, uint8_t *restrict to, int32_t count) {
    for (int32_t x = 0; x < count; x++) to[x] = to_byte(from[x]);
}

INLINE void widen_rows(const nb_plane *source, const nb_plane *alpha, const nb_plane *destination) {
    for (int32_t y = 0; y < source->height; y++)
        premultiply(nb_row(source, y), alpha == NULL ? NULL : nb_row(alpha, y), words(destination, y), source->width);
}

INLINE void narrow_rows(const nb_plane *source, const nb_plane *alpha, const nb_plane *destination) {
    for (int32_t y = 0; y < source->height; y++) {
        uint8_t *to = nb_row(destination, y);
        if (alpha != NULL) unpremultiply(words(source, y), words(alpha, y), to, source->width);
        else to_bytes(words(source, y), to, source->width);
    }
}

#if defined(__x86_64__)
__attribute__((target("avx2"))) static void widen_rows_avx2(const nb_plane *source, const nb_plane *alpha,
                                                                  const nb_plane *destination) {
    widen_rows(source, alpha, destination);
}

__attribute__((target("avx2"))) static void narrow_rows_avx2(const nb_plane *source, const nb_plane *alpha,
                                                             const nb_plane *destination) {
    narrow_rows(source, alpha, destination);
}

static int has_avx2(void) { return __builtin_cpu_supports("avx2") != 0; }
#else
static int has_avx2(void) { return 0; }
#define widen_rows_avx2 widen_rows
#define narrow_rows_avx2 narrow_rows
#endif

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
    if (!linear && source->sample_bytes == 1) {
        if (has_avx2()) widen_rows_avx2(source, alpha, destination);
        else widen_rows(source, alpha, destination);
        return;
    }
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
    if (!linear && destination->sample_bytes == 1) {
        if (has_avx2()) narrow_rows_avx2(source, alpha, destination);
        else narrow_rows(source, alpha, destination);
        return;
    }
    NB_BY_DEPTH(destination, narrow, source, alpha, linear, destination);
}
