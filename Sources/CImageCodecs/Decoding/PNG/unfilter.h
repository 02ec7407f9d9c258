// The filters of PNG, undone (RFC 2083, chapter 6).
#pragma once
#include <stddef.h>
#include <stdint.h>

enum { NB_UNFILTER_PADDING = 8 };  // bytes before a row, which are 0, and behind it, which may be read and written

/// Restores a row of `count` bytes, `step` to a pixel (at least 1), from its filtered bytes and the row above. All three rows
/// are padded; the first row has zeros above. False if there is no such filter.
int nb_unfilter(int filter, const uint8_t *filtered, const uint8_t *above, uint8_t *to, size_t count, size_t step);
