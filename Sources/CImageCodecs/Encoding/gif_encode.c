// GIF encoder: of each frame, the part that changes, with a palette of its own (GIF89a).
#if defined(NB_PALETTE) || defined(NB_PLUG_INS)
#include "animation_writer.h"
#include "gif_bytes.h"

#include <stdlib.h>
#include <string.h>

enum { KEPT = 1, CLEARED = 2, OPAQUE = 128, MOST_DELAY = 65535, MOST_COLORS = 256 };

typedef struct {
    nb_animation animation;
    nb_bytes file;
    int32_t width, height, plays, colors;
    uint8_t *shown;     // red, green, blue, alpha before the frame that waits
    uint8_t *waiting;   // a frame whose follower is not known yet
    uint8_t *part;      // what of it is written
    uint8_t *indices;
    int is_waiting, has_frames;
    int32_t rounded;  // the time of what is written, in hundredths of a second
} gif;

static int is_clear(const uint8_t *pixel) { return pixel[3] == 0; }

// The loop extension of Netscape counts repetitions. One play needs none.
static void put_loops(gif *self) {
    if (self->plays == 1) return;
    nb_bytes_add(&self->file, "\x21\xFF\x0BNETSCAPE2.0\x03\x01", 16);
    nb_gif_put16(&self->file, self->plays == 0 ? 0 : self->plays - 1);
    nb_bytes_add(&self->file, "", 1);
}

// The pixels that the frame changes; the first one is whole.
static nb_box changed(const gif *self) {
    nb_box found = {self->width, self->height, 0, 0};
    if (!self->has_frames) return (nb_box){0, 0, self->width, self->height};
    const uint8_t *from = self->shown, *to = self->waiting;
    for (int32_t y = 0; y < self->height; y++) {
        for (int32_t x = 0; x < self->width; x++, from += 4, to += 4) {
            if (memcmp(from, to, 4) == 0) continue;
            if (x < found.left) found.left = x;
            if (x >= found.right) found.right = x + 1;
            if (y < found.top) found.top = y;
            found.bottom = y + 1;
        }
    }
    return found.right == 0 ? (nb_box){0, 0, 1, 1} : found;
}

// True if the next frame shows nothing where this one shows something.
static int must_clear(const gif *self, const uint8_t *next) {
    size_t pixels = (size_t)self->width * (size_t)self->height;
    for (size_t i = 0; i < pixels; i++)
        if (is_clear(next + 4 * i) && !is_clear(self->waiting + 4 * i)) return 1;
    return 0;
}

// Takes out the part in a box, with transparency where it need not be drawn. Returns the number of pixels to draw.
static size_t take_part(gif *self, nb_box part) {
    uint8_t *to = self->part;
    size_t drawn = 0;
    for (int32_t y = part.top; y < part.bottom; y++) {
        size_t first = 4 * ((size_t)y * (size_t)self->width + (size_t)part.left);
        const uint8_t *was = self->shown + first, *is = self->waiting + first;
        for (int32_t x = part.left; x < part.right; x++, was += 4, is += 4, to += 4) {
            int draws = !is_clear(is) && memcmp(was, is, 4) != 0;
            if (draws) memcpy(to, is, 4);
            else memset(to, 0, 4);
            drawn += (size_t)draws;
        }
    }
    return drawn;
}

// Moves all transparent colours to one index. Returns it, or -1 if there is none.
static int one_transparent(gif *self, const nb_palette *palette, size_t pixels) {
    int found = -1;
    uint8_t map[256];
    for (int i = 0; i < 256; i++) {
        map[i] = (uint8_t)i;
        if (i >= palette->count || palette->colors[i][3] >= OPAQUE) continue;
        if (found < 0) found = i;
        map[i] = (uint8_t)found;
    }
    for (size_t i = 0; found >= 0 && i < pixels; i++) self->indices[i] = map[self->indices[i]];
    return found;
}

static void put_frame(gif *self, nb_box part, const nb_palette *palette, int transparent, int disposal, int32_t delay) {
    size_t pixels = (size_t)(part.right - part.left) * (size_t)(part.bottom - part.top);
    int bits = 1;
    while (1 << bits < palette->count) bits++;
    uint8_t control[] = {0x21, 0xF9, 4, (uint8_t)(disposal << 2 | (transparent >= 0)), (uint8_t)(delay & 255),
                         (uint8_t)(delay >> 8), (uint8_t)(transparent >= 0 ? transparent : 0), 0, 0x2C};
    nb_bytes_add(&self->file, control, sizeof control);
    nb_gif_put16(&self->file, part.left);
    nb_gif_put16(&self->file, part.top);
    nb_gif_put16(&self->file, part.right - part.left);
    nb_gif_put16(&self->file, part.bottom - part.top);
    uint8_t flags = (uint8_t)(0x80 | (bits - 1));
    nb_bytes_add(&self->file, &flags, 1);
    static const uint8_t black[4] = {0};
    for (int i = 0; i < 1 << bits; i++) nb_bytes_add(&self->file, i < palette->count ? palette->colors[i] : black, 3);
    nb_gif_compress(&self->file, self->indices, pixels, bits < 2 ? 2 : bits);
}

