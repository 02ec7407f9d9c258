// AVIF sequences: the frames of a track, of which libavif decodes one after another.
#ifdef NB_AVIF
#include "avif_reader.h"

#include <stdlib.h>

struct nb_avif_sequence {
    avifDecoder *decoder;
    const uint8_t *bytes;  // that the decoder reads
};

static nb_status open_track(const uint8_t *bytes, size_t count, uint32_t size_limit, avifDecoder **decoder, nb_error *error) {
    return nb_avif_open(bytes, count, AVIF_DECODER_SOURCE_TRACKS, size_limit, NB_AVIF_PIXELS, decoder, error);
}

nb_status nb_avif_read_frame_header(const uint8_t *bytes, size_t count, nb_avif_header *header, nb_error *error) {
    avifDecoder *decoder;
    nb_status status = open_track(bytes, count, AVIF_DEFAULT_IMAGE_SIZE_LIMIT, &decoder, error);
    if (status != NB_OK) return status;
    status = nb_avif_describe(decoder, header, error);
    avifDecoderDestroy(decoder);
    return status;
}

static void close_track(nb_avif_sequence *sequence) {
    if (sequence->decoder != NULL) avifDecoderDestroy(sequence->decoder);
    sequence->decoder = NULL;
}

/// Opens the track, unless it is open and its bytes are where they were.
static nb_status prepare(nb_avif_sequence *sequence, const uint8_t *bytes, size_t count, const nb_avif_header *header,
                         int channels, nb_error *error) {
    if (sequence->decoder != NULL && sequence->bytes == bytes) return NB_OK;
    close_track(sequence);
    // A frame of more pixels than its track says would be scaled down; nobody writes one.
    uint64_t most = (uint64_t)header->coded_width * (uint64_t)header->coded_height + (1 << 16);
    uint32_t limit = most < AVIF_DEFAULT_IMAGE_SIZE_LIMIT ? (uint32_t)most : AVIF_DEFAULT_IMAGE_SIZE_LIMIT;
    nb_status status = open_track(bytes, count, limit, &sequence->decoder, error);
    if (status != NB_OK) return status;
    sequence->bytes = bytes;
    status = nb_avif_agree(sequence->decoder, header, channels, error);
    if (status != NB_OK) close_track(sequence);
    return status;
}

nb_status nb_avif_decode_frame(nb_avif_sequence **sequence, int32_t index, const uint8_t *bytes, size_t count,
                               const nb_avif_header *header, nb_target *target, nb_error *error) {
    if (*sequence == NULL) *sequence = calloc(1, sizeof **sequence);
    if (*sequence == NULL) return nb_fail(error, NB_MEMORY, "not enough memory");
    nb_status status = prepare(*sequence, bytes, count, header, target->channels, error);
    if (status != NB_OK) return status;
    avifDecoder *decoder = (*sequence)->decoder;
    avifResult code = avifDecoderNthImage(decoder, (uint32_t)index);
    if (code == AVIF_RESULT_NO_IMAGES_REMAINING) return nb_fail(error, NB_CORRUPT, "it has fewer frames than it says");
    if (code != AVIF_RESULT_OK) return nb_avif_fail(error, code, &decoder->diag);
    return nb_avif_show(decoder, header, target, error);
}

nb_status nb_avif_close_sequence(nb_avif_sequence *sequence, nb_error *error) {
    (void)error;
    if (sequence != NULL) close_track(sequence);
    free(sequence);
    return NB_OK;
}
#endif
