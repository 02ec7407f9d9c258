#pragma once
#include <stdint.h>

/// Makes libheif decode HEVC by what stands in heif_hevc.c, for the whole process.
void nb_hevc_register(void);
/// The most pixels that a compressed picture may have in decodes of this thread; 0 for any number.
void nb_hevc_limit(uint64_t pixels);
