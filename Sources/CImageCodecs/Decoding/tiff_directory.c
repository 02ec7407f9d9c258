// Reads a TIFF's first directory: TIFF 6.0, and common deviations from it.
#ifdef NB_TIFF
#include "tiff_claims.h"
#include "tiff_reader.h"

typedef nb_tiff_reader reader;

enum {
    MOST_SAMPLES = 16,       // per pixel
    ROOMY_TILE = 1 << 20,    // pixels of a tile that may be larger than the image
    LIBRARY_BYTES = 1 << 20, // libtiff and its codecs hold this beside rows
    LAB_BYTES = 1 << 18,     // for Little CMS's transform
    JPEG_BYTES = 11 << 20    // libtiff's limit for progressive JPEG in libjpeg, and tables
};

static nb_status fail(reader *self, nb_status status, const char *message) {
    return nb_fail(self->from.error, status, message);
}

static uint16_t tag16(reader *self, uint32_t tag) {
    uint16_t value = 0;
    return TIFFGetFieldDefaulted(self->tiff, tag, &value) ? value : 0;
}

static int is_read(uint16_t compression) {
    switch (compression) {
        case COMPRESSION_NONE: case COMPRESSION_CCITTRLE: case COMPRESSION_CCITTRLEW: case COMPRESSION_CCITTFAX3:
        case COMPRESSION_CCITTFAX4: case COMPRESSION_LZW: case COMPRESSION_JPEG: case COMPRESSION_ADOBE_DEFLATE:
        case COMPRESSION_DEFLATE: case COMPRESSION_PACKBITS: case COMPRESSION_LZMA: case COMPRESSION_ZSTD:
        case COMPRESSION_WEBP: return TIFFIsCODECConfigured(compression);
        default: return 0;
    }
}

/// True if the compressed data itself determines the decoder's memory.
static int makes_claims(const reader *self) {
    return self->compression == COMPRESSION_LZMA || self->compression == COMPRESSION_ZSTD ||
           self->compression == COMPRESSION_WEBP;
}

/// Refuses samples whose black and white are not agreed on.
static nb_status check_meaning(reader *self) {
    int format = self->stored.format, is_rgb = self->photometric == PHOTOMETRIC_RGB;
    if (format == SAMPLEFORMAT_IEEEFP && !is_rgb)
        return fail(self, NB_UNSUPPORTED, "its floating-point samples are not RGB, so that black and white are unknown");
    if (format == SAMPLEFORMAT_INT && !is_rgb && self->photometric != PHOTOMETRIC_MINISBLACK)
        return fail(self, NB_UNSUPPORTED, "its signed samples are neither RGB nor gray from black on");
    if (self->stored.bits > 16 && self->photometric == PHOTOMETRIC_PALETTE)
        return fail(self, NB_UNSUPPORTED, "its palette has more than 65536 colours");
    if (self->is_lab && (self->stored.bits != self->bits || (self->bits != 8 && self->bits != 16)))
        return fail(self, NB_UNSUPPORTED, "its Lab samples have neither 8 nor 16 bits");
    if (self->is_lab && (self->compression == COMPRESSION_JPEG || self->extra == EXTRASAMPLE_ASSOCALPHA))
        return fail(self, NB_UNSUPPORTED, "its Lab samples are compressed as JPEG, or multiplied by alpha");
    return NB_OK;
}

