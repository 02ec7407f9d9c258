// GIF decoder: giflib, block by block up to the first frame, and its codes; later frames are never read.
#ifdef NB_GIF
#include "gif_codes.h"

#include <stdlib.h>
#include <string.h>

#include <gif_lib.h>

typedef struct {
    const uint8_t *next;
    size_t left;
} source;

typedef struct {
    source from;
    GifFileType *gif;
    const ColorMapObject *palette;  // or NULL
    int transparent;   // an index, or NO_TRANSPARENT_COLOR
    nb_gif_codes codes;
    uint8_t *indices;  // a row of the frame, or all of an interlaced one
    uint8_t *packed;   // a row of the canvas
    nb_shrinker shrinker;
} reader;

static int read_bytes(GifFileType *gif, GifByteType *to, int count) {
    source *self = gif->UserData;
    int given = (size_t)count < self->left ? count : (int)self->left;
    memcpy(to, self->next, (size_t)given);
    self->next += given;
    self->left -= (size_t)given;
    return given;
}

// giflib does not always report the end of data. If no data is left, that is the cause.
static nb_status fail(const reader *self, int code, nb_error *error) {
    if (code == D_GIF_ERR_NOT_ENOUGH_MEM) return nb_fail(error, NB_MEMORY, "not enough memory");
    if (self->from.left == 0 || code == D_GIF_ERR_READ_FAILED || code == D_GIF_ERR_EOF_TOO_SOON)
        return nb_cut(error);
    const char *message = GifErrorString(code);
    return nb_fail(error, NB_CORRUPT, message == NULL ? "its blocks make no sense" : message);
}

static int read_extension(reader *self) {
    int kind;
    GifByteType *block;
    if (DGifGetExtension(self->gif, &kind, &block) == GIF_ERROR) return GIF_ERROR;
    while (block != NULL) {
        GraphicsControlBlock control;
        // The first byte of a block is its length.
        if (kind == GRAPHICS_EXT_FUNC_CODE && DGifExtensionToGCB(block[0], block + 1, &control) == GIF_OK)
            self->transparent = control.TransparentColor;
        if (DGifGetExtensionNext(self->gif, &block) == GIF_ERROR) return GIF_ERROR;
    }
    return GIF_OK;
}

// Reads the description of the frame, its palette and the size of its codes. giflib refuses sizes over 8 when it has read all
// of them.
static nb_status describe_frame(reader *self, nb_error *error) {
    enum { BYTES = 9, SMALLEST_SIZE = 2, LARGEST_SIZE = 8 };
    const source *from = &self->from;
    int flags = from->left < BYTES ? 0 : from->next[BYTES - 1];
    size_t palette = (flags & 0x80) != 0 ? (size_t)3 << ((flags & 7) + 1) : 0;
    if (from->left <= BYTES + palette) return nb_cut(error);
    const uint8_t *size = from->next + BYTES + palette;
    if (DGifGetImageHeader(self->gif) == GIF_ERROR && (*size <= LARGEST_SIZE || from->next != size + 1))
        return fail(self, self->gif->Error, error);
    if (*size < SMALLEST_SIZE || *size > LARGEST_SIZE) nb_warn(error, NB_WARNING_HEADER_VALUE);
    if (!nb_gif_codes_start(&self->codes, *size, from->next, from->left))
        return nb_fail(error, NB_CORRUPT, "its codes have more than 12 bits");
    return NB_OK;
}

static nb_status find_frame(reader *self, nb_error *error) {
    for (;;) {
        GifRecordType kind;
        if (DGifGetRecordType(self->gif, &kind) == GIF_ERROR) return fail(self, self->gif->Error, error);
        if (kind == TERMINATE_RECORD_TYPE) return nb_fail(error, NB_CORRUPT, "it holds no image");
        if (kind == EXTENSION_RECORD_TYPE) {
            if (read_extension(self) == GIF_ERROR) return fail(self, self->gif->Error, error);
        } else {
            return describe_frame(self, error);
        }
    }
}

// Interlaced rows come in four passes (GIF89a, appendix E).
static nb_status read_interlaced(reader *self, nb_error *error) {
    static const int starts[] = {0, 4, 2, 1}, steps[] = {8, 8, 4, 2};
    const GifImageDesc *frame = &self->gif->Image;
    for (int pass = 0; pass < 4; pass++) {
        for (int y = starts[pass]; y < frame->Height; y += steps[pass]) {
            uint8_t *to = self->indices + (size_t)y * (size_t)frame->Width;
            nb_status status = nb_gif_codes_read(&self->codes, to, (size_t)frame->Width, error);
            if (status != NB_OK) return status;
        }
    }
    return NB_OK;
}

