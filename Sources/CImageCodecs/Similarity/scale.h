// One scale of SSIMULACRA2: rows come in from above, in strips of nine that are kept, and go on to the next scale.
#pragma once
#include "rows.h"

enum { nb_most_scales = 6, nb_smallest_halved_side = 8 };

/// One image, or the four kinds of rows that nb_map_rows has, as a ring of nine rows.
typedef struct {
    float *reference, *other, *squares, *differences;
    int has_structure, has_edges;  // maps whose weights are not all 0
    nb_map_sums sums;
} nb_scale_channel;

typedef struct nb_scale {
    int32_t width, height;
    int32_t seen;                  // rows
    size_t stride;                 // samples of a row as it is kept
    nb_scale_channel channels[3];
    float *upper[2][3];            // the linear row above, of both images, until the next one comes
    float *halved[2][3];
    float *spare[2];               // for the channels that have no maps
    float *zeros, *scratch;
    const nb_row_functions *functions;
    struct nb_scale *next;         // NULL for the last one
} nb_scale;

/// Allocates the rows of a scale whose sizes, functions and wanted maps are set; 0 without memory.
int nb_scale_allocate(nb_scale *self);
void nb_scale_free(nb_scale *self);

/// Takes the next row of both images, in linear light. Rows may be overwritten afterwards.
void nb_scale_take(nb_scale *self, const float *const reference[3], const float *const other[3]);
/// Says that all rows came, to this scale and the next ones.
void nb_scale_finish(nb_scale *self);
