#pragma once
// The boundary between Swift and the C codecs: plain structs and `nb_` functions, no type of a library.
//
// Every function guards itself: libjpeg and libpng leave by longjmp, so each entry has its own setjmp and takes no
// callback. Callers own all memory but an encoder's result, which `nb_free` releases. No function keeps state
// between calls, so all of them may run on any number of threads.

#include <stddef.h>
#include <stdint.h>

typedef enum {
    NB_OK = 0,
    NB_CORRUPT,      // the bytes are damaged
    NB_TRUNCATED,    // the bytes end too early
    NB_LIMITS,       // a limit of the caller was passed
    NB_UNSUPPORTED,  // a valid file that this codec does not read or write
    NB_MEMORY,
    NB_PROCESSING    // a call that makes no sense, or a library that failed
} nb_status;

/// What went wrong, as the library words it; empty when a function returns NB_OK.
typedef struct {
    char message[200];
} nb_error;

/// One channel of an image: `height` rows of `width` samples, `stride` bytes apart.
///
/// Samples of two bytes are in the machine's order. All planes of a call have one depth where nothing else is said.
typedef struct {
    uint8_t *data;
    ptrdiff_t stride;
    int32_t width, height;
    int32_t sample_bytes;  // 1 or 2
} nb_plane;

// Memory

/// `count` bytes on a 64-byte boundary, or NULL; `nb_free` releases them.
void *nb_allocate(size_t count);
void nb_free(void *memory);

// Metadata

/// Bytes of EXIF data or of an XMP packet: what is longer does not describe a picture.
#define NB_LONGEST_METADATA ((size_t)1 << 20)

/// EXIF data and XMP as a container holds them; each NULL, or for nb_free to release.
typedef struct {
    uint8_t *exif, *xmp;
    size_t exif_count, xmp_count;
} nb_metadata;

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
    int32_t width, height;      // samples that show the picture
    int32_t columns, rows;      // samples to allocate: whole blocks
    double extent_x, extent_y;  // the picture's exact size in samples, at most `width` and `height`
} nb_jpeg_plane_plan;

/// What a decode at `scale`/8 writes. Planar: a plane a component. Packed: one plane of interleaved RGB or CMYK.
typedef struct {
    int32_t scale, planar, count;
    int32_t width, height;      // of the result
    nb_jpeg_plane_plan plane[3];
} nb_jpeg_plan;

nb_status nb_jpeg_read_header(const uint8_t *bytes, size_t count, nb_jpeg_header *header, nb_error *error);
void nb_jpeg_plan_decode(const nb_jpeg_header *header, int scale, nb_jpeg_plan *plan);
/// Decodes into planes allocated as `plan` says; any warning of libjpeg is an error. Partial data may end within any scan
/// after the first one's header: what the scans until then give is the picture.
nb_status nb_jpeg_decode(const uint8_t *bytes, size_t count, const nb_jpeg_plan *plan, int max_scans, int is_partial,
                         const nb_plane *planes, nb_error *error);

typedef struct {
    int32_t width, height, components;  // 1: gray, 3: YCbCr
    int32_t horizontal, vertical;       // luma samples a chroma sample, 1 or 2
    int32_t quality, progressive, optimize;
} nb_jpeg_settings;

nb_status nb_jpeg_encode(const nb_plane *planes, const nb_jpeg_settings *settings, uint8_t **bytes, size_t *count,
                         nb_error *error);

// PNG

/// Decodes into 1 (gray), 2 (gray, alpha), 3 (RGB) or 4 (RGBA) planes, as the file's colour type demands, of 8 or 16
/// bits, as the planes say. The image is `width` by `height`, the planes a `factor`-th of it (see nb_shrinker).
/// The profile that the file embeds, or that its gAMA and cHRM chunks describe, is copied into `icc` if it has at most
/// `icc_capacity` bytes; `icc_count` is 0 if there is none.
nb_status nb_png_decode(const uint8_t *bytes, size_t count, int32_t width, int32_t height, int factor,
                        const nb_plane *planes, int channels, uint8_t *icc, size_t icc_capacity, size_t *icc_count,
                        nb_error *error);
/// Encodes 1 to 4 planes with their own depth.
nb_status nb_png_encode(const nb_plane *planes, int channels, int level, uint8_t **bytes, size_t *count,
                        nb_error *error);
/// Encodes 3 (RGB) or 4 (RGBA) planes of 8 bits with a palette of at most 256 colours, dithered.
nb_status nb_png_encode_palette(const nb_plane *planes, int channels, int level, uint8_t **bytes, size_t *count,
                                nb_error *error);

