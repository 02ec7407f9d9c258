// Parses XMP packets (ISO 16684-1) with Expat.
//
// The input is untrusted: a document type is refused, and with it all entities except XML's predefined five. Elements
// may not nest deeper than XMP needs, and no output is longer than a packet may be.
#include "xmp_packet.h"

#include <stdlib.h>
#include <string.h>

enum { DEEPEST = 64 };

void nb_packet_add(nb_packet *self, nb_bytes *to, const void *bytes, size_t count) {
    if (count > NB_LONGEST_METADATA - to->count) self->failed = 1;
    if (self->failed) return;
    nb_bytes_add(to, bytes, count);
    self->failed = to->has_failed;
}

void nb_packet_print(nb_packet *self, const char *string) {
    nb_packet_add(self, &self->out, string, strlen(string));
}

static const char *escape_of(char byte) {
    switch (byte) {
        case '&': return "&amp;";
        case '<': return "&lt;";
        case '>': return "&gt;";
        case '"': return "&quot;";
        case '\r': return "&#13;";
        default: return NULL;
    }
}

void nb_packet_escape(nb_packet *self, nb_bytes *to, const char *bytes, size_t count) {
    for (size_t i = 0; i < count; i++) {
        const char *escape = escape_of(bytes[i]);
        if (escape == NULL) nb_packet_add(self, to, bytes + i, 1);
        else nb_packet_add(self, to, escape, strlen(escape));
    }
}

void nb_packet_attribute(nb_packet *self, const char *name, const char *value) {
    nb_packet_print(self, " ");
    nb_packet_print(self, name);
    nb_packet_print(self, "=\"");
    nb_packet_escape(self, &self->out, value, strlen(value));
    nb_packet_print(self, "\"");
}

int nb_packet_enter(nb_packet *self) {
    if (++self->depth <= DEEPEST && !self->failed) return 1;
    self->failed = 1;
    XML_StopParser(self->parser, XML_FALSE);
    return 0;
}

static void XMLCALL refuse_document_type(void *user, const XML_Char *name, const XML_Char *system,
                                         const XML_Char *public, int has_subset) {
    nb_packet *self = user;
    (void)name, (void)system, (void)public, (void)has_subset;
    self->failed = 1;
    XML_StopParser(self->parser, XML_FALSE);
}

nb_status nb_packet_start(nb_packet *self, size_t count) {
    *self = (nb_packet){0};
    if (count > NB_LONGEST_METADATA) return NB_LIMITS;
    self->parser = XML_ParserCreateNS("UTF-8", NB_NAME_SEPARATOR);
    return self->parser == NULL ? NB_MEMORY : NB_OK;
}

nb_status nb_packet_parse(nb_packet *self, const uint8_t *bytes, size_t count, uint8_t **result, size_t *result_count) {
    self->source = (const char *)bytes;
    XML_SetUserData(self->parser, self);
    XML_SetReturnNSTriplet(self->parser, 1);
    XML_SetStartDoctypeDeclHandler(self->parser, refuse_document_type);
    // Expat would find UTF-16 by its first bytes, whatever it is told; it is not read (docs/limits.md).
    int is_utf_16 = count > 1 && (bytes[0] == 0 || bytes[1] == 0 || bytes[0] >= 0xFE);
    enum XML_Status code = is_utf_16 ? XML_STATUS_ERROR : XML_Parse(self->parser, self->source, (int)count, 1);
    XML_ParserFree(self->parser);
    free(self->namespaces.bytes);
    if (code != XML_STATUS_OK || self->failed) {
        free(self->out.bytes);
        return NB_CORRUPT;
    }
    *result = self->out.bytes;
    *result_count = self->out.count;
    return NB_OK;
}
