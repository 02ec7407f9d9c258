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
