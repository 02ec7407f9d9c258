#pragma once
// The boundary between Swift and the C codecs: plain structs and `nb_` functions, no type of a library.
//
// Every function is self-contained: libjpeg and libpng exit by longjmp, so each entry function has its own setjmp and
// takes no callback. Callers own all memory except an encoder's result, which `nb_free` releases. What a function keeps
// between calls is in a context of the caller's, so all of them may run on any number of threads.

#include <stddef.h>
#include <stdint.h>

#include "animations.h"
#include "avif.h"
#include "gain_maps.h"
#include "hdr.h"
#include "jpeg_xl.h"
#include "metadata.h"
#include "near_hashes.h"
#include "outcomes.h"
#include "plane.h"
#include "similarity.h"
#include "svg.h"

// Memory

/// `count` bytes on a 64-byte boundary, or NULL. `nb_free` releases them.
void *nb_allocate(size_t count);
void nb_free(void *memory);
/// Gives the pages of free blocks back to the system, also those between blocks that are in use (malloc_trim(3)).
void nb_return_free_memory(void);

// Plug-ins

/// The codecs that stand in shared objects of their own in builds with the trait PlugIns.
typedef enum {
    NB_PLUG_IN_AVIF, NB_PLUG_IN_JXL, NB_PLUG_IN_HEIC, NB_PLUG_IN_TIFF, NB_PLUG_IN_GIF, NB_PLUG_IN_PALETTE,
} nb_plug_in;

/// Loads a plug-in unless it is loaded; NB_NO_PLUG_IN with the reason and a remedy if it cannot be. In other builds, where
/// the codecs are linked, NB_OK. The codecs' functions load their plug-in by themselves.
nb_status nb_plug_in_load(nb_plug_in plug_in, nb_error *error);

// JPEG

typedef enum { NB_JPEG_GRAY = 1, NB_JPEG_YCBCR, NB_JPEG_RGB, NB_JPEG_CMYK, NB_JPEG_OTHER } nb_jpeg_color;

typedef struct {
    int32_t width, height, components;
    nb_jpeg_color color;        // YCCK counts as CMYK: libjpeg converts it
    int32_t horizontal[4];      // sampling factors, 1 to 4
    int32_t vertical[4];
    int32_t progressive;
    int32_t multiple_scans;     // all coefficients are held in memory
    int32_t adobe;              // an Adobe marker: CMYK is stored inverted
} nb_jpeg_header;

typedef struct {
    int32_t width, height;      // samples that show the image
    int32_t columns, rows;      // samples to allocate: whole blocks
    double extent_x, extent_y;  // the image's exact size in samples, at most `width` and `height`
} nb_jpeg_plane_plan;

/// The output of a decode at `scale`/8. Planar: one plane per component. Packed: one plane of interleaved RGB or CMYK.
typedef struct {
    int32_t scale, planar, count;
    int32_t width, height;      // of the result
    nb_jpeg_plane_plan plane[3];
} nb_jpeg_plan;

nb_status nb_jpeg_read_header(const uint8_t *bytes, size_t count, nb_jpeg_header *header, nb_error *error);
void nb_jpeg_plan_decode(const nb_jpeg_header *header, int scale, nb_jpeg_plan *plan);
/// Decodes into planes allocated as `plan` says. A libjpeg warning is an error if pixels are missing or wrong. Partial data may end within any scan
/// after the first one's header; the image then consists of the scans up to there.
nb_status nb_jpeg_decode(const uint8_t *bytes, size_t count, const nb_jpeg_plan *plan, int max_scans, int is_partial,
                         const nb_plane *planes, nb_error *error);

