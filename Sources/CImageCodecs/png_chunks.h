#pragma once
#include "internal.h"
// A PNG's pieces (RFC 2083, chapter 3), for what writes one.

uint8_t *nb_png_put32(uint8_t *to, uint32_t value);
/// Writes length, type and checksum around data that already stands at `chunk + 8`; returns the next chunk's place.
uint8_t *nb_png_close_chunk(uint8_t *chunk, const char *type, size_t count);
/// Writes the signature, IHDR and sRGB: NB_PNG_HEAD bytes.
uint8_t *nb_png_put_head(uint8_t *to, const nb_plane *plane, int depth, int color_type);
enum { NB_PNG_HEAD = 8 + 25 + 13 };
/// Makes the file of a head, filtered rows that one IDAT takes, and IEND.
nb_status nb_png_write(const uint8_t *head, size_t head_count, const uint8_t *rows, size_t row_count, int level,
                       uint8_t **bytes, size_t *count, nb_error *error);
