#pragma once
#include "internal.h"

/// A file that grows. After a lack of memory, what is added is dropped.
typedef struct {
    uint8_t *bytes;
    size_t count, capacity;
    int has_failed;
} nb_gif_bytes;

void nb_gif_put(nb_gif_bytes *file, const void *bytes, size_t count);
void nb_gif_put16(nb_gif_bytes *file, int32_t value);
/// Compresses indices of a palette of 2^`bits` colours, 2 to 8 (GIF89a, section 22 and appendix F).
void nb_gif_compress(nb_gif_bytes *file, const uint8_t *indices, size_t count, int bits);
