#pragma once
#include "internal.h"

/// Whether an image, or an element that is drawn again, is in another file, which is never opened.
int nb_svg_has_external_reference(const uint8_t *bytes, size_t count);
