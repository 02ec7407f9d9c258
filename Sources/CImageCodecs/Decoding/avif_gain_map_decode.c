// Gain maps of AVIF: an item of its own beside the image, whose numbers stand in another one (tmap).
#ifdef NB_AVIF
#include "avif_reader.h"

#include <string.h>

#if AVIF_VERSION >= 1020000
nb_status nb_avif_keeps_gain_maps(int32_t *answer, nb_error *error) {
    (void)error;
    *answer = 1;
    return NB_OK;
}

static uint8_t *put(uint8_t *to, uint32_t numerator, uint32_t denominator) {
    for (int shift = 24; shift >= 0; shift -= 8) *to++ = (uint8_t)(numerator >> shift);
    for (int shift = 24; shift >= 0; shift -= 8) *to++ = (uint8_t)(denominator >> shift);
    return to;
}

/// The numbers in the form that JPEGs have too (ISO 21496-1, annex C), of which one reader is enough.
static void write_numbers(const avifGainMap *map, uint8_t *to) {
    memset(to, 0, NB_GAIN_MAP_VERSIONS);
    to += NB_GAIN_MAP_VERSIONS;
    *to++ = (uint8_t)(NB_GAIN_MAP_THREE_CHANNELS | (map->useBaseColorSpace ? NB_GAIN_MAP_BASE_COLORS : 0));
    to = put(to, map->baseHdrHeadroom.n, map->baseHdrHeadroom.d);
    to = put(to, map->alternateHdrHeadroom.n, map->alternateHdrHeadroom.d);
    for (int i = 0; i < 3; i++) {
        to = put(to, (uint32_t)map->gainMapMin[i].n, map->gainMapMin[i].d);
        to = put(to, (uint32_t)map->gainMapMax[i].n, map->gainMapMax[i].d);
        to = put(to, map->gainMapGamma[i].n, map->gainMapGamma[i].d);
        to = put(to, (uint32_t)map->baseOffset[i].n, map->baseOffset[i].d);
        to = put(to, (uint32_t)map->alternateOffset[i].n, map->alternateOffset[i].d);
    }
}

static nb_status describe(const avifImage *image, nb_avif_gain_map *map, nb_error *error) {
    const avifImage *values = image->gainMap == NULL ? NULL : image->gainMap->image;
    if (values == NULL || values->width == 0 || values->height == 0 || values->width > INT32_MAX ||
        values->height > INT32_MAX)
        return nb_fail(error, NB_CORRUPT, "its gain map has no pixels");
    avifCropRect aperture;
    nb_status status = nb_avif_find_aperture(image, &aperture, error);
    if (status != NB_OK) return status;
    *map = (nb_avif_gain_map){
        .width = (int32_t)values->width,
        .height = (int32_t)values->height,
        .coded_width = (int32_t)image->width,
        .coded_height = (int32_t)image->height,
        .left = (int32_t)aperture.x,
        .top = (int32_t)aperture.y,
        .depth = (int32_t)values->depth,
        .gray = values->yuvFormat == AVIF_PIXEL_FORMAT_YUV400,
        .samples = nb_avif_samples(values),
    };
    write_numbers(image->gainMap, map->numbers);
    return NB_OK;
}

nb_status nb_avif_read_gain_map(const uint8_t *bytes, size_t count, nb_avif_gain_map *map, nb_error *error) {
    avifDecoder *decoder;
    nb_status status =
        nb_avif_open_still(bytes, count, AVIF_DEFAULT_IMAGE_SIZE_LIMIT, NB_AVIF_GAIN_MAP, &decoder, error);
    if (status != NB_OK) return status;
    status = describe(decoder->image, map, error);
    avifDecoderDestroy(decoder);
    return status;
}

/// Only the primaries count, since gains are about linear light; PQ, the usual curve of the other image, has no profile.
static void copy_profile(const avifImage *image, nb_target *target) {
    const avifGainMap *map = image->gainMap;
    if (!nb_avif_copy_profile(map->useBaseColorSpace ? &image->icc : &map->altICC, target))
        nb_codes_profile(0, map->useBaseColorSpace ? image->colorPrimaries : map->altColorPrimaries,
                         AVIF_TRANSFER_CHARACTERISTICS_SRGB, target);
}

static nb_status decode(avifDecoder *decoder, const nb_avif_gain_map *map, nb_target *target, nb_error *error) {
    nb_avif_gain_map found;
    nb_status status = describe(decoder->image, &found, error);
    if (status != NB_OK) return status;
    // The AV1 data may declare another size than the boxes, and cells of a grid may extend past it.
    uint64_t most = 4 * (uint64_t)found.width * (uint64_t)found.height + (1 << 16);
    if (most < decoder->imageSizeLimit) decoder->imageSizeLimit = (uint32_t)most;
    avifResult code = avifDecoderNextImage(decoder);
    if (code != AVIF_RESULT_OK) return nb_avif_fail(error, code, &decoder->diag);
    status = describe(decoder->image, &found, error);
    if (status != NB_OK) return status;
    const avifImage *values = decoder->image->gainMap->image;
    if (memcmp(&found, map, offsetof(nb_avif_gain_map, numbers)) != 0 || target->channels != (map->gray ? 1 : 3) ||
        values->yuvPlanes[AVIF_CHAN_Y] == NULL)
        return nb_fail(error, NB_CORRUPT, "its gain map differs from what its header says");
    copy_profile(decoder->image, target);
    const nb_avif_header shown = {.width = map->width, .height = map->height, .gray = map->gray};
    return nb_avif_convert(values, 0, 0, &shown, target, error);
}

nb_status nb_avif_decode_gain_map(const uint8_t *bytes, size_t count, const nb_avif_gain_map *map, nb_target *target,
                                  nb_error *error) {
    avifDecoder *decoder;
    // The boxes tell of the image too, which may be larger.
    nb_status status =
        nb_avif_open_still(bytes, count, AVIF_DEFAULT_IMAGE_SIZE_LIMIT, NB_AVIF_GAIN_MAP, &decoder, error);
    if (status != NB_OK) return status;
    status = decode(decoder, map, target, error);
    avifDecoderDestroy(decoder);
    return status;
}
#else
static nb_status refuse(nb_error *error) {
    return nb_fail(error, NB_UNSUPPORTED, "gain maps need libavif 1.2 or later");
}

nb_status nb_avif_keeps_gain_maps(int32_t *answer, nb_error *error) {
    (void)error;
    *answer = 0;
    return NB_OK;
}

nb_status nb_avif_read_gain_map(const uint8_t *bytes, size_t count, nb_avif_gain_map *map, nb_error *error) {
    (void)bytes, (void)count, (void)map;
    return refuse(error);
}

nb_status nb_avif_decode_gain_map(const uint8_t *bytes, size_t count, const nb_avif_gain_map *map, nb_target *target,
                                  nb_error *error) {
    (void)bytes, (void)count, (void)map, (void)target;
    return refuse(error);
}
#endif
#endif
