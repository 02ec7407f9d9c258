#pragma once
#include "CImageCodecs.h"

// A product is rounded before it is added to something. Left to themselves, compilers for arm64 do both at once, and an image
// would depend on the processor that made it.
#pragma STDC FP_CONTRACT OFF

/// Writes a message and returns the status, so that a failure is one line.
nb_status nb_fail(nb_error *error, nb_status status, const char *message);

/// The failure of an image whose data end too early.
static inline nb_status nb_cut(nb_error *error) {
    return nb_fail(error, NB_TRUNCATED, "the data ends before the image does");
}

/// Notes what was passed over.
static inline void nb_warn(nb_error *error, nb_warning warning) { error->warnings |= (uint32_t)warning; }

/// A file or text that grows. After a lack of memory, what is added is dropped.
typedef struct {
    uint8_t *bytes;  // the owner's to free
    size_t count, capacity;
    int has_failed;
} nb_bytes;

/// Makes room for `count` bytes more. Returns 0 without memory.
int nb_bytes_reserve(nb_bytes *to, size_t count);
void nb_bytes_add(nb_bytes *to, const void *bytes, size_t count);
/// Gives back the memory behind the first `count` bytes, which may move.
uint8_t *nb_fitted(uint8_t *bytes, size_t count);

static inline uint8_t *nb_row(const nb_plane *plane, int32_t y) { return plane->data + (ptrdiff_t)y * plane->stride; }

/// One row of a plane as a plane.
static inline nb_plane nb_line(const nb_plane *plane, int32_t y) {
    nb_plane line = *plane;
    line.data = nb_row(plane, y);
    line.height = 1;
    return line;
}

// Kernels for both depths are written once with these, as functions that are inlined with a constant `wide`.

static inline uint32_t nb_get(const uint8_t *row, ptrdiff_t index, int wide) {
    return wide ? ((const uint16_t *)(const void *)row)[index] : row[index];
}

static inline void nb_put(uint8_t *row, ptrdiff_t index, int wide, uint32_t value) {
    if (wide) ((uint16_t *)(void *)row)[index] = (uint16_t)value;
    else row[index] = (uint8_t)value;
}

/// Divides the first samples of each pixel by one that is its alpha.
static inline void nb_divide_by_alpha(uint8_t *row, size_t width, int samples, int colors, int alpha_at, int wide) {
    uint32_t most = wide ? 65535 : 255;
    for (ptrdiff_t i = 0; i < (ptrdiff_t)width * samples; i += samples) {
        uint32_t alpha = nb_get(row, i + alpha_at, wide);
        for (ptrdiff_t c = i; c < i + colors; c++) {
            uint32_t color = nb_get(row, c, wide);
            nb_put(row, c, wide, alpha == 0 ? 0 : color >= alpha ? most : (color * most + alpha / 2) / alpha);
        }
    }
}

/// Calls `kernel` with its arguments and, as a constant, whether `plane` has 16-bit samples.
#define NB_BY_DEPTH(plane, kernel, ...) \
    do { \
        if ((plane)->sample_bytes == 2) kernel(__VA_ARGS__, 1); \
        else kernel(__VA_ARGS__, 0); \
    } while (0)

enum { NB_MOST_CHANNELS = 5 };  // of a decoded image: four inks and alpha

/// Interleaves 3 or 4 planes of 8 bits as red, green, blue and alpha without gaps. Returns 0 without memory.
int nb_interleave_rgba(const nb_plane *planes, int channels, uint8_t *rgba);

/// Reads a big-endian number.
static inline uint32_t nb_get32(const uint8_t *from) {
    return (uint32_t)from[0] << 24 | (uint32_t)from[1] << 16 | (uint32_t)from[2] << 8 | from[3];
}

/// Averages blocks of `factor` × `factor` pixels while rows arrive from a decoder, so that memory follows the size of
/// the result. Colours are weighted by alpha, so that hidden colours do not bleed.
typedef struct {
    const nb_plane *planes;  // of the result
    int channels, has_alpha, factor, wide;
    int32_t width, height;   // of the source
    int32_t next, row;       // rows received, rows written
    void *sums;              // a source row of sums over the block's rows so far
} nb_shrinker;

/// Planes are ceil(width / factor) by ceil(height / factor); a factor of 1 copies. Returns 0 without memory.
int nb_shrinker_start(nb_shrinker *shrinker, const nb_target *target, int has_alpha, int32_t width, int32_t height);
/// Takes the next row of interleaved samples of the planes' depth. Rows after the last are ignored.
void nb_shrinker_add(nb_shrinker *shrinker, const uint8_t *packed);
void nb_shrinker_end(nb_shrinker *shrinker);
/// Averages a whole interleaved image of the planes' depth, with rows `stride` bytes apart. Returns 0 without memory.
int nb_shrink(const uint8_t *packed, size_t stride, int32_t width, int32_t height, const nb_target *target, int has_alpha);

/// The kind of colours that the H.273 code points for primaries and transfer characteristics describe.
typedef enum { NB_CODES_SRGB, NB_CODES_OTHER, NB_CODES_HDR } nb_codes;

/// Unknown and unspecified codes count as sRGB's.
nb_codes nb_codes_kind(int primaries, int transfer);
/// Whether H.273 gives both codes a meaning, of which "unspecified" is one.
int nb_codes_are_known(int primaries, int transfer);
/// The colours of NB_CODES_HDR; of any other, all 0.
nb_hdr nb_codes_hdr(int primaries, int transfer);
/// x and y of white, red, green and blue; sRGB's for an unknown code.
const double *nb_codes_primaries(int primaries);
/// Writes the profile of NB_CODES_OTHER; as nb_profile_describe. None for NB_CODES_HDR, which no profile describes.
void nb_codes_profile(int gray, int primaries, int transfer, nb_target *target);

/// Creates a transform from 16-bit CIELAB as ICC.1:2001 encodes it (white is 0xFF00, neutral is 0x8000) to RGB, or to
/// RGBA without changing its alpha; NULL without memory.
void *nb_lab_open(int wide, int has_alpha);
void nb_lab_convert(void *transform, const uint16_t *lab, uint8_t *packed, size_t count);
void nb_lab_close(void *transform);
