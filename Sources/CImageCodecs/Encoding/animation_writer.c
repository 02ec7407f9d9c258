// Animations of any format, each of which has functions of its own.
#include "animation_writer.h"

nb_status nb_animation_add(nb_animation *self, const nb_plane *planes, int channels, int32_t start, nb_error *error) {
    return self->add(self, planes, channels, start, error);
}

nb_status nb_animation_finish(nb_animation *self, int32_t end, uint8_t **bytes, size_t *count, nb_error *error) {
    return self->finish(self, end, bytes, count, error);
}

void nb_animation_close(nb_animation *self) {
    if (self != NULL) self->close(self);
}