// Reads the meaning of the stored samples: colour channels, and whether they are read unchanged.
static nb_status read_color(reader *self, nb_tiff_header *header) {
    uint16_t *kinds = NULL, kind_count = 0;
    if (!TIFFGetField(self->tiff, TIFFTAG_PHOTOMETRIC, &self->photometric))
        self->photometric = self->samples > 2 ? PHOTOMETRIC_RGB : PHOTOMETRIC_MINISBLACK;
    int stored = 3;
    switch (self->photometric) {
        case PHOTOMETRIC_MINISWHITE: case PHOTOMETRIC_MINISBLACK: stored = 1; break;
        case PHOTOMETRIC_PALETTE: stored = 1; break;
        case PHOTOMETRIC_RGB: break;
        case PHOTOMETRIC_CIELAB: case PHOTOMETRIC_ICCLAB:
            self->is_lab = 1;
            // The colour kind determines which samples are signed.
            if (self->stored.format == SAMPLEFORMAT_INT) self->stored.format = SAMPLEFORMAT_UINT;
            break;
        case PHOTOMETRIC_SEPARATED:
            if (tag16(self, TIFFTAG_INKSET) != INKSET_CMYK) return fail(self, NB_UNSUPPORTED, "its inks are not CMYK");
            stored = 4;
            break;
        case PHOTOMETRIC_YCBCR:
            if (self->compression == COMPRESSION_JPEG) {
                if (self->is_separate) return fail(self, NB_UNSUPPORTED, "its chroma is stored apart, as JPEG");
                TIFFSetField(self->tiff, TIFFTAG_JPEGCOLORMODE, JPEGCOLORMODE_RGB);
            } else {
                self->by_rgba = 1;  // libtiff's own conversion handles all subsamplings
            }
            break;
        default: return fail(self, NB_UNSUPPORTED, "its kind of colour is neither gray, RGB, palette, YCbCr, CMYK nor Lab");
    }
    if (self->samples < stored) return fail(self, NB_CORRUPT, "it has fewer samples a pixel than colours");
    TIFFGetFieldDefaulted(self->tiff, TIFFTAG_EXTRASAMPLES, &kind_count, &kinds);
    header->cmyk = stored == 4;
    // Alpha may follow samples of no meaning, such as spot colours.
    self->extra = EXTRASAMPLE_UNSPECIFIED;
    for (uint16_t i = 0; i < kind_count && stored + i < self->samples && self->alpha == 0; i++) {
        if (kinds[i] == EXTRASAMPLE_UNSPECIFIED) continue;
        self->extra = kinds[i];
        self->alpha = (uint16_t)(stored + i);
    }
    // If a fourth sample is not described, libvips and Pillow treat it as alpha. TIFF 6.0 requires a description.
    if (!self->from.has_extra_samples && self->photometric == PHOTOMETRIC_RGB && self->samples == 4) {
        self->extra = EXTRASAMPLE_UNASSALPHA;
        self->alpha = 3;
    }
    if (self->by_rgba) self->alpha = 0;
    header->alpha = self->alpha != 0;
    header->channels = header->alpha + (self->photometric == PHOTOMETRIC_PALETTE ? 3 : stored);
    if ((self->by_rgba || self->compression == COMPRESSION_JPEG || self->compression == COMPRESSION_WEBP) &&
        (self->bits != 8 || self->stored.format == SAMPLEFORMAT_INT))
        return fail(self, NB_UNSUPPORTED, "its YCbCr, JPEG or WebP samples have not 8 bits without a sign");
    if (self->compression == COMPRESSION_WEBP && self->photometric != PHOTOMETRIC_RGB)
        return fail(self, NB_UNSUPPORTED, "its WebP data are not RGB");
    if (self->by_rgba && (self->samples != 3 || self->is_separate))
        return fail(self, NB_UNSUPPORTED, "its YCbCr samples are stored apart or with others");
    header->bits = self->photometric == PHOTOMETRIC_PALETTE ? 8 : self->bits;
    return check_meaning(self);
}