/// The tables that the direct decoder keeps from one image to the next: at most 160 KiB. A context serves one thread at a
/// time. NULL without memory, or where there is no direct decoder.
typedef struct nb_jpeg_context nb_jpeg_context;
nb_jpeg_context *nb_jpeg_context_make(void);
void nb_jpeg_context_free(nb_jpeg_context *context);
/// The most bytes that the direct decoder holds at once besides planes and context; 0 if it leaves all such files to
/// nb_jpeg_decode.
size_t nb_jpeg_direct_memory(const nb_jpeg_header *header, const nb_jpeg_plan *plan);
/// Decodes into the same planes as nb_jpeg_decode, to the bit, in a third to half of the time. Returns 0, with planes
/// that hold anything, for a file that is left to nb_jpeg_decode: an unusual or damaged one.
int nb_jpeg_decode_direct(const uint8_t *bytes, size_t count, const nb_jpeg_plan *plan, int max_scans,
                          const nb_plane *planes, nb_jpeg_context *context);

typedef struct {
    int32_t width, height, components;  // 1: gray, 3: YCbCr
    int32_t horizontal, vertical;       // luma samples per chroma sample, 1 or 2
    int32_t quality, progressive, optimize;
    int32_t smallest;                   // fewer bytes for the same look, in many times the time; always optimizes
    int32_t half_lower;                 // 1 for tables halfway to those of the next lower quality
} nb_jpeg_settings;

nb_status nb_jpeg_encode(const nb_plane *planes, const nb_jpeg_settings *settings, uint8_t **bytes, size_t *count,
                         nb_error *error);

// PNG

/// Bytes of a file.
typedef struct {
    size_t start, count;
} nb_range;

typedef struct {
    int32_t width, height, depth, color_type, is_interlaced;
    int32_t transparency;               // a palette or colour with transparency (tRNS) that counts
    int32_t profile;                    // colours may be other than sRGB's (cICP, iCCP, gAMA)
    int32_t is_narrow;                  // black is 16 and white 235 of 255 (cICP)
    nb_hdr hdr;
    nb_range content_light;             // cLLI and mDCV, of 8 and 24 bytes
    nb_range screen_light;
    nb_range exif, xmp, deflated_xmp;   // of a count of 0 if there is none, as the others
} nb_png_header;

nb_status nb_png_read_header(const uint8_t *bytes, size_t count, nb_png_header *header, nb_error *error);

/// Who decodes the pixels: the direct decoder what it can and libpng the rest, or one of them alone, to compare them.
typedef enum { NB_PNG_ANY, NB_PNG_DIRECT, NB_PNG_LIBRARY } nb_png_way;

/// Decodes into 1 (gray), 2 (gray, alpha), 3 (RGB) or 4 (RGBA) planes, depending on the file's colour type, of 8 or 16
/// bits, depending on the planes. The image is `width` by `height`. The profile is that which its cICP chunk describes, that the
/// file embeds, or that its gAMA and cHRM chunks describe. NB_PNG_DIRECT alone returns NB_UNSUPPORTED for what it would leave to
/// libpng.
nb_status nb_png_decode(const uint8_t *bytes, size_t count, int32_t width, int32_t height, nb_png_way way, nb_target *target,
                        nb_error *error);
/// Encodes 1 to 4 planes at their own depth.
nb_status nb_png_encode(const nb_plane *planes, int channels, int level, uint8_t **bytes, size_t *count,
                        nb_error *error);
/// Writes the filter with the smallest sum of absolute differences, of several the first, and behind it the bytes that it
/// makes of a row. `row` and `above` are preceded by `step` bytes, those of a pixel, that are 0, so that the first pixel is no
/// special case. `plainly` does it byte by byte, to compare.
void nb_png_filter(const uint8_t *row, const uint8_t *above, size_t count, size_t step, int plainly, uint8_t *filtered);
/// Encodes 3 (RGB) or 4 (RGBA) planes of 8 bits with a palette of at most 256 colours, dithered.
nb_status nb_png_encode_palette(const nb_plane *planes, int channels, int level, uint8_t **bytes, size_t *count,
                                nb_error *error);

// WebP

typedef struct {
    int32_t width, height, alpha, animated, lossless;
} nb_webp_header;

