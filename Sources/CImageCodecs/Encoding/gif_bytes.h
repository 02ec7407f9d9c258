#pragma once
#include "internal.h"

void nb_gif_put16(nb_bytes *file, int32_t value);
/// Compresses indices of a palette of 2^`bits` colours, 2 to 8 (GIF89a, section 22 and appendix F).
void nb_gif_compress(nb_bytes *file, const uint8_t *indices, size_t count, int bits);
