// One row of results from the rows of a source, and one from the samples of a row: zimg's arithmetic on integers.
//
// A line holds samples of 16 bits less 32768, as zimg's do within. It has NB_LINE_SLACK samples behind its last, which may be
// read and written, and planes have rows of whole 64 bytes, which may be too.
#pragma once
#include "weights.h"

enum { NB_LINE_SLACK = 64 };

/// What a row is made of. Bytes count as samples of 16 bits that end in 8 zeros.
typedef enum { NB_LINE, NB_BYTES, NB_WORDS } nb_samples;

/// Makes result `y` of the rows of the source that it is made of; `rows` are those from `first` on.
void nb_resample_down(const nb_weights *weights, int32_t y, const uint8_t *const *rows, nb_samples from, int32_t width,
                      uint8_t *to, nb_samples kind);
/// Makes all results of a line. If `are_bytes`, the line holds samples of 8 bits less 128.
void nb_resample_across(const nb_weights *weights, const int16_t *line, int are_bytes, uint8_t *to, nb_samples kind);
/// Makes a line of a plane's row.
void nb_fill_line(const uint8_t *row, int32_t width, int are_bytes, int16_t *line);
