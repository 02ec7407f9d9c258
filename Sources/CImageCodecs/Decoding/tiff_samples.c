// Converts a TIFF's samples to numbers of at most 16 bits.
//
// In TIFF 6.0, gray and RGB range from 0 (black) to the largest number (full colour); signed and floating-point images
// are undefined. As in libvips, signed samples are the same numbers, and values below black are black. Floating point
// is linear light from 0 to 1 (scRGB, IEC 61966-2-2, as Photoshop writes it), and values outside are clipped.
#ifdef NB_TIFF
#include "tiff_samples.h"

#include <math.h>
#include <string.h>

nb_status nb_tiff_check_samples(nb_tiff_samples samples, nb_error *error) {
    int bits = samples.bits;
    switch (samples.format) {
        case SAMPLEFORMAT_UINT: case SAMPLEFORMAT_VOID:
            if ((bits >= 1 && bits <= 16) || bits == 32) return NB_OK;
            return nb_fail(error, NB_UNSUPPORTED, "its samples have neither 1 to 16 nor 32 bits");
        case SAMPLEFORMAT_INT:
            if (bits == 8 || bits == 16 || bits == 32) return NB_OK;
            return nb_fail(error, NB_UNSUPPORTED, "its signed samples have neither 8 nor 16 nor 32 bits");
        case SAMPLEFORMAT_IEEEFP:
            if (bits == 16 || bits == 32) return NB_OK;
            return nb_fail(error, NB_UNSUPPORTED, "its floating-point samples have neither 16 nor 32 bits");
        default: return nb_fail(error, NB_UNSUPPORTED, "its samples are no real numbers");
    }
}

int nb_tiff_depth(nb_tiff_samples samples) { return samples.bits > 16 ? 16 : samples.bits; }

static uint32_t read32(const uint8_t *from, size_t index) {
    uint32_t value;
    memcpy(&value, from + 4 * index, 4);
    return value;
}

static uint16_t from_float(float value) {
    // A comparison with NaN is false.
    return value >= 1 ? 65535 : value > 0 ? (uint16_t)lrintf(value * 65535) : 0;
}

/// IEEE 754's binary16.
static float from_half(uint32_t half) {
    int exponent = half >> 10 & 31;
    float fraction = (float)(half & 1023) / 1024, value;
    if (exponent == 31) value = (half & 1023) == 0 ? INFINITY : NAN;
    else value = exponent == 0 ? ldexpf(fraction, -14) : ldexpf(1 + fraction, exponent - 15);
    return half & 0x8000 ? -value : value;
}

static void unpack_floats(const uint8_t *from, int bits, uint16_t *to, size_t step, size_t count) {
    for (size_t i = 0; i < count; i++) {
        float value;
        if (bits == 16) value = from_half(nb_get(from, (ptrdiff_t)i, 1));
        else memcpy(&value, from + 4 * i, 4);
        to[i * step] = from_float(value);
    }
}

static void unpack_signed(const uint8_t *from, int bits, uint16_t *to, size_t step, size_t count) {
    for (size_t i = 0; i < count; i++) {
        uint32_t value = bits == 32 ? read32(from, i) : nb_get(from, (ptrdiff_t)i, bits == 16);
        int is_negative = value >> (bits - 1) & 1;
        to[i * step] = is_negative ? 0 : (uint16_t)(bits == 32 ? value >> 16 : value);
    }
}

// Packed starting with the highest bit.
static void unpack_bits(const uint8_t *from, int bits, uint16_t *to, size_t step, size_t count) {
    uint32_t held = 0, most = (1u << bits) - 1;
    for (int have = 0; count > 0; count--, to += step, have -= bits) {
        for (; have < bits; have += 8) held = held << 8 | *from++;
        *to = (uint16_t)(held >> (have - bits) & most);
    }
}

void nb_tiff_unpack(const uint8_t *from, nb_tiff_samples samples, uint16_t *to, size_t step, size_t count) {
    int bits = samples.bits;
    if (samples.format == SAMPLEFORMAT_IEEEFP) {
        unpack_floats(from, bits, to, step, count);
    } else if (samples.format == SAMPLEFORMAT_INT) {
        unpack_signed(from, bits, to, step, count);
    } else if (bits == 8) {
        for (size_t i = 0; i < count; i++) to[i * step] = from[i];
    } else if (bits == 16) {
        for (size_t i = 0; i < count; i++) to[i * step] = (uint16_t)nb_get(from, (ptrdiff_t)i, 1);
    } else if (bits == 32) {
        for (size_t i = 0; i < count; i++) to[i * step] = (uint16_t)(read32(from, i) >> 16);
    } else {
        unpack_bits(from, bits, to, step, count);
    }
}
#endif