nb_status nb_webp_read_header(const uint8_t *bytes, size_t count, nb_webp_header *header, nb_error *error);
/// Decodes into 3 (RGB) or 4 (RGBA) planes. RGB is scaled while it is decoded, so the planes show the whole image; RGBA is
/// averaged.
nb_status nb_webp_decode(const uint8_t *bytes, size_t count, int32_t width, int32_t height, nb_target *target,
                         nb_error *error);
nb_status nb_webp_encode(const nb_plane *planes, int channels, float quality, int lossless, int effort,
                         uint8_t **bytes, size_t *count, nb_error *error);

// HEIC (in builds with NB_HEIC)

typedef struct {
    int32_t width, height;              // upright: libheif rotates and crops
    int32_t coded_width, coded_height;  // the size of the compressed data, all tiles together
    int32_t depth, alpha;
    int32_t profile;                    // 1 if one is embedded, or the colours are not sRGB
    nb_hdr hdr;                         // without an embedded profile
} nb_heif_header;

nb_status nb_heif_read_header(const uint8_t *bytes, size_t count, nb_heif_header *header, nb_error *error);
/// Decodes the primary image into 3 (RGB) or 4 (RGBA) planes; otherwise as nb_avif_decode.
nb_status nb_heif_decode(const uint8_t *bytes, size_t count, const nb_heif_header *header, nb_target *target,
                         nb_error *error);
/// Reads the metadata of the primary image; a part above NB_LONGEST_METADATA is left out.
nb_status nb_heif_read_metadata(const uint8_t *bytes, size_t count, nb_metadata *metadata, nb_error *error);

// GIF

/// Decodes the first frame into 3 (RGB) or 4 (RGBA) planes, on a canvas of `width` by `height` that contains it. A frame that is
/// transparent or does not fill the canvas needs alpha. Colours beyond the palette are black; without a palette, all pixels must
/// be transparent. With `rows`, which also needs alpha, a frame that is not interlaced may end early: missing rows are transparent,
/// and `rows` gets the number of rows present, `height` if all are.
nb_status nb_gif_decode(const uint8_t *bytes, size_t count, int32_t width, int32_t height, int32_t *rows, nb_target *target,
                        nb_error *error);

// BMP

typedef struct {
    int32_t width, height, bits;  // bits per pixel
    int32_t alpha;                // 1 if a pixel uses the alpha mask
    int32_t top_down, rle;
    int32_t colors, entry;        // of the palette: entries, bytes per entry
    uint32_t masks[4];            // for 16 and 32 bits per pixel: red, green, blue, alpha
    size_t palette, pixels;       // offsets from the file's start
    size_t profile, profile_count;
} nb_bmp_header;

nb_status nb_bmp_read_header(const uint8_t *bytes, size_t count, nb_bmp_header *header, nb_error *error);
/// Decodes into 3 (RGB) or, with alpha, 4 (RGBA) planes. Colours beyond the palette are black.
nb_status nb_bmp_decode(const uint8_t *bytes, size_t count, const nb_bmp_header *expected, nb_target *target, nb_error *error);

// TIFF

typedef struct {
    int32_t width, height, bits, channels;
    int32_t alpha, cmyk;       // the last channel is alpha; the channels are four inks
    int32_t orientation;       // as EXIF's
    size_t profile_count;      // bytes of the ICC profile
    size_t working_bytes;      // the most bytes that a decode holds beside its planes and the averaging
} nb_tiff_header;

/// Reads the first directory, also of BigTIFF. Refuses samples without an agreed meaning (see tiff_samples.c).
nb_status nb_tiff_read_header(const uint8_t *bytes, size_t count, nb_tiff_header *header, nb_error *error);
/// Decodes into as many planes as `expected` has channels. CMYK has 8 bits.
nb_status nb_tiff_decode(const uint8_t *bytes, size_t count, const nb_tiff_header *expected, nb_target *target,
                         nb_error *error);

// Resampling

typedef enum { NB_LANCZOS3, NB_MITCHELL, NB_BICUBIC, NB_BILINEAR, NB_BOX } nb_filter;

