// TIFF in: libtiff, row by row where the file is laid out in rows, else by rows of tiles or strips.
#ifdef NB_TIFF
#include "tiff_source.h"

#include <stdlib.h>
#include <string.h>

enum {
    DIRECTORY_BYTES = 1 << 24,  // of a list that libtiff makes of a directory by itself
    MOST_SAMPLES = 16,       // of a pixel
    ROOMY_TILE = 1 << 20,    // pixels of a tile that may be larger than the image
    LIBRARY_BYTES = 1 << 20, // what libtiff and its codecs hold beside rows
    JPEG_BYTES = 11 << 20    // what libtiff lets libjpeg hold for progressive JPEG, and tables
};

typedef struct {
    nb_tiff_source from;
    TIFF *tiff;
    uint32_t width, height, band_rows, tile_width;
    uint16_t bits, samples, photometric, compression, extra;
    int is_separate, is_tiled, by_rows, by_rgba;
    uint16_t *tables[4];    // of each channel: a stored sample's value in the result
    uint16_t *band;         // `band_rows` rows of interleaved samples as stored
    uint8_t *packed;        // a row of the result
    void *raw;              // a row, strip or tile as libtiff gives it
} reader;

static nb_status fail(reader *self, nb_status status, const char *message) {
    return nb_fail(self->from.error, status, message);
}

static nb_status check_strips(reader *self) {
    uint32_t count = self->is_tiled ? TIFFNumberOfTiles(self->tiff) : TIFFNumberOfStrips(self->tiff);
    for (uint32_t i = 0; i < count; i++) {
        uint64_t offset = TIFFGetStrileOffset(self->tiff, i), length = TIFFGetStrileByteCount(self->tiff, i);
        if (self->from.failed) return NB_CORRUPT;
        if (offset > self->from.count || length > self->from.count - offset) return nb_tiff_cut(self->from.error);
    }
    return NB_OK;
}

// What the directory says

static uint16_t tag16(reader *self, uint32_t tag) {
    uint16_t value = 0;
    return TIFFGetFieldDefaulted(self->tiff, tag, &value) ? value : 0;
}

static int is_read(uint16_t compression) {
    switch (compression) {
        case COMPRESSION_NONE: case COMPRESSION_CCITTRLE: case COMPRESSION_CCITTRLEW: case COMPRESSION_CCITTFAX3:
        case COMPRESSION_CCITTFAX4: case COMPRESSION_LZW: case COMPRESSION_JPEG: case COMPRESSION_ADOBE_DEFLATE:
        case COMPRESSION_DEFLATE: case COMPRESSION_PACKBITS: return TIFFIsCODECConfigured(compression);
        default: return 0;
    }
}

