// An XMP packet that Expat parses, and the output written from it.
#pragma once
#include "internal.h"

#include "../../SystemLibraries/CExpat/shim.h"

typedef struct {
    XML_Parser parser;
    const char *source;
    int32_t width, height;
    uint32_t classes;         // those whose properties are copied
    int depth;
    int skipped;              // the depth of the element that is left out with its content; 0: none
    int list, kept;           // the depths of rdf:RDF and of the property being copied; 0: none
    int failed;
    nb_bytes out, namespaces;  // the namespaces that the next element declares
} nb_packet;

/// Makes a parser for a packet of `count` bytes.
nb_status nb_packet_start(nb_packet *self, size_t count);
/// Parses, frees the parser and returns the output.
nb_status nb_packet_parse(nb_packet *self, const uint8_t *bytes, size_t count, uint8_t **result, size_t *result_count);
/// Enters an element; 0 if it is too deep.
int nb_packet_enter(nb_packet *self);

// Writing. `failed` reports failures.

void nb_packet_add(nb_packet *self, nb_bytes *to, const void *bytes, size_t count);
void nb_packet_print(nb_packet *self, const char *string);
void nb_packet_escape(nb_packet *self, nb_bytes *to, const char *bytes, size_t count);
/// Writes ` name="value"`.
void nb_packet_attribute(nb_packet *self, const char *name, const char *value);

// Expat returns names as "namespace⏎name⏎prefix", the last two only if there is a namespace.
enum { NB_NAME_SEPARATOR = '\n' };
