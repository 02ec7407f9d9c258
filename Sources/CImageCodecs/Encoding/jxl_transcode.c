// JPEG to JPEG XL and back without loss: libjxl keeps the coefficients as they are, and what the file has beside them in a box of
// their reconstruction (ISO/IEC 18181-2, "jbrd").
#ifdef NB_JXL
#include "internal.h"

#include <stdio.h>

#include <jxl/decode.h>
#include <jxl/encode.h>

/// Above this, files get hardly smaller and compression much slower.
enum { EFFORT = 3 };

nb_status nb_jxl_from_jpeg(const uint8_t *bytes, size_t count, uint8_t *file, size_t capacity, size_t *used,
                           nb_error *error) {
    JxlEncoder *encoder = JxlEncoderCreate(NULL);
    if (encoder == NULL) return nb_fail(error, NB_MEMORY, "not enough memory");
    // The encoder owns these.
    JxlEncoderFrameSettings *frame = JxlEncoderFrameSettingsCreate(encoder, NULL);
    int is_taken = frame != NULL && JxlEncoderUseContainer(encoder, JXL_TRUE) == JXL_ENC_SUCCESS &&
                   JxlEncoderStoreJPEGMetadata(encoder, JXL_TRUE) == JXL_ENC_SUCCESS &&
                   JxlEncoderFrameSettingsSetOption(frame, JXL_ENC_FRAME_SETTING_EFFORT, EFFORT) == JXL_ENC_SUCCESS &&
                   JxlEncoderAddJPEGFrame(frame, bytes, count) == JXL_ENC_SUCCESS;
    JxlEncoderCloseInput(encoder);
    uint8_t *next = file;
    size_t left = capacity;
    JxlEncoderStatus code = is_taken ? JxlEncoderProcessOutput(encoder, &next, &left) : JXL_ENC_ERROR;
    JxlEncoderDestroy(encoder);
    if (!is_taken) return nb_fail(error, NB_UNSUPPORTED, "libjxl does not take this JPEG");
    if (code == JXL_ENC_NEED_MORE_OUTPUT) return nb_fail(error, NB_LIMITS, "the JPEG XL is not smaller");
    if (code != JXL_ENC_SUCCESS) return nb_fail(error, NB_PROCESSING, "libjxl cannot write this JPEG");
    *used = (size_t)(next - file);
    return NB_OK;
}

/// Reconstructs the JPEG, which must have exactly `jpeg_count` bytes.
static nb_status reconstruct(JxlDecoder *decoder, uint8_t *jpeg, size_t jpeg_count, nb_error *error) {
    for (;;) {
        switch (JxlDecoderProcessInput(decoder)) {
            case JXL_DEC_JPEG_RECONSTRUCTION:
                if (JxlDecoderSetJPEGBuffer(decoder, jpeg, jpeg_count) != JXL_DEC_SUCCESS)
                    return nb_fail(error, NB_PROCESSING, "libjxl takes no buffer");
                break;
            case JXL_DEC_FULL_IMAGE:
                return JxlDecoderReleaseJPEGBuffer(decoder) == 0
                           ? NB_OK
                           : nb_fail(error, NB_CORRUPT, "the JPEG is shorter");
            default: return nb_fail(error, NB_CORRUPT, "no JPEG of this size can be had from the JPEG XL");
        }
    }
}

nb_status nb_jxl_to_jpeg(const uint8_t *bytes, size_t count, uint8_t *jpeg, size_t jpeg_count, nb_error *error) {
    JxlDecoder *decoder = JxlDecoderCreate(NULL);
    if (decoder == NULL) return nb_fail(error, NB_MEMORY, "not enough memory");
    nb_status status = NB_OK;
    if (JxlDecoderSubscribeEvents(decoder, JXL_DEC_JPEG_RECONSTRUCTION | JXL_DEC_FULL_IMAGE) != JXL_DEC_SUCCESS ||
        JxlDecoderSetInput(decoder, bytes, count) != JXL_DEC_SUCCESS)
        status = nb_fail(error, NB_PROCESSING, "libjxl takes no input");
    JxlDecoderCloseInput(decoder);
    if (status == NB_OK) status = reconstruct(decoder, jpeg, jpeg_count, error);
    JxlDecoderDestroy(decoder);
    return status;
}
#endif
