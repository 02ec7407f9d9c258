#pragma once
// JPEG XL (in builds with NB_JXL).

#include <stddef.h>
#include <stdint.h>

#include "hdr.h"
#include "metadata.h"
#include "outcomes.h"
#include "plane.h"

typedef struct {
    int32_t width, height;  // as stored
    int32_t orientation;    // the file's own, as EXIF's 1 to 8
    int32_t depth;          // bits per sample, at most 16
    int32_t gray, alpha;
    int32_t channels;       // of the file, those that are not shown too
    int32_t profile;        // 1 if decoded pixels are not sRGB
    nb_hdr hdr;             // of decoded pixels
} nb_jxl_header;

nb_status nb_jxl_read_header(const uint8_t *bytes, size_t count, nb_jxl_header *header, nb_error *error);
/// Decodes the first frame into 1 (gray) or 3 (RGB) planes, plus alpha if the file has it, of 8 or 16 bits. The library holds at
/// most `most_bytes` (since libjxl 0.11; before, nothing bounds it), or the result is NB_LIMITS. Partial data gives what it shows so
/// far: unless nothing was lost, all of the image in at least an eighth of its resolution. NB_TRUNCATED until then.
nb_status nb_jxl_decode(const uint8_t *bytes, size_t count, const nb_jxl_header *header, int is_partial, size_t most_bytes,
                        nb_target *target, nb_error *error);
/// Reads the metadata, also what is compressed; a part above NB_LONGEST_METADATA is left out.
nb_status nb_jxl_read_metadata(const uint8_t *bytes, size_t count, nb_metadata *metadata, nb_error *error);

typedef struct {
    float distance;    // Butteraugli's, above 0; ignored if lossless
    int32_t lossless;
    int32_t effort;    // 1 (fast) to 9 (small)
} nb_jxl_settings;

/// Encodes 1 to 4 planes at their own depth as sRGB.
nb_status nb_jxl_encode(const nb_plane *planes, int channels, const nb_jxl_settings *settings,
                        const nb_metadata *metadata, uint8_t **bytes, size_t *count, nb_error *error);
/// Compresses a JPEG without loss into at most `capacity` bytes; NB_LIMITS if it takes more, NB_UNSUPPORTED if libjxl does not
/// take such a JPEG.
nb_status nb_jxl_from_jpeg(const uint8_t *bytes, size_t count, uint8_t *file, size_t capacity, size_t *used,
                           nb_error *error);
/// Gives back the JPEG, which must have exactly `jpeg_count` bytes.
nb_status nb_jxl_to_jpeg(const uint8_t *bytes, size_t count, uint8_t *jpeg, size_t jpeg_count, nb_error *error);
void nb_jxl_version(char *text, size_t count);
