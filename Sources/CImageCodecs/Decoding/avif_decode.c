// AVIF decoder: libavif reads the boxes, its AV1 decoder produces planes, and libavif converts them to RGB.
#ifdef NB_AVIF
#include "avif_reader.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

nb_status nb_avif_fail(nb_error *error, avifResult result, const avifDiagnostics *details) {
    const char *detail = details != NULL && details->error[0] != 0 ? details->error : avifResultToString(result);
    switch (result) {
        case AVIF_RESULT_OUT_OF_MEMORY: return nb_fail(error, NB_MEMORY, detail);
        case AVIF_RESULT_TRUNCATED_DATA: case AVIF_RESULT_IO_ERROR:
            return nb_cut(error);
        case AVIF_RESULT_NO_CODEC_AVAILABLE:
            return nb_fail(error, NB_UNSUPPORTED, "libavif has no AV1 decoder (install libdav1d)");
        case AVIF_RESULT_NOT_IMPLEMENTED: case AVIF_RESULT_UNSUPPORTED_DEPTH: case AVIF_RESULT_REFORMAT_FAILED:
            return nb_fail(error, NB_UNSUPPORTED, detail);
        default: return nb_fail(error, NB_CORRUPT, detail);
    }
}

nb_status nb_avif_open(const uint8_t *bytes, size_t count, avifDecoderSource source, uint32_t size_limit, nb_avif_part part,
                       avifDecoder **result, nb_error *error) {
    avifDecoder *decoder = avifDecoderCreate();
    if (decoder == NULL) return nb_fail(error, NB_MEMORY, "not enough memory");
    decoder->maxThreads = 1;
    decoder->ignoreExif = decoder->ignoreXMP = part != NB_AVIF_METADATA;
#if AVIF_VERSION >= 1020000
    if (part == NB_AVIF_GAIN_MAP) decoder->imageContentToDecode = AVIF_IMAGE_CONTENT_GAIN_MAP;
#endif
    decoder->imageSizeLimit = size_limit;
    decoder->imageDimensionLimit = 0;  // the caller checks the sides
    decoder->imageCountLimit = NB_AVIF_MOST_FRAMES;
    // Old writers omit pixi, and ispe of the alpha image. The clean aperture is checked below.
    decoder->strictFlags = AVIF_STRICT_DISABLED;
    avifResult code = avifDecoderSetSource(decoder, source);
    if (code == AVIF_RESULT_OK) code = avifDecoderSetIOMemory(decoder, bytes, count);
    // If libavif knows where the file ends, it refuses a track of which only the last frames lie behind it.
    if (code == AVIF_RESULT_OK && source == AVIF_DECODER_SOURCE_TRACKS) decoder->io->sizeHint = 0;
    if (code == AVIF_RESULT_OK) code = avifDecoderParse(decoder);
    if (code == AVIF_RESULT_OK) {
        *result = decoder;
        return NB_OK;
    }
    nb_status status = nb_avif_fail(error, code, &decoder->diag);
    avifDecoderDestroy(decoder);
    return status;
}

nb_status nb_avif_open_still(const uint8_t *bytes, size_t count, uint32_t size_limit, nb_avif_part part,
                             avifDecoder **result, nb_error *error) {
    nb_status status = nb_avif_open(bytes, count, AVIF_DECODER_SOURCE_PRIMARY_ITEM, size_limit, part, result, error);
    if (status == NB_OK) return NB_OK;
    // The first diagnosis is the most specific, if there is one.
    nb_error second = {0};
    if (nb_avif_open(bytes, count, AVIF_DECODER_SOURCE_TRACKS, size_limit, part, result, &second) == NB_OK)
        return NB_OK;
    return status;
}

