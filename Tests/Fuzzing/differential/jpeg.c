// The decoders of JPEG: ours and libjpeg, at 1/8, 1/4, 1/2 and the whole of a side.
#include "decoders.h"

#include <string.h>

enum { MOST_SCANS = 40 };

const int variants = 4;
const char library[] = "libjpeg";

uint8_t *make_file(const uint8_t *bytes, size_t count, size_t *file_count) {
    uint8_t *file = malloc(count + !count);
    if (file) memcpy(file, bytes, *file_count = count);
    return file;
}

static int plan_decode(const uint8_t *file, size_t count, int variant, nb_jpeg_plan *plan) {
    nb_jpeg_header header;
    nb_error error = {0};
    if (nb_jpeg_read_header(file, count, &header, &error) != NB_OK || header.color > NB_JPEG_RGB) return 0;
    nb_jpeg_plan_decode(&header, 1 << variant, plan);
    return 1;
}

int make_picture(const uint8_t *file, size_t count, int variant, picture *picture) {
    nb_jpeg_plan plan;
    *picture = (struct picture){0};
    if (!plan_decode(file, count, variant, &plan)) return 0;
    for (int i = 0; i < plan.count; i++)
        picture->samples += (size_t)plan.plane[i].columns * (size_t)plan.plane[i].rows;
    if (picture->samples > MOST_SAMPLES) return 0;
    for (; picture->count < plan.count; picture->count++) {
        const nb_jpeg_plane_plan *part = &plan.plane[picture->count];
        ptrdiff_t stride = (part->columns + 63) & ~63;
        uint8_t *data = malloc((size_t)stride * (size_t)part->rows);
        if (!data) abort();
        picture->plane[picture->count] = (nb_plane){data, stride, part->width, part->height, 1};
    }
    return 1;
}

int decode(const uint8_t *file, size_t count, int variant, decoder decoder, picture *picture, nb_error *error) {
    static nb_jpeg_context *context;
    if (!context) context = nb_jpeg_context_make();
    nb_jpeg_plan plan;
    if (!plan_decode(file, count, variant, &plan)) return 0;
    if (decoder != LIBRARY && nb_jpeg_decode_direct(file, count, &plan, MOST_SCANS, picture->plane, context)) return 1;
    return decoder != OURS && nb_jpeg_decode(file, count, &plan, MOST_SCANS, 0, picture->plane, error) == NB_OK;
}
