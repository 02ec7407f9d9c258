// Finds what XMP says of a gain map: Adobe's properties (hdrgm), Google's directory of a file's pictures (GContainer), and the
// type of an auxiliary picture by Apple.
#include "xmp_packet.h"

#include <stdlib.h>
#include <string.h>

typedef struct {
    nb_packet packet;   // the first member: Expat's callbacks get it
    const char *name;   // of the property whose text is being read; NULL: none
    int at;             // the depth of its element
    int has_values;     // 1 after an item of its list
    nb_bytes text;
    size_t list_end;
} reader;

enum { LONGEST_TEXT = 64 };  // numbers, and the names of kinds

static int is(const char *name, const char *expected) {
    size_t count = strlen(expected);
    return strncmp(name, expected, count) == 0 && (name[count] == 0 || name[count] == NB_NAME_SEPARATOR);
}

/// The name as it is written out; NULL for a name of no interest.
static const char *known(const char *name) {
    static const struct { const char *name, *written; } names[] = {
        {"http://ns.adobe.com/hdr-gain-map/1.0/\nVersion", "Version"},
        {"http://ns.adobe.com/hdr-gain-map/1.0/\nBaseRenditionIsHDR", "BaseRenditionIsHDR"},
        {"http://ns.adobe.com/hdr-gain-map/1.0/\nGainMapMin", "GainMapMin"},
        {"http://ns.adobe.com/hdr-gain-map/1.0/\nGainMapMax", "GainMapMax"},
        {"http://ns.adobe.com/hdr-gain-map/1.0/\nGamma", "Gamma"},
        {"http://ns.adobe.com/hdr-gain-map/1.0/\nOffsetSDR", "OffsetSDR"},
        {"http://ns.adobe.com/hdr-gain-map/1.0/\nOffsetHDR", "OffsetHDR"},
        {"http://ns.adobe.com/hdr-gain-map/1.0/\nHDRCapacityMin", "HDRCapacityMin"},
        {"http://ns.adobe.com/hdr-gain-map/1.0/\nHDRCapacityMax", "HDRCapacityMax"},
        {"http://ns.google.com/photos/1.0/container/item/\nSemantic", "Semantic"},
        {"http://ns.google.com/photos/1.0/container/item/\nLength", "Length"},
        {"http://ns.google.com/photos/1.0/container/item/\nPadding", "Padding"},
        {"http://ns.apple.com/pixeldatainfo/1.0/\nAuxiliaryImageType", "AuxiliaryImageType"},
    };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (is(name, names[i].name)) return names[i].written;
    return NULL;
}

/// Writes "name=value" and the end of the line. Control characters become spaces, so that a line is one value.
static void write_line(reader *self, const char *name, const char *value, size_t count) {
    nb_packet *packet = &self->packet;
    nb_packet_print(packet, name);
    nb_packet_print(packet, "=");
    if (count > LONGEST_TEXT) count = LONGEST_TEXT;
    for (size_t i = 0; i < count; i++) {
        char byte = (unsigned char)value[i] < ' ' ? ' ' : value[i];
        nb_packet_add(packet, &packet->out, &byte, 1);
    }
    nb_packet_print(packet, "\n");
}

static void XMLCALL start_element(void *user, const XML_Char *name, const XML_Char **attributes) {
    reader *self = user;
    if (!nb_packet_enter(&self->packet)) return;
    if (is(name, "http://ns.google.com/photos/1.0/container/\nItem")) write_line(self, "Item", "", 0);
    for (const XML_Char **at = attributes; *at != NULL; at += 2) {
        const char *written = known(at[0]);
        if (written != NULL) write_line(self, written, at[1], strlen(at[1]));
    }
    self->text.count = 0;
    const char *written = known(name);
    if (written == NULL) return;
    self->name = written;
    self->at = self->packet.depth;
    self->has_values = 0;
}

static void XMLCALL add_text(void *user, const XML_Char *bytes, int count) {
    reader *self = user;
    if (self->name == NULL || self->text.count > LONGEST_TEXT) return;
    nb_packet_add(&self->packet, &self->text, bytes, (size_t)count);
}

static void XMLCALL end_element(void *user, const XML_Char *name) {
    reader *self = user;
    int is_property = self->name != NULL && self->at == self->packet.depth;
    int is_item = self->name != NULL && is(name, "http://www.w3.org/1999/02/22-rdf-syntax-ns#\nli");
    if (is_item || (is_property && !self->has_values)) write_line(self, self->name, (const char *)self->text.bytes, self->text.count);
    if (is_item) self->has_values = 1;
    if (is_property) self->name = NULL;
    if (is(name, "http://www.w3.org/1999/02/22-rdf-syntax-ns#\nRDF")) {
        // The end of an element without content takes no bytes.
        self->list_end = nb_xml_byte_count(self->packet.parser) > 0 ? (size_t)nb_xml_byte_index(self->packet.parser) : 0;
    }
    self->text.count = 0;
    self->packet.depth--;
}

nb_status nb_xmp_gain_map(const uint8_t *bytes, size_t count, uint8_t **result, size_t *result_count, size_t *list_end) {
    reader self = {0};
    nb_status status = nb_packet_start(&self.packet, count);
    if (status != NB_OK) return status;
    XML_SetElementHandler(self.packet.parser, start_element, end_element);
    XML_SetCharacterDataHandler(self.packet.parser, add_text);
    status = nb_packet_parse(&self.packet, bytes, count, result, result_count);
    *list_end = self.list_end;
    free(self.text.bytes);
    return status;
}
