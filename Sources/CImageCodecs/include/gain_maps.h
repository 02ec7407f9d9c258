#pragma once
// Gain maps of AVIF (ISO 21496-1; in builds with NB_AVIF), where libavif is 1.2 or later.

#include <stddef.h>
#include <stdint.h>

#include "outcomes.h"
#include "plane.h"

/// The most bytes of a map's numbers by ISO 21496-1, annex C: versions, flags, two headrooms, and five fractions for each of three
/// channels.
enum { NB_GAIN_MAP_NUMBERS = 5 + 8 * (2 + 3 * 5) };
/// The bytes of the versions before the flags; two of the flags.
enum { NB_GAIN_MAP_VERSIONS = 4, NB_GAIN_MAP_THREE_CHANNELS = 0x80, NB_GAIN_MAP_BASE_COLORS = 0x40 };

/// A gain map, as the boxes describe it.
typedef struct {
    int32_t width, height;              // as stored
    int32_t coded_width, coded_height;  // the size of the compressed image beside it, all of which it covers
    int32_t left, top;                  // where the clean aperture of that image begins
    int32_t depth, gray;
    int32_t samples;                    // of all planes, per four pixels
    uint8_t numbers[NB_GAIN_MAP_NUMBERS];
} nb_avif_gain_map;

/// Writes 1 if files are read and written with their gain maps, or 0 where libavif is older.
nb_status nb_avif_keeps_gain_maps(int32_t *answer, nb_error *error);
/// Reads what the boxes say of a map; only for a file whose header has one.
nb_status nb_avif_read_gain_map(const uint8_t *bytes, size_t count, nb_avif_gain_map *map, nb_error *error);
/// Decodes a map, and not the image beside it, into 1 (gray) or 3 (RGB) planes of 8 bits. The profile is that of the colours that
/// the map is about.
nb_status nb_avif_decode_gain_map(const uint8_t *bytes, size_t count, const nb_avif_gain_map *map, nb_target *target,
                                  nb_error *error);

/// A gain map to be written beside an image.
typedef struct {
    const nb_plane *planes;  // 1 (gray) or 3 (YCbCr) of 8 bits and one size
    int32_t channels;
    int32_t quality;         // 0 to 100 (best)
    const uint8_t *numbers;  // by ISO 21496-1, annex C, with fractions of their own
    size_t numbers_count;
    const uint8_t *icc;      // the colours that the map is about; NULL for those of the image beside it
    size_t icc_count;
} nb_avif_gain_map_source;
