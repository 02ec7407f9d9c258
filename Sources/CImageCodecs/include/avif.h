#pragma once
// AVIF (in builds with NB_AVIF).

#include <stddef.h>
#include <stdint.h>

#include "gain_maps.h"
#include "hdr.h"
#include "metadata.h"
#include "outcomes.h"
#include "plane.h"

typedef struct {
    int32_t width, height;              // as stored, within the clean aperture
    int32_t coded_width, coded_height;  // the size of the compressed data
    int32_t orientation;                // from irot and imir, as EXIF's 1 to 8
    int32_t depth;                      // 8, 10 or 12
    int32_t gray, alpha;
    int32_t profile;                    // 1 if one is embedded, or the colours are not sRGB
    int32_t samples;                    // of all planes, per four pixels
    int32_t gain_map;                   // 1 if one is beside the image, where libavif is 1.2 or later
    nb_hdr hdr;                         // without an embedded profile
} nb_avif_header;

/// The most pixels that a decode holds of each side beside the header's width and height: around a crop.
enum { NB_AVIF_MARGIN = 6 };

nb_status nb_avif_read_header(const uint8_t *bytes, size_t count, nb_avif_header *header, nb_error *error);
/// Decodes the first image into 1 (gray) or 3 (RGB) planes, plus alpha if the file has it, of 8 or 16 bits.
nb_status nb_avif_decode(const uint8_t *bytes, size_t count, const nb_avif_header *header, nb_target *target,
                         nb_error *error);

/// The most frames of a sequence that are read: 36 minutes of 30 frames a second.
enum { NB_AVIF_MOST_FRAMES = 1 << 16 };

/// The decoder of a sequence, kept from one frame to the next. One thread at a time may use it.
typedef struct nb_avif_sequence nb_avif_sequence;
/// Reads the header of a sequence's frames, which may differ from the still image in the same file.
nb_status nb_avif_read_frame_header(const uint8_t *bytes, size_t count, nb_avif_header *header, nb_error *error);
/// Decodes the frame of that index, as nb_avif_decode at a factor of 1, and those before it up to a key frame that are not yet
/// decoded. The first call makes `sequence`, which must be NULL then. The caller closes it, even if a call fails.
nb_status nb_avif_decode_frame(nb_avif_sequence **sequence, int32_t index, const uint8_t *bytes, size_t count,
                               const nb_avif_header *header, nb_target *target, nb_error *error);
/// Returns NB_OK; NULL is closed already.
nb_status nb_avif_close_sequence(nb_avif_sequence *sequence, nb_error *error);

typedef struct {
    int32_t horizontal, vertical;  // luma samples per chroma sample, 1 or 2
    int32_t quantizer;             // 0 (best) to 63
    int32_t speed;                 // 0 to 10
    int32_t tunes_for_images;      // 1 to make images look better for their bytes, where the encoder can (libaom 3.12)
    int32_t half_lower;            // 1 for a file between this quantizer and the next one, where the encoder can (libaom)
} nb_avif_settings;

/// Encodes planes of 8 bits unchanged (gray or YCbCr, and alpha), or of 16 bits (gray or RGB, and alpha) to 10 bits. A gain map
/// may be NULL; NB_UNSUPPORTED for one where nb_avif_keeps_gain_maps says 0.
nb_status nb_avif_encode(const nb_plane *planes, int channels, const nb_avif_settings *settings,
                         const nb_metadata *metadata, const nb_avif_gain_map_source *gain_map, uint8_t **bytes,
                         size_t *count, nb_error *error);
/// Reads the metadata; a part above NB_LONGEST_METADATA is left out.
nb_status nb_avif_read_metadata(const uint8_t *bytes, size_t count, nb_metadata *metadata, nb_error *error);
