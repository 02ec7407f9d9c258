// Opens a TIFF in memory with libtiff, with errors and memory under control.
#ifdef NB_TIFF
#include "tiff_source.h"
#include "tiff_warnings.h"

#include <string.h>

static tmsize_t read_bytes(thandle_t handle, void *to, tmsize_t count) {
    nb_tiff_source *self = handle;
    size_t left = self->at < self->count ? self->count - self->at : 0, given = (size_t)count < left ? (size_t)count : left;
    memcpy(to, self->bytes + self->at, given);
    self->at += given;
    return (tmsize_t)given;
}

static tmsize_t write_bytes(thandle_t handle, void *from, tmsize_t count) {
    (void)handle, (void)from, (void)count;
    return -1;
}

static toff_t seek(thandle_t handle, toff_t offset, int whence) {
    nb_tiff_source *self = handle;
    self->at = whence == SEEK_CUR ? self->at + offset : whence == SEEK_END ? self->count + offset : offset;
    return self->at;
}

static int close_file(thandle_t handle) {
    (void)handle;
    return 0;
}

static toff_t file_size(thandle_t handle) { return ((nb_tiff_source *)handle)->count; }

static int map_file(thandle_t handle, void **base, toff_t *size) {
    nb_tiff_source *self = handle;
    *base = (void *)(uintptr_t)self->bytes;  // read only: the file is open for reading
    *size = self->count;
    return 1;
}

static void unmap_file(thandle_t handle, void *base, toff_t size) { (void)handle, (void)base, (void)size; }

static int on_error(TIFF *tiff, void *user, const char *module, const char *format, va_list arguments) {
    nb_tiff_source *self = user;
    (void)tiff, (void)module;
    if (!self->failed) vsnprintf(self->error->message, sizeof self->error->message, format, arguments);
    self->failed = 1;
    return 1;  // reported: libtiff prints nothing
}

static int on_warning(TIFF *tiff, void *user, const char *module, const char *format, va_list arguments) {
    nb_tiff_source *self = user;
    if (!self->is_reading) return 1;
    char message[sizeof self->error->message];
    va_list copy;
    va_copy(copy, arguments);
    vsnprintf(message, sizeof message, format, copy);
    va_end(copy);
    int meaning = nb_tiff_warning(module, message);
    if (meaning == NB_TIFF_DAMAGE) return on_error(tiff, user, module, format, arguments);
    self->error->warnings |= (uint32_t)meaning;
    return 1;
}

// Checks the directory before libtiff sees it (TIFF 6.0, chapter 2, and BigTIFF's wider fields). libtiff skips entries
// outside the file with a warning, and reads a repeated entry each time.

static uint64_t number(const nb_tiff_source *self, uint64_t offset, int count, int is_big_endian) {
    uint64_t value = 0;
    for (int i = 0; i < count; i++)
        value = value << 8 | self->bytes[offset + (uint64_t)(is_big_endian ? i : count - 1 - i)];
    return value;
}

static nb_status check_directory(nb_tiff_source *self) {
    static const uint8_t sizes[] = {0, 1, 1, 2, 4, 8, 1, 1, 2, 4, 8, 4, 8, 4, 0, 0, 8, 8, 8};
    if (self->count < 16) return nb_cut(self->error);
    int big_endian = self->bytes[0] == 'M', is_big = number(self, 2, 2, big_endian) == 43, word = is_big ? 8 : 4;
    uint64_t entry = is_big ? 20 : 12, head = is_big ? 8 : 2;
    uint64_t offset = number(self, is_big ? 8 : 4, word, big_endian);
    if (offset > self->count || self->count - offset < head) return nb_cut(self->error);
    uint64_t count = number(self, offset, (int)head, big_endian);
    if (count > (self->count - offset - head) / entry) return nb_cut(self->error);
    for (uint64_t at = offset + head, i = 0; i < count; i++, at += entry) {
        uint64_t tag = number(self, at, 2, big_endian), type = number(self, at + 2, 2, big_endian);
        uint64_t values = number(self, at + 4, word, big_endian);
        uint64_t value = number(self, at + 4 + (uint64_t)word, word, big_endian);
        uint64_t size = type < sizeof sizes ? sizes[type] : 0;
        self->has_extra_samples |= tag == TIFFTAG_EXTRASAMPLES;
        if (size == 0 || values <= (uint64_t)word / size) continue;
        int is_inside = value <= self->count && values <= (self->count - value) / size;
        // Private tags with invalid offsets are common and do not affect the image.
        if (!is_inside && (tag < 700 || tag == TIFFTAG_ICCPROFILE)) return nb_cut(self->error);
        if (is_inside) self->tag_bytes += values * size;
        if (self->tag_bytes > self->count) return nb_fail(self->error, NB_CORRUPT, "its tags overlap");
    }
    return NB_OK;
}

nb_status nb_tiff_open(nb_tiff_source *self, const uint8_t *bytes, size_t count, size_t limit, TIFF **tiff,
                       nb_error *error) {
    *self = (nb_tiff_source){.bytes = bytes, .count = count, .error = error};
    *tiff = NULL;
    nb_status status = check_directory(self);
    if (status != NB_OK) return status;
    TIFFOpenOptions *options = TIFFOpenOptionsAlloc();
    if (options == NULL) return nb_fail(error, NB_MEMORY, "not enough memory");
    TIFFOpenOptionsSetMaxSingleMemAlloc(options, (tmsize_t)(limit + 4 * self->tag_bytes));
    TIFFOpenOptionsSetErrorHandlerExtR(options, on_error, self);
    TIFFOpenOptionsSetWarningHandlerExtR(options, on_warning, self);
    *tiff = TIFFClientOpenExt("", "r", self, read_bytes, write_bytes, seek, close_file, file_size, map_file,
                              unmap_file, options);
    TIFFOpenOptionsFree(options);
    int failed = self->failed;
    self->failed = 0;
    if (*tiff != NULL) return NB_OK;
    return failed ? NB_CORRUPT : nb_fail(error, NB_CORRUPT, "it has no readable directory");
}
#endif