// Colours beyond the palette are black, as in all common decoders. Without a palette, they disagree: only transparent pixels
// are known then. Returns 0 for others.
static int lay_row(reader *self, const uint8_t *indices, int channels, nb_error *error) {
    static const GifColorType black = {0, 0, 0};
    const GifImageDesc *frame = &self->gif->Image;
    int count = self->palette == NULL ? 0 : self->palette->ColorCount;
    uint8_t *to = self->packed + (size_t)frame->Left * (size_t)channels;
    for (int x = 0; x < frame->Width; x++, to += channels) {
        int index = indices[x], is_clear = index == self->transparent;
        if (!is_clear && self->palette == NULL) return 0;
        if (!is_clear && index >= count) nb_warn(error, NB_WARNING_PALETTE_INDEX);
        GifColorType color = is_clear || index >= count ? black : self->palette->Colors[index];
        to[0] = color.Red;
        to[1] = color.Green;
        to[2] = color.Blue;
        if (channels == 4) to[3] = is_clear ? 0 : 255;
    }
    return 1;
}

static nb_status read_frame(reader *self, int32_t width, int32_t height, int32_t *rows, nb_error *error) {
    const GifImageDesc *frame = &self->gif->Image;
    int channels = self->shrinker.channels;
    self->palette = frame->ColorMap != NULL ? frame->ColorMap : self->gif->SColorMap;
    if (self->palette == NULL) nb_warn(error, NB_WARNING_MISSING_PALETTE);
    int covers = frame->Width == width && frame->Height == height;
    if (frame->Width < 1 || frame->Height < 1 || frame->Left + frame->Width > width ||
        frame->Top + frame->Height > height ||
        (channels == 3 && (!covers || self->transparent != NO_TRANSPARENT_COLOR)))
        return nb_fail(error, NB_CORRUPT, "its frame differs from what its header says");
    size_t columns = (size_t)frame->Width, stride = (size_t)width * (size_t)channels;
    self->indices = malloc(columns * (frame->Interlace ? (size_t)frame->Height : 1));
    self->packed = malloc(stride);
    if (self->indices == NULL || self->packed == NULL) return nb_fail(error, NB_MEMORY, "not enough memory");
    nb_status status = frame->Interlace ? read_interlaced(self, error) : NB_OK;
    int has_ended = 0;
    if (rows != NULL) *rows = height;
    for (int32_t y = 0; status == NB_OK && y < height; y++) {
        int row = y - frame->Top;
        memset(self->packed, 0, stride);
        if (row >= 0 && row < frame->Height && !has_ended) {
            uint8_t *indices = self->indices + (frame->Interlace ? (size_t)row * columns : 0);
            if (!frame->Interlace) status = nb_gif_codes_read(&self->codes, indices, columns, error);
            if (status == NB_TRUNCATED && rows != NULL) {
                *rows = row;
                has_ended = 1;
                status = NB_OK;
            } else if (status == NB_OK && !lay_row(self, indices, channels, error)) {
                status = nb_fail(error, NB_CORRUPT, "it has no palette");
            }
        }
        nb_shrinker_add(&self->shrinker, self->packed);
    }
    if (status == NB_OK && !has_ended) nb_gif_codes_finish(&self->codes, error);
    return status;
}

nb_status nb_gif_decode(const uint8_t *bytes, size_t count, int32_t width, int32_t height, int32_t *rows, nb_target *target,
                        nb_error *error) {
    reader self = {.from = {bytes, count}, .transparent = NO_TRANSPARENT_COLOR};
    int code = 0;
    self.gif = DGifOpen(&self.from, read_bytes, &code);
    if (self.gif == NULL) return fail(&self, code, error);
    nb_status status;
    if (!nb_shrinker_start(&self.shrinker, target, target->channels == 4, width, height))
        status = nb_fail(error, NB_MEMORY, "not enough memory");
    else if ((status = find_frame(&self, error)) == NB_OK)
        status = read_frame(&self, width, height, rows, error);
    nb_shrinker_end(&self.shrinker);
    free(self.indices);
    free(self.packed);
    DGifCloseFile(self.gif, NULL);
    return status;
}
#endif
