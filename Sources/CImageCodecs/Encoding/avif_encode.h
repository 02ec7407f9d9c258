#pragma once
// What the encoder of AVIF and that of its gain maps share.
#include "internal.h"

#include <avif/avif.h>

// Since 1.0, these functions report that there is no memory.
#if AVIF_VERSION >= 1000000
#define RESULT_OF(call) (call)
#else
#define RESULT_OF(call) ((call), AVIF_RESULT_OK)
#endif

/// Writes what libavif says, and returns the status that belongs to it.
nb_status nb_avif_refuse(nb_error *error, avifResult result, const char *detail);
/// Makes the image borrow planes: `colors` of them, and alpha if there are more channels.
void nb_avif_lend(const nb_plane *planes, int colors, int channels, avifImage *image);
/// Puts a map beside an image, which borrows its planes. NB_UNSUPPORTED with libavif before 1.2.
nb_status nb_avif_add_gain_map(const nb_avif_gain_map_source *source, avifImage *image, nb_error *error);
