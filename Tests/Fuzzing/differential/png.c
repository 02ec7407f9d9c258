// The decoders of PNG: ours and libpng, at 1 to 1/4 of a side, with samples of 8 and 16 bits.
#include "decoders.h"

#include <string.h>
#include <zlib.h>

enum { MOST_INFLATED = 200000 };

const int variants = 8;
const char library[] = "libpng";

int make_picture(const uint8_t *file, size_t count, int variant, picture *picture) {
    nb_png_header header;
    nb_error error = {0};
    *picture = (struct picture){0};
    if (nb_png_read_header(file, count, &header, &error) != NB_OK || header.width > MOST_SAMPLES || header.height > MOST_SAMPLES)
        return 0;
    int factor = (variant & 3) + 1, sample_bytes = (variant >> 2) + 1;
    int planes = (header.color_type & 2 ? 3 : 1) + (header.color_type & 4 || header.transparency);
    int columns = (header.width + factor - 1) / factor, rows = (header.height + factor - 1) / factor;
    picture->samples = (size_t)header.width * (size_t)header.height * (size_t)planes;
    if (picture->samples > MOST_SAMPLES) return 0;
    for (; picture->count < planes; picture->count++) {
        uint8_t *data = malloc((size_t)columns * (size_t)rows * (size_t)sample_bytes);
        if (!data) abort();
        picture->plane[picture->count] = (nb_plane){data, columns * sample_bytes, columns, rows, sample_bytes};
    }
    return 1;
}

int decode(const uint8_t *file, size_t count, int variant, decoder decoder, picture *picture, nb_error *error) {
    static const nb_png_way ways[] = {[OURS] = NB_PNG_DIRECT, [LIBRARY] = NB_PNG_LIBRARY, [EITHER] = NB_PNG_ANY};
    nb_png_header header;
    nb_target target = {.planes = picture->plane, .channels = picture->count, .factor = (variant & 3) + 1};
    if (nb_png_read_header(file, count, &header, error) != NB_OK) return 0;
    return nb_png_decode(file, count, header.width, header.height, ways[decoder], &target, error) == NB_OK;
}

static uint8_t *put(uint8_t *to, uint32_t number) {
    for (int shift = 24; shift >= 0; shift -= 8) *to++ = (uint8_t)(number >> shift);
    return to;
}

static uint8_t *put_chunk(uint8_t *to, const char *type, const uint8_t *content, size_t count) {
    to = put(to, (uint32_t)count);
    memcpy(to, type, 4);
    if (count) memcpy(to + 4, content, count);
    return put(to + 4 + count, (uint32_t)crc32(0, to, (uInt)count + 4));
}

// The bytes as a file whose chunks have the checksums that they should have.
static uint8_t *with_checksums(const uint8_t *bytes, size_t count, size_t *file_count) {
    uint8_t *file = malloc(count + !count);
    if (!file) return NULL;
    memcpy(file, bytes, *file_count = count);
    for (size_t at = 8; at + 12 <= count;) {
        size_t length = (size_t)file[at] << 24 | (size_t)file[at + 1] << 16 | (size_t)file[at + 2] << 8 | file[at + 3];
        if (length > count - at - 12) break;
        put(file + at + 8 + length, (uint32_t)crc32(0, file + at + 4, (uInt)length + 4));
        at += 12 + length;
    }
    return file;
}

// What zlib inflates of the bytes, be it to their end or not: how many they take, their length, and the checksum.
static size_t inflate_some(const uint8_t *bytes, size_t count, size_t *inflated, uint32_t *checksum) {
    static uint8_t out[MOST_INFLATED];
    z_stream stream = {.next_in = (Bytef *)bytes, .avail_in = (uInt)count, .next_out = out, .avail_out = sizeof out};
    if (inflateInit2(&stream, -15) != Z_OK) abort();
    int is_whole = inflate(&stream, Z_FINISH) == Z_STREAM_END;
    inflateEnd(&stream);
    *inflated = sizeof out - stream.avail_out;
    *checksum = (uint32_t)adler32(1, out, (uInt)*inflated);
    return is_whole ? count - stream.avail_in : count;
}

// The bytes as the deflated data of an image, which is as high as they fill.
static uint8_t *with_pixels(const uint8_t choices[4], const uint8_t *bytes, size_t count, size_t *file_count) {
    static const uint8_t kinds[][2] = {{0, 1}, {0, 2}, {0, 4}, {0, 8}, {0, 16}, {2, 8}, {2, 16}, {3, 1},
                                       {3, 2}, {3, 4}, {3, 8}, {4, 8}, {4, 16}, {6, 8}, {6, 16}};
    static const uint8_t samples[] = {1, 1, 3, 1, 2, 1, 4};
    const uint8_t *kind = kinds[choices[0] % (sizeof kinds / sizeof *kinds)];
    uint32_t width = choices[2] + 1u, checksum;
    size_t inflated, split = choices[3] ? choices[3] : count + 6;
    count = inflate_some(bytes, count, &inflated, &checksum);
    size_t rows = inflated / ((width * samples[kind[0]] * kind[1] + 7) / 8 + 1);

    uint8_t *stream = malloc(count + 6), *file = malloc(1000 + count + 6 + 12 * ((count + 6) / split + 1));
    if (!stream || !file) abort();
    uint32_t method = (choices[1] & 7u) << 12 | 0x800;
    stream[0] = (uint8_t)(method >> 8), stream[1] = (uint8_t)(31 - method % 31);
    memcpy(stream + 2, bytes, count);
    put(stream + 2 + count, checksum);

    uint8_t head[13] = {0}, palette[3 * 256], *to = file;
    put(put(head, width), (uint32_t)(rows ? rows : 1));
    head[8] = kind[1], head[9] = kind[0];
    memset(palette, 7, sizeof palette);
    memcpy(to, "\x89PNG\r\n\x1a\n", 8);
    to = put_chunk(to + 8, "IHDR", head, sizeof head);
    if (kind[0] == 3) to = put_chunk(to, "PLTE", palette, (size_t)3 << kind[1]);
    for (size_t at = 0; at < count + 6; at += split)
        to = put_chunk(to, "IDAT", stream + at, split < count + 6 - at ? split : count + 6 - at);
    to = put_chunk(to, "IEND", NULL, 0);
    free(stream);
    *file_count = (size_t)(to - file);
    uint8_t *exact = realloc(file, *file_count);
    return exact ? exact : file;
}

uint8_t *make_file(const uint8_t *bytes, size_t count, size_t *file_count) {
    if (count <= 4) return NULL;
    return bytes[0] < 32 ? with_checksums(bytes + 4, count - 4, file_count)
                         : with_pixels(bytes, bytes + 4, count - 4, file_count);
}
