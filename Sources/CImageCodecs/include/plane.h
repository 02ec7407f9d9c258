#pragma once
// The samples that the codecs share.

#include <stddef.h>
#include <stdint.h>

/// One channel of an image: `height` rows of `width` samples, `stride` bytes apart.
///
/// Samples of two bytes are in native byte order. All planes of a call have the same depth unless stated otherwise.
typedef struct {
    uint8_t *data;
    ptrdiff_t stride;
    int32_t width, height;
    int32_t sample_bytes;  // 1 or 2
} nb_plane;

/// Where a decoder puts a picture: planes that have 1/`factor` of it on each side (see nb_shrinker), and the profile of its colours.
typedef struct {
    const nb_plane *planes;
    int32_t channels, factor;
    uint8_t *icc;  // gets the profile, unless it has more than `icc_capacity` bytes
    size_t icc_capacity;
    size_t icc_count;  // of the profile; 0 before the call, and if there is none
} nb_target;
