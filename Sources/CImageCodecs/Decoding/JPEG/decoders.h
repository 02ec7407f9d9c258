// Files of one scan, and of several.
#pragma once
#include "context.h"

#include <CImageCodecs.h>

#if NB_DIRECT
NB_DIRECT_BEGIN

/// Decodes a file whose only scan is a baseline one. Returns 0 for what is left to libjpeg.
int nb_decode_baseline(const nb_jpeg_frame *frame, const nb_plane *planes, nb_jpeg_context *context);
/// Decodes any other file.
int nb_decode_scans(const nb_jpeg_frame *frame, const nb_plane *planes);

/// The bytes that they hold at most, besides what a context keeps.
size_t nb_baseline_memory(void);
size_t nb_scans_memory(size_t blocks_in_mcu_row);

NB_DIRECT_END
#endif
