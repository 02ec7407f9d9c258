// Distinguishes libtiff's warnings of damage from those after which all pixels are known.
//
// libtiff has no codes for its warnings, so they are told by their text, which is the same in 4.5 and 4.7. What is not known
// here is damage.
#ifdef NB_TIFF
#include "tiff_warnings.h"

#include <stdio.h>
#include <string.h>

static int begins(const char *message, const char *text) { return strncmp(message, text, strlen(text)) == 0; }

// Rows of a fax that differ from the image's width: "… (got 89, expected 88)". libtiff leaves out a run that crosses the end
// of a row and makes the rest of the row white, as it does where a row is too short.
//
// An end mark lets the decoder find the next row after one that is longer, such as one that fills its last byte. Without
// marks, a greater difference means that it reads codes of the next row. Rows that are shorter lack pixels.
static int fax_row(const char *module, const char *message) {
    enum { MOST_WITH_MARKS = 7 };
    const char *numbers = strrchr(message, '(');
    unsigned found, wanted;
    if (numbers == NULL || sscanf(numbers, "(got %u, expected %u)", &found, &wanted) != 2) return NB_TIFF_DAMAGE;
    int has_marks = strcmp(module, "Fax3Decode1D") == 0 || strcmp(module, "Fax3Decode2D") == 0;
    unsigned most = has_marks ? MOST_WITH_MARKS : 1;
    int is_close = found > wanted ? found - wanted <= most : found > 0 && wanted - found <= 1;
    return is_close ? NB_WARNING_ROW_LENGTH : NB_TIFF_DAMAGE;
}

// libjpeg's warnings, as nb_jpeg_decode takes them. libtiff does not report how long the scan is: of stray bytes behind it, the
// fewest are taken that a JPEG may always have.
static int jpeg(const char *message) {
    enum { MOST_STRAY_BYTES = 32, RESTART = 0xD0, LAST_RESTART = 0xD7 };
    unsigned count, marker;
    if (sscanf(message, "Corrupt JPEG data: %u extraneous bytes before marker 0x%x", &count, &marker) == 2) {
        int is_damage = count > MOST_STRAY_BYTES || (marker >= RESTART && marker <= LAST_RESTART);
        return is_damage ? NB_TIFF_DAMAGE : NB_WARNING_STRAY_BYTES;
    }
    int is_header = begins(message, "Warning: unknown JFIF revision number") ||
                    begins(message, "Unknown Adobe color transform code") ||
                    begins(message, "Invalid SOS parameters for sequential JPEG");
    return is_header ? NB_WARNING_HEADER_VALUE : NB_TIFF_DAMAGE;
}

int nb_tiff_warning(const char *module, const char *message) {
    if (module == NULL) module = "";
    if (begins(module, "Fax")) return fax_row(module, message);
    if (strcmp(module, "JPEGLib") == 0) return jpeg(message);
    // The order of bits before TIFF 6.0.
    if (begins(message, "Old-style LZW codes")) return 0;
    // TIFF 6.0 allows JPEG's baseline process only, and the chroma's sampling has a field of its own.
    if (begins(message, "The JPEG strip/tile is encoded with progressive mode") ||
        begins(message, "Auto-corrected former TIFF subsampling values"))
        return NB_WARNING_HEADER_VALUE;
    // Of the last strip: it has the rows of a whole one.
    if (begins(message, "JPEG strip size exceeds expected dimensions")) return NB_WARNING_EXTRA_PIXELS;
    // Of PackBits: the last run is longer than the strip.
    if (begins(message, "Discarding ") && strcmp(module, "PackBitsDecode") == 0) return NB_WARNING_EXTRA_PIXELS;
    return NB_TIFF_DAMAGE;
}
#endif
