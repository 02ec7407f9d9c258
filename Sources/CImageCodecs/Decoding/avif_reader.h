#pragma once
// What the decoders of AVIF stills and of sequences share.
#include "internal.h"

#include <avif/avif.h>

/// Writes what libavif says, and returns the status that belongs to it.
nb_status nb_avif_fail(nb_error *error, avifResult result, const avifDiagnostics *details);
/// What is read of a file beside its header.
typedef enum { NB_AVIF_PIXELS, NB_AVIF_METADATA, NB_AVIF_GAIN_MAP } nb_avif_part;
/// Reads the boxes, and prepares to decode pictures of at most `size_limit` pixels from a source.
nb_status nb_avif_open(const uint8_t *bytes, size_t count, avifDecoderSource source, uint32_t size_limit, nb_avif_part part,
                       avifDecoder **result, nb_error *error);
/// The same for the still image, or else the first frame of the track.
nb_status nb_avif_open_still(const uint8_t *bytes, size_t count, uint32_t size_limit, nb_avif_part part,
                             avifDecoder **result, nb_error *error);
/// Where the clean aperture begins and how large it is; NB_UNSUPPORTED if it lies between pixels or outside.
nb_status nb_avif_find_aperture(const avifImage *image, avifCropRect *aperture, nb_error *error);
nb_status nb_avif_describe(const avifDecoder *decoder, nb_avif_header *header, nb_error *error);
/// Fails unless the boxes say what `header` does, whose picture goes to so many channels.
nb_status nb_avif_agree(const avifDecoder *decoder, const nb_avif_header *header, int channels, nb_error *error);
/// Converts the picture that was decoded last.
nb_status nb_avif_show(const avifDecoder *decoder, const nb_avif_header *header, nb_target *target, nb_error *error);
/// Converts the header's size of the view `image` from `x`, `y` on.
nb_status nb_avif_convert(const avifImage *image, uint32_t x, uint32_t y, const nb_avif_header *header,
                          const nb_target *target, nb_error *error);
/// Copies a profile; returns 0 if there is none in `profile`.
int nb_avif_copy_profile(const avifRWData *profile, nb_target *target);
/// Samples of all planes of a picture without alpha, per four pixels.
int32_t nb_avif_samples(const avifImage *image);
