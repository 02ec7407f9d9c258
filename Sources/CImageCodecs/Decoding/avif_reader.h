#pragma once
// What the decoders of AVIF stills and of sequences share.
#include "internal.h"

#include <avif/avif.h>

/// Writes what libavif says, and returns the status that belongs to it.
nb_status nb_avif_fail(nb_error *error, avifResult result, const avifDiagnostics *details);
/// Reads the boxes, and prepares to decode pictures of at most `size_limit` pixels from a source.
nb_status nb_avif_open(const uint8_t *bytes, size_t count, avifDecoderSource source, uint32_t size_limit, int with_metadata,
                       avifDecoder **result, nb_error *error);
nb_status nb_avif_describe(const avifDecoder *decoder, nb_avif_header *header, nb_error *error);
/// Fails unless the boxes say what `header` does, whose picture goes to so many channels.
nb_status nb_avif_agree(const avifDecoder *decoder, const nb_avif_header *header, int channels, nb_error *error);
/// Converts the picture that was decoded last.
nb_status nb_avif_show(const avifDecoder *decoder, const nb_avif_header *header, int factor, const nb_plane *planes,
                       uint8_t *icc, size_t icc_capacity, size_t *icc_count, nb_error *error);
