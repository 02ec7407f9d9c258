// The gain map that libavif writes beside an image.
#ifdef NB_AVIF
#include "avif_encode.h"

#if AVIF_VERSION >= 1020000
enum { FIRST = NB_GAIN_MAP_VERSIONS + 1, FRACTION = 8 };  // the place of the first number, and its bytes

static uint32_t get(const uint8_t **from) {
    *from += 4;
    return nb_get32(*from - 4);
}

static avifUnsignedFraction get_unsigned(const uint8_t **from) {
    uint32_t numerator = get(from);
    return (avifUnsignedFraction){numerator, get(from)};
}

static avifSignedFraction get_signed(const uint8_t **from) {
    int32_t numerator = (int32_t)get(from);
    return (avifSignedFraction){numerator, get(from)};
}

/// Reads the numbers of one channel or three; returns 0 if they have another length.
static int read_numbers(const nb_avif_gain_map_source *source, avifGainMap *map) {
    int flags = source->numbers_count < FIRST ? 0 : source->numbers[NB_GAIN_MAP_VERSIONS];
    int channels = flags & NB_GAIN_MAP_THREE_CHANNELS ? 3 : 1;
    if (source->numbers_count != FIRST + FRACTION * (2 + 5 * (size_t)channels)) return 0;
    const uint8_t *next = source->numbers + FIRST;
    map->useBaseColorSpace = (flags & NB_GAIN_MAP_BASE_COLORS) != 0;
    map->baseHdrHeadroom = get_unsigned(&next);
    map->alternateHdrHeadroom = get_unsigned(&next);
    for (int i = 0; i < 3; i++) {
        if (channels == 1) next = source->numbers + FIRST + 2 * FRACTION;
        map->gainMapMin[i] = get_signed(&next);
        map->gainMapMax[i] = get_signed(&next);
        // Rounding to fractions may exchange two gains that are almost equal, which libavif refuses.
        if ((int64_t)map->gainMapMax[i].n * map->gainMapMin[i].d < (int64_t)map->gainMapMin[i].n * map->gainMapMax[i].d)
            map->gainMapMax[i] = map->gainMapMin[i];
        map->gainMapGamma[i] = get_unsigned(&next);
        map->baseOffset[i] = get_signed(&next);
        map->alternateOffset[i] = get_signed(&next);
    }
    return 1;
}

/// The other image, which nobody has: in PQ if it is the brighter one, and of the same primaries unless a profile has others.
static avifResult describe_alternate(const nb_avif_gain_map_source *source, const avifImage *image, avifGainMap *map) {
    int is_brighter = (uint64_t)map->alternateHdrHeadroom.n * map->baseHdrHeadroom.d >
                      (uint64_t)map->baseHdrHeadroom.n * map->alternateHdrHeadroom.d;
    map->altDepth = is_brighter ? 10 : 8;
    map->altPlaneCount = 3;
    map->altTransferCharacteristics =
        is_brighter ? AVIF_TRANSFER_CHARACTERISTICS_SMPTE2084 : AVIF_TRANSFER_CHARACTERISTICS_SRGB;
    if (source->icc != NULL) return avifRWDataSet(&map->altICC, source->icc, source->icc_count);
    map->altColorPrimaries = image->colorPrimaries;
    map->altMatrixCoefficients = image->matrixCoefficients;
    return AVIF_RESULT_OK;
}

nb_status nb_avif_add_gain_map(const nb_avif_gain_map_source *source, avifImage *image, nb_error *error) {
    avifGainMap *map = image->gainMap = avifGainMapCreate();  // which the image owns
    if (map == NULL) return nb_fail(error, NB_MEMORY, "not enough memory");
    if (!read_numbers(source, map)) return nb_fail(error, NB_PROCESSING, "the numbers of the gain map are incomplete");
    map->image = avifImageCreate((uint32_t)source->planes[0].width, (uint32_t)source->planes[0].height, 8,
                                 source->channels == 1 ? AVIF_PIXEL_FORMAT_YUV400 : AVIF_PIXEL_FORMAT_YUV444);
    if (map->image == NULL) return nb_fail(error, NB_MEMORY, "not enough memory");
    map->image->yuvRange = AVIF_RANGE_FULL;
    map->image->matrixCoefficients = image->matrixCoefficients;
    nb_avif_lend(source->planes, source->channels, source->channels, map->image);
    avifResult code = describe_alternate(source, image, map);
    return code == AVIF_RESULT_OK ? NB_OK : nb_avif_refuse(error, code, NULL);
}
#else
nb_status nb_avif_add_gain_map(const nb_avif_gain_map_source *source, avifImage *image, nb_error *error) {
    (void)source, (void)image;
    return nb_fail(error, NB_UNSUPPORTED, "gain maps need libavif 1.2 or later");
}
#endif
#endif
