// Computes, before decoding, the memory that the data of a TIFF's strips make a decoder hold. libtiff does not limit
// it.
#ifdef NB_TIFF
#include "tiff_claims.h"

#include <string.h>

enum { ZSTD_LARGEST = 1 << 27 };  // libzstd refuses larger windows

static uint64_t little(const uint8_t *bytes, int count) {
    uint64_t value = 0;
    for (int i = count - 1; i >= 0; i--) value = value << 8 | bytes[i];
    return value;
}

static nb_status refuse(nb_error *error, const char *message) { return nb_fail(error, NB_UNSUPPORTED, message); }

// Zstandard (RFC 8878, 3.1.1): the window that the first frame requests. libtiff never reads a second frame of a strip
// that is read at once.
static nb_status measure_zstd(const uint8_t *bytes, uint64_t count, uint64_t *claim, nb_error *error) {
    static const uint8_t magic[4] = {0x28, 0xB5, 0x2F, 0xFD}, id_sizes[4] = {0, 1, 2, 4};
    if (count < 6) return nb_cut(error);
    if (memcmp(bytes, magic, 4) != 0) return nb_fail(error, NB_CORRUPT, "its strips are no Zstandard frames");
    int descriptor = bytes[4], is_single = descriptor >> 5 & 1, size_flag = descriptor >> 6;
    if (!is_single) {
        uint64_t base = (uint64_t)1 << (10 + (bytes[5] >> 3));
        *claim = base + base / 8 * (bytes[5] & 7);
        if (*claim > ZSTD_LARGEST) return refuse(error, "its Zstandard data want a window above 128 MB");
    } else {
        uint64_t at = 5 + (uint64_t)id_sizes[descriptor & 3];
        int size = 1 << size_flag;
        if (count < at + (uint64_t)size) return nb_cut(error);
        // A frame that fits into the output needs no window, however large. For any other, libzstd has its limit.
        *claim = little(bytes + at, size) + (size_flag == 1 ? 256 : 0);
        if (*claim > ZSTD_LARGEST) *claim = ZSTD_LARGEST;
    }
    // Two blocks beside the window (at most 128 kB each), and the decoder's tables.
    *claim += 1 << 20;
    return NB_OK;
}

/// A number of the xz format (1.2), seven bits per byte; 0 bytes if it is truncated or too long.
static int read_number(const uint8_t *bytes, uint64_t count, uint64_t *value) {
    *value = 0;
    for (int i = 0; i < 9 && (uint64_t)i < count; i++) {
        *value |= (uint64_t)(bytes[i] & 0x7F) << (7 * i);
        if (bytes[i] < 0x80) return i + 1;
    }
    return 0;
}

/// The bytes that LZMA2's chunks from here on produce, up to the wanted count.
static uint64_t chunks_yield(const uint8_t *bytes, uint64_t count, uint64_t wanted) {
    uint64_t at = 0, made = 0;
    while (made < wanted && at < count && bytes[at] != 0) {
        int control = bytes[at];
        if (control < 0x80) {  // stored
            if (control > 2 || count - at < 3) break;
            uint64_t size = (uint64_t)(bytes[at + 1] << 8 | bytes[at + 2]) + 1;
            made += size;
            at += 3 + size;
        } else {
            if (count - at < 5) break;
            made += ((uint64_t)(control & 0x1F) << 16 | (uint64_t)(bytes[at + 1] << 8 | bytes[at + 2])) + 1;
            at += 5 + (uint64_t)(control >= 0xC0) + (uint64_t)(bytes[at + 3] << 8 | bytes[at + 4]) + 1;
        }
    }
    return made;
}