// What the stored samples mean: channels of colour, and whether they are read as they stand.
static nb_status read_color(reader *self, nb_tiff_header *header) {
    uint16_t *kinds = NULL, kind_count = 0;
    if (!TIFFGetField(self->tiff, TIFFTAG_PHOTOMETRIC, &self->photometric))
        self->photometric = self->samples > 2 ? PHOTOMETRIC_RGB : PHOTOMETRIC_MINISBLACK;
    int stored = 3;
    switch (self->photometric) {
        case PHOTOMETRIC_MINISWHITE: case PHOTOMETRIC_MINISBLACK: stored = 1; break;
        case PHOTOMETRIC_PALETTE: stored = 1; break;
        case PHOTOMETRIC_RGB: break;
        case PHOTOMETRIC_SEPARATED:
            if (tag16(self, TIFFTAG_INKSET) != INKSET_CMYK) return fail(self, NB_UNSUPPORTED, "its inks are not CMYK");
            stored = 4;
            break;
        case PHOTOMETRIC_YCBCR:
            if (self->compression == COMPRESSION_JPEG) {
                if (self->is_separate) return fail(self, NB_UNSUPPORTED, "its chroma is stored apart, as JPEG");
                TIFFSetField(self->tiff, TIFFTAG_JPEGCOLORMODE, JPEGCOLORMODE_RGB);
            } else {
                self->by_rgba = 1;  // libtiff's own conversion knows all subsamplings
            }
            break;
        default: return fail(self, NB_UNSUPPORTED, "its kind of colour is neither gray, RGB, palette, YCbCr nor CMYK");
    }
    if (self->samples < stored) return fail(self, NB_CORRUPT, "it has fewer samples a pixel than colours");
    TIFFGetFieldDefaulted(self->tiff, TIFFTAG_EXTRASAMPLES, &kind_count, &kinds);
    header->cmyk = stored == 4;
    self->extra = kind_count > 0 && self->samples > stored ? kinds[0] : EXTRASAMPLE_UNSPECIFIED;
    header->alpha = self->extra != EXTRASAMPLE_UNSPECIFIED && !header->cmyk &&
                    self->photometric != PHOTOMETRIC_PALETTE && !self->by_rgba;
    header->channels = header->alpha + (self->photometric == PHOTOMETRIC_PALETTE ? 3 : stored);
    if ((self->by_rgba || self->compression == COMPRESSION_JPEG) && self->bits != 8)
        return fail(self, NB_UNSUPPORTED, "its YCbCr or JPEG samples have not 8 bits");
    if (self->by_rgba && (self->samples != 3 || self->is_separate))
        return fail(self, NB_UNSUPPORTED, "its YCbCr samples are stored apart or with others");
    header->bits = self->photometric == PHOTOMETRIC_PALETTE ? 8 : self->bits;
    return NB_OK;
}

static nb_status read_layout(reader *self, nb_tiff_header *header) {
    // PackBits' runs should end with their rows, but those of some writers do not.
    self->by_rows = !self->is_tiled && !self->is_separate && !self->by_rgba &&
                    self->compression != COMPRESSION_PACKBITS;
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
    // Bits in reverse order are turned in a copy; `raw` counts twice for the strip under libtiff's RGBA.
    uint64_t copied = tag16(self, TIFFTAG_FILLORDER) == FILLORDER_LSB2MSB ? self->from.count : 0;
    uint64_t all = 2 * raw + band + copied + 4 * self->from.tag_bytes + LIBRARY_BYTES +
                   (self->compression == COMPRESSION_JPEG ? 512 * (uint64_t)self->width + JPEG_BYTES : 0);
    if (raw == 0 || raw > PTRDIFF_MAX / 4 || all > PTRDIFF_MAX) return fail(self, NB_CORRUPT, "its rows have no size");
    header->working_bytes = (size_t)all;
    return NB_OK;
}

static nb_status read_directory(reader *self, nb_tiff_header *header) {
    TIFF *tiff = self->tiff;
    *header = (nb_tiff_header){0};
    if (!TIFFGetField(tiff, TIFFTAG_IMAGEWIDTH, &self->width) || self->width == 0 || self->width > INT32_MAX ||
        !TIFFGetField(tiff, TIFFTAG_IMAGELENGTH, &self->height) || self->height == 0 || self->height > INT32_MAX)
        return fail(self, NB_CORRUPT, "it has no size");
    self->bits = tag16(self, TIFFTAG_BITSPERSAMPLE);
    self->samples = tag16(self, TIFFTAG_SAMPLESPERPIXEL);
    self->compression = tag16(self, TIFFTAG_COMPRESSION);
    self->is_separate = tag16(self, TIFFTAG_PLANARCONFIG) == PLANARCONFIG_SEPARATE && self->samples > 1;
    self->is_tiled = TIFFIsTiled(tiff);
    if (!is_read(self->compression)) return fail(self, NB_UNSUPPORTED, "its compression is not a common one");
    uint16_t format = tag16(self, TIFFTAG_SAMPLEFORMAT);
    if (format == SAMPLEFORMAT_IEEEFP) return fail(self, NB_UNSUPPORTED, "its samples are floating-point numbers");
    if (format != SAMPLEFORMAT_UINT && format != SAMPLEFORMAT_VOID)
        return fail(self, NB_UNSUPPORTED, "its samples are no positive whole numbers");
    if (self->bits < 1 || self->bits > 16) return fail(self, NB_UNSUPPORTED, "a sample has more than 16 bits");
    if (self->samples < 1 || self->samples > MOST_SAMPLES)
        return fail(self, NB_UNSUPPORTED, "a pixel has more than 16 samples");
    nb_status status = read_color(self, header);
    if (status == NB_OK) status = read_layout(self, header);
    uint16_t orientation = tag16(self, TIFFTAG_ORIENTATION);
    uint32_t profile_count = 0;
    void *profile;
    if (TIFFGetField(tiff, TIFFTAG_ICCPROFILE, &profile_count, &profile)) header->profile_count = profile_count;
    header->orientation = orientation >= 1 && orientation <= 8 ? orientation : 1;
    header->width = (int32_t)self->width;
    header->height = (int32_t)self->height;
    return status;
}

