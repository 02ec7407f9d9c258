// JPEG XL encoder: libjxl on one thread, so that the same pixels and settings give the same bytes.
#ifdef NB_JXL
#include "internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <jxl/encode.h>
#include <jxl/version.h>

static nb_status fail(nb_error *error, const char *subject) {
    snprintf(error->message, sizeof error->message, "libjxl refuses %s", subject);
    return NB_PROCESSING;
}

/// A box of EXIF data begins with the place of its byte order (ISO/IEC 18181-2): here, right behind.
static nb_status add_exif(JxlEncoder *encoder, const nb_metadata *metadata, nb_error *error) {
    size_t count = 4 + metadata->exif_count;
    uint8_t *content = calloc(count, 1);
    if (content == NULL) return nb_fail(error, NB_MEMORY, "not enough memory");
    memcpy(content + 4, metadata->exif, metadata->exif_count);
    JxlEncoderStatus code = JxlEncoderAddBox(encoder, "Exif", content, count, JXL_FALSE);
    free(content);
    return code == JXL_ENC_SUCCESS ? NB_OK : fail(error, "the EXIF data");
}

static nb_status embed(JxlEncoder *encoder, const nb_metadata *metadata, nb_error *error) {
    if (metadata->exif == NULL && metadata->xmp == NULL) return NB_OK;
    if (JxlEncoderUseBoxes(encoder) != JXL_ENC_SUCCESS) return fail(error, "boxes");
    nb_status status = metadata->exif == NULL ? NB_OK : add_exif(encoder, metadata, error);
    if (status == NB_OK && metadata->xmp != NULL &&
        JxlEncoderAddBox(encoder, "xml ", metadata->xmp, metadata->xmp_count, JXL_FALSE) != JXL_ENC_SUCCESS)
        status = fail(error, "the XMP");
    JxlEncoderCloseBoxes(encoder);
    return status;
}

/// Describes the image: as it is, or in libjxl's own colours (XYB), which lose something.
static nb_status describe(JxlEncoder *encoder, const nb_plane *planes, int channels, int lossless, nb_error *error) {
    int gray = channels < 3, alpha = channels % 2 == 0;
    JxlBasicInfo info;
    JxlEncoderInitBasicInfo(&info);
    info.xsize = (uint32_t)planes[0].width;
    info.ysize = (uint32_t)planes[0].height;
    info.bits_per_sample = 8 * (uint32_t)planes[0].sample_bytes;
    info.num_color_channels = gray ? 1 : 3;
    info.num_extra_channels = alpha ? 1 : 0;
    info.alpha_bits = alpha ? info.bits_per_sample : 0;
    info.uses_original_profile = lossless ? JXL_TRUE : JXL_FALSE;
    if (JxlEncoderSetBasicInfo(encoder, &info) != JXL_ENC_SUCCESS) return fail(error, "the image's size");
    // Without loss, 16 bits need level 10 (ISO/IEC 18181-1, annex M).
    if (JxlEncoderGetRequiredCodestreamLevel(encoder) == 10 &&
        JxlEncoderSetCodestreamLevel(encoder, 10) != JXL_ENC_SUCCESS)
        return fail(error, "the level");
    JxlColorEncoding colors;
    memset(&colors, 0, sizeof colors);
    JxlColorEncodingSetToSRGB(&colors, gray);
    return JxlEncoderSetColorEncoding(encoder, &colors) == JXL_ENC_SUCCESS ? NB_OK : fail(error, "sRGB");
}

