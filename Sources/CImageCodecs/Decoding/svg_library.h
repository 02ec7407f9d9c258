#pragma once
// What is called of librsvg and of what it stands on: declared here, since no header of theirs is needed to build.
#include "internal.h"

typedef struct rsvg_handle rsvg_handle;      // RsvgHandle
typedef struct cairo_context cairo_context;  // cairo_t
typedef struct cairo_surface cairo_surface;  // cairo_surface_t
typedef struct {
    double x, y, width, height;
} rsvg_rectangle;                            // RsvgRectangle
typedef struct {
    uint32_t domain;
    int code;
    char *message;
} glib_error;                                // GError

enum { CAIRO_ARGB32 = 0, CAIRO_NO_MEMORY = 1 };  // cairo_format_t, cairo_status_t

// The functions with their results and parameters, as in librsvg 2.46 and cairo 1.10 and later.
#define NB_SVG_FUNCTIONS(EACH) \
    EACH(rsvg_handle *, rsvg_handle_new_from_data, (const uint8_t *, size_t, glib_error **)) \
    EACH(void, rsvg_handle_set_dpi, (rsvg_handle *, double)) \
    EACH(int, rsvg_handle_render_document, (rsvg_handle *, cairo_context *, const rsvg_rectangle *, glib_error **)) \
    EACH(void, g_object_unref, (void *)) \
    EACH(void, g_error_free, (glib_error *)) \
    EACH(cairo_surface *, cairo_image_surface_create_for_data, (uint8_t *, int, int, int, int)) \
    EACH(int, cairo_surface_status, (cairo_surface *)) \
    EACH(void, cairo_surface_flush, (cairo_surface *)) \
    EACH(void, cairo_surface_destroy, (cairo_surface *)) \
    EACH(cairo_context *, cairo_create, (cairo_surface *)) \
    EACH(void, cairo_scale, (cairo_context *, double, double)) \
    EACH(int, cairo_status, (cairo_context *)) \
    EACH(void, cairo_destroy, (cairo_context *))

typedef struct {
#define NB_SVG_MEMBER(result, name, parameters) result(*name) parameters;
    NB_SVG_FUNCTIONS(NB_SVG_MEMBER)
} nb_svg_library;

/// Returns the functions, loaded once; NULL with a message if they cannot be.
const nb_svg_library *nb_svg_find_library(nb_error *error);