/// The orientation of a counter-clockwise rotation (irot) followed by a mirroring (imir), in the order of MIAF (ISO/IEC
/// 23000-22, 7.3.6.7). EXIF orientation only repeats them.
static int32_t orientation(const avifImage *image) {
    static const uint8_t turned[4] = {1, 8, 3, 6}, upside_down[4] = {4, 5, 2, 7}, left_right[4] = {2, 7, 4, 5};
    int angle = image->transformFlags & AVIF_TRANSFORM_IROT ? image->irot.angle & 3 : 0;
    if (!(image->transformFlags & AVIF_TRANSFORM_IMIR)) return turned[angle];
#if AVIF_VERSION >= 1000000
    int mirrored_left_right = image->imir.axis != 0;
#else
    int mirrored_left_right = image->imir.mode != 0;
#endif
    return mirrored_left_right ? left_right[angle] : upside_down[angle];
}

/// Where the clean aperture begins, and its length, on an axis of `size` pixels; 0 if it lies between pixels or outside. Its
/// length and the distance of its centre from the image's are fractions (ISO/IEC 14496-12, 12.1.4.3).
static int find_span(uint32_t size, uint32_t length, uint32_t length_divisor, uint32_t distance, uint32_t distance_divisor,
                     uint32_t *start, uint32_t *count) {
    int64_t divisor = (int32_t)distance_divisor;
    if (divisor <= 0 || (int32_t)length <= 0 || (int32_t)length_divisor <= 0 || length % length_divisor != 0) return 0;
    *count = length / length_divisor;
    if (*count > size) return 0;
    int64_t twice = (int64_t)(size - *count) * divisor + 2 * (int64_t)(int32_t)distance;
    if (twice < 0 || twice % (2 * divisor) != 0 || twice / (2 * divisor) > size - *count) return 0;
    *start = (uint32_t)(twice / (2 * divisor));
    return 1;
}

/// libavif's own function refuses an odd place in a picture of subsampled chroma, which MIAF allows (ISO/IEC 23000-22,
/// Amd. 2): chroma is interpolated first, then cropped.
nb_status nb_avif_find_aperture(const avifImage *image, avifCropRect *aperture, nb_error *error) {
    *aperture = (avifCropRect){0, 0, image->width, image->height};
    if (!(image->transformFlags & AVIF_TRANSFORM_CLAP)) return NB_OK;
    const avifCleanApertureBox *clap = &image->clap;
    if (image->width <= INT32_MAX && image->height <= INT32_MAX &&
        find_span(image->width, clap->widthN, clap->widthD, clap->horizOffN, clap->horizOffD, &aperture->x,
                  &aperture->width) &&
        find_span(image->height, clap->heightN, clap->heightD, clap->vertOffN, clap->vertOffD, &aperture->y,
                  &aperture->height))
        return NB_OK;
    return nb_fail(error, NB_UNSUPPORTED, "its crop lies between pixels or outside");
}

/// An aperture with what its chroma is interpolated from, beginning with whole samples of it.
static avifCropRect around(const avifImage *image, const avifCropRect *aperture) {
    enum { margin = NB_AVIF_MARGIN / 2 };
    uint32_t x = aperture->x < margin ? 0 : (aperture->x - margin) & ~1u;
    uint32_t y = aperture->y < margin ? 0 : (aperture->y - margin) & ~1u;
    uint32_t right = aperture->x + aperture->width + margin, bottom = aperture->y + aperture->height + margin;
    return (avifCropRect){x, y, (right < image->width ? right : image->width) - x,
                          (bottom < image->height ? bottom : image->height) - y};
}

int32_t nb_avif_samples(const avifImage *image) {
    avifPixelFormatInfo format;
    avifGetPixelFormatInfo(image->yuvFormat, &format);
    return 4 + (format.monochrome ? 0 : 8 >> (format.chromaShiftX + format.chromaShiftY));
}

