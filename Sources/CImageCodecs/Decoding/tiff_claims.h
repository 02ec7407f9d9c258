#pragma once
#include "tiff_source.h"

/// The most bytes that a decoder of Zstandard, LZMA or WebP holds for one strip or tile beside its input and output:
/// windows, dictionaries, pixels. Tiles are `width` by `rows`; strips have `rows` of an image's `height`. Strips whose
/// needs cannot be determined are refused.
nb_status nb_tiff_claims(TIFF *tiff, const nb_tiff_source *from, uint16_t compression, uint32_t width, uint32_t height,
                         uint32_t rows, uint64_t *most);
