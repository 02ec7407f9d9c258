// SVG decoder: librsvg draws on a surface of cairo, whose colours are multiplied by alpha. Without an address of the file it
// follows no reference but those within it and data: URLs.
#include "svg_elements.h"
#include "svg_library.h"

#include <stdlib.h>
#include <string.h>

/// Takes over and reports an error of librsvg, whose message may have several lines.
static nb_status report(const nb_svg_library *library, glib_error *cause, nb_status status, nb_error *error) {
    if (cause == NULL) return nb_fail(error, status, "librsvg gives no reason");
    for (char *end = cause->message; (end = strpbrk(end, "\r\n")) != NULL;) *end = ' ';
    nb_fail(error, status, cause->message);
    library->g_error_free(cause);
    return status;
}

/// Draws on `pixels`, rows of `width` words.
static nb_status draw(const nb_svg_library *library, rsvg_handle *drawing, const rsvg_rectangle *area, uint32_t *pixels,
                      int32_t width, int32_t height, nb_error *error) {
    cairo_surface *surface = library->cairo_image_surface_create_for_data((uint8_t *)pixels, CAIRO_ARGB32, width, height,
                                                                          4 * width);
    cairo_context *context = library->cairo_create(surface);
    library->cairo_scale(context, width / area->width, height / area->height);
    glib_error *cause = NULL;
    nb_status status = NB_OK;
    int is_drawn = library->rsvg_handle_render_document(drawing, context, area, &cause);
    library->cairo_surface_flush(surface);
    int problem = library->cairo_status(context);
    if (problem == 0) problem = library->cairo_surface_status(surface);
    if (!is_drawn) status = report(library, cause, NB_UNSUPPORTED, error);
    else if (problem == CAIRO_NO_MEMORY) status = nb_fail(error, NB_MEMORY, "not enough memory");
    else if (problem != 0) status = nb_fail(error, NB_PROCESSING, "cairo cannot draw it");
    library->cairo_destroy(context);
    library->cairo_surface_destroy(surface);
    return status;
}

/// A colour without the alpha that it is multiplied by, rounded.
static inline uint8_t divided(uint32_t color, uint32_t alpha) {
    uint32_t value = alpha == 0 ? 0 : (color * 255 + alpha / 2) / alpha;
    return value > 255 ? 255 : (uint8_t)value;
}

static void separate(const uint32_t *pixels, const nb_plane *planes) {
    for (int32_t y = 0; y < planes[0].height; y++) {
        uint8_t *rows[4];
        for (int c = 0; c < 4; c++) rows[c] = nb_row(&planes[c], y);
        for (int32_t x = 0; x < planes[0].width; x++) {
            uint32_t pixel = *pixels++, alpha = pixel >> 24;
            for (int c = 0; c < 3; c++) rows[c][x] = divided(pixel >> (16 - 8 * c) & 255, alpha);
            rows[3][x] = (uint8_t)alpha;
        }
    }
}

nb_status nb_svg_load(nb_error *error) { return nb_svg_find_library(error) == NULL ? NB_NO_PLUG_IN : NB_OK; }

nb_status nb_svg_draw(const uint8_t *bytes, size_t count, double width, double height, const nb_plane *planes,
                      nb_error *error) {
    const nb_svg_library *library = nb_svg_find_library(error);
    if (library == NULL) return NB_NO_PLUG_IN;
    glib_error *cause = NULL;
    rsvg_handle *drawing = library->rsvg_handle_new_from_data(bytes, count, &cause);
    if (drawing == NULL) return report(library, cause, NB_CORRUPT, error);
    library->rsvg_handle_set_dpi(drawing, 96);  // CSS Values and Units 4, section 6.2
    const rsvg_rectangle area = {0, 0, width, height};
    uint32_t *pixels = calloc((size_t)planes[0].width * (size_t)planes[0].height, sizeof *pixels);
    nb_status status = pixels == NULL ? nb_fail(error, NB_MEMORY, "not enough memory")
                                      : draw(library, drawing, &area, pixels, planes[0].width, planes[0].height, error);
    if (status == NB_OK) separate(pixels, planes);
    if (nb_svg_has_external_reference(bytes, count)) nb_warn(error, NB_WARNING_EXTERNAL_REFERENCE);
    free(pixels);
    library->g_object_unref(drawing);
    return status;
}
