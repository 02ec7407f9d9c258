// TIFF decoder: libtiff, row by row if the file is laid out in rows, otherwise by rows of tiles or strips.
#ifdef NB_TIFF
#include "tiff_reader.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { DIRECTORY_BYTES = 1 << 24 };  // of a list that libtiff builds from a directory by itself

typedef nb_tiff_reader reader;

static nb_status fail(reader *self, nb_status status, const char *message) {
    return nb_fail(self->from.error, status, message);
}

static nb_status check_strips(reader *self) {
    uint32_t count = self->is_tiled ? TIFFNumberOfTiles(self->tiff) : TIFFNumberOfStrips(self->tiff);
    for (uint32_t i = 0; i < count; i++) {
        uint64_t offset = TIFFGetStrileOffset(self->tiff, i), length = TIFFGetStrileByteCount(self->tiff, i);
        if (self->from.failed) return NB_CORRUPT;
        if (offset > self->from.count || length > self->from.count - offset) return nb_cut(self->from.error);
    }
    return NB_OK;
}

nb_status nb_tiff_read_header(const uint8_t *bytes, size_t count, nb_tiff_header *header, nb_error *error) {
    reader self = {0};
    nb_status status = nb_tiff_open(&self.from, bytes, count, DIRECTORY_BYTES, &self.tiff, error);
    if (status == NB_OK) status = nb_tiff_read_directory(&self, header);
    if (self.tiff != NULL) TIFFClose(self.tiff);
    return status;
}

// Pixels

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

// The number of strips or tiles per position: one for each sample if samples are stored separately.
static uint16_t parts(const reader *self) { return self->is_separate ? self->samples : 1; }

static void unpack_rows(reader *self, size_t bytes, uint32_t rows, uint32_t x, uint32_t columns, uint16_t part) {
    size_t step = self->is_separate ? self->samples : 1, count = (size_t)columns * self->samples / step;
    for (uint32_t row = 0; row < rows; row++)
        nb_tiff_unpack((uint8_t *)self->raw + row * bytes, self->stored, band_at(self, row, x, part), step, count);
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
        nb_tiff_unpack(self->raw, self->stored, self->band, 1, (size_t)self->width * self->samples);
        return 1;
    }
    if (!self->is_tiled) return read_strips(self, y, rows);
    for (uint32_t x = 0; x < self->width; x += self->tile_width) {
        if (!read_tile(self, x, y, rows)) return 0;
        if (self->width - x <= self->tile_width) break;
    }
    return 1;
}

// libtiff recognizes 8-bit palettes in 16-bit fields by their values, none of which is larger.
static int palette_scale(uint16_t *const maps[3], size_t count) {
    for (int c = 0; c < 3; c++)
        for (size_t i = 0; i < count; i++)
            if (maps[c][i] > 255) return 257;
    return 1;
}

/// Converts linear light to sRGB's curve (IEC 61966-2-1), both in `most` steps.
static uint32_t curved(uint32_t value, uint32_t most) {
    double light = (double)value / most;
    light = light <= 0.0031308 ? 12.92 * light : 1.055 * pow(light, 1 / 2.4) - 0.055;
    return (uint32_t)lrint(light * most);
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
        int is_alpha = has_alpha && c == channels - 1, is_mapped = is_palette && !is_alpha;
        int inverted = self->photometric == PHOTOMETRIC_MINISWHITE && !is_alpha;
        for (size_t i = 0; i < count; i++) {
            uint32_t value = inverted ? most - (uint32_t)i : (uint32_t)i;
            if (self->is_linear && !is_alpha) value = curved(value, most);
            table[i] = is_mapped ? (uint16_t)((maps[c][i] + scale / 2) / scale)
                                 : (uint16_t)(((uint64_t)value * result + most / 2) / most);
        }
    }
    return NB_OK;
}

static inline void color_row(const reader *self, const uint16_t *from, int channels, int wide) {
    int is_palette = self->photometric == PHOTOMETRIC_PALETTE;
    for (int c = 0; c < channels; c++) {
        int is_alpha = self->alpha != 0 && c == channels - 1;
        const uint16_t *table = self->tables[c], *samples = from + (is_alpha ? self->alpha : is_palette ? 0 : c);
        for (size_t x = 0; x < self->width; x++)
            nb_put(self->packed, (ptrdiff_t)x * channels + c, wide, table[samples[x * self->samples]]);
    }
}

