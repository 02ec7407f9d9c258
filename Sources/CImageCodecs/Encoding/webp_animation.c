// Animated WebP encoder: libwebpmux finds what changes from frame to frame, and writes only that.
#include "animation_writer.h"

#include <stdio.h>
#include <stdlib.h>

#include <webp/encode.h>
#include <webp/mux.h>

typedef struct {
    nb_animation animation;
    WebPAnimEncoder *encoder;
    WebPConfig config;
    uint8_t *packed;  // a frame, interleaved
    int32_t width, height;
} webp;

static nb_status fail(const webp *self, WebPEncodingError code, nb_error *error) {
    if (code == VP8_ENC_ERROR_OUT_OF_MEMORY || code == VP8_ENC_ERROR_BITSTREAM_OUT_OF_MEMORY)
        return nb_fail(error, NB_MEMORY, "not enough memory");
    snprintf(error->message, sizeof error->message, "libwebpmux: %s", WebPAnimEncoderGetError(self->encoder));
    return NB_PROCESSING;
}

static nb_status add(nb_animation *animation, const nb_plane *planes, int channels, int32_t start, nb_error *error) {
    webp *self = (webp *)animation;
    WebPPicture picture;
    if (!WebPPictureInit(&picture)) return nb_fail(error, NB_PROCESSING, "libwebp has another version");
    int stride = self->width * channels;
    nb_interleave(planes, channels, self->packed, stride);
    picture.use_argb = 1;
    picture.width = self->width;
    picture.height = self->height;
    int done = channels == 4 ? WebPPictureImportRGBA(&picture, self->packed, stride)
                             : WebPPictureImportRGB(&picture, self->packed, stride);
    done = done && WebPAnimEncoderAdd(self->encoder, &picture, start, &self->config);
    nb_status status = done ? NB_OK : fail(self, picture.error_code, error);
    WebPPictureFree(&picture);
    return status;
}

static nb_status finish(nb_animation *animation, int32_t end, uint8_t **bytes, size_t *count, nb_error *error) {
    webp *self = (webp *)animation;
    WebPData file;
    WebPDataInit(&file);
    if (!WebPAnimEncoderAdd(self->encoder, NULL, end, NULL) || !WebPAnimEncoderAssemble(self->encoder, &file))
        return fail(self, VP8_ENC_OK, error);
    *bytes = (uint8_t *)(uintptr_t)file.bytes;
    *count = file.size;
    return NB_OK;
}

static void close(nb_animation *animation) {
    webp *self = (webp *)animation;
    WebPAnimEncoderDelete(self->encoder);
    free(self->packed);
    free(self);
}

nb_status nb_webp_animation_open(int32_t width, int32_t height, int32_t plays, float quality, int lossless, int effort,
                                 nb_animation **animation, nb_error *error) {
    webp *self = calloc(1, sizeof *self);
    WebPAnimEncoderOptions options;
    if (self == NULL) return nb_fail(error, NB_MEMORY, "not enough memory");
    self->animation = (nb_animation){add, finish, close};
    self->width = width;
    self->height = height;
    self->packed = malloc((size_t)width * (size_t)height * 4);
    if (self->packed != NULL && WebPConfigInit(&self->config) && WebPAnimEncoderOptionsInit(&options)) {
        self->config.quality = quality;
        self->config.lossless = lossless;
        self->config.method = effort;
        options.anim_params.loop_count = plays;
        // Drawings stay sharp, and are smaller, without loss: frames of few colours are written so.
        options.allow_mixed = !lossless;
        if (WebPValidateConfig(&self->config)) self->encoder = WebPAnimEncoderNew(width, height, &options);
    }
    if (self->encoder == NULL) {
        close(&self->animation);
        return nb_fail(error, NB_MEMORY, "not enough memory");
    }
    *animation = &self->animation;
    return NB_OK;
}