// Writes the frame that waits, which is shown until `end`; `next` follows it, or NULL.
static nb_status write_waiting(gif *self, int32_t end, const uint8_t *next, nb_error *error) {
    int clears = next != NULL && must_clear(self, next);
    nb_box part = clears ? (nb_box){0, 0, self->width, self->height} : changed(self);
    size_t pixels = (size_t)(part.right - part.left) * (size_t)(part.bottom - part.top);
    nb_palette palette = {.count = 1};
    memset(self->indices, 0, pixels);
    nb_status status = NB_OK;
    // Some decoders clear to transparency only what a frame with a transparent colour covers.
    int colors = clears && self->colors == MOST_COLORS ? MOST_COLORS - 1 : self->colors;
    if (take_part(self, part) > 0)
        status = nb_choose_palette(self->part, part.right - part.left, part.bottom - part.top, colors, &palette,
                                   self->indices, error);
    if (status != NB_OK) return status;
    int transparent = one_transparent(self, &palette, pixels);
    if (clears && transparent < 0) transparent = palette.count++;
    // Times are rounded, and not delays, so that errors do not add up. Browsers take less than two hundredths for haste.
    int32_t delay = (end + 5) / 10 - self->rounded;
    if (delay < 2) delay = 2;
    self->rounded += delay;
    if (delay > MOST_DELAY) delay = MOST_DELAY;
    if (!self->has_frames && next != NULL) put_loops(self);
    put_frame(self, part, &palette, transparent, clears ? CLEARED : KEPT, delay);
    self->has_frames = 1;
    if (clears) memset(self->shown, 0, 4 * (size_t)self->width * (size_t)self->height);
    else memcpy(self->shown, self->waiting, 4 * (size_t)self->width * (size_t)self->height);
    return self->file.has_failed ? nb_fail(error, NB_MEMORY, "not enough memory") : NB_OK;
}

// Interleaves the planes; pixels are opaque or clear in a GIF, and a clear one has no colour. Returns 0 without memory.
static int interleave(const nb_plane *planes, int channels, uint8_t *rgba) {
    size_t pixels = (size_t)planes[0].width * (size_t)planes[0].height;
    if (!nb_interleave_rgba(planes, channels, rgba)) return 0;
    for (size_t i = 0; i < pixels; i++, rgba += 4) {
        if (rgba[3] >= OPAQUE) rgba[3] = 255;
        else memset(rgba, 0, 4);
    }
    return 1;
}

static nb_status add(nb_animation *animation, const nb_plane *planes, int channels, int32_t start, nb_error *error) {
    gif *self = (gif *)animation;
    uint8_t *next = malloc(4 * (size_t)self->width * (size_t)self->height);
    nb_status status = NB_OK;
    if (next == NULL || !interleave(planes, channels, next)) status = nb_fail(error, NB_MEMORY, "not enough memory");
    if (status == NB_OK && self->is_waiting) status = write_waiting(self, start, next, error);
    if (status == NB_OK) {
        free(self->waiting);
        self->waiting = next;
        self->is_waiting = 1;
    } else {
        free(next);
    }
    return status;
}

static nb_status finish(nb_animation *animation, int32_t end, uint8_t **bytes, size_t *count, nb_error *error) {
    gif *self = (gif *)animation;
    nb_status status = self->is_waiting ? write_waiting(self, end, NULL, error)
                                        : nb_fail(error, NB_PROCESSING, "it has no frames");
    if (status != NB_OK) return status;
    nb_bytes_add(&self->file, "\x3B", 1);
    if (self->file.has_failed) return nb_fail(error, NB_MEMORY, "not enough memory");
    *bytes = self->file.bytes;
    *count = self->file.count;
    self->file.bytes = NULL;
    return NB_OK;
}

static void close(nb_animation *animation) {
    gif *self = (gif *)animation;
    free(self->file.bytes);
    free(self->shown);
    free(self->waiting);
    free(self->part);
    free(self->indices);
    free(self);
}

nb_status nb_gif_animation_open(int32_t width, int32_t height, int32_t plays, int colors, nb_animation **animation,
                                nb_error *error) {
    size_t pixels = (size_t)width * (size_t)height;
    gif *self = calloc(1, sizeof *self);
    if (self == NULL) return nb_fail(error, NB_MEMORY, "not enough memory");
    self->animation = (nb_animation){add, finish, close};
    self->width = width;
    self->height = height;
    self->plays = plays;
    self->colors = colors;
    self->shown = calloc(pixels, 4);
    self->waiting = malloc(4 * pixels);
    self->part = malloc(4 * pixels);
    self->indices = malloc(pixels);
    if (self->shown == NULL || self->waiting == NULL || self->part == NULL || self->indices == NULL) {
        close(&self->animation);
        return nb_fail(error, NB_MEMORY, "not enough memory");
    }
    nb_bytes_add(&self->file, "GIF89a", 6);
    nb_gif_put16(&self->file, width);
    nb_gif_put16(&self->file, height);
    nb_bytes_add(&self->file, "\x70\0\0", 3);  // eight bits a colour, no palette of all frames
    *animation = &self->animation;
    return NB_OK;
}
#endif
