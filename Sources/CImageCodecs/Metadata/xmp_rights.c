// Reduces XMP to its rights properties, in known namespaces with known prefixes.
#include "xmp_packet.h"

#include <stdio.h>
#include <string.h>

static const struct { const char *uri, *prefix; } known[] = {
    {"http://www.w3.org/1999/02/22-rdf-syntax-ns#\n", "rdf:"},
    {"http://www.w3.org/XML/1998/namespace\n", "xml:"},
    {"http://purl.org/dc/elements/1.1/\n", "dc:"},
    {"http://ns.adobe.com/xap/1.0/rights/\n", "xmpRights:"},
    {"http://ns.adobe.com/photoshop/1.0/\n", "photoshop:"},
    {"http://ns.useplus.org/ldf/xmp/1.0/\n", "plus:"},
    {"http://iptc.org/std/Iptc4xmpCore/1.0/xmlns/\n", "Iptc4xmpCore:"},
    {"http://iptc.org/std/Iptc4xmpExt/2008-02-29/\n", "Iptc4xmpExt:"},
};

// The rights and licensing properties of the IPTC Photo Metadata Standard (TechReference 2021.1, topics "rights" and
// "licensing"; DataMining and OtherConstraints since 2023.1), and XMP's own rights schema (ISO 16684-1, 8.5).
static const char *const rights[] = {
    "dc:rights", "dc:creator", "photoshop:AuthorsPosition", "photoshop:Credit", "photoshop:Source",
    "xmpRights:Certificate", "xmpRights:Marked", "xmpRights:Owner", "xmpRights:UsageTerms", "xmpRights:WebStatement",
    "plus:CopyrightOwner", "plus:ImageCreator", "plus:ImageSupplier", "plus:ImageSupplierImageID", "plus:Licensor",
    "plus:PropertyReleaseID", "plus:PropertyReleaseStatus", "plus:DataMining", "plus:OtherConstraints",
    "Iptc4xmpCore:CreatorContactInfo", "Iptc4xmpExt:EmbdEncRightsExpr", "Iptc4xmpExt:LinkedEncRightsExpr",
};

/// Writes the name with its usual prefix; 0 if its namespace is not listed above.
static int usual_name(const char *name, char usual[96]) {
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        size_t count = strlen(known[i].uri);
        if (strncmp(name, known[i].uri, count) != 0) continue;
        const char *local = name + count;
        return snprintf(usual, 96, "%s%.*s", known[i].prefix, (int)strcspn(local, "\n"), local) < 96;
    }
    return 0;
}

static int is_right(const char *usual) {
    for (size_t i = 0; i < sizeof rights / sizeof *rights; i++)
        if (strcmp(usual, rights[i]) == 0) return 1;
    return 0;
}

static void add_tag(nb_packet *self, const char *opening, const char *usual, const char *closing) {
    nb_packet_print(self, opening);
    nb_packet_print(self, usual);
    nb_packet_print(self, closing);
}

static void XMLCALL copy_start(void *user, const XML_Char *name, const XML_Char **attributes) {
    nb_packet *self = user;
    char usual[96];
    if (!nb_packet_enter(self) || self->skipped != 0) return;
    if (!usual_name(name, usual)) usual[0] = 0;
    if (self->kept == 0) {
        if (self->list == 0 && strcmp(usual, "rdf:RDF") == 0) {
            self->list = self->depth;
        } else if (self->list != 0 && self->depth == self->list + 1) {
            // Simple properties may be attributes of the description.
            for (const XML_Char **at = attributes; *at != NULL; at += 2) {
                if (!usual_name(at[0], usual) || !is_right(usual)) continue;
                add_tag(self, "<", usual, ">");
                nb_packet_escape(self, &self->out, at[1], strlen(at[1]));
                add_tag(self, "</", usual, ">");
            }
            return;
        }
        if (self->list == 0 || self->depth != self->list + 2 || !is_right(usual)) return;
        self->kept = self->depth;
    } else if (usual[0] == 0) {
        self->skipped = self->depth;
        return;
    }
    add_tag(self, "<", usual, "");
    for (const XML_Char **at = attributes; *at != NULL; at += 2)
        if (usual_name(at[0], usual)) nb_packet_attribute(self, usual, at[1]);
    nb_packet_print(self, ">");
}

static void XMLCALL copy_text(void *user, const XML_Char *bytes, int count) {
    nb_packet *self = user;
    if (self->kept != 0 && self->skipped == 0) nb_packet_escape(self, &self->out, bytes, (size_t)count);
}

static void XMLCALL copy_end(void *user, const XML_Char *name) {
    nb_packet *self = user;
    char usual[96];
    if (self->kept != 0 && self->skipped == 0 && usual_name(name, usual)) add_tag(self, "</", usual, ">");
    if (self->skipped == self->depth) self->skipped = 0;
    if (self->kept == self->depth) self->kept = 0;
    if (self->list == self->depth) self->list = 0;
    self->depth--;
}

nb_status nb_xmp_rights(const uint8_t *bytes, size_t count, uint8_t **result, size_t *result_count) {
    nb_packet self;
    nb_status status = nb_packet_start(&self, count);
    if (status != NB_OK) return status;
    XML_SetElementHandler(self.parser, copy_start, copy_end);
    XML_SetCharacterDataHandler(self.parser, copy_text);
    return nb_packet_parse(&self, bytes, count, result, result_count);
}
