#pragma once
// The metadata that files have of an image.

#include <stddef.h>
#include <stdint.h>

#include "outcomes.h"

/// The longest EXIF data or XMP packet that is read, in bytes. Longer data is not plausible metadata.
#define NB_LONGEST_METADATA ((size_t)1 << 20)

/// EXIF data and XMP as a container holds them; each is NULL or must be released with nb_free.
typedef struct {
    uint8_t *exif, *xmp;
    size_t exif_count, xmp_count;
} nb_metadata;

// XMP

/// Copies a packet for an image made from the one that it describes: upright, sRGB, `width` by `height`, without
/// thumbnails of the original or references to parts of its file. `nb_free` releases the result. NB_CORRUPT if it is
/// not well-formed XML without a document type.
nb_status nb_xmp_update(const uint8_t *bytes, size_t count, int32_t width, int32_t height, uint8_t **result,
                        size_t *result_count);
/// The classes of metadata that a choice keeps, as bits; docs/metadata.md lists the fields of each.
typedef enum {
    NB_CLASS_RIGHTS = 1, NB_CLASS_DATE = 2, NB_CLASS_CAMERA = 4, NB_CLASS_IDENTIFIERS = 8, NB_CLASS_DESCRIPTION = 16,
    NB_CLASS_PEOPLE = 32, NB_CLASS_LOCATION = 64,
} nb_class;

/// Writes the properties of the classes, as the content of an rdf:Description within which the prefixes of
/// nb_xmp_namespace are declared. Otherwise as nb_xmp_update; NULL if there are none.
nb_status nb_xmp_select(const uint8_t *bytes, size_t count, uint32_t classes, uint8_t **result, size_t *result_count);
/// A namespace of selected properties and its usual prefix; NULL if `index` is not below their number.
const char *nb_xmp_namespace(size_t index, const char **prefix);
/// A property of a class and that class, such as "dc:rights"; NULL if `index` is not below their number. A name that
/// ends in "*" stands for all that begin with it.
const char *nb_xmp_property(size_t index, nb_class *class_of_it);

/// Writes what a packet says of a gain map, as lines of "name=value": properties of hdrgm without their prefix, a line for each
/// item of a list; "Item=" and then Semantic, Length and Padding for each picture of a directory; AuxiliaryImageType. A value is
/// cut after 64 bytes. `list_end` is where the end tag of the last rdf:RDF begins; 0 if there is none. Otherwise as
/// nb_xmp_update; NULL if there is nothing of a gain map.
nb_status nb_xmp_gain_map(const uint8_t *bytes, size_t count, uint8_t **result, size_t *result_count, size_t *list_end);