typedef struct {
    int32_t source_width, source_height, width, height;
    double x, y, region_width, region_height;  // the part of the source to show, in samples; may extend past it
    nb_filter filter;
    int32_t sample_bytes;                      // 1 or 2
    int32_t by_library;                        // leaves it to zimg, to compare
} nb_resampling;

/// A prepared resampling. It is immutable, so any number of threads may run it.
typedef struct nb_resampler nb_resampler;

nb_status nb_resampler_make(const nb_resampling *resampling, nb_resampler **resampler, nb_error *error);
/// Whether the direct resampler does it, whose results are zimg's.
int nb_resampler_is_direct(const nb_resampler *resampler);
/// Rows of both planes begin on a 64-byte boundary.
nb_status nb_resampler_run(const nb_resampler *resampler, const nb_plane *source, const nb_plane *destination,
                           nb_error *error);
void nb_resampler_free(nb_resampler *resampler);

// Planes

/// Rotates and mirrors by EXIF orientation 1 to 8. For 5 to 8, the sides of `destination` are swapped.
void nb_orient(const nb_plane *source, const nb_plane *destination, int orientation);
void nb_interleave(const nb_plane *planes, int channels, uint8_t *packed, ptrdiff_t stride);
void nb_deinterleave(const uint8_t *packed, ptrdiff_t stride, const nb_plane *planes, int channels);
/// Full-range BT.601 as in JFIF. All planes have one size. Source and destination may be the same planes.
void nb_ycbcr_to_rgb(const nb_plane *source, const nb_plane *destination);
void nb_rgb_to_ycbcr(const nb_plane *source, const nb_plane *destination);
void nb_rgb_to_gray(const nb_plane *source, const nb_plane *destination);
/// Converts packed CMYK to RGB planes by the simple formula, for files without a usable profile.
void nb_cmyk_to_rgb(const nb_plane *packed, int inverted, const nb_plane *destination);
/// Composites a plane with straight alpha over one value.
void nb_flatten(const nb_plane *source, const nb_plane *alpha, uint8_t background, const nb_plane *destination);
/// Converts to 16 bits for resampling: optionally to linear light, optionally multiplied by an alpha plane of the
/// source's depth.
void nb_widen(const nb_plane *source, const nb_plane *alpha, int linear, const nb_plane *destination);
/// The inverse: divides by a 16-bit alpha plane, converts back to sRGB's curve and to the destination's depth.
void nb_narrow(const nb_plane *source, const nb_plane *alpha, int linear, const nb_plane *destination);

// Operations

/// Gaussian blur with one sigma (above 0) for rows and one for columns. Edge samples extend infinitely. Planes may
/// differ in depth.
///
/// Up to a sigma of 10 samples, uses a convolution kernel; above, Deriche's recursion of order 4, whose cost does not
/// depend on sigma and which differs from the true blur by less than a tenth of an 8-bit step.
nb_status nb_blur(const nb_plane *source, double sigma_x, double sigma_y, const nb_plane *destination, nb_error *error);
/// The average of 2 × `reach` + 1 samples along rows and columns, three times. Edge samples extend infinitely each
/// time. Planes may differ in depth.
nb_status nb_box_blur(const nb_plane *source, int32_t reach_x, int32_t reach_y, const nb_plane *destination,
                      nb_error *error);
/// Adds `amount` times the difference between a luma and its blurred copy (16 bits) where it exceeds `threshold` (16
/// bits).
void nb_add_detail(const nb_plane *source, const nb_plane *luma, const nb_plane *blurred, double amount,
                   double threshold, const nb_plane *destination);
/// Maps each sample through a table of 256 or 65 536 entries, depending on the depth.
void nb_map(const nb_plane *source, const uint16_t *table, const nb_plane *destination);
/// Moves RGB away from its BT.601 luma, or towards it: 0 gives gray, 1 changes nothing.
void nb_saturate(const nb_plane *source, double saturation, const nb_plane *destination);

