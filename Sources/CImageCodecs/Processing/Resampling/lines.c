#include "lines.h"

#include "vectors.h"

#if NB_VECTORS
#if defined(__x86_64__)
#include "lines_avx2.h"
#else
#include "lines_neon.h"
#endif

NB_VECTORS_BEGIN

// The kernels are inlined with the kinds of samples as constants.

void nb_resample_down(const nb_weights *weights, int32_t y, const uint8_t *const *rows, nb_samples from, int32_t width,
                      uint8_t *to, nb_samples kind) {
    if (from == NB_BYTES && kind == NB_BYTES) down(weights, y, rows, width, to, NB_BYTES, NB_BYTES);
    else if (from == NB_BYTES) down(weights, y, rows, width, to, NB_BYTES, NB_LINE);
    else if (from == NB_LINE && kind == NB_BYTES) down(weights, y, rows, width, to, NB_LINE, NB_BYTES);
    else if (from == NB_LINE) down(weights, y, rows, width, to, NB_LINE, NB_WORDS);
    else if (kind == NB_WORDS) down(weights, y, rows, width, to, NB_WORDS, NB_WORDS);
    else down(weights, y, rows, width, to, NB_WORDS, NB_LINE);
}

void nb_resample_across(const nb_weights *weights, const int16_t *line, int are_bytes, uint8_t *to, nb_samples kind) {
    int is_short = weights->taps == 8;
    if (kind == NB_BYTES && is_short) across(weights, line, are_bytes, to, NB_BYTES, 1);
    else if (kind == NB_BYTES) across(weights, line, are_bytes, to, NB_BYTES, 0);
    else if (is_short) across(weights, line, are_bytes, to, kind, 1);
    else across(weights, line, are_bytes, to, kind, 0);
}

void nb_fill_line(const uint8_t *row, int32_t width, int are_bytes, int16_t *line) {
    const uint16_t *words = (const uint16_t *)(const void *)row;
    if (are_bytes) for (int32_t x = 0; x < width; x++) line[x] = (int16_t)(row[x] - 128);
    else for (int32_t x = 0; x < width; x++) line[x] = (int16_t)(words[x] ^ 0x8000);
}

NB_VECTORS_END
#endif