nb_status nb_avif_describe(const avifDecoder *decoder, nb_avif_header *header, nb_error *error) {
    const avifImage *image = decoder->image;
    nb_codes codes = nb_codes_kind(image->colorPrimaries, image->transferCharacteristics);
    avifCropRect aperture;
    nb_status status = nb_avif_find_aperture(image, &aperture, error);
    if (status != NB_OK) return status;
    *header = (nb_avif_header){
        .width = (int32_t)aperture.width,
        .height = (int32_t)aperture.height,
        .coded_width = (int32_t)image->width,
        .coded_height = (int32_t)image->height,
        .orientation = orientation(image),
        .depth = (int32_t)image->depth,
        .gray = image->yuvFormat == AVIF_PIXEL_FORMAT_YUV400,
        .alpha = decoder->alphaPresent,
        .profile = image->icc.size > 0 || codes != NB_CODES_SRGB,
        .samples = nb_avif_samples(image) + (decoder->alphaPresent ? 4 : 0),
    };
#if AVIF_VERSION >= 1020000
    header->gain_map = image->gainMap != NULL;
#endif
    if (image->icc.size == 0) header->hdr = nb_codes_hdr(image->colorPrimaries, image->transferCharacteristics);
    if (image->width == 0 || image->height == 0 || image->width > INT32_MAX || image->height > INT32_MAX)
        return nb_fail(error, NB_CORRUPT, "its header is invalid");
    return NB_OK;
}

nb_status nb_avif_read_header(const uint8_t *bytes, size_t count, nb_avif_header *header, nb_error *error) {
    avifDecoder *decoder;
    nb_status status = nb_avif_open_still(bytes, count, AVIF_DEFAULT_IMAGE_SIZE_LIMIT, NB_AVIF_PIXELS, &decoder, error);
    if (status != NB_OK) return status;
    status = nb_avif_describe(decoder, header, error);
    avifDecoderDestroy(decoder);
    return status;
}

/// A copy of data that libavif owns; NULL if there is none, or too much.
static uint8_t *copy(const avifRWData *from, size_t *count) {
    *count = 0;
    uint8_t *bytes = from->size > 0 && from->size <= NB_LONGEST_METADATA ? malloc(from->size) : NULL;
    if (bytes == NULL) return NULL;
    memcpy(bytes, from->data, from->size);
    *count = from->size;
    return bytes;
}

nb_status nb_avif_read_metadata(const uint8_t *bytes, size_t count, nb_metadata *metadata, nb_error *error) {
    avifDecoder *decoder;
    nb_status status = nb_avif_open_still(bytes, count, AVIF_DEFAULT_IMAGE_SIZE_LIMIT, NB_AVIF_METADATA, &decoder, error);
    if (status != NB_OK) return status;
    metadata->exif = copy(&decoder->image->exif, &metadata->exif_count);
    metadata->xmp = copy(&decoder->image->xmp, &metadata->xmp_count);
    avifDecoderDestroy(decoder);
    return NB_OK;
}

int nb_avif_copy_profile(const avifRWData *profile, nb_target *target) {
    target->icc_count = profile->size <= target->icc_capacity ? profile->size : 0;
    if (target->icc_count > 0) memcpy(target->icc, profile->data, profile->size);
    return profile->size > 0;
}

/// True if libyuv would show strong blue and yellow too weak, by up to 16 of 255: its factors end at 2, and those of the limited
/// range are 2.11 for BT.709 and 2.14 for BT.2020. That of BT.601 is 2.02, and those of the full range are smaller.
static avifBool exceeds_libyuv(const avifImage *image) {
    if (image->yuvRange == AVIF_RANGE_FULL) return AVIF_FALSE;
    switch (image->matrixCoefficients) {
        case AVIF_MATRIX_COEFFICIENTS_UNSPECIFIED: case AVIF_MATRIX_COEFFICIENTS_BT470BG:
        case AVIF_MATRIX_COEFFICIENTS_BT601: return AVIF_FALSE;
        default: return AVIF_TRUE;
    }
}

