#pragma once
#include <stdint.h>

/// Registers the HEVC decoder of heif_hevc.c with libheif, for the whole process.
int nb_hevc_register(void);
/// The most pixels that a compressed frame may have in decodes of this thread; 0 for no limit.
void nb_hevc_limit(uint64_t pixels);
