// WebP in: libwebp's advanced interface, by RGB.
#include "internal.h"

#include <stdlib.h>

#include <webp/decode.h>

static nb_status fail(nb_error *error, VP8StatusCode code) {
    switch (code) {
        case VP8_STATUS_OUT_OF_MEMORY: return nb_fail(error, NB_MEMORY, "not enough memory");
        case VP8_STATUS_NOT_ENOUGH_DATA: case VP8_STATUS_SUSPENDED:
            return nb_fail(error, NB_TRUNCATED, "the data ends before the image does");
        case VP8_STATUS_UNSUPPORTED_FEATURE: return nb_fail(error, NB_UNSUPPORTED, "libwebp does not read it");
        default: return nb_fail(error, NB_CORRUPT, "the bitstream is damaged");
    }
}

nb_status nb_webp_read_header(const uint8_t *bytes, size_t count, nb_webp_header *header, nb_error *error) {
    WebPBitstreamFeatures features;
    VP8StatusCode code = WebPGetFeatures(bytes, count, &features);
    if (code != VP8_STATUS_OK) return fail(error, code);
    header->width = features.width;
    header->height = features.height;
    header->alpha = features.has_alpha;
    header->animated = features.has_animation;
    header->lossless = features.format == 2;
    return NB_OK;
}

nb_status nb_webp_decode(const uint8_t *bytes, size_t count, const nb_plane *planes, int channels, nb_error *error) {
    WebPDecoderConfig config;
    if (!WebPInitDecoderConfig(&config)) return nb_fail(error, NB_PROCESSING, "libwebp has another version");
    VP8StatusCode code = WebPGetFeatures(bytes, count, &config.input);
    if (code != VP8_STATUS_OK) return fail(error, code);
    if (config.input.width != planes[0].width || config.input.height != planes[0].height)
        return nb_fail(error, NB_CORRUPT, "its pixels differ from what its header says");
    size_t stride = (size_t)planes[0].width * (size_t)channels, total = stride * (size_t)planes[0].height;
    uint8_t *packed = malloc(total);
    if (packed == NULL) return nb_fail(error, NB_MEMORY, "not enough memory");
    config.output.colorspace = channels == 4 ? MODE_RGBA : MODE_RGB;
    config.output.is_external_memory = 1;
    config.output.u.RGBA.rgba = packed;
    config.output.u.RGBA.stride = (int)stride;
    config.output.u.RGBA.size = total;
    code = WebPDecode(bytes, count, &config);
    if (code == VP8_STATUS_OK) nb_deinterleave(packed, (ptrdiff_t)stride, planes, channels);
    WebPFreeDecBuffer(&config.output);
    free(packed);
    return code == VP8_STATUS_OK ? NB_OK : fail(error, code);
}
