#pragma once
// SVG: Expat finds the drawing's size, in any process; librsvg draws it (docs/adr/0017-svg.md).

#include <stddef.h>
#include <stdint.h>

#include "outcomes.h"
#include "plane.h"

/// The attributes of a drawing's root element as they are written; empty if one is missing or longer.
typedef struct {
    char width[32], height[32], view_box[128];
} nb_svg_root;

/// Returns 1 for XML whose root is `svg` in SVG's namespace and begins in the first 64 KiB, in UTF-8, UTF-16, ISO 8859-1 or
/// ASCII. Opens nothing.
int nb_svg_read_root(const uint8_t *bytes, size_t count, nb_svg_root *root);
/// Returns 1 for XML that is sound up to its end, and ends before its root element does. Opens nothing.
int nb_svg_is_cut(const uint8_t *bytes, size_t count);

/// Loads librsvg unless it is loaded; NB_NO_PLUG_IN with the reason and a remedy if it cannot be.
nb_status nb_svg_load(nb_error *error);
/// Draws all of an area of `width` by `height` units on 4 planes (RGBA) of 8 bits, whose sides are at most
/// NB_LONGEST_SVG_SIDE. References to other files are not followed: NB_WARNING_EXTERNAL_REFERENCE.
nb_status nb_svg_draw(const uint8_t *bytes, size_t count, double width, double height, const nb_plane *planes,
                      nb_error *error);
enum { NB_LONGEST_SVG_SIDE = 32767 };  // of cairo's image surfaces
