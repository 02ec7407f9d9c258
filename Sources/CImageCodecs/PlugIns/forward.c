// The functions of codecs that are plug-ins, under the names that linked codecs have: each calls its namesake there.
#ifdef NB_PLUG_INS
#include "plug_ins.h"

// A plug-in's function is looked up at each call: nothing beside the work of a codec.
#define FORWARD(plug_in, function, parameters, arguments) \
    nb_status function parameters { \
        union { void *symbol; nb_status(*function) parameters; } found = {nb_plug_in_function(plug_in, #function, error)}; \
        return found.symbol == NULL ? NB_NO_PLUG_IN : found.function arguments; \
    }

#define FORWARD_VERSION(plug_in, function) \
    void function(char *text, size_t count) { \
        nb_error error; \
        union { void *symbol; void (*function)(char *, size_t); } found = {nb_plug_in_function(plug_in, #function, &error)}; \
        if (found.symbol != NULL) found.function(text, count); \
        else if (count > 0) text[0] = 0; \
    }

#define FILE_PARAMETERS const uint8_t *bytes, size_t count
#define FILE_ARGUMENTS bytes, count

FORWARD(NB_PLUG_IN_AVIF, nb_avif_read_header, (FILE_PARAMETERS, nb_avif_header *header, nb_error *error),
        (FILE_ARGUMENTS, header, error))
FORWARD(NB_PLUG_IN_AVIF, nb_avif_decode,
        (FILE_PARAMETERS, const nb_avif_header *header, nb_target *target, nb_error *error),
        (FILE_ARGUMENTS, header, target, error))
FORWARD(NB_PLUG_IN_AVIF, nb_avif_read_metadata, (FILE_PARAMETERS, nb_metadata *metadata, nb_error *error),
        (FILE_ARGUMENTS, metadata, error))
FORWARD(NB_PLUG_IN_AVIF, nb_avif_read_frame_header, (FILE_PARAMETERS, nb_avif_header *header, nb_error *error),
        (FILE_ARGUMENTS, header, error))
FORWARD(NB_PLUG_IN_AVIF, nb_avif_decode_frame,
        (nb_avif_sequence **sequence, int32_t index, FILE_PARAMETERS, const nb_avif_header *header, nb_target *target,
         nb_error *error),
        (sequence, index, FILE_ARGUMENTS, header, target, error))
FORWARD(NB_PLUG_IN_AVIF, nb_avif_close_sequence, (nb_avif_sequence *sequence, nb_error *error), (sequence, error))
FORWARD(NB_PLUG_IN_AVIF, nb_avif_keeps_gain_maps, (int32_t *answer, nb_error *error), (answer, error))
FORWARD(NB_PLUG_IN_AVIF, nb_avif_read_gain_map, (FILE_PARAMETERS, nb_avif_gain_map *map, nb_error *error),
        (FILE_ARGUMENTS, map, error))
FORWARD(NB_PLUG_IN_AVIF, nb_avif_decode_gain_map,
        (FILE_PARAMETERS, const nb_avif_gain_map *map, nb_target *target, nb_error *error),
        (FILE_ARGUMENTS, map, target, error))
FORWARD(NB_PLUG_IN_AVIF, nb_avif_encode,
        (const nb_plane *planes, int channels, const nb_avif_settings *settings, const nb_metadata *metadata,
         const nb_avif_gain_map_source *gain_map, uint8_t **bytes, size_t *count, nb_error *error),
        (planes, channels, settings, metadata, gain_map, bytes, count, error))
FORWARD_VERSION(NB_PLUG_IN_AVIF, nb_avif_version)

FORWARD(NB_PLUG_IN_JXL, nb_jxl_read_header, (FILE_PARAMETERS, nb_jxl_header *header, nb_error *error),
        (FILE_ARGUMENTS, header, error))
FORWARD(NB_PLUG_IN_JXL, nb_jxl_decode,
        (FILE_PARAMETERS, const nb_jxl_header *header, int is_partial, size_t most_bytes, nb_target *target, nb_error *error),
        (FILE_ARGUMENTS, header, is_partial, most_bytes, target, error))
FORWARD(NB_PLUG_IN_JXL, nb_jxl_read_metadata, (FILE_PARAMETERS, nb_metadata *metadata, nb_error *error),
        (FILE_ARGUMENTS, metadata, error))
FORWARD(NB_PLUG_IN_JXL, nb_jxl_encode,
        (const nb_plane *planes, int channels, const nb_jxl_settings *settings, const nb_metadata *metadata,
         uint8_t **bytes, size_t *count, nb_error *error),
        (planes, channels, settings, metadata, bytes, count, error))
FORWARD(NB_PLUG_IN_JXL, nb_jxl_from_jpeg,
        (FILE_PARAMETERS, uint8_t *file, size_t capacity, size_t *used, nb_error *error),
        (FILE_ARGUMENTS, file, capacity, used, error))
FORWARD(NB_PLUG_IN_JXL, nb_jxl_to_jpeg,
        (FILE_PARAMETERS, uint8_t *jpeg, size_t jpeg_count, nb_error *error), (FILE_ARGUMENTS, jpeg, jpeg_count, error))
FORWARD_VERSION(NB_PLUG_IN_JXL, nb_jxl_version)

FORWARD(NB_PLUG_IN_HEIC, nb_heif_read_header, (FILE_PARAMETERS, nb_heif_header *header, nb_error *error),
        (FILE_ARGUMENTS, header, error))
FORWARD(NB_PLUG_IN_HEIC, nb_heif_decode,
        (FILE_PARAMETERS, const nb_heif_header *header, nb_target *target, nb_error *error),
        (FILE_ARGUMENTS, header, target, error))
FORWARD(NB_PLUG_IN_HEIC, nb_heif_read_metadata, (FILE_PARAMETERS, nb_metadata *metadata, nb_error *error),
        (FILE_ARGUMENTS, metadata, error))

FORWARD(NB_PLUG_IN_TIFF, nb_tiff_read_header, (FILE_PARAMETERS, nb_tiff_header *header, nb_error *error),
        (FILE_ARGUMENTS, header, error))
FORWARD(NB_PLUG_IN_TIFF, nb_tiff_decode,
        (FILE_PARAMETERS, const nb_tiff_header *expected, nb_target *target, nb_error *error),
        (FILE_ARGUMENTS, expected, target, error))

FORWARD(NB_PLUG_IN_GIF, nb_gif_decode,
        (FILE_PARAMETERS, int32_t width, int32_t height, int32_t *rows, nb_target *target, nb_error *error),
        (FILE_ARGUMENTS, width, height, rows, target, error))

FORWARD(NB_PLUG_IN_PALETTE, nb_png_encode_palette,
        (const nb_plane *planes, int channels, int level, uint8_t **bytes, size_t *count, nb_error *error),
        (planes, channels, level, bytes, count, error))
FORWARD(NB_PLUG_IN_PALETTE, nb_choose_palette,
        (const uint8_t *rgba, int32_t width, int32_t height, int colors, nb_palette *palette, uint8_t *indices,
         nb_error *error),
        (rgba, width, height, colors, palette, indices, error))
FORWARD_VERSION(NB_PLUG_IN_PALETTE, nb_png_palette_version)
FORWARD_VERSION(NB_PLUG_IN_PALETTE, nb_palette_version)
#endif