// WebP

typedef struct {
    int32_t width, height, alpha, animated, lossless;
} nb_webp_header;

nb_status nb_webp_read_header(const uint8_t *bytes, size_t count, nb_webp_header *header, nb_error *error);
/// Decodes into 3 (RGB) or 4 (RGBA) planes of ceil(width / factor) by ceil(height / factor) samples. RGB is scaled to
/// them while it is decoded, so that they show the whole image; RGBA is averaged by the factor (see nb_shrinker).
nb_status nb_webp_decode(const uint8_t *bytes, size_t count, int32_t width, int32_t height, int factor,
                         const nb_plane *planes, int channels, nb_error *error);
nb_status nb_webp_encode(const nb_plane *planes, int channels, float quality, int lossless, int effort,
                         uint8_t **bytes, size_t *count, nb_error *error);

// AVIF (in builds with NB_AVIF)

typedef struct {
    int32_t width, height;              // as stored, within the clean aperture
    int32_t coded_width, coded_height;  // what is decoded
    int32_t orientation;                // of irot and imir, as EXIF's 1 to 8
    int32_t depth;                      // 8, 10 or 12
    int32_t gray, alpha;
    int32_t profile;                    // one is embedded, or the colours are not sRGB
    int32_t samples;                    // of all planes, for four pixels
} nb_avif_header;

nb_status nb_avif_read_header(const uint8_t *bytes, size_t count, nb_avif_header *header, nb_error *error);
/// Decodes the first image into 1 (gray) or 3 (RGB) planes, and alpha where the file has it, of 8 or 16 bits: a
/// `factor`-th of the header's width and height. The profile goes to `icc` as for PNG.
nb_status nb_avif_decode(const uint8_t *bytes, size_t count, const nb_avif_header *header, int factor,
                         const nb_plane *planes, int channels, uint8_t *icc, size_t icc_capacity, size_t *icc_count,
                         nb_error *error);

typedef struct {
    int32_t horizontal, vertical;  // luma samples a chroma sample, 1 or 2
    int32_t quantizer;             // 0 (best) to 63
    int32_t speed;                 // 0 to 10
} nb_avif_settings;

/// Encodes planes of 8 bits as they are (gray or YCbCr, and alpha), or of 16 bits (gray or RGB, and alpha) to 10 bits.
nb_status nb_avif_encode(const nb_plane *planes, int channels, const nb_avif_settings *settings,
                         const nb_metadata *metadata, uint8_t **bytes, size_t *count, nb_error *error);
/// Reads the metadata; a part above NB_LONGEST_METADATA is left out.
nb_status nb_avif_read_metadata(const uint8_t *bytes, size_t count, nb_metadata *metadata, nb_error *error);

// HEIC (in builds with NB_HEIC)

typedef struct {
    int32_t width, height;              // upright: libheif turns and crops
    int32_t coded_width, coded_height;  // what is decoded, all tiles together
    int32_t depth, alpha;
    int32_t profile;                    // one is embedded, or the colours are not sRGB
} nb_heif_header;

nb_status nb_heif_read_header(const uint8_t *bytes, size_t count, nb_heif_header *header, nb_error *error);
/// Decodes the primary image into 3 (RGB) or 4 (RGBA) planes; else as nb_avif_decode.
nb_status nb_heif_decode(const uint8_t *bytes, size_t count, const nb_heif_header *header, int factor,
                         const nb_plane *planes, int channels, uint8_t *icc, size_t icc_capacity, size_t *icc_count,
                         nb_error *error);

/// Reads the metadata of the primary image; a part above NB_LONGEST_METADATA is left out.
nb_status nb_heif_read_metadata(const uint8_t *bytes, size_t count, nb_metadata *metadata, nb_error *error);

// GIF

/// Decodes the first frame into 3 (RGB) or 4 (RGBA) planes, laid on a canvas of `width` by `height` that holds it; the
/// planes are a `factor`-th of that (see nb_shrinker). A frame that is transparent or leaves a part bare needs alpha.
/// With `rows`, which needs alpha too, a frame that is not interlaced may end early: what is missing is bare, and `rows` gets
/// the number of the rows that came; `height` if all did.
nb_status nb_gif_decode(const uint8_t *bytes, size_t count, int32_t width, int32_t height, int factor,
                        const nb_plane *planes, int channels, int32_t *rows, nb_error *error);

// BMP