// LZMA (the xz format 1.0.4, 2.1.1 and 3.1; 5.3.1 for LZMA2): the dictionary of the first block, which must be the only
// one that is reached.
static nb_status measure_lzma(const uint8_t *bytes, uint64_t count, uint64_t wanted, uint64_t *claim, nb_error *error) {
    static const uint8_t magic[6] = {0xFD, '7', 'z', 'X', 'Z', 0};
    enum { STREAM_HEADER = 12, DELTA = 3, LZMA2 = 0x21 };
    if (count < STREAM_HEADER + 8) return nb_cut(error);
    if (memcmp(bytes, magic, sizeof magic) != 0) return nb_fail(error, NB_CORRUPT, "its strips are no xz streams");
    const uint8_t *block = bytes + STREAM_HEADER;
    uint64_t size = ((uint64_t)block[0] + 1) * 4, at = 2, value;
    if (block[0] == 0 || size > count - STREAM_HEADER) return nb_cut(error);
    for (int flag = 0x40; flag <= 0x80; flag <<= 1) {  // the block's sizes
        int read = block[1] & flag ? read_number(block + at, size - at, &value) : 0;
        if (block[1] & flag && read == 0) return nb_fail(error, NB_CORRUPT, "its xz data are damaged");
        at += (uint64_t)read;
    }
    *claim = 0;
    for (int filter = 0; filter <= (block[1] & 3); filter++) {
        uint64_t properties;
        int read = read_number(block + at, size - at, &value);
        at += (uint64_t)read;
        int more = read > 0 ? read_number(block + at, size - at, &properties) : 0;
        at += (uint64_t)more;
        if (more == 0 || properties != 1 || at >= size) return nb_fail(error, NB_CORRUPT, "its xz data are damaged");
        uint8_t property = block[at++];
        if (value == LZMA2) {
            if (property > 40) return nb_fail(error, NB_CORRUPT, "its xz data are damaged");
            *claim += property == 40 ? UINT32_MAX : (uint64_t)(2 | (property & 1)) << (property / 2 + 11);
        } else if (value != DELTA) {
            return refuse(error, "its LZMA data use a filter that is not for pictures");
        }
    }
    if (chunks_yield(block + size, count - STREAM_HEADER - size, wanted) < wanted)
        return refuse(error, "its LZMA data are in several blocks, or damaged");
    *claim += 1 << 18;
    return NB_OK;
}

// WebP: libwebp holds the data and, for lossless or transparent images, the pixels.
static nb_status measure_webp(const uint8_t *bytes, uint64_t count, uint32_t width, uint32_t height, uint64_t *claim,
                              nb_error *error) {
    nb_webp_header header;
    nb_status status = nb_webp_read_header(bytes, (size_t)count, &header, error);
    if (status != NB_OK) return status;
    if (header.animated || header.width != (int64_t)width || header.height != (int64_t)height)
        return nb_fail(error, NB_CORRUPT, "its WebP data have another size than its strips");
    *claim = 5 * (uint64_t)width * height + 256 * (uint64_t)width + count + (1 << 19);
    return NB_OK;
}

nb_status nb_tiff_claims(TIFF *tiff, const nb_tiff_source *from, uint16_t compression, uint32_t width, uint32_t height,
                         uint32_t rows, uint64_t *most) {
    int is_tiled = TIFFIsTiled(tiff);
    uint32_t count = is_tiled ? TIFFNumberOfTiles(tiff) : TIFFNumberOfStrips(tiff), in_part = (height + rows - 1) / rows;
    *most = 0;
    for (uint32_t i = 0; i < count; i++) {
        uint64_t offset = TIFFGetStrileOffset(tiff, i), length = TIFFGetStrileByteCount(tiff, i), claim = 0;
        if (from->failed) return NB_CORRUPT;
        if (offset > from->count || length > from->count - offset) return nb_cut(from->error);
        const uint8_t *bytes = from->bytes + offset;
        // The last strip holds the remaining rows.
        uint32_t row = is_tiled ? 0 : i % in_part * rows, tall = !is_tiled && height - row < rows ? height - row : rows;
        uint64_t wanted = is_tiled ? TIFFTileSize64(tiff) : TIFFVStripSize64(tiff, tall);
        nb_status status = compression == COMPRESSION_ZSTD ? measure_zstd(bytes, length, &claim, from->error)
                           : compression == COMPRESSION_LZMA
                               ? measure_lzma(bytes, length, wanted, &claim, from->error)
                               : measure_webp(bytes, length, width, tall, &claim, from->error);
        if (status != NB_OK) return status;
        if (claim > *most) *most = claim;
    }
    return NB_OK;
}
#endif