/// A rectangle with rounded corners, in samples.
typedef struct {
    double left, top, right, bottom, radius_x, radius_y;
} nb_shape;

/// Writes the 16-bit coverage of each sample by a shape.
void nb_cover(const nb_shape *shape, const nb_plane *mask);
/// Cuts an image out with the mask `outer`. Between it and `inner`, a border of red, green, blue and alpha covers it.
/// `source` has `colors` planes, then alpha if it has any; `destination` always has alpha.
void nb_frame(const nb_plane *source, int colors, int has_alpha, const nb_plane *outer, const nb_plane *inner,
              const uint8_t border[4], const nb_plane *destination);
/// Composites an overlay (`colors` planes multiplied by alpha, then alpha; 16 bits) over planes in place. Parts outside
/// are clipped.
void nb_compose(const nb_plane *base, int colors, int has_alpha, const nb_plane *overlay, int32_t left, int32_t top,
                double opacity);

typedef struct {
    int32_t left, top, right, bottom;
} nb_box;

/// Draws a frame of 3 or 4 channels (straight alpha last) with its corner at `left`, `top` (not negative) of a canvas, which shows
/// `base` until then, but nothing within `cleared`; without a base, of 0 channels, nothing at all. What exceeds the canvas is left
/// out. A frame that does not blend replaces what it covers. A canvas of 3 channels needs an opaque result. All have 8 bits.
void nb_compose_frame(const nb_plane *base, int base_channels, const nb_box *cleared, const nb_plane *frame,
                      int frame_channels, int32_t left, int32_t top, int blends, const nb_plane *canvas, int channels);

/// The bounding box of the pixels that differ from the first one by more than `tolerance`, in the planes' depth; the
/// whole image if none does.
void nb_find_content(const nb_plane *planes, int colors, int has_alpha, int32_t tolerance, nb_box *box);

// Colour profiles

typedef enum { NB_PROFILE_BROKEN, NB_PROFILE_SRGB, NB_PROFILE_GRAY, NB_PROFILE_RGB, NB_PROFILE_CMYK } nb_profile;

/// The kind of a profile. If its primaries and curves equal sRGB's within rounding, it is NB_PROFILE_SRGB.
nb_profile nb_profile_kind(const uint8_t *icc, size_t count);
/// Converts to sRGB in place, 8 or 16 bits: 1 plane with a gray profile, 3 planes with an RGB one.
nb_status nb_profile_convert(const uint8_t *icc, size_t count, const nb_plane *planes, int channels, nb_error *error);
/// Converts packed 8-bit CMYK to 8-bit sRGB planes.
nb_status nb_profile_convert_cmyk(const uint8_t *icc, size_t count, const nb_plane *packed, int inverted,
                                  const nb_plane *planes, nb_error *error);

/// Instead of a gamma: sRGB's own curve.
#define NB_SRGB_CURVE 0.0
/// Writes the profile of gray or RGB with a gamma and primaries (x, y of white, red, green, blue). Returns its size, or
/// 0 if it equals sRGB within rounding, does not fit, or is invalid.
size_t nb_profile_describe(int gray, double gamma, const double primaries[8], uint8_t *icc, size_t capacity);

/// Writes the profile of sRGB, or of gray with its curve, the same bytes each time; returns its size, or 0 if it does not fit.
size_t nb_profile_srgb(int gray, uint8_t *icc, size_t capacity);

// Checksums and zlib streams

/// The CRC-32 of PNG and zlib.
uint32_t nb_crc32(const uint8_t *bytes, size_t count);
/// Inflates a zlib stream of at most `capacity` bytes.
nb_status nb_inflate(const uint8_t *bytes, size_t count, uint8_t *to, size_t capacity, size_t *to_count, nb_error *error);

// Versions, as "name version", of the libraries at run time

void nb_jpeg_version(char *text, size_t count);
void nb_png_version(char *text, size_t count);
void nb_png_palette_version(char *text, size_t count);
void nb_webp_version(char *text, size_t count);
void nb_avif_version(char *text, size_t count);
