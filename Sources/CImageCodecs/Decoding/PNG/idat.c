// Walks the chunks from the first IDAT to IEND (RFC 2083, chapter 3).
#include "idat.h"

#include <string.h>

#include <libdeflate.h>

enum { AROUND = 12 };  // length, type, checksum

static int is(const uint8_t *chunk, const char *type) { return memcmp(chunk + 4, type, 4) == 0; }

/// Whether the next chunk is whole, of an acceptable length, and matches its checksum.
static int is_whole(const nb_idat *self, size_t *count) {
    if (self->left < AROUND) return 0;
    *count = nb_get32(self->chunk);
    if (*count > self->longest || *count > self->left - AROUND) return 0;
    return libdeflate_crc32(0, self->chunk + 4, *count + 4) == nb_get32(self->chunk + 8 + *count);
}

static void skip(nb_idat *self, size_t count) {
    self->chunk += AROUND + count;
    self->left -= AROUND + count;
}

int nb_idat_next(nb_idat *self, const uint8_t **piece, size_t *count) {
    if (self->left < AROUND || !is(self->chunk, "IDAT")) return 0;
    if (!is_whole(self, count) || *count == 0) {
        self->left = 0;  // not asked again
        return 0;
    }
    *piece = self->chunk + 8;
    skip(self, *count);
    return 1;
}

int nb_idat_ends(nb_idat *self) {
    // What may follow, and is not read from there.
    static const char skipped[5][5] = {"tEXt", "zTXt", "iTXt", "tIME", "eXIf"};
    size_t count;
    while (is_whole(self, &count)) {
        if (is(self->chunk, "IEND")) return count == 0;
        int known = 0;
        for (size_t i = 0; i < 5; i++) known |= is(self->chunk, skipped[i]);
        if (!known) return 0;
        skip(self, count);
    }
    return 0;
}
