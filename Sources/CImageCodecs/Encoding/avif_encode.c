// AVIF encoder: libavif with its AV1 encoder, one thread, sRGB as full-range BT.601 (CICP 1/13/6).
#ifdef NB_AVIF
#include "avif_encode.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

nb_status nb_avif_refuse(nb_error *error, avifResult result, const char *detail) {
    if (detail == NULL || detail[0] == 0) detail = avifResultToString(result);
    if (result == AVIF_RESULT_OUT_OF_MEMORY) return nb_fail(error, NB_MEMORY, detail);
    if (result == AVIF_RESULT_NO_CODEC_AVAILABLE)
        return nb_fail(error, NB_UNSUPPORTED, "libavif has no AV1 encoder (install libaom)");
    return nb_fail(error, NB_PROCESSING, detail);
}

static avifPixelFormat pixel_format(int colors, const nb_avif_settings *settings) {
    if (colors == 1) return AVIF_PIXEL_FORMAT_YUV400;
    if (settings->horizontal == 1) return AVIF_PIXEL_FORMAT_YUV444;
    return settings->vertical == 1 ? AVIF_PIXEL_FORMAT_YUV422 : AVIF_PIXEL_FORMAT_YUV420;
}

void nb_avif_lend(const nb_plane *planes, int colors, int channels, avifImage *image) {
    for (int i = 0; i < colors; i++) {
        image->yuvPlanes[i] = planes[i].data;
        image->yuvRowBytes[i] = (uint32_t)planes[i].stride;
    }
    image->imageOwnsYUVPlanes = image->imageOwnsAlphaPlane = AVIF_FALSE;
    if (channels == colors) return;
    image->alphaPlane = planes[colors].data;
    image->alphaRowBytes = (uint32_t)planes[colors].stride;
}

/// Has libavif convert from 16-bit RGB, or gray unchanged.
static nb_status convert(const nb_plane *planes, int colors, int channels, avifImage *image, nb_error *error) {
    int has_alpha = channels > colors;
    const nb_plane from[4] = {planes[0], planes[colors == 1 ? 0 : 1], planes[colors == 1 ? 0 : 2],
                              planes[channels - 1]};
    avifRGBImage rgb;
    avifRGBImageSetDefaults(&rgb, image);
    rgb.depth = 16;
    rgb.format = has_alpha ? AVIF_RGB_FORMAT_RGBA : AVIF_RGB_FORMAT_RGB;
    rgb.rowBytes = rgb.width * avifRGBImagePixelSize(&rgb);
    rgb.pixels = malloc((size_t)rgb.rowBytes * rgb.height);
    if (rgb.pixels == NULL) return nb_fail(error, NB_MEMORY, "not enough memory");
    nb_interleave(from, has_alpha ? 4 : 3, rgb.pixels, (ptrdiff_t)rgb.rowBytes);
    avifResult code = avifImageRGBToYUV(image, &rgb);
    free(rgb.pixels);
    return code == AVIF_RESULT_OK ? NB_OK : nb_avif_refuse(error, code, NULL);
}

/// The version of an encoder in libavif's list of "name [what]:version", which ends with a comma or the list; NULL if it has none.
static const char *version_of(const char *name, const char *codecs) {
    const char *entry = name == NULL ? NULL : strstr(codecs, name), *version = entry == NULL ? NULL : strchr(entry, ':');
    return version == NULL ? NULL : version + 1;
}

/// True if libaom can tune for how images look: with it, files have 5 to 16 % fewer bytes at equal scores of SSIMULACRA2 (libaom
/// 3.12, speeds 6 and 8), and each quality has larger files.
static int tunes_for_images(void) {
    char codecs[256];
    avifCodecVersions(codecs);
    const char *version = version_of("aom", codecs);
    int major, minor;
    if (version == NULL || sscanf(version + (*version == 'v'), "%d.%d", &major, &minor) != 2) return 0;
    return major > 3 || (major == 3 && minor >= 12);
}

static avifResult set_options(avifEncoder *encoder, const char *const options[][2], int count) {
    avifResult code = AVIF_RESULT_OK;
    for (int i = 0; i < count && code == AVIF_RESULT_OK; i++)
        code = RESULT_OF(avifEncoderSetCodecSpecificOption(encoder, options[i][0], options[i][1]));
    return code;
}

/// Sets up a file between two quantizers. AV1 has 256 of them, but libaom takes each fourth only. The next quantizer with the flattest of
/// AV1's matrices of frequencies brought 12 of 18 files, which were below a floor of SSIMULACRA2 without them and more than 2 above it at
/// this quantizer, to at most 2 above it in fewer bytes (libaom 3.6). With the tuning for images, which has matrices of its own and finer
/// chroma, it is this quantizer without the latter (libaom 3.12): scores and bytes are a bit lower.
static avifResult set_up_half(avifEncoder *encoder, int tunes) {
    static const char *const plain[][2] = {{"enable-qm", "1"}, {"qm-min", "14"}, {"qm-max", "14"}};
    static const char *const tuned[][2] = {{"color:enable-chroma-deltaq", "0"}};
    if (tunes) return set_options(encoder, tuned, 1);
    encoder->minQuantizer = ++encoder->maxQuantizer;
    return set_options(encoder, plain, 3);
}

