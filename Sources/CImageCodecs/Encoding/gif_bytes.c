// Writes the bytes of a GIF, and compresses its pixels: variable-length LZW codes in blocks (GIF89a, section 22 and appendix F).
#include "gif_bytes.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_BITS = 12, MOST_CODES = 1 << MOST_BITS, SLOTS = 1 << 13, MOST_IN_BLOCK = 255 };

void nb_gif_put16(nb_bytes *file, int32_t value) {
    uint8_t bytes[] = {(uint8_t)(value & 255), (uint8_t)(value >> 8 & 255)};
    nb_bytes_add(file, bytes, sizeof bytes);
}

typedef struct {
    nb_bytes *file;
    uint32_t bits;
    int held;
    uint8_t block[1 + MOST_IN_BLOCK];  // its length first
    uint32_t keys[SLOTS];              // a prefix, a pixel and 1, so that 0 is an empty slot
    uint16_t codes[SLOTS];
} compressor;

static void put_byte(compressor *self, uint8_t byte) {
    self->block[++self->block[0]] = byte;
    if (self->block[0] < MOST_IN_BLOCK) return;
    nb_bytes_add(self->file, self->block, 1 + MOST_IN_BLOCK);
    self->block[0] = 0;
}

static void put_code(compressor *self, int code, int width) {
    self->bits |= (uint32_t)code << self->held;
    self->held += width;
    for (; self->held >= 8; self->held -= 8) {
        put_byte(self, (uint8_t)(self->bits & 255));
        self->bits >>= 8;
    }
}

// The slot of a prefix and a pixel: theirs, or an empty one. At most half of the slots are taken.
static uint32_t slot_of(const compressor *self, uint32_t key) {
    uint32_t slot = key * 2654435761u >> 19;
    while (self->keys[slot] != 0 && self->keys[slot] != key) slot = (slot + 1) & (SLOTS - 1);
    return slot;
}

void nb_gif_compress(nb_bytes *file, const uint8_t *indices, size_t count, int bits) {
    compressor *self = calloc(1, sizeof *self);
    if (self == NULL) {
        file->has_failed = 1;
        return;
    }
    self->file = file;
    uint8_t size = (uint8_t)bits;
    nb_bytes_add(file, &size, 1);
    int clear = 1 << bits, width = bits + 1, next = clear + 2, prefix = indices[0];
    put_code(self, clear, width);
    for (size_t i = 1; i < count; i++) {
        uint32_t key = ((uint32_t)prefix << 8 | indices[i]) + 1, slot = slot_of(self, key);
        if (self->keys[slot] == key) {
            prefix = self->codes[slot];
            continue;
        }
        put_code(self, prefix, width);
        prefix = indices[i];
        if (next == MOST_CODES) {
            put_code(self, clear, width);
            memset(self->keys, 0, sizeof self->keys);
            width = bits + 1;
            next = clear + 2;
            continue;
        }
        self->keys[slot] = key;
        self->codes[slot] = (uint16_t)next;
        // A decoder knows each code one code later.
        if (next++ == 1 << width) width++;
    }
    put_code(self, prefix, width);
    // Reading that code made another one known.
    if (next == 1 << width && width < MOST_BITS) width++;
    put_code(self, clear + 1, width);
    if (self->held > 0) put_byte(self, (uint8_t)(self->bits & 255));
    if (self->block[0] > 0) nb_bytes_add(file, self->block, 1 + (size_t)self->block[0]);
    uint8_t end = 0;
    nb_bytes_add(file, &end, 1);
    free(self);
}
