// Reduces XMP to the properties of some classes, in known namespaces with known prefixes.
#include "xmp_fields.h"
#include "xmp_packet.h"

#include <string.h>

static void add_tag(nb_packet *self, const char *opening, const char *usual, const char *closing) {
    nb_packet_print(self, opening);
    nb_packet_print(self, usual);
    nb_packet_print(self, closing);
}

/// 1 if a name within a property that is kept stays: a part of its structure, unless it belongs to a class that goes.
static int stays_within(const nb_packet *self, const nb_field *field) {
    return field->classes == 0 ? field->is_part : (field->classes & self->classes) != 0;
}

static void XMLCALL copy_start(void *user, const XML_Char *name, const XML_Char **attributes) {
    nb_packet *self = user;
    if (!nb_packet_enter(self) || self->skipped != 0) return;
    nb_field field = nb_field_of(name);
    if (self->kept == 0) {
        if (self->list == 0 && strcmp(field.usual, "rdf:RDF") == 0) {
            self->list = self->depth;
        } else if (self->list != 0 && self->depth == self->list + 1) {
            // Simple properties may be attributes of the description.
            for (const XML_Char **at = attributes; *at != NULL; at += 2) {
                nb_field simple = nb_field_of(at[0]);
                if ((simple.classes & self->classes) == 0) continue;
                add_tag(self, "<", simple.usual, ">");
                nb_packet_escape(self, &self->out, at[1], strlen(at[1]));
                add_tag(self, "</", simple.usual, ">");
            }
            return;
        }
        if (self->list == 0 || self->depth != self->list + 2 || (field.classes & self->classes) == 0) return;
        self->kept = self->depth;
    } else if (!stays_within(self, &field)) {
        self->skipped = self->depth;
        return;
    }
    add_tag(self, "<", field.usual, "");
    for (const XML_Char **at = attributes; *at != NULL; at += 2) {
        nb_field attribute = nb_field_of(at[0]);
        if (stays_within(self, &attribute)) nb_packet_attribute(self, attribute.usual, at[1]);
    }
    nb_packet_print(self, ">");
}

static void XMLCALL copy_text(void *user, const XML_Char *bytes, int count) {
    nb_packet *self = user;
    if (self->kept != 0 && self->skipped == 0) nb_packet_escape(self, &self->out, bytes, (size_t)count);
}

static void XMLCALL copy_end(void *user, const XML_Char *name) {
    nb_packet *self = user;
    if (self->kept != 0 && self->skipped == 0) add_tag(self, "</", nb_field_of(name).usual, ">");
    if (self->skipped == self->depth) self->skipped = 0;
    if (self->kept == self->depth) self->kept = 0;
    if (self->list == self->depth) self->list = 0;
    self->depth--;
}

nb_status nb_xmp_select(const uint8_t *bytes, size_t count, uint32_t classes, uint8_t **result, size_t *result_count) {
    nb_packet self;
    nb_status status = nb_packet_start(&self, count);
    if (status != NB_OK) return status;
    self.classes = classes;
    XML_SetElementHandler(self.parser, copy_start, copy_end);
    XML_SetCharacterDataHandler(self.parser, copy_text);
    return nb_packet_parse(&self, bytes, count, result, result_count);
}
