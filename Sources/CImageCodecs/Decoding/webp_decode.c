// WebP decoder: libwebp's advanced interface, decoding to RGB.
#include "internal.h"

#include <stdlib.h>

#include <webp/decode.h>

static nb_status fail(nb_error *error, VP8StatusCode code) {
    switch (code) {
        case VP8_STATUS_OUT_OF_MEMORY: return nb_fail(error, NB_MEMORY, "not enough memory");
        case VP8_STATUS_NOT_ENOUGH_DATA: case VP8_STATUS_SUSPENDED:
            return nb_cut(error);
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

nb_status nb_webp_decode(const uint8_t *bytes, size_t count, int32_t width, int32_t height, nb_target *target,
                         nb_error *error) {
    WebPDecoderConfig config;
    int channels = target->channels;
    nb_target shown = *target;
    if (!WebPInitDecoderConfig(&config)) return nb_fail(error, NB_PROCESSING, "libwebp has another version");
    VP8StatusCode code = WebPGetFeatures(bytes, count, &config.input);
    if (code != VP8_STATUS_OK) return fail(error, code);
    if (config.input.width != width || config.input.height != height)
        return nb_fail(error, NB_CORRUPT, "its pixels differ from what its header says");
    // libwebp's scaling averages exactly, but includes hidden colours, so transparent images are averaged here.
    if (channels == 3 && target->factor > 1) {
        config.options.use_scaling = 1;
        config.options.scaled_width = width = target->planes[0].width;
        config.options.scaled_height = height = target->planes[0].height;
        shown.factor = 1;
    }
    size_t stride = (size_t)width * (size_t)channels, total = stride * (size_t)height;
    uint8_t *packed = malloc(total);
    if (packed == NULL) return nb_fail(error, NB_MEMORY, "not enough memory");
    config.output.colorspace = channels == 4 ? MODE_RGBA : MODE_RGB;
    config.output.is_external_memory = 1;
    config.output.u.RGBA.rgba = packed;
    config.output.u.RGBA.stride = (int)stride;
    config.output.u.RGBA.size = total;
    code = WebPDecode(bytes, count, &config);
    nb_status status = code == VP8_STATUS_OK ? NB_OK : fail(error, code);
    if (status == NB_OK && !nb_shrink(packed, stride, width, height, &shown, channels == 4))
        status = nb_fail(error, NB_MEMORY, "not enough memory");
    WebPFreeDecBuffer(&config.output);
    free(packed);
    return status;
}
