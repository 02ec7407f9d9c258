// AVIF decoder: libavif reads the boxes, its AV1 decoder produces planes, and libavif converts them to RGB.
#ifdef NB_AVIF
#include "internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <avif/avif.h>

static nb_status fail(nb_error *error, avifResult result, const avifDiagnostics *details) {
    const char *detail = details != NULL && details->error[0] != 0 ? details->error : avifResultToString(result);
    switch (result) {
        case AVIF_RESULT_OUT_OF_MEMORY: return nb_fail(error, NB_MEMORY, detail);
        case AVIF_RESULT_TRUNCATED_DATA: case AVIF_RESULT_IO_ERROR:
            return nb_fail(error, NB_TRUNCATED, "the data ends before the image does");
        case AVIF_RESULT_NO_CODEC_AVAILABLE:
            return nb_fail(error, NB_UNSUPPORTED, "libavif has no AV1 decoder (install libdav1d)");
        case AVIF_RESULT_NOT_IMPLEMENTED: case AVIF_RESULT_UNSUPPORTED_DEPTH: case AVIF_RESULT_REFORMAT_FAILED:
            return nb_fail(error, NB_UNSUPPORTED, detail);
        default: return nb_fail(error, NB_CORRUPT, detail);
    }
}

/// Reads all boxes. Of an animated file, the still image is used, or else the first frame of its track.
static nb_status open_decoder(const uint8_t *bytes, size_t count, uint32_t size_limit, int with_metadata,
                              avifDecoder **result, nb_error *error) {
    static const avifDecoderSource sources[2] = {AVIF_DECODER_SOURCE_PRIMARY_ITEM, AVIF_DECODER_SOURCE_TRACKS};
    nb_status status = NB_OK;
    for (int i = 0; i < 2; i++) {
        avifDecoder *decoder = avifDecoderCreate();
        if (decoder == NULL) return nb_fail(error, NB_MEMORY, "not enough memory");
        decoder->maxThreads = 1;
        decoder->ignoreExif = decoder->ignoreXMP = !with_metadata;
        decoder->imageSizeLimit = size_limit;
        decoder->imageDimensionLimit = 0;  // the caller checks the sides
        decoder->imageCountLimit = 1 << 16;
        // Old writers omit pixi, and ispe of the alpha image. The clean aperture is checked below.
        decoder->strictFlags = AVIF_STRICT_DISABLED;
        avifResult code = avifDecoderSetSource(decoder, sources[i]);
        if (code == AVIF_RESULT_OK) code = avifDecoderSetIOMemory(decoder, bytes, count);
        if (code == AVIF_RESULT_OK) code = avifDecoderParse(decoder);
        if (code == AVIF_RESULT_OK) {
            *result = decoder;
            return NB_OK;
        }
        // The first diagnosis is the most specific, if there is one.
        if (i == 0) status = fail(error, code, &decoder->diag);
        avifDecoderDestroy(decoder);
    }
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

static nb_status find_aperture(const avifImage *image, avifCropRect *aperture, nb_error *error) {
    *aperture = (avifCropRect){0, 0, image->width, image->height};
    if (!(image->transformFlags & AVIF_TRANSFORM_CLAP)) return NB_OK;
    avifDiagnostics details = {{0}};
    if (avifCropRectConvertCleanApertureBox(aperture, &image->clap, image->width, image->height, image->yuvFormat,
                                            &details))
        return NB_OK;
    snprintf(error->message, sizeof error->message, "its crop lies between pixels or outside (%.120s)",
             details.error);
    return NB_UNSUPPORTED;
}

static nb_status describe(const avifDecoder *decoder, nb_avif_header *header, avifCropRect *aperture,
                          nb_error *error) {
    const avifImage *image = decoder->image;
    nb_codes codes = nb_codes_kind(image->colorPrimaries, image->transferCharacteristics);
    if (codes == NB_CODES_HDR && image->icc.size == 0)
        return nb_fail(error, NB_UNSUPPORTED, "its brightness is coded for HDR screens (PQ, HLG or the like)");
    nb_status status = find_aperture(image, aperture, error);
    if (status != NB_OK) return status;
    avifPixelFormatInfo format;
    avifGetPixelFormatInfo(image->yuvFormat, &format);
    int chroma = format.monochrome ? 0 : 8 >> (format.chromaShiftX + format.chromaShiftY);
    *header = (nb_avif_header){
        .width = (int32_t)aperture->width,
        .height = (int32_t)aperture->height,
        .coded_width = (int32_t)image->width,
        .coded_height = (int32_t)image->height,
        .orientation = orientation(image),
        .depth = (int32_t)image->depth,
        .gray = format.monochrome,
        .alpha = decoder->alphaPresent,
        .profile = image->icc.size > 0 || codes != NB_CODES_SRGB,
        .samples = 4 + chroma + (decoder->alphaPresent ? 4 : 0),
    };
    if (image->width == 0 || image->height == 0 || image->width > INT32_MAX || image->height > INT32_MAX)
        return nb_fail(error, NB_CORRUPT, "its header is invalid");
    return NB_OK;
}

nb_status nb_avif_read_header(const uint8_t *bytes, size_t count, nb_avif_header *header, nb_error *error) {
    avifDecoder *decoder;
    avifCropRect aperture;
    nb_status status = open_decoder(bytes, count, AVIF_DEFAULT_IMAGE_SIZE_LIMIT, 0, &decoder, error);
    if (status != NB_OK) return status;
    status = describe(decoder, header, &aperture, error);
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
    nb_status status = open_decoder(bytes, count, AVIF_DEFAULT_IMAGE_SIZE_LIMIT, 1, &decoder, error);
    if (status != NB_OK) return status;
    metadata->exif = copy(&decoder->image->exif, &metadata->exif_count);
    metadata->xmp = copy(&decoder->image->xmp, &metadata->xmp_count);
    avifDecoderDestroy(decoder);
    return NB_OK;
}

static void copy_profile(const avifImage *image, int gray, uint8_t *icc, size_t capacity, size_t *count) {
    *count = 0;
    if (image->icc.size == 0) {
        *count = nb_codes_profile(gray, image->colorPrimaries, image->transferCharacteristics, icc, capacity);
    } else if (image->icc.size <= capacity) {
        memcpy(icc, image->icc.data, image->icc.size);
        *count = image->icc.size;
    }
}

static nb_status convert(const avifImage *image, const nb_avif_header *header, int factor, const nb_plane *planes,
                         nb_error *error) {
    avifRGBImage rgb;
    avifRGBImageSetDefaults(&rgb, image);
    rgb.depth = planes[0].sample_bytes == 2 ? 16 : 8;
    rgb.format = header->alpha ? AVIF_RGB_FORMAT_RGBA : AVIF_RGB_FORMAT_RGB;
    size_t stride = (size_t)rgb.width * avifRGBImagePixelSize(&rgb);
    if (stride > UINT32_MAX) return nb_fail(error, NB_LIMITS, "its rows are too long");
    rgb.rowBytes = (uint32_t)stride;
    rgb.pixels = malloc(stride * rgb.height);
    if (rgb.pixels == NULL) return nb_fail(error, NB_MEMORY, "not enough memory");
    avifResult code = avifImageYUVToRGB(image, &rgb);
    nb_status status = code == AVIF_RESULT_OK ? NB_OK : fail(error, code, NULL);
    if (status == NB_OK) {
        // Red, green and blue of a gray image are equal and go to its one plane.
        const nb_plane *first = &planes[0];
        nb_plane to[4] = {*first, first[header->gray ? 0 : 1], first[header->gray ? 0 : 2], *first};
        if (header->alpha) to[3] = first[header->gray ? 1 : 3];
        if (!nb_shrink(rgb.pixels, stride, header->width, header->height, to, header->alpha ? 4 : 3, header->alpha,
                       factor))
            status = nb_fail(error, NB_MEMORY, "not enough memory");
    }
    free(rgb.pixels);
    return status;
}

static nb_status decode(avifDecoder *decoder, const nb_avif_header *header, int factor, const nb_plane *planes,
                        int channels, uint8_t *icc, size_t icc_capacity, size_t *icc_count, nb_error *error) {
    nb_avif_header found;
    avifCropRect aperture;
    nb_status status = describe(decoder, &found, &aperture, error);
    if (status != NB_OK) return status;
    if (memcmp(&found, header, sizeof found) != 0 ||
        channels != (header->gray ? 1 : 3) + (header->alpha ? 1 : 0))
        return nb_fail(error, NB_CORRUPT, "its pixels differ from what its header says");
    avifResult code = avifDecoderNextImage(decoder);
    if (code != AVIF_RESULT_OK) return fail(error, code, &decoder->diag);
    const avifImage *image = decoder->image;
    if (image->width != (uint32_t)header->coded_width || image->height != (uint32_t)header->coded_height ||
        image->depth != (uint32_t)header->depth || (image->alphaPlane != NULL) != header->alpha)
        return nb_fail(error, NB_CORRUPT, "its pixels differ from what its header says");
    copy_profile(image, header->gray, icc, icc_capacity, icc_count);
    avifImage *shown = avifImageCreateEmpty();
    if (shown == NULL) return nb_fail(error, NB_MEMORY, "not enough memory");
    code = avifImageSetViewRect(shown, image, &aperture);
    status = code == AVIF_RESULT_OK ? convert(shown, header, factor, planes, error) : fail(error, code, NULL);
    avifImageDestroy(shown);
    return status;
}

nb_status nb_avif_decode(const uint8_t *bytes, size_t count, const nb_avif_header *header, int factor,
                         const nb_plane *planes, int channels, uint8_t *icc, size_t icc_capacity, size_t *icc_count,
                         nb_error *error) {
    // The AV1 data may declare another size than the boxes, and cells of a grid may extend past it.
    uint64_t most = 4 * (uint64_t)header->coded_width * (uint64_t)header->coded_height + (1 << 16);
    uint32_t limit = most < AVIF_DEFAULT_IMAGE_SIZE_LIMIT ? (uint32_t)most : AVIF_DEFAULT_IMAGE_SIZE_LIMIT;
    avifDecoder *decoder;
    nb_status status = open_decoder(bytes, count, limit, 0, &decoder, error);
    if (status != NB_OK) return status;
    status = decode(decoder, header, factor, planes, channels, icc, icc_capacity, icc_count, error);
    avifDecoderDestroy(decoder);
    return status;
}
#endif
