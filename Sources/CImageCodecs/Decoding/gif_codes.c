// Expands the pixels of a GIF's frame: variable-length LZW codes in blocks (GIF89a, section 22 and appendix F).
//
// giflib has a decoder too. It refuses minimum code sizes over 8, and frames whose pixels are whole but not followed by an
// empty block; others read both.
#ifdef NB_GIF
#include "gif_codes.h"

enum { LARGEST_SIZE = 11, MOST_BITS = 12, NONE = -1, ENDED = -2 };

static void clear(nb_gif_codes *self) {
    self->width = self->least_width;
    self->free = self->clear + 2;
    self->last = NONE;
}

int nb_gif_codes_start(nb_gif_codes *self, int size, const uint8_t *bytes, size_t count) {
    if (size > LARGEST_SIZE) return 0;
    self->next = bytes;
    self->end = bytes + count;
    self->in_block = self->stacked = 0;
    self->bits = 0;
    self->held = 0;
    self->least_width = size + 1;
    self->clear = 1 << size;
    clear(self);
    return 1;
}

// The next code; ENDED where the data or the blocks do, and from then on.
static int next_code(nb_gif_codes *self) {
    while (self->held < self->width) {
        if (self->next == self->end || (self->in_block == 0 && *self->next == 0)) return ENDED;
        if (self->in_block == 0) {
            self->in_block = *self->next++;
            continue;
        }
        self->bits |= (uint32_t)*self->next++ << self->held;
        self->held += 8;
        self->in_block--;
    }
    int code = (int)(self->bits & ((1u << self->width) - 1));
    self->bits >>= self->width;
    self->held -= self->width;
    return code;
}

// Stacks the pixels of a code that is no clear code, and makes a new code of the one before and the first of them.
static int expand(nb_gif_codes *self, int code) {
    int is_literal = code < self->clear;
    if (self->last == NONE ? !is_literal : code > self->free) return 0;
    int known = code;
    if (code == self->free) {  // the new code itself: its last pixel is its first one
        known = self->last;
        self->stacked = 1;
    }
    // A code is longer than its prefix, which is a smaller code, so that all of them fit.
    for (; known > self->clear; known = self->prefix[known]) self->stack[self->stacked++] = self->suffix[known];
    uint8_t first = (uint8_t)known;
    if (code == self->free) self->stack[0] = first;
    self->stack[self->stacked++] = first;
    if (self->last != NONE && self->free < NB_GIF_MOST_CODES) {
        self->prefix[self->free] = (uint16_t)self->last;
        self->suffix[self->free++] = first;
    }
    self->last = code;
    if (self->free >= 1 << self->width && self->width < MOST_BITS) self->width++;
    return 1;
}

nb_status nb_gif_codes_read(nb_gif_codes *self, uint8_t *to, size_t count, nb_error *error) {
    while (count > 0) {
        while (self->stacked > 0 && count > 0) {
            *to++ = self->stack[--self->stacked];
            count--;
        }
        if (count == 0) break;
        int code = next_code(self);
        if (code == self->clear) clear(self);
        else if (code == ENDED || code == self->clear + 1) return nb_cut(error);
        else if (!expand(self, code)) return nb_fail(error, NB_CORRUPT, "a code of its pixels has no meaning");
    }
    return NB_OK;
}

void nb_gif_codes_finish(nb_gif_codes *self, nb_error *error) {
    enum { TRAILER = 0x3B };
    int code, is_more = self->stacked > 0;
    while (!is_more && (code = next_code(self)) == self->clear) clear(self);
    // The code of the end is often missing. What pads the block behind it is nothing.
    if (!is_more) is_more = code != ENDED && code != self->clear + 1;
    size_t in_block = self->in_block;
    while (self->next < self->end && (in_block > 0 || *self->next > 0)) {
        if (in_block == 0) {
            in_block = (size_t)*self->next++;
            is_more = 1;
        }
        size_t left = (size_t)(self->end - self->next), skipped = in_block < left ? in_block : left;
        self->next += skipped;
        in_block = 0;
    }
    if (is_more) nb_warn(error, NB_WARNING_EXTRA_PIXELS);
    size_t left = (size_t)(self->end - self->next);  // an empty block, and what follows the frame
    if (left < 2) nb_warn(error, NB_WARNING_MISSING_END);
    else if (self->next[1] == TRAILER && left > 2) nb_warn(error, NB_WARNING_TRAILING_DATA);
}
#endif
