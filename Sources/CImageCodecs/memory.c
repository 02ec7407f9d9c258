#include "internal.h"

#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>

void *nb_allocate(size_t count) {
    if (count > SIZE_MAX - 63) return NULL;
    // C11 requires a multiple of the alignment.
    return aligned_alloc(64, count == 0 ? 64 : (count + 63) & ~(size_t)63);
}

void nb_free(void *memory) { free(memory); }

void nb_return_free_memory(void) { malloc_trim(0); }

nb_status nb_fail(nb_error *error, nb_status status, const char *message) {
    snprintf(error->message, sizeof error->message, "%s", message);
    return status;
}