typedef struct {
    int32_t width, height, bits;  // bits a pixel
    int32_t alpha;                // 1 if a pixel uses the alpha mask
    int32_t top_down, rle;
    int32_t colors, entry;        // of the palette: entries, bytes each
    uint32_t masks[4];            // of 16 and 32 bits a pixel: red, green, blue, alpha
    size_t palette, pixels;       // offsets from the file's start
    size_t profile, profile_count;
} nb_bmp_header;

nb_status nb_bmp_read_header(const uint8_t *bytes, size_t count, nb_bmp_header *header, nb_error *error);
/// Decodes into 3 (RGB) or, with alpha, 4 (RGBA) planes, which are a `factor`-th of the image (see nb_shrinker).
nb_status nb_bmp_decode(const uint8_t *bytes, size_t count, const nb_bmp_header *expected, int factor,
                        const nb_plane *planes, nb_error *error);

// TIFF

typedef struct {
    int32_t width, height, bits, channels;
    int32_t alpha, cmyk;       // the last of the channels is alpha; the channels are four inks
    int32_t orientation;       // as EXIF's
    size_t profile_count;      // bytes of the ICC profile
    size_t working_bytes;      // the most that a decode holds beside its planes and the averaging
} nb_tiff_header;

/// Reads the first directory; BigTIFF too. Refuses what has no agreed meaning as a picture (see tiff_samples.c).
nb_status nb_tiff_read_header(const uint8_t *bytes, size_t count, nb_tiff_header *header, nb_error *error);
/// Decodes into as many planes as `expected` has channels, a `factor`-th of the image (see nb_shrinker). CMYK has 8 bits.
/// The profile is copied into `icc` if it has at most `icc_capacity` bytes; else `icc_count` is 0.
nb_status nb_tiff_decode(const uint8_t *bytes, size_t count, const nb_tiff_header *expected, int factor,
                         const nb_plane *planes, uint8_t *icc, size_t icc_capacity, size_t *icc_count,
                         nb_error *error);

// Resampling

typedef enum { NB_LANCZOS3, NB_MITCHELL, NB_BICUBIC, NB_BILINEAR, NB_BOX } nb_filter;

typedef struct {
    int32_t source_width, source_height, width, height;
    double x, y, region_width, region_height;  // the part of the source to show, in samples; may end outside it
    nb_filter filter;
    int32_t sample_bytes;                      // 1 or 2
} nb_resampling;

/// A prepared resampling. It is never written after its making: any number of threads may run it.
typedef struct nb_resampler nb_resampler;

nb_status nb_resampler_make(const nb_resampling *resampling, nb_resampler **resampler, nb_error *error);
/// Rows of both planes begin on a 64-byte boundary.
nb_status nb_resampler_run(const nb_resampler *resampler, const nb_plane *source, const nb_plane *destination,
                           nb_error *error);
void nb_resampler_free(nb_resampler *resampler);

// Planes

/// Turns and mirrors as EXIF orientation 1 to 8 asks; sides of `destination` are swapped for 5 to 8.
void nb_orient(const nb_plane *source, const nb_plane *destination, int orientation);
void nb_interleave(const nb_plane *planes, int channels, uint8_t *packed, ptrdiff_t stride);
void nb_deinterleave(const uint8_t *packed, ptrdiff_t stride, const nb_plane *planes, int channels);
/// Full-range BT.601 as in JFIF; all planes of one size. Source and destination may be the same planes.
void nb_ycbcr_to_rgb(const nb_plane *source, const nb_plane *destination);
void nb_rgb_to_ycbcr(const nb_plane *source, const nb_plane *destination);
void nb_rgb_to_gray(const nb_plane *source, const nb_plane *destination);
/// Packed CMYK to RGB planes by the simple formula, for files without a usable profile.
void nb_cmyk_to_rgb(const nb_plane *packed, int inverted, const nb_plane *destination);
/// Lays a plane of straight alpha over one value.
void nb_flatten(const nb_plane *source, const nb_plane *alpha, uint8_t background, const nb_plane *destination);
/// To 16 bits for resampling: optionally to linear light, optionally multiplied by an alpha plane of the source's depth.
void nb_widen(const nb_plane *source, const nb_plane *alpha, int linear, const nb_plane *destination);
/// The way back: divided by a 16-bit alpha plane, back to sRGB's curve, to the destination's depth.
void nb_narrow(const nb_plane *source, const nb_plane *alpha, int linear, const nb_plane *destination);

// Operations

