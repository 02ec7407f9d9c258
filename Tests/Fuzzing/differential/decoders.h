// One format's two decoders, ours and the library, as comparisons need them: jpeg.c or png.c.
#ifndef DECODERS_H
#define DECODERS_H

#include <CImageCodecs.h>

#include <stdlib.h>

enum { MOST_SAMPLES = 300000 };

// EITHER is what the program does: ours first, and the library for what that leaves.
typedef enum { OURS, LIBRARY, EITHER } decoder;

// Planes of exactly the size that was planned, so that the address sanitizer sees the first byte beyond.
typedef struct picture {
    int count;
    nb_plane plane[4];
    size_t samples;
} picture;

// The ways to decode a file, as a scale or a depth, from 0; and its library's name.
extern const int variants;
extern const char library[];

// The file that is made of a fuzzer's bytes, with malloc; NULL if none is.
uint8_t *make_file(const uint8_t *bytes, size_t count, size_t *file_count);

// Empty planes for a file; 0 if its header is refused, or says that it is larger than is tried.
int make_picture(const uint8_t *file, size_t count, int variant, picture *picture);

// True if the file was decoded into the planes; ours leaves some to the library, which says why it refuses one.
int decode(const uint8_t *file, size_t count, int variant, decoder decoder, picture *picture, nb_error *error);

static inline void free_picture(picture *picture) {
    for (int i = 0; i < picture->count; i++) free(picture->plane[i].data);
}

#endif
