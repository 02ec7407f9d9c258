#pragma once
#include "internal.h"

/// The first member of a format's own animation: the format's functions, as those of animations.h.
struct nb_animation {
    nb_status (*add)(nb_animation *animation, const nb_plane *planes, int channels, int32_t start, nb_error *error);
    nb_status (*finish)(nb_animation *animation, int32_t end, uint8_t **bytes, size_t *count, nb_error *error);
    void (*close)(nb_animation *animation);
};