/// Gaussian blur along rows and columns with a sigma (above 0) each; the edges go on for ever. Planes may differ in depth.
///
/// Up to a sigma of 10 samples by a kernel of weights, beyond by Deriche's recursion of order 4, whose cost does not depend
/// on sigma and which differs from the true blur by less than a tenth of a step of 8 bits.
nb_status nb_blur(const nb_plane *source, double sigma_x, double sigma_y, const nb_plane *destination, nb_error *error);
/// The average of 2 × `reach` + 1 samples along rows and columns, three times over; the edges go on for ever each time.
/// Planes may differ in depth.
nb_status nb_box_blur(const nb_plane *source, int32_t reach_x, int32_t reach_y, const nb_plane *destination,
                      nb_error *error);
/// Adds `amount` times the difference of a luma and its blurred copy (16 bits) where it is above `threshold` (16 bits).
void nb_add_detail(const nb_plane *source, const nb_plane *luma, const nb_plane *blurred, double amount,
                   double threshold, const nb_plane *destination);
/// Looks each sample up: a table of 256 or 65 536, as the depth demands.
void nb_map(const nb_plane *source, const uint16_t *table, const nb_plane *destination);
/// Moves RGB away from its BT.601 luma, or towards it: 0 is gray, 1 as it was.
void nb_saturate(const nb_plane *source, double saturation, const nb_plane *destination);

/// A rectangle with round corners, in samples.
typedef struct {
    double left, top, right, bottom, radius_x, radius_y;
} nb_shape;

/// How much of each sample a shape covers, into 16 bits.
void nb_cover(const nb_shape *shape, const nb_plane *mask);
/// A picture cut out by the mask `outer`; between it and `inner` a border of red, green, blue and alpha lies over it.
/// `source` has `colors` planes, then alpha if it has any; `destination` has alpha always.
void nb_frame(const nb_plane *source, int colors, int has_alpha, const nb_plane *outer, const nb_plane *inner,
              const uint8_t border[4], const nb_plane *destination);
/// Lays an overlay (`colors` planes multiplied by alpha, then alpha; 16 bits) over planes, in place; what stands out is cut.
void nb_compose(const nb_plane *base, int colors, int has_alpha, const nb_plane *overlay, int32_t left, int32_t top,
                double opacity);

typedef struct {
    int32_t left, top, right, bottom;
} nb_box;

/// The pixels that differ from the first one by more than `tolerance`, in the planes' depth; all if none does.
void nb_find_content(const nb_plane *planes, int colors, int has_alpha, int32_t tolerance, nb_box *box);

// Colour profiles

typedef enum { NB_PROFILE_BROKEN, NB_PROFILE_SRGB, NB_PROFILE_GRAY, NB_PROFILE_RGB, NB_PROFILE_CMYK } nb_profile;

/// What a profile describes; one whose primaries and curves are sRGB's within rounding is NB_PROFILE_SRGB.
nb_profile nb_profile_kind(const uint8_t *icc, size_t count);
/// Converts to sRGB in place, 8 or 16 bits: 1 plane by a gray profile, 3 planes by an RGB one.
nb_status nb_profile_convert(const uint8_t *icc, size_t count, const nb_plane *planes, int channels, nb_error *error);
/// Converts packed 8-bit CMYK to 8-bit sRGB planes.
nb_status nb_profile_convert_cmyk(const uint8_t *icc, size_t count, const nb_plane *packed, int inverted,
                                  const nb_plane *planes, nb_error *error);

/// In place of a gamma: sRGB's own curve.
#define NB_SRGB_CURVE 0.0
/// Writes the profile of gray or RGB with a gamma and primaries (x, y of white, red, green, blue); returns its size, or 0
/// if it is sRGB's own within rounding, does not fit, or makes no sense.
size_t nb_profile_describe(int gray, double gamma, const double primaries[8], uint8_t *icc, size_t capacity);

/// Writes sRGB's profile, the same bytes each time; returns its size, or 0 if it does not fit.
size_t nb_profile_srgb(uint8_t *icc, size_t capacity);

// XMP

/// Copies a packet for an image made of the one that it describes: upright, sRGB, `width` by `height`, without what shows
/// the original or names parts of its file. `nb_free` releases the result; NB_CORRUPT if it is no well-formed XML without
/// a document type.
nb_status nb_xmp_update(const uint8_t *bytes, size_t count, int32_t width, int32_t height, uint8_t **result,
                        size_t *result_count);
/// Writes the properties that tell the rights, as the content of an rdf:Description within which the prefixes rdf, dc,
/// xmpRights, photoshop, plus, Iptc4xmpCore and Iptc4xmpExt are declared. Else as nb_xmp_update; NULL if there is none.
nb_status nb_xmp_rights(const uint8_t *bytes, size_t count, uint8_t **result, size_t *result_count);

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
