#pragma once
#include "internal.h"
// The parts of a PNG (RFC 2083, chapter 3), for the encoders.

uint8_t *nb_png_put32(uint8_t *to, uint32_t value);
/// Writes length, type and checksum around data at `chunk + 8`; returns the position of the next chunk.
uint8_t *nb_png_close_chunk(uint8_t *chunk, const char *type, size_t count);
/// Writes the signature, IHDR and sRGB: NB_PNG_HEAD bytes.
uint8_t *nb_png_put_head(uint8_t *to, const nb_plane *plane, int depth, int color_type);
enum { NB_PNG_HEAD = 8 + 25 + 13 };
/// Writes a file from a head, filtered rows compressed into one IDAT, and IEND.
nb_status nb_png_write(const uint8_t *head, size_t head_count, const uint8_t *rows, size_t row_count, int level,
                       uint8_t **bytes, size_t *count, nb_error *error);
