#pragma once
#include "internal.h"

enum { NB_TIFF_DAMAGE = -1 };

/// Returns what a warning of libtiff that came while pixels were read says: bits of nb_warning, 0 if nothing is wrong, or
/// NB_TIFF_DAMAGE if pixels are missing or not those of the image.
int nb_tiff_warning(const char *module, const char *message);