/// Disables the search for repeated blocks. libaom prepares it even if it is not used: a quarter of its time, and no
/// smaller files, even for screenshots (libaom 3.6, speeds 0 to 6).
static avifResult set_up_codec(avifEncoder *encoder, const nb_avif_settings *settings) {
    const char *name = avifCodecName(AVIF_CODEC_CHOICE_AUTO, AVIF_CODEC_FLAG_CAN_ENCODE);
    if (name == NULL || strcmp(name, "aom") != 0) return AVIF_RESULT_OK;
    static const char *const plain[][2] = {{"enable-intrabc", "0"}, {"color:tune", "iq"}};
    // Without loss (quantizer 0) there is nothing to tune, and libaom refuses to.
    int tunes = settings->tunes_for_images && settings->quantizer > 0 && tunes_for_images();
    avifResult code = set_options(encoder, plain, tunes ? 2 : 1);
    return code == AVIF_RESULT_OK && settings->half_lower ? set_up_half(encoder, tunes) : code;
}

static nb_status write(const avifImage *image, const nb_avif_settings *settings, const nb_avif_gain_map_source *gain_map,
                       uint8_t **bytes, size_t *count, nb_error *error) {
    avifEncoder *encoder = avifEncoderCreate();
    if (encoder == NULL) return nb_fail(error, NB_MEMORY, "not enough memory");
    encoder->maxThreads = 1;
    encoder->speed = settings->speed;
    // Equal bounds leave the encoder's rate control no choice.
    encoder->minQuantizer = encoder->maxQuantizer = settings->quantizer;
    encoder->minQuantizerAlpha = encoder->maxQuantizerAlpha = settings->quantizer;
#if AVIF_VERSION >= 1020000
    if (gain_map != NULL) encoder->qualityGainMap = gain_map->quality;
#else
    (void)gain_map;
#endif
    avifRWData file = AVIF_DATA_EMPTY;
    avifResult code = set_up_codec(encoder, settings);
    if (code == AVIF_RESULT_OK) code = avifEncoderWrite(encoder, image, &file);
    nb_status status = code == AVIF_RESULT_OK ? NB_OK : nb_avif_refuse(error, code, encoder->diag.error);
    if (status == NB_OK) {
        // Only libavif may free its memory.
        *bytes = malloc(file.size);
        *count = file.size;
        if (*bytes != NULL) memcpy(*bytes, file.data, file.size);
        else status = nb_fail(error, NB_MEMORY, "not enough memory");
    }
    avifRWDataFree(&file);
    avifEncoderDestroy(encoder);
    return status;
}

static nb_status embed(const nb_metadata *metadata, avifImage *image, nb_error *error) {
    avifResult code = AVIF_RESULT_OK;
    if (metadata->exif != NULL)
        code = RESULT_OF(avifImageSetMetadataExif(image, metadata->exif, metadata->exif_count));
    if (code == AVIF_RESULT_OK && metadata->xmp != NULL)
        code = RESULT_OF(avifImageSetMetadataXMP(image, metadata->xmp, metadata->xmp_count));
    return code == AVIF_RESULT_OK ? NB_OK : nb_avif_refuse(error, code, NULL);
}

nb_status nb_avif_encode(const nb_plane *planes, int channels, const nb_avif_settings *settings,
                         const nb_metadata *metadata, const nb_avif_gain_map_source *gain_map, uint8_t **bytes,
                         size_t *count, nb_error *error) {
    int colors = channels < 3 ? 1 : 3, wide = planes[0].sample_bytes == 2;
    avifImage *image = avifImageCreate((uint32_t)planes[0].width, (uint32_t)planes[0].height, wide ? 10 : 8,
                                       pixel_format(colors, settings));
    if (image == NULL) return nb_fail(error, NB_MEMORY, "not enough memory");
    image->yuvRange = AVIF_RANGE_FULL;
    image->colorPrimaries = AVIF_COLOR_PRIMARIES_BT709;
    image->transferCharacteristics = AVIF_TRANSFER_CHARACTERISTICS_SRGB;
    image->matrixCoefficients = AVIF_MATRIX_COEFFICIENTS_BT601;
    nb_status status = embed(metadata, image, error);
    image->transformFlags = AVIF_TRANSFORM_NONE;  // ignores what libavif read from EXIF data: the pixels are upright
    if (status == NB_OK && wide) status = convert(planes, colors, channels, image, error);
    else if (status == NB_OK) nb_avif_lend(planes, colors, channels, image);
    if (status == NB_OK && gain_map != NULL) status = nb_avif_add_gain_map(gain_map, image, error);
    if (status == NB_OK) status = write(image, settings, gain_map, bytes, count, error);
    avifImageDestroy(image);
    return status;
}

/// "libavif 0.11.1, aom v3.6.0": the second is the encoder.
void nb_avif_version(char *text, size_t count) {
    char codecs[256];
    avifCodecVersions(codecs);
    const char *name = avifCodecName(AVIF_CODEC_CHOICE_AUTO, AVIF_CODEC_FLAG_CAN_ENCODE);
    const char *version = version_of(name, codecs);
    if (version == NULL) snprintf(text, count, "libavif %s", avifVersion());
    else snprintf(text, count, "libavif %s, %s %.*s", avifVersion(), name, (int)strcspn(version, ","), version);
}
#endif
