// Resampling of one plane: the direct resampler and, for what it leaves, zimg, whose results both give; and an area average
// for the box filter that zimg lacks.
#include "internal.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <zimg.h>

#include "Resampling/direct.h"

struct nb_resampler {
    nb_resampling what;
    nb_direct_resampler *direct;
    zimg_filter_graph *graph;  // both NULL for a box
    size_t scratch;
};

static void choose_filter(zimg_graph_builder_params *params, nb_filter filter) {
    switch (filter) {
        case NB_BILINEAR: params->resample_filter = ZIMG_RESIZE_BILINEAR; return;
        case NB_MITCHELL:
            params->resample_filter = ZIMG_RESIZE_BICUBIC;
            params->filter_param_a = params->filter_param_b = 1.0 / 3;
            return;
        case NB_BICUBIC:  // Catmull-Rom
            params->resample_filter = ZIMG_RESIZE_BICUBIC;
            params->filter_param_a = 0;
            params->filter_param_b = 0.5;
            return;
        default:
            params->resample_filter = ZIMG_RESIZE_LANCZOS;
            params->filter_param_a = 3;
            return;
    }
}

// With vectors of 64 bytes, zimg 3.0.4 takes some columns from a wrong place, for about one size in seventy; with those of
// arm64, for one in fourteen. NB_NARROW: to compare with what it gives without vectors.
static zimg_cpu_type_e processor(void) {
#if defined(__aarch64__) || defined(NB_NARROW)
    return ZIMG_CPU_NONE;
#else
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx2")) return ZIMG_CPU_X86_AVX2;
#endif
    return ZIMG_CPU_AUTO;
#endif
}

static zimg_filter_graph *build_graph(const nb_resampling *what) {
    zimg_image_format source, destination;
    zimg_graph_builder_params params;
    zimg_image_format_default(&source, ZIMG_API_VERSION);
    zimg_graph_builder_params_default(&params, ZIMG_API_VERSION);
    source.width = (unsigned)what->source_width;
    source.height = (unsigned)what->source_height;
    source.pixel_type = what->sample_bytes == 2 ? ZIMG_PIXEL_WORD : ZIMG_PIXEL_BYTE;
    source.depth = 8 * (unsigned)what->sample_bytes;
    source.pixel_range = ZIMG_RANGE_FULL;
    destination = source;
    destination.width = (unsigned)what->width;
    destination.height = (unsigned)what->height;
    source.active_region.left = what->x;
    source.active_region.top = what->y;
    source.active_region.width = what->region_width;
    source.active_region.height = what->region_height;
    choose_filter(&params, what->filter);
    params.cpu_type = processor();
    return zimg_filter_graph_build(&source, &destination, &params);
}

nb_status nb_resampler_make(const nb_resampling *what, nb_resampler **resampler, nb_error *error) {
    nb_resampler *made = calloc(1, sizeof *made);
    if (made == NULL) return nb_fail(error, NB_MEMORY, "not enough memory");
    made->what = *what;
    if (!what->by_library) made->direct = nb_direct_resampler_make(what);
    if (what->filter != NB_BOX && made->direct == NULL) {
        made->graph = build_graph(what);
        if (made->graph == NULL || zimg_filter_graph_get_tmp_size(made->graph, &made->scratch) != 0) {
            int code = zimg_get_last_error(error->message, sizeof error->message);
            nb_resampler_free(made);
            return code == ZIMG_ERROR_OUT_OF_MEMORY ? NB_MEMORY : NB_PROCESSING;
        }
    }
    *resampler = made;
    return NB_OK;
}

void nb_resampler_free(nb_resampler *resampler) {
    if (resampler == NULL) return;
    nb_direct_resampler_free(resampler->direct);
    zimg_filter_graph_free(resampler->graph);
    free(resampler);
}

static nb_status run_graph(const nb_resampler *self, const nb_plane *source, const nb_plane *destination,
                           nb_error *error) {
    void *scratch = nb_allocate(self->scratch);
    if (scratch == NULL) return nb_fail(error, NB_MEMORY, "not enough memory");
    zimg_image_buffer_const from = {ZIMG_API_VERSION, {{source->data, source->stride, ZIMG_BUFFER_MAX}}};
    zimg_image_buffer to = {ZIMG_API_VERSION, {{destination->data, destination->stride, ZIMG_BUFFER_MAX}}};
    int code = zimg_filter_graph_process(self->graph, &from, &to, scratch, NULL, NULL, NULL, NULL);
    if (code != 0) zimg_get_last_error(error->message, sizeof error->message);
    nb_free(scratch);
    return code == 0 ? NB_OK : NB_PROCESSING;
}

static double overlap(double from, double to, double cell) { return fmin(to, cell + 1) - fmax(from, cell); }

static int clamp(int value, int count) { return value < 0 ? 0 : value >= count ? count - 1 : value; }

/// Adds the source rows between `from` and `to`, each weighted by the fraction of it in between.
static void sum_rows(const nb_resampling *what, const nb_plane *source, double from, double to, float *sums) {
    int wide = what->sample_bytes == 2;
    for (int i = 0; i < what->source_width; i++) sums[i] = 0;
    for (int y = (int)floor(from); y < to; y++) {
        const uint8_t *row = nb_row(source, clamp(y, what->source_height));
        float weight = (float)(overlap(from, to, y) / (to - from));
        for (int x = 0; x < what->source_width; x++) sums[x] += weight * (float)nb_get(row, x, wide);
    }
}

static nb_status run_box(const nb_resampling *what, const nb_plane *source, const nb_plane *destination,
                         nb_error *error) {
    float *sums = malloc(sizeof(float) * (size_t)what->source_width);
    if (sums == NULL) return nb_fail(error, NB_MEMORY, "not enough memory");
    int wide = what->sample_bytes == 2;
    double step_x = what->region_width / what->width, step_y = what->region_height / what->height;
    for (int row = 0; row < what->height; row++) {
        double top = what->y + row * step_y;
        sum_rows(what, source, top, top + step_y, sums);
        for (int column = 0; column < what->width; column++) {
            double left = what->x + column * step_x, right = left + step_x, sum = 0;
            for (int x = (int)floor(left); x < right; x++)
                sum += overlap(left, right, x) * sums[clamp(x, what->source_width)];
            double value = fmin(fmax(floor(sum / step_x + 0.5), 0), wide ? 65535 : 255);
            nb_put(nb_row(destination, row), column, wide, (uint32_t)value);
        }
    }
    free(sums);
    return NB_OK;
}

nb_status nb_resampler_run(const nb_resampler *self, const nb_plane *source, const nb_plane *destination,
                           nb_error *error) {
    if (source->width != self->what.source_width || source->height != self->what.source_height ||
        destination->width != self->what.width || destination->height != self->what.height)
        return nb_fail(error, NB_PROCESSING, "the planes have other sizes than the resampling");
    if (self->direct != NULL) return nb_direct_resampler_run(self->direct, source, destination, error);
    return self->graph != NULL ? run_graph(self, source, destination, error)
                               : run_box(&self->what, source, destination, error);
}

int nb_resampler_is_direct(const nb_resampler *resampler) { return resampler->direct != NULL; }
