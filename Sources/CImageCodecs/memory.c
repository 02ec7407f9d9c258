#include "internal.h"

#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void *nb_allocate(size_t count) {
    if (count > SIZE_MAX - 63) return NULL;
    // C11 requires a multiple of the alignment.
    return aligned_alloc(64, count == 0 ? 64 : (count + 63) & ~(size_t)63);
}

void nb_free(void *memory) { free(memory); }

void nb_return_free_memory(void) { malloc_trim(0); }

int nb_bytes_reserve(nb_bytes *self, size_t count) {
    if (self->has_failed || count <= self->capacity - self->count) return !self->has_failed;
    size_t capacity = 2 * self->capacity + count + 256;
    uint8_t *grown = realloc(self->bytes, capacity);
    self->has_failed = grown == NULL;
    if (grown == NULL) return 0;
    self->bytes = grown;
    self->capacity = capacity;
    return 1;
}

void nb_bytes_add(nb_bytes *self, const void *bytes, size_t count) {
    if (count == 0 || !nb_bytes_reserve(self, count)) return;
    memcpy(self->bytes + self->count, bytes, count);
    self->count += count;
}

uint8_t *nb_fitted(uint8_t *bytes, size_t count) {
    uint8_t *fitted = realloc(bytes, count);
    return fitted != NULL ? fitted : bytes;
}

nb_status nb_fail(nb_error *error, nb_status status, const char *message) {
    snprintf(error->message, sizeof error->message, "%s", message);
    return status;
}