nb_status nb_tiff_read_header(const uint8_t *bytes, size_t count, nb_tiff_header *header, nb_error *error) {
    reader self = {0};
    nb_status status = nb_tiff_open(&self.from, bytes, count, DIRECTORY_BYTES, &self.tiff, error);
    if (status == NB_OK) status = read_directory(&self, header);
    if (self.tiff != NULL) TIFFClose(self.tiff);
    return status;
}

// Pixels

// Samples of `bits` bits, packed from the highest bit on, to every `step`-th number.
static void unpack(const uint8_t *from, int bits, uint16_t *to, size_t step, size_t count) {
    if (bits == 8) {
        for (size_t i = 0; i < count; i++) to[i * step] = from[i];
    } else if (bits == 16) {
        for (size_t i = 0; i < count; i++) to[i * step] = (uint16_t)nb_get(from, (ptrdiff_t)i, 1);
    } else {
        uint32_t held = 0, most = (1u << bits) - 1;
        for (int have = 0; count > 0; count--, to += step, have -= bits) {
            for (; have < bits; have += 8) held = held << 8 | *from++;
            *to = (uint16_t)(held >> (have - bits) & most);
        }
    }
}

static void unpack_rgba(const uint32_t *from, uint16_t *to, size_t count) {
    for (size_t i = 0; i < count; i++, to += 3) {
        to[0] = TIFFGetR(from[i]);
        to[1] = TIFFGetG(from[i]);
        to[2] = TIFFGetB(from[i]);
    }
}

static uint16_t *band_at(reader *self, uint32_t row, uint32_t x, uint16_t sample) {
    return self->band + ((size_t)row * self->width + x) * self->samples + sample;
}

// Samples that are stored apart make as many strips or tiles.
static uint16_t parts(const reader *self) { return self->is_separate ? self->samples : 1; }

static void unpack_rows(reader *self, size_t bytes, uint32_t rows, uint32_t x, uint32_t columns, uint16_t part) {
    size_t step = self->is_separate ? self->samples : 1, count = (size_t)columns * self->samples / step;
    for (uint32_t row = 0; row < rows; row++)
        unpack((uint8_t *)self->raw + row * bytes, self->bits, band_at(self, row, x, part), step, count);
}

static int read_tile(reader *self, uint32_t x, uint32_t y, uint32_t rows) {
    uint32_t columns = self->width - x < self->tile_width ? self->width - x : self->tile_width;
    if (self->by_rgba) {
        if (!TIFFReadRGBATileExt(self->tiff, x, y, self->raw, 1)) return 0;
        const uint32_t *pixels = self->raw;  // the lowest row first
        for (uint32_t row = 0; row < rows; row++)
            unpack_rgba(pixels + (size_t)(self->band_rows - 1 - row) * self->tile_width, band_at(self, row, x, 0), columns);
        return 1;
    }
    for (uint16_t part = 0; part < parts(self); part++) {
        if (TIFFReadTile(self->tiff, self->raw, x, y, 0, part) < 0) return 0;
        unpack_rows(self, (size_t)TIFFTileRowSize(self->tiff), rows, x, columns, part);
    }
    return 1;
}

