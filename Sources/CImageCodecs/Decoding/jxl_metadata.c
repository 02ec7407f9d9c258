// The boxes with metadata in a JPEG XL file: ISO/IEC 18181-2. libjxl decompresses those that are (brob).
#ifdef NB_JXL
#include "internal.h"

#include <stdlib.h>
#include <string.h>

#include <jxl/decode.h>

/// A box while it is read; `bytes` is NULL if it is none of interest.
typedef struct {
    uint8_t *bytes;
    size_t capacity;
    uint8_t **place;  // where it goes to
    size_t *count;
} box;

/// Begins with the first box of each kind.
static void begin(JxlDecoder *decoder, nb_metadata *metadata, box *self) {
    JxlBoxType type;
    *self = (box){NULL, 0, NULL, NULL};
    if (JxlDecoderGetBoxType(decoder, type, JXL_TRUE) != JXL_DEC_SUCCESS) return;
    int is_exif = memcmp(type, "Exif", sizeof type) == 0, is_xmp = memcmp(type, "xml ", sizeof type) == 0;
    self->place = is_exif ? &metadata->exif : &metadata->xmp;
    self->count = is_exif ? &metadata->exif_count : &metadata->xmp_count;
    if ((!is_exif && !is_xmp) || *self->place != NULL) return;
    self->capacity = 1 << 14;
    self->bytes = malloc(self->capacity);
    if (self->bytes == NULL || JxlDecoderSetBoxBuffer(decoder, self->bytes, self->capacity) == JXL_DEC_SUCCESS) return;
    free(self->bytes);
    self->bytes = NULL;
}

/// Makes room for more of the box; leaves it out if it has too much.
static void grow(JxlDecoder *decoder, box *self) {
    size_t used = self->capacity - JxlDecoderReleaseBoxBuffer(decoder);
    uint8_t *larger = self->capacity < NB_LONGEST_METADATA ? realloc(self->bytes, 2 * self->capacity) : NULL;
    if (larger != NULL) {
        self->bytes = larger;
        self->capacity *= 2;
        if (JxlDecoderSetBoxBuffer(decoder, larger + used, self->capacity - used) == JXL_DEC_SUCCESS) return;
    }
    free(self->bytes);
    self->bytes = NULL;
}

static void end(JxlDecoder *decoder, box *self) {
    if (self->bytes == NULL) return;
    *self->count = self->capacity - JxlDecoderReleaseBoxBuffer(decoder);
    *self->place = self->bytes;
    self->bytes = NULL;
}

nb_status nb_jxl_read_metadata(const uint8_t *bytes, size_t count, nb_metadata *metadata, nb_error *error) {
    JxlDecoder *decoder = JxlDecoderCreate(NULL);
    if (decoder == NULL) return nb_fail(error, NB_MEMORY, "not enough memory");
    box open = {NULL, 0, NULL, NULL};
    if (JxlDecoderSubscribeEvents(decoder, JXL_DEC_BOX) == JXL_DEC_SUCCESS &&
        JxlDecoderSetDecompressBoxes(decoder, JXL_TRUE) == JXL_DEC_SUCCESS &&
        JxlDecoderSetInput(decoder, bytes, count) == JXL_DEC_SUCCESS) {
        JxlDecoderCloseInput(decoder);
        JxlDecoderStatus found = JXL_DEC_BOX;
        while (found == JXL_DEC_BOX || (found == JXL_DEC_BOX_NEED_MORE_OUTPUT && open.bytes != NULL)) {
            if (found == JXL_DEC_BOX_NEED_MORE_OUTPUT) grow(decoder, &open);
            found = JxlDecoderProcessInput(decoder);
            if (found == JXL_DEC_BOX || found == JXL_DEC_SUCCESS) end(decoder, &open);
            if (found == JXL_DEC_BOX) begin(decoder, metadata, &open);
        }
    }
    // What was whole before the damage is kept; a bare codestream has no boxes.
    free(open.bytes);
    JxlDecoderDestroy(decoder);
    return NB_OK;
}
#endif