nb_status nb_avif_convert(const avifImage *image, uint32_t x, uint32_t y, const nb_avif_header *header,
                          const nb_target *target, nb_error *error) {
    avifRGBImage rgb;
    avifRGBImageSetDefaults(&rgb, image);
    rgb.depth = target->planes[0].sample_bytes == 2 ? 16 : 8;
    rgb.format = header->alpha ? AVIF_RGB_FORMAT_RGBA : AVIF_RGB_FORMAT_RGB;
    rgb.avoidLibYUV = exceeds_libyuv(image);
    size_t stride = (size_t)rgb.width * avifRGBImagePixelSize(&rgb);
    if (stride > UINT32_MAX) return nb_fail(error, NB_LIMITS, "its rows are too long");
    rgb.rowBytes = (uint32_t)stride;
    rgb.pixels = malloc(stride * rgb.height);
    if (rgb.pixels == NULL) return nb_fail(error, NB_MEMORY, "not enough memory");
    avifResult code = avifImageYUVToRGB(image, &rgb);
    nb_status status = code == AVIF_RESULT_OK ? NB_OK : nb_avif_fail(error, code, NULL);
    if (status == NB_OK) {
        // Red, green and blue of a gray image are equal and go to its one plane.
        const nb_plane *first = target->planes;
        nb_plane to[4] = {*first, first[header->gray ? 0 : 1], first[header->gray ? 0 : 2], *first};
        if (header->alpha) to[3] = first[header->gray ? 1 : 3];
        const nb_target colors = {.planes = to, .channels = header->alpha ? 4 : 3, .factor = target->factor};
        const uint8_t *first_pixel = rgb.pixels + y * stride + (size_t)x * avifRGBImagePixelSize(&rgb);
        if (!nb_shrink(first_pixel, stride, header->width, header->height, &colors, header->alpha))
            status = nb_fail(error, NB_MEMORY, "not enough memory");
    }
    free(rgb.pixels);
    return status;
}

nb_status nb_avif_agree(const avifDecoder *decoder, const nb_avif_header *header, int channels, nb_error *error) {
    nb_avif_header found;
    nb_status status = nb_avif_describe(decoder, &found, error);
    if (status != NB_OK) return status;
    if (memcmp(&found, header, sizeof found) != 0 ||
        channels != (header->gray ? 1 : 3) + (header->alpha ? 1 : 0))
        return nb_fail(error, NB_CORRUPT, "its pixels differ from what its header says");
    return NB_OK;
}

nb_status nb_avif_show(const avifDecoder *decoder, const nb_avif_header *header, nb_target *target, nb_error *error) {
    const avifImage *image = decoder->image;
    if (image->width != (uint32_t)header->coded_width || image->height != (uint32_t)header->coded_height ||
        image->depth != (uint32_t)header->depth || (image->alphaPlane != NULL) != header->alpha)
        return nb_fail(error, NB_CORRUPT, "its pixels differ from what its header says");
    avifCropRect aperture;
    nb_status status = nb_avif_find_aperture(image, &aperture, error);
    if (status != NB_OK) return status;
    if (!nb_avif_copy_profile(&image->icc, target))
        nb_codes_profile(header->gray, image->colorPrimaries, image->transferCharacteristics, target);
    avifImage *shown = avifImageCreateEmpty();
    if (shown == NULL) return nb_fail(error, NB_MEMORY, "not enough memory");
    avifCropRect view = around(image, &aperture);
    avifResult code = avifImageSetViewRect(shown, image, &view);
    status = code != AVIF_RESULT_OK
                 ? nb_avif_fail(error, code, NULL)
                 : nb_avif_convert(shown, aperture.x - view.x, aperture.y - view.y, header, target, error);
    avifImageDestroy(shown);
    return status;
}

nb_status nb_avif_decode(const uint8_t *bytes, size_t count, const nb_avif_header *header, nb_target *target,
                         nb_error *error) {
    // The AV1 data may declare another size than the boxes, and cells of a grid may extend past it.
    uint64_t most = 4 * (uint64_t)header->coded_width * (uint64_t)header->coded_height + (1 << 16);
    uint32_t limit = most < AVIF_DEFAULT_IMAGE_SIZE_LIMIT ? (uint32_t)most : AVIF_DEFAULT_IMAGE_SIZE_LIMIT;
    avifDecoder *decoder;
    nb_status status = nb_avif_open_still(bytes, count, limit, NB_AVIF_PIXELS, &decoder, error);
    if (status != NB_OK) return status;
    status = nb_avif_agree(decoder, header, target->channels, error);
    avifResult code = status == NB_OK ? avifDecoderNextImage(decoder) : AVIF_RESULT_OK;
    if (code != AVIF_RESULT_OK) status = nb_avif_fail(error, code, &decoder->diag);
    if (status == NB_OK) status = nb_avif_show(decoder, header, target, error);
    avifDecoderDestroy(decoder);
    return status;
}
#endif