static int read_strips(reader *self, uint32_t y, uint32_t rows) {
    if (self->by_rgba) {
        if (!TIFFReadRGBAStripExt(self->tiff, y, self->raw, 1)) return 0;
        const uint32_t *pixels = self->raw;
        for (uint32_t row = 0; row < rows; row++)
            unpack_rgba(pixels + (size_t)(rows - 1 - row) * self->width, band_at(self, row, 0, 0), self->width);
        return 1;
    }
    size_t bytes = (size_t)TIFFScanlineSize(self->tiff);
    for (uint16_t part = 0; part < parts(self); part++) {
        uint32_t strip = TIFFComputeStrip(self->tiff, y, part);
        if (TIFFReadEncodedStrip(self->tiff, strip, self->raw, (tmsize_t)(bytes * rows)) != (tmsize_t)(bytes * rows))
            return 0;
        unpack_rows(self, bytes, rows, 0, self->width, part);
    }
    return 1;
}

static int read_band(reader *self, uint32_t y, uint32_t rows) {
    if (self->by_rows) {
        if (TIFFReadScanline(self->tiff, self->raw, y, 0) < 0) return 0;
        unpack(self->raw, self->bits, self->band, 1, (size_t)self->width * self->samples);
        return 1;
    }
    if (!self->is_tiled) return read_strips(self, y, rows);
    for (uint32_t x = 0; x < self->width; x += self->tile_width) {
        if (!read_tile(self, x, y, rows)) return 0;
        if (self->width - x <= self->tile_width) break;
    }
    return 1;
}

// Of palettes, libtiff tells 8-bit ones in 16-bit fields by their having no larger value.
static int palette_scale(uint16_t *const maps[3], size_t count) {
    for (int c = 0; c < 3; c++)
        for (size_t i = 0; i < count; i++)
            if (maps[c][i] > 255) return 257;
    return 1;
}

static nb_status make_tables(reader *self, int channels, int has_alpha, int wide) {
    size_t count = (size_t)1 << self->bits;
    uint32_t most = (uint32_t)count - 1, result = wide ? 65535 : 255;
    uint16_t *maps[3];
    int is_palette = self->photometric == PHOTOMETRIC_PALETTE;
    if (is_palette && !TIFFGetField(self->tiff, TIFFTAG_COLORMAP, &maps[0], &maps[1], &maps[2]))
        return fail(self, NB_CORRUPT, "it has no palette");
    uint32_t scale = is_palette ? (uint32_t)palette_scale(maps, count) : 1;
    for (int c = 0; c < channels; c++) {
        uint16_t *table = self->tables[c] = malloc(count * sizeof *table);
        if (table == NULL) return fail(self, NB_MEMORY, "not enough memory");
        int inverted = self->photometric == PHOTOMETRIC_MINISWHITE && !(has_alpha && c == channels - 1);
        for (size_t i = 0; i < count; i++) {
            uint32_t value = inverted ? most - (uint32_t)i : (uint32_t)i;
            table[i] = is_palette ? (uint16_t)((maps[c][i] + scale / 2) / scale)
                                  : (uint16_t)(((uint64_t)value * result + most / 2) / most);
        }
    }
    return NB_OK;
}

static inline void color_row(const reader *self, const uint16_t *from, int channels, int wide) {
    int is_palette = self->photometric == PHOTOMETRIC_PALETTE;
    for (int c = 0; c < channels; c++) {
        const uint16_t *table = self->tables[c], *samples = from + (is_palette ? 0 : c);
        for (size_t x = 0; x < self->width; x++)
            nb_put(self->packed, (ptrdiff_t)x * channels + c, wide, table[samples[x * self->samples]]);
    }
}

static inline void divide_by_alpha(uint8_t *packed, size_t width, int channels, int wide) {
    uint32_t most = wide ? 65535 : 255;
    for (ptrdiff_t i = 0; i < (ptrdiff_t)width * channels; i += channels) {
        uint32_t alpha = nb_get(packed, i + channels - 1, wide);
        for (ptrdiff_t c = i; c < i + channels - 1; c++) {
            uint32_t color = nb_get(packed, c, wide);
            nb_put(packed, c, wide, alpha == 0 ? 0 : color >= alpha ? most : (color * most + alpha / 2) / alpha);
        }
    }
}