static nb_status add_pixels(JxlEncoder *encoder, const nb_plane *planes, int channels, const nb_jxl_settings *settings,
                            nb_error *error) {
    // The encoder owns these.
    JxlEncoderFrameSettings *frame = JxlEncoderFrameSettingsCreate(encoder, NULL);
    if (frame == NULL) return nb_fail(error, NB_MEMORY, "not enough memory");
    if (JxlEncoderFrameSettingsSetOption(frame, JXL_ENC_FRAME_SETTING_EFFORT, settings->effort) != JXL_ENC_SUCCESS)
        return fail(error, "the effort");
    JxlEncoderStatus code = settings->lossless ? JxlEncoderSetFrameLossless(frame, JXL_TRUE)
                                               : JxlEncoderSetFrameDistance(frame, settings->distance);
    // Alpha is kept as it is. Before version 0.9, it loses something only where it is stored in growing resolutions.
#if JPEGXL_NUMERIC_VERSION >= JPEGXL_COMPUTE_NUMERIC_VERSION(0, 9, 0)
    if (code == JXL_ENC_SUCCESS && channels % 2 == 0) code = JxlEncoderSetExtraChannelDistance(frame, 0, 0);
#else
    if (code == JXL_ENC_SUCCESS && channels % 2 == 0)
        code = JxlEncoderFrameSettingsSetOption(frame, JXL_ENC_FRAME_SETTING_RESPONSIVE, 0);
#endif
    if (code != JXL_ENC_SUCCESS) return fail(error, "the distance");
    int bytes = planes[0].sample_bytes;
    const JxlPixelFormat format = {.num_channels = (uint32_t)channels,
                                   .data_type = bytes == 2 ? JXL_TYPE_UINT16 : JXL_TYPE_UINT8,
                                   .endianness = JXL_NATIVE_ENDIAN};
    size_t stride = (size_t)planes[0].width * (size_t)channels * (size_t)bytes;
    size_t count = stride * (size_t)planes[0].height;
    uint8_t *packed = malloc(count);
    if (packed == NULL) return nb_fail(error, NB_MEMORY, "not enough memory");
    nb_interleave(planes, channels, packed, (ptrdiff_t)stride);
    code = JxlEncoderAddImageFrame(frame, &format, packed, count);  // which copies them
    free(packed);
    return code == JXL_ENC_SUCCESS ? NB_OK : fail(error, "the pixels");
}

static nb_status write_file(JxlEncoder *encoder, uint8_t **bytes, size_t *count, nb_error *error) {
    nb_bytes file = {0};
    JxlEncoderStatus code = JXL_ENC_NEED_MORE_OUTPUT;
    while (code == JXL_ENC_NEED_MORE_OUTPUT && nb_bytes_reserve(&file, 1 << 16)) {
        uint8_t *next = file.bytes + file.count;
        size_t left = file.capacity - file.count;
        code = JxlEncoderProcessOutput(encoder, &next, &left);
        file.count = (size_t)(next - file.bytes);
    }
    if (code != JXL_ENC_SUCCESS) {
        free(file.bytes);
        return file.has_failed ? nb_fail(error, NB_MEMORY, "not enough memory") : fail(error, "the image");
    }
    *bytes = file.bytes;
    *count = file.count;
    return NB_OK;
}

nb_status nb_jxl_encode(const nb_plane *planes, int channels, const nb_jxl_settings *settings,
                        const nb_metadata *metadata, uint8_t **bytes, size_t *count, nb_error *error) {
    JxlEncoder *encoder = JxlEncoderCreate(NULL);
    if (encoder == NULL) return nb_fail(error, NB_MEMORY, "not enough memory");
    nb_status status = embed(encoder, metadata, error);
    if (status == NB_OK) status = describe(encoder, planes, channels, settings->lossless, error);
    if (status == NB_OK) status = add_pixels(encoder, planes, channels, settings, error);
    JxlEncoderCloseInput(encoder);
    if (status == NB_OK) status = write_file(encoder, bytes, count, error);
    JxlEncoderDestroy(encoder);
    return status;
}

void nb_jxl_version(char *text, size_t count) {
    uint32_t version = JxlEncoderVersion();
    snprintf(text, count, "libjxl %u.%u.%u", version / 1000000, version / 1000 % 1000, version % 1000);
}
#endif
