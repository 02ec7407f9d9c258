// Palettes: libimagequant chooses the colours of an image, and dithers it.
#ifdef NB_PALETTE
#define _GNU_SOURCE
#include "internal.h"

#include <dlfcn.h>
#include <stdio.h>

#include <libimagequant.h>

// A libimagequant built with OpenMP would use all cores, and its sums, and so its colours, would depend on their
// number. The setting applies to the calling thread.
static void use_one_thread(void) {
    union {
        void *symbol;
        void (*function)(int);
    } set_threads = {dlsym(RTLD_DEFAULT, "omp_set_num_threads")};
    if (set_threads.symbol != NULL) set_threads.function(1);
}

static nb_status fail(nb_error *error, liq_error code) {
    if (code == LIQ_OUT_OF_MEMORY) return nb_fail(error, NB_MEMORY, "not enough memory");
    snprintf(error->message, sizeof error->message, "libimagequant's error %d", (int)code);
    return NB_PROCESSING;
}

nb_status nb_choose_palette(const uint8_t *rgba, int32_t width, int32_t height, int colors, nb_palette *palette,
                            uint8_t *indices, nb_error *error) {
    use_one_thread();
    liq_attr *settings = liq_attr_create();
    liq_image *image = NULL;
    liq_result *result = NULL;
    liq_error code = LIQ_OUT_OF_MEMORY;
    if (settings != NULL) {
        liq_set_quality(settings, 0, 100);
        liq_set_speed(settings, 4);
        liq_set_max_colors(settings, colors);
        image = liq_image_create_rgba(settings, rgba, width, height, 0);
    }
    if (image != NULL) code = liq_image_quantize(image, settings, &result);
    if (code == LIQ_OK) {
        liq_set_dithering_level(result, 1);
        code = liq_write_remapped_image(result, image, indices, (size_t)width * (size_t)height);
    }
    if (code == LIQ_OK) {
        // Mapping the pixels adjusts the colours, so the palette is read last.
        const liq_palette *found = liq_get_palette(result);
        palette->count = (int32_t)found->count;
        for (unsigned i = 0; i < found->count; i++) {
            const liq_color *color = &found->entries[i];
            uint8_t *to = palette->colors[i];
            to[0] = color->r, to[1] = color->g, to[2] = color->b, to[3] = color->a;
        }
    }
    if (result != NULL) liq_result_destroy(result);
    if (image != NULL) liq_image_destroy(image);
    if (settings != NULL) liq_attr_destroy(settings);
    return code == LIQ_OK ? NB_OK : fail(error, code);
}

void nb_palette_version(char *text, size_t count) {
    snprintf(text, count, "libimagequant %s", LIQ_VERSION_STRING);
}
#endif
