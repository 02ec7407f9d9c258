// Numbers from a seed, made planes, and digests of samples, which are the same on every processor.
#pragma once
#include <CImageCodecs.h>

#include <stdlib.h>

typedef struct {
    uint64_t random;
} trials;

static inline uint32_t random_bits(trials *self) {
    self->random = self->random * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(self->random >> 32);
}

static inline int random_between(trials *self, int least, int most) {
    return least + (int)(random_bits(self) % (uint32_t)(most - least + 1));
}

/// From `least` to `most`, in steps that are exact in binary.
static inline double random_real(trials *self, double least, double most) {
    return least + (most - least) * (random_between(self, 0, 1 << 20) / 1048576.0);
}

/// Sizes from 1 on, of which half are small.
static inline int random_size(trials *self, int most) {
    return random_between(self, 1, random_bits(self) % 2 ? most : 40);
}

/// Noise, hard edges, where sums exceed the range, slopes, and few values, of which many are equal.
static inline void random_fill(trials *self, uint8_t *to, size_t count) {
    int kind = random_between(self, 0, 3), slope = random_between(self, 1, 9);
    for (size_t i = 0; i < count; i++) {
        uint32_t bits = random_bits(self) >> 8;
        uint8_t values[] = {(uint8_t)bits, bits & 1 ? 255 : 0, (uint8_t)(i / (size_t)slope), (uint8_t)(bits % 4)};
        to[i] = values[kind];
    }
}

/// Rows of whole 64 bytes, which zeros fill.
static inline nb_plane make_plane(int width, int height, int sample_bytes) {
    ptrdiff_t stride = (width * sample_bytes + 63) & ~63;
    uint8_t *data = nb_allocate((size_t)stride * (size_t)height);
    if (!data) exit(2);
    for (ptrdiff_t i = 0; i < stride * height; i++) data[i] = 0;
    return (nb_plane){data, stride, width, height, sample_bytes};
}

static inline nb_plane random_plane(trials *self, int width, int height, int sample_bytes) {
    nb_plane plane = make_plane(width, height, sample_bytes);
    for (int y = 0; y < height; y++) random_fill(self, plane.data + y * plane.stride, (size_t)(width * sample_bytes));
    return plane;
}

/// FNV-1a, continued; the first `digest` is NO_DIGEST.
#define NO_DIGEST 14695981039346656037u
static inline uint64_t digest_of(uint64_t digest, const void *bytes, size_t count) {
    const uint8_t *from = bytes;
    for (size_t i = 0; i < count; i++) digest = (digest ^ from[i]) * 1099511628211u;
    return digest;
}

static inline uint64_t digest_of_plane(uint64_t digest, const nb_plane *plane) {
    for (int y = 0; y < plane->height; y++)
        digest = digest_of(digest, plane->data + y * plane->stride, (size_t)(plane->width * plane->sample_bytes));
    return digest;
}