static nb_status read_layout(reader *self, nb_tiff_header *header) {
    // PackBits runs should end with their rows, but those of some writers do not.
    self->by_rows = !self->is_tiled && !self->is_separate && !self->by_rgba &&
                    self->compression != COMPRESSION_PACKBITS && !makes_claims(self);
    uint32_t rows = 0;
    self->tile_width = self->width;
    if (self->is_tiled) {
        if (!TIFFGetField(self->tiff, TIFFTAG_TILEWIDTH, &self->tile_width) ||
            !TIFFGetField(self->tiff, TIFFTAG_TILELENGTH, &rows) || self->tile_width == 0 || rows == 0)
            return fail(self, NB_CORRUPT, "its tiles have no size");
        uint64_t area = (uint64_t)self->width * self->height, tile = (uint64_t)self->tile_width * rows;
        if (tile > ROOMY_TILE && tile / 4 > area) return fail(self, NB_UNSUPPORTED, "its tiles are larger than it is");
    } else if (!TIFFGetFieldDefaulted(self->tiff, TIFFTAG_ROWSPERSTRIP, &rows) || rows == 0 || rows > self->height) {
        rows = self->height;
    }
    self->band_rows = self->by_rows ? 1 : rows;
    uint64_t raw = self->by_rows ? TIFFScanlineSize64(self->tiff)
                   : self->by_rgba ? 4 * (uint64_t)self->tile_width * rows
                   : self->is_tiled ? TIFFTileSize64(self->tiff) : TIFFStripSize64(self->tiff);
    uint64_t band = 2 * (uint64_t)self->width * self->samples * self->band_rows;
    // Bits in reverse order are reversed in a copy. `raw` counts twice for the strip that libtiff's RGBA conversion
    // holds.
    uint64_t copied = tag16(self, TIFFTAG_FILLORDER) == FILLORDER_LSB2MSB ? self->from.count : 0;
    uint64_t claims = 0;
    if (makes_claims(self)) {
        if (copied > 0) return fail(self, NB_UNSUPPORTED, "its compressed bits are in reverse order");
        nb_status status = nb_tiff_claims(self->tiff, &self->from, self->compression, self->tile_width, self->height,
                                          rows, &claims);
        if (status != NB_OK) return status;
    }
    uint64_t all = 2 * raw + band + copied + 4 * self->from.tag_bytes + LIBRARY_BYTES + claims +
                   (self->is_lab ? LAB_BYTES + 6 * (uint64_t)self->width : 0) +
                   (self->compression == COMPRESSION_JPEG ? 512 * (uint64_t)self->width + JPEG_BYTES : 0);
    if (raw == 0 || raw > PTRDIFF_MAX / 4 || all > PTRDIFF_MAX) return fail(self, NB_CORRUPT, "its rows have no size");
    header->working_bytes = (size_t)all;
    return NB_OK;
}

nb_status nb_tiff_read_directory(nb_tiff_reader *self, nb_tiff_header *header) {
    TIFF *tiff = self->tiff;
    *header = (nb_tiff_header){0};
    if (!TIFFGetField(tiff, TIFFTAG_IMAGEWIDTH, &self->width) || self->width == 0 || self->width > INT32_MAX ||
        !TIFFGetField(tiff, TIFFTAG_IMAGELENGTH, &self->height) || self->height == 0 || self->height > INT32_MAX)
        return fail(self, NB_CORRUPT, "it has no size");
    self->stored = (nb_tiff_samples){tag16(self, TIFFTAG_BITSPERSAMPLE), tag16(self, TIFFTAG_SAMPLEFORMAT)};
    self->bits = (uint16_t)nb_tiff_depth(self->stored);
    self->samples = tag16(self, TIFFTAG_SAMPLESPERPIXEL);
    self->compression = tag16(self, TIFFTAG_COMPRESSION);
    self->is_separate = tag16(self, TIFFTAG_PLANARCONFIG) == PLANARCONFIG_SEPARATE && self->samples > 1;
    self->is_tiled = TIFFIsTiled(tiff);
    if (!is_read(self->compression)) return fail(self, NB_UNSUPPORTED, "its compression is not a common one");
    nb_status status = nb_tiff_check_samples(self->stored, self->from.error);
    if (status != NB_OK) return status;
    if (self->samples < 1 || self->samples > MOST_SAMPLES)
        return fail(self, NB_UNSUPPORTED, "a pixel has more than 16 samples");
    status = read_color(self, header);
    if (status == NB_OK) status = read_layout(self, header);
    uint16_t orientation = tag16(self, TIFFTAG_ORIENTATION);
    uint32_t profile_count = 0;
    void *profile;
    // A profile of another kind of colour does not describe Lab.
    if (!self->is_lab && TIFFGetField(tiff, TIFFTAG_ICCPROFILE, &profile_count, &profile)) header->profile_count = profile_count;
    header->orientation = orientation >= 1 && orientation <= 8 ? orientation : 1;
    header->width = (int32_t)self->width;
    header->height = (int32_t)self->height;
    return status;
}
#endif