static nb_status read_pixels(reader *self, const nb_tiff_header *header, nb_shrinker *shrinker) {
    int wide = shrinker->wide, channels = header->channels;
    size_t raw = self->by_rows ? (size_t)TIFFScanlineSize(self->tiff)
                 : self->by_rgba ? 4 * (size_t)self->tile_width * self->band_rows
                 : self->is_tiled ? (size_t)TIFFTileSize(self->tiff) : (size_t)TIFFStripSize(self->tiff);
    self->raw = malloc(raw);
    self->band = malloc((size_t)self->band_rows * self->width * self->samples * sizeof *self->band);
    self->packed = malloc((size_t)self->width * (size_t)channels * (wide ? 2 : 1));
    if (self->raw == NULL || self->band == NULL || self->packed == NULL)
        return fail(self, NB_MEMORY, "not enough memory");
    nb_status status = make_tables(self, channels, header->alpha, wide);
    if (status == NB_OK) status = check_strips(self);
    if (status != NB_OK) return status;
    // libtiff's RGBA shall not turn what Swift turns.
    if (self->by_rgba) TIFFSetField(self->tiff, TIFFTAG_ORIENTATION, ORIENTATION_TOPLEFT);
    self->from.is_reading = 1;
    for (uint32_t y = 0; y < self->height; y += self->band_rows) {
        uint32_t rows = self->height - y < self->band_rows ? self->height - y : self->band_rows;
        int is_read = read_band(self, y, rows);
        if (self->from.failed) return NB_CORRUPT;
        if (!is_read) return fail(self, NB_CORRUPT, "a part of its pixels cannot be read");
        for (uint32_t row = 0; row < rows; row++) {
            if (wide) color_row(self, band_at(self, row, 0, 0), channels, 1);
            else color_row(self, band_at(self, row, 0, 0), channels, 0);
            if (header->alpha && self->extra == EXTRASAMPLE_ASSOCALPHA)
                divide_by_alpha(self->packed, self->width, channels, wide);
            nb_shrinker_add(shrinker, self->packed);
        }
        if (rows < self->band_rows) break;
    }
    return NB_OK;
}

static void copy_profile(reader *self, uint8_t *icc, size_t capacity, size_t *count) {
    uint32_t length = 0;
    void *profile;
    *count = 0;
    if (!TIFFGetField(self->tiff, TIFFTAG_ICCPROFILE, &length, &profile) || length > capacity) return;
    memcpy(icc, profile, length);
    *count = length;
}

nb_status nb_tiff_decode(const uint8_t *bytes, size_t count, const nb_tiff_header *expected, int factor,
                         const nb_plane *planes, uint8_t *icc, size_t icc_capacity, size_t *icc_count,
                         nb_error *error) {
    reader self = {0};
    nb_tiff_header header;
    nb_shrinker shrinker = {0};
    nb_status status = nb_tiff_open(&self.from, bytes, count, expected->working_bytes, &self.tiff, error);
    if (status == NB_OK) status = read_directory(&self, &header);
    if (status == NB_OK && (header.width != expected->width || header.height != expected->height ||
                            header.channels != expected->channels || header.working_bytes > expected->working_bytes))
        status = fail(&self, NB_CORRUPT, "its pixels differ from what its header says");
    if (status == NB_OK && !nb_shrinker_start(&shrinker, planes, header.channels, header.alpha, factor,
                                              header.width, header.height))
        status = fail(&self, NB_MEMORY, "not enough memory");
    if (status == NB_OK) {
        copy_profile(&self, icc, icc_capacity, icc_count);
        status = read_pixels(&self, &header, &shrinker);
    }
    nb_shrinker_end(&shrinker);
    for (int c = 0; c < 4; c++) free(self.tables[c]);
    free(self.raw);
    free(self.band);
    free(self.packed);
    if (self.tiff != NULL) TIFFClose(self.tiff);
    return status;
}
#endif
