// GIF decoder: giflib, block by block up to the first frame; later data is never read.
#include "internal.h"

#ifdef NB_GIF
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
    const ColorMapObject *palette;
    int transparent;   // an index, or NO_TRANSPARENT_COLOR
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
        return nb_fail(error, NB_TRUNCATED, "the data ends before the image does");
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

static nb_status find_frame(reader *self, nb_error *error) {
    for (;;) {
        GifRecordType kind;
        if (DGifGetRecordType(self->gif, &kind) == GIF_ERROR) return fail(self, self->gif->Error, error);
        if (kind == TERMINATE_RECORD_TYPE) return nb_fail(error, NB_CORRUPT, "it holds no image");
        if (kind == EXTENSION_RECORD_TYPE) {
            if (read_extension(self) == GIF_ERROR) return fail(self, self->gif->Error, error);
        } else {
            return DGifGetImageDesc(self->gif) == GIF_ERROR ? fail(self, self->gif->Error, error) : NB_OK;
        }
    }
}

// Interlaced rows come in four passes (GIF89a, appendix E).
static int read_interlaced(reader *self) {
    static const int starts[] = {0, 4, 2, 1}, steps[] = {8, 8, 4, 2};
    const GifImageDesc *frame = &self->gif->Image;
    for (int pass = 0; pass < 4; pass++) {
        for (int y = starts[pass]; y < frame->Height; y += steps[pass]) {
            uint8_t *to = self->indices + (size_t)y * (size_t)frame->Width;
            if (DGifGetLine(self->gif, to, frame->Width) == GIF_ERROR) return GIF_ERROR;
        }
    }
    return GIF_OK;
}

static int lay_row(reader *self, const uint8_t *indices, int channels) {
    const GifImageDesc *frame = &self->gif->Image;
    uint8_t *to = self->packed + (size_t)frame->Left * (size_t)channels;
    for (int x = 0; x < frame->Width; x++, to += channels) {
        int index = indices[x], is_clear = index == self->transparent;
        if (!is_clear && index >= self->palette->ColorCount) return 0;
        GifColorType color = is_clear ? (GifColorType){0, 0, 0} : self->palette->Colors[index];
        to[0] = color.Red;
        to[1] = color.Green;
        to[2] = color.Blue;
        if (channels == 4) to[3] = is_clear ? 0 : 255;
    }
    return 1;
}

static nb_status read_frame(reader *self, int32_t width, int32_t height, int channels, int32_t *rows,
                            nb_error *error) {
    const GifImageDesc *frame = &self->gif->Image;
    self->palette = frame->ColorMap != NULL ? frame->ColorMap : self->gif->SColorMap;
    if (self->palette == NULL) return nb_fail(error, NB_CORRUPT, "it has no palette");
    int covers = frame->Width == width && frame->Height == height;
    if (frame->Width < 1 || frame->Height < 1 || frame->Left + frame->Width > width ||
        frame->Top + frame->Height > height ||
        (channels == 3 && (!covers || self->transparent != NO_TRANSPARENT_COLOR)))
        return nb_fail(error, NB_CORRUPT, "its frame differs from what its header says");
    size_t columns = (size_t)frame->Width, stride = (size_t)width * (size_t)channels;
    self->indices = malloc(columns * (frame->Interlace ? (size_t)frame->Height : 1));
    self->packed = malloc(stride);
    if (self->indices == NULL || self->packed == NULL) return nb_fail(error, NB_MEMORY, "not enough memory");
    if (frame->Interlace && read_interlaced(self) == GIF_ERROR) return fail(self, self->gif->Error, error);
    int has_ended = 0;
    if (rows != NULL) *rows = height;
    for (int32_t y = 0; y < height; y++) {
        int row = y - frame->Top;
        memset(self->packed, 0, stride);
        if (row >= 0 && row < frame->Height && !has_ended) {
            uint8_t *indices = self->indices + (frame->Interlace ? (size_t)row * columns : 0);
            if (!frame->Interlace && DGifGetLine(self->gif, indices, frame->Width) == GIF_ERROR) {
                nb_status status = fail(self, self->gif->Error, error);
                if (status != NB_TRUNCATED || rows == NULL) return status;
                *rows = row;
                has_ended = 1;
            } else if (!lay_row(self, indices, channels)) {
                return nb_fail(error, NB_CORRUPT, "a pixel has no color");
            }
        }
        nb_shrinker_add(&self->shrinker, self->packed);
    }
    return NB_OK;
}

nb_status nb_gif_decode(const uint8_t *bytes, size_t count, int32_t width, int32_t height, int factor,
                        const nb_plane *planes, int channels, int32_t *rows, nb_error *error) {
    reader self = {.from = {bytes, count}, .transparent = NO_TRANSPARENT_COLOR};
    int code = 0;
    self.gif = DGifOpen(&self.from, read_bytes, &code);
    if (self.gif == NULL) return fail(&self, code, error);
    nb_status status;
    if (!nb_shrinker_start(&self.shrinker, planes, channels, channels == 4, factor, width, height))
        status = nb_fail(error, NB_MEMORY, "not enough memory");
    else if ((status = find_frame(&self, error)) == NB_OK)
        status = read_frame(&self, width, height, channels, rows, error);
    nb_shrinker_end(&self.shrinker);
    free(self.indices);
    free(self.packed);
    DGifCloseFile(self.gif, NULL);
    return status;
}
#endif