/// Converts both TIFF encodings to ICC's: a and b are signed in CIELab, and begin at -128 in ICCLab (TIFF Technical
/// Note 4).
static void lab_row(reader *self, const uint16_t *from, int channels, int wide) {
    int is_signed = self->photometric == PHOTOMETRIC_CIELAB;
    for (size_t x = 0; x < self->width; x++, from += self->samples) {
        uint16_t *to = self->lab + 3 * x;
        for (int c = 0; c < 3; c++) {
            uint16_t value = self->bits == 8 ? (uint16_t)(from[c] << 8) : from[c];
            to[c] = c > 0 && is_signed ? value ^ 0x8000 : value;
        }
        if (self->bits == 16 && is_signed) to[0] = (uint16_t)((to[0] * 0xFF00u + 32767) / 65535);
        if (channels == 4)
            nb_put(self->packed, (ptrdiff_t)x * 4 + 3, wide, self->tables[3][from[self->alpha]]);
    }
    nb_lab_convert(self->lab_transform, self->lab, self->packed, self->width);
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
    if (self->is_lab) {
        self->lab_transform = nb_lab_open(wide, header->alpha);
        self->lab = malloc(3 * (size_t)self->width * sizeof *self->lab);
        if (self->lab_transform == NULL || self->lab == NULL) return fail(self, NB_MEMORY, "not enough memory");
    }
    // The colours of a palette cannot be multiplied by the alpha of a pixel.
    int is_multiplied = header->alpha && self->extra == EXTRASAMPLE_ASSOCALPHA && self->photometric != PHOTOMETRIC_PALETTE;
    nb_status status = make_tables(self, channels, header->alpha, wide);
    if (status == NB_OK) status = check_strips(self);
    if (status != NB_OK) return status;
    // libtiff's RGBA conversion must not rotate, because Swift does.
    if (self->by_rgba) TIFFSetField(self->tiff, TIFFTAG_ORIENTATION, ORIENTATION_TOPLEFT);
    self->from.is_reading = 1;
    for (uint32_t y = 0; y < self->height; y += self->band_rows) {
        uint32_t rows = self->height - y < self->band_rows ? self->height - y : self->band_rows;
        int is_read = read_band(self, y, rows);
        if (self->from.failed) return NB_CORRUPT;
        if (!is_read) return fail(self, NB_CORRUPT, "a part of its pixels cannot be read");
        for (uint32_t row = 0; row < rows; row++) {
            uint16_t *samples = band_at(self, row, 0, 0);
            // What alpha has multiplied is light, not the curve of it. Floating-point samples have 16 bits by now.
            if (is_multiplied && self->is_linear)
                nb_divide_by_alpha((uint8_t *)samples, self->width, self->samples, channels - 1, self->alpha, 1);
            if (self->is_lab) lab_row(self, samples, channels, wide);
            else if (wide) color_row(self, samples, channels, 1);
            else color_row(self, samples, channels, 0);
            if (is_multiplied && !self->is_linear)
                nb_divide_by_alpha(self->packed, self->width, channels, channels - 1, channels - 1, wide);
            nb_shrinker_add(shrinker, self->packed);
        }
        if (rows < self->band_rows) break;
    }
    return NB_OK;
}

static void copy_profile(reader *self, nb_target *target) {
    uint32_t length = 0;
    void *profile;
    if (self->is_lab || !TIFFGetField(self->tiff, TIFFTAG_ICCPROFILE, &length, &profile) || length > target->icc_capacity)
        return;
    memcpy(target->icc, profile, length);
    target->icc_count = length;
}

nb_status nb_tiff_decode(const uint8_t *bytes, size_t count, const nb_tiff_header *expected, nb_target *target,
                         nb_error *error) {
    reader self = {0};
    nb_tiff_header header;
    nb_shrinker shrinker = {0};
    nb_status status = nb_tiff_open(&self.from, bytes, count, expected->working_bytes, &self.tiff, error);
    if (status == NB_OK) status = nb_tiff_read_directory(&self, &header);
    if (status == NB_OK && (header.width != expected->width || header.height != expected->height ||
                            header.channels != expected->channels || header.channels != target->channels ||
                            header.working_bytes > expected->working_bytes))
        status = fail(&self, NB_CORRUPT, "its pixels differ from what its header says");
    if (status == NB_OK && !nb_shrinker_start(&shrinker, target, header.alpha, header.width, header.height))
        status = fail(&self, NB_MEMORY, "not enough memory");
    if (status == NB_OK) {
        copy_profile(&self, target);
        self.is_linear = self.stored.format == SAMPLEFORMAT_IEEEFP && target->icc_count == 0;
        status = read_pixels(&self, &header, &shrinker);
    }
    nb_shrinker_end(&shrinker);
    for (int c = 0; c < NB_MOST_CHANNELS; c++) free(self.tables[c]);
    nb_lab_close(self.lab_transform);
    free(self.lab);
    free(self.raw);
    free(self.band);
    free(self.packed);
    if (self.tiff != NULL) TIFFClose(self.tiff);
    return status;
}
#endif
