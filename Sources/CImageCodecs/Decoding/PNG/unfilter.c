#include "unfilter.h"

#include <string.h>

#define INLINE static inline __attribute__((always_inline))

/// Paeth's choice of the neighbour next to left + up - corner. That is the smaller of left and up if it lies at or above the
/// larger, the larger if at or below the smaller, and otherwise, by thirds, the corner: compared here without the absolute
/// differences, so that the next pixel waits for fewer steps.
INLINE int paeth(int left, int up, int corner) {
    int turn = 3 * corner - up - left, low = left < up ? left : up, high = left < up ? up : left;
    int choice = turn >= high ? low : corner;
    return turn <= low ? high : choice;
}

INLINE void unfilter_bytes(int filter, const uint8_t *from, const uint8_t *above, uint8_t *to, size_t count, size_t step) {
    for (size_t i = 0; i < count; i++) {
        int left = to[(ptrdiff_t)i - (ptrdiff_t)step], up = above[i], corner = above[(ptrdiff_t)i - (ptrdiff_t)step];
        int prediction = filter == 1 ? left : filter == 3 ? (left + up) >> 1 : paeth(left, up, corner);
        to[i] = (uint8_t)(from[i] + prediction);
    }
}

#if defined(__SSE2__)
#include <emmintrin.h>

// A pixel at a time, all its bytes at once. Pixels of 3 and 6 bytes are read and written as 4 and 8: what is too much is
// written again with the next pixel.
INLINE __m128i load(const uint8_t *from, size_t step) {
    if (step > 4) return _mm_loadl_epi64((const __m128i *)(const void *)from);
    int32_t pixel;
    memcpy(&pixel, from, 4);
    return _mm_cvtsi32_si128(pixel);
}

INLINE void store(uint8_t *to, __m128i pixel, size_t step) {
    if (step > 4) {
        _mm_storel_epi64((__m128i *)(void *)to, pixel);
    } else {
        int32_t low = _mm_cvtsi128_si32(pixel);
        memcpy(to, &low, 4);
    }
}

INLINE void unfilter_pixels(int filter, const uint8_t *from, const uint8_t *above, uint8_t *to, size_t count, size_t step) {
    const __m128i zero = _mm_setzero_si128(), one = _mm_set1_epi8(1);
    __m128i left = zero, corner = zero;
    for (size_t i = 0; i < count; i += step) {
        __m128i raw = load(from + i, step);
        if (filter == 1) {
            left = _mm_add_epi8(raw, left);
            store(to + i, left, step);
        } else if (filter == 3) {
            // _mm_avg_epu8 rounds up.
            __m128i up = load(above + i, step), odd = _mm_and_si128(_mm_xor_si128(left, up), one);
            left = _mm_add_epi8(raw, _mm_sub_epi8(_mm_avg_epu8(left, up), odd));
            store(to + i, left, step);
        } else {
            // As paeth(), in 16 bits, of which an addition leaves the upper ones 0. If both comparisons hold, all three are
            // one value.
            __m128i up = _mm_unpacklo_epi8(load(above + i, step), zero);
            __m128i base = _mm_sub_epi16(_mm_add_epi16(corner, _mm_add_epi16(corner, corner)), up);
            __m128i turn = _mm_sub_epi16(base, left);
            __m128i low = _mm_min_epi16(left, up), high = _mm_max_epi16(left, up);
            __m128i not_low = _mm_cmpgt_epi16(high, turn), not_high = _mm_cmpgt_epi16(turn, low);
            __m128i by_low = _mm_andnot_si128(not_low, _mm_xor_si128(low, corner));
            __m128i by_high = _mm_andnot_si128(not_high, _mm_xor_si128(high, corner));
            __m128i choice = _mm_xor_si128(corner, _mm_xor_si128(by_low, by_high));
            left = _mm_add_epi8(_mm_unpacklo_epi8(raw, zero), choice);
            corner = up;
            store(to + i, _mm_packus_epi16(left, left), step);
        }
    }
}
#elif defined(__aarch64__)
#include <arm_neon.h>

// As above.
INLINE uint8x8_t load(const uint8_t *from, size_t step) {
    if (step > 4) return vld1_u8(from);
    uint32_t pixel;
    memcpy(&pixel, from, 4);
    return vcreate_u8(pixel);
}

INLINE void store(uint8_t *to, uint8x8_t pixel, size_t step) {
    if (step > 4) {
        vst1_u8(to, pixel);
    } else {
        uint32_t low = vget_lane_u32(vreinterpret_u32_u8(pixel), 0);
        memcpy(to, &low, 4);
    }
}

INLINE int16x8_t widen(uint8x8_t bytes) { return vreinterpretq_s16_u16(vmovl_u8(bytes)); }

INLINE void unfilter_pixels(int filter, const uint8_t *from, const uint8_t *above, uint8_t *to, size_t count, size_t step) {
    uint8x8_t left = vdup_n_u8(0);
    int16x8_t wide_left = vdupq_n_s16(0), corner = wide_left;
    for (size_t i = 0; i < count; i += step) {
        uint8x8_t raw = load(from + i, step);
        if (filter == 1) {
            left = vadd_u8(raw, left);
            store(to + i, left, step);
        } else if (filter == 3) {
            left = vadd_u8(raw, vhadd_u8(left, load(above + i, step)));
            store(to + i, left, step);
        } else {
            // As paeth(), in 16 bits, of which an addition of bytes leaves the upper ones 0.
            int16x8_t up = widen(load(above + i, step));
            int16x8_t turn = vsubq_s16(vsubq_s16(vmulq_n_s16(corner, 3), up), wide_left);
            int16x8_t low = vminq_s16(wide_left, up), high = vmaxq_s16(wide_left, up);
            int16x8_t choice = vbslq_s16(vcgeq_s16(turn, high), low, corner);
            choice = vbslq_s16(vcleq_s16(turn, low), high, choice);
            wide_left = vreinterpretq_s16_s8(vaddq_s8(vreinterpretq_s8_s16(widen(raw)), vreinterpretq_s8_s16(choice)));
            corner = up;
            store(to + i, vmovn_u16(vreinterpretq_u16_s16(wide_left)), step);
        }
    }
}
#else
#define unfilter_pixels unfilter_bytes
#endif

/// The filters that wait for the pixel to the left.
INLINE void unfilter_row(int filter, const uint8_t *from, const uint8_t *above, uint8_t *to, size_t count, size_t step) {
    switch (step) {
        case 1: unfilter_bytes(filter, from, above, to, count, 1); break;
        case 2: unfilter_bytes(filter, from, above, to, count, 2); break;
        case 3: unfilter_pixels(filter, from, above, to, count, 3); break;
        case 4: unfilter_pixels(filter, from, above, to, count, 4); break;
        case 6: unfilter_pixels(filter, from, above, to, count, 6); break;
        default: unfilter_pixels(filter, from, above, to, count, 8); break;
    }
}

int nb_unfilter(int filter, const uint8_t *from, const uint8_t *above, uint8_t *to, size_t count, size_t step) {
    switch (filter) {
        case 0: memcpy(to, from, count); return 1;
        case 1: unfilter_row(1, from, above, to, count, step); return 1;
        case 2: for (size_t i = 0; i < count; i++) to[i] = (uint8_t)(from[i] + above[i]); return 1;
        case 3: unfilter_row(3, from, above, to, count, step); return 1;
        case 4: unfilter_row(4, from, above, to, count, step); return 1;
        default: return 0;
    }
}
