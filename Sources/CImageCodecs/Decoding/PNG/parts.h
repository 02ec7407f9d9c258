// Which chunks of a PNG count. One walk decides it, for the header and for the pixels: libpng gets only these.
#pragma once
#include "internal.h"

/// Whole chunks that follow each other in the file, from the first one's length to the last one's checksum.
typedef struct {
    const uint8_t *start;
    size_t count;
} nb_png_piece;

/// At most IHDR, PLTE, tRNS, iCCP, sRGB, gAMA and cHRM, and the rest from the first IDAT on.
enum { NB_PNG_PIECES = 8 };

typedef struct {
    nb_png_header header;
    nb_png_piece pieces[NB_PNG_PIECES];  // in the file's order; the first begins with the signature
    int count;
    nb_png_piece pixels;                 // the last one; empty if no IDAT is there
    int has_profile;                     // iCCP is among them
    int has_codes;                       // colours are those of `codes`, and chunks of another description are not there
    uint8_t codes[4];                    // cICP: primaries, transfer, matrix, full range
    int lacks_end;                       // the file ends behind its pixels without IEND, or is damaged there and animated
} nb_png_parts;

/// Notes what is wrong with the chunks that are left out. Critical ones are checked by whoever reads them.
nb_status nb_png_find_parts(const uint8_t *bytes, size_t count, nb_png_parts *parts, nb_error *error);
