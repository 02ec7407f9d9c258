// WebP encoder: libwebp converts from RGB to its limited-range 4:2:0 itself.
#include "internal.h"

#include <stdio.h>
#include <stdlib.h>

#include <webp/encode.h>

nb_status nb_webp_encode(const nb_plane *planes, int channels, float quality, int lossless, int effort,
                         uint8_t **bytes, size_t *count, nb_error *error) {
    WebPConfig config;
    WebPPicture picture;
    if (!WebPConfigInit(&config) || !WebPPictureInit(&picture))
        return nb_fail(error, NB_PROCESSING, "libwebp has another version");
    config.quality = quality;
    config.lossless = lossless;
    config.method = effort;
    config.exact = lossless;  // lossless includes the colours under transparent pixels
    if (!WebPValidateConfig(&config)) return nb_fail(error, NB_PROCESSING, "the settings are out of range");

    size_t stride = (size_t)planes[0].width * (size_t)channels;
    uint8_t *packed = malloc(stride * (size_t)planes[0].height);
    if (packed == NULL) return nb_fail(error, NB_MEMORY, "not enough memory");
    nb_interleave(planes, channels, packed, (ptrdiff_t)stride);

    WebPMemoryWriter writer;
    WebPMemoryWriterInit(&writer);
    picture.use_argb = lossless;
    picture.width = planes[0].width;
    picture.height = planes[0].height;
    picture.writer = WebPMemoryWrite;
    picture.custom_ptr = &writer;
    int done = channels == 4 ? WebPPictureImportRGBA(&picture, packed, (int)stride)
                             : WebPPictureImportRGB(&picture, packed, (int)stride);
    done = done && WebPEncode(&config, &picture);
    WebPEncodingError code = picture.error_code;
    WebPPictureFree(&picture);
    free(packed);
    if (done) {
        *bytes = writer.mem;
        *count = writer.size;
        return NB_OK;
    }
    WebPMemoryWriterClear(&writer);
    if (code == VP8_ENC_ERROR_OUT_OF_MEMORY || code == VP8_ENC_ERROR_BITSTREAM_OUT_OF_MEMORY)
        return nb_fail(error, NB_MEMORY, "not enough memory");
    snprintf(error->message, sizeof error->message, "libwebp's error %d", (int)code);
    return NB_PROCESSING;
}

void nb_webp_version(char *text, size_t count) {
    int version = WebPGetEncoderVersion();
    snprintf(text, count, "libwebp %d.%d.%d", version >> 16, (version >> 8) & 255, version & 255);
}
