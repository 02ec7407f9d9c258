// What the JPEG encoders share: libjpeg's errors, which leave by longjmp, and a file in memory.
#pragma once
#include "internal.h"

#include <setjmp.h>
#include <stdio.h>

#include <jpeglib.h>

#include <jerror.h>

typedef struct {
    struct jpeg_error_mgr errors;
    struct jpeg_destination_mgr destination;
    jmp_buf escape;
    nb_error *error;
    nb_status status;  // of the failure after which `escape` was taken
    uint8_t *bytes;    // the caller's to free
    size_t capacity;
} nb_jpeg_output;

/// Creates a compressor whose errors go to `self`. The caller has set `escape`, to which they jump.
void nb_jpeg_output_create(nb_jpeg_output *self, struct jpeg_compress_struct *jpeg, nb_error *error);
/// Directs the compressor's file into `bytes`, of at first `capacity` bytes; leaves without memory.
void nb_jpeg_output_begin(nb_jpeg_output *self, struct jpeg_compress_struct *jpeg, size_t capacity);
/// The bytes of the finished file.
static inline size_t nb_jpeg_output_count(const nb_jpeg_output *self) {
    return self->capacity - self->destination.free_in_buffer;
}
/// Sets the size, the sampling and the colours.
void nb_jpeg_output_describe(struct jpeg_compress_struct *jpeg, const nb_jpeg_settings *settings);

/// As nb_jpeg_encode, for `smallest`.
nb_status nb_jpeg_encode_smallest(const nb_plane *planes, const nb_jpeg_settings *settings, uint8_t **bytes, size_t *count,
                                  nb_error *error);
