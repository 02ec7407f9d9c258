// Updates XMP for an image that was made from another one: copies the packet unchanged except for properties that are
// no longer true.
#include "xmp_packet.h"

#include <stdio.h>
#include <string.h>

typedef enum { TRUE_STILL, ONE, WIDTH, HEIGHT, LEFT_OUT } change;

/// The change to apply to an element or attribute.
static change change_of(const char *name) {
    // "namespace⏎name", or "namespace⏎" for all of its names.
    static const struct { const char *name; change change; } changes[] = {
        // Exif for XMP (CIPA DC-010).
        {"http://ns.adobe.com/tiff/1.0/\nOrientation", ONE},
        {"http://ns.adobe.com/tiff/1.0/\nImageWidth", WIDTH},
        {"http://ns.adobe.com/tiff/1.0/\nImageLength", HEIGHT},
        {"http://ns.adobe.com/exif/1.0/\nPixelXDimension", WIDTH},
        {"http://ns.adobe.com/exif/1.0/\nPixelYDimension", HEIGHT},
        {"http://ns.adobe.com/exif/1.0/\nColorSpace", ONE},  // sRGB
        // Thumbnails of the original, its profile, and references to other parts of its file.
        {"http://ns.adobe.com/xap/1.0/\nThumbnails", LEFT_OUT},
        {"http://ns.adobe.com/photoshop/1.0/\nICCProfile", LEFT_OUT},
        {"http://ns.adobe.com/xmp/note/\nHasExtendedXMP", LEFT_OUT},
        {"http://ns.adobe.com/hdr-gain-map/1.0/\n", LEFT_OUT},
        {"http://ns.google.com/photos/1.0/container/\nDirectory", LEFT_OUT},
        {"http://ns.google.com/photos/1.0/camera/\nMotionPhoto", LEFT_OUT},
        {"http://ns.google.com/photos/1.0/camera/\nMicroVideo", LEFT_OUT},
    };
    for (size_t i = 0; i < sizeof changes / sizeof *changes; i++) {
        size_t count = strlen(changes[i].name);
        if (strncmp(name, changes[i].name, count) != 0) continue;
        if (changes[i].name[count - 1] == NB_NAME_SEPARATOR || name[count] == NB_NAME_SEPARATOR || name[count] == 0)
            return changes[i].change;
    }
    return TRUE_STILL;
}

static const char *value_of(const nb_packet *self, change change, char number[12]) {
    snprintf(number, 12, "%d", change == ONE ? 1 : change == WIDTH ? self->width : self->height);
    return number;
}

/// "prefix:name" as in the packet; 0 for names longer than any in XMP.
static int written_name(const char *name, char written[256]) {
    const char *local = strchr(name, NB_NAME_SEPARATOR), *prefix = NULL;
    local = local == NULL ? name : local + 1;
    prefix = strchr(local, NB_NAME_SEPARATOR);
    if (prefix == NULL) return snprintf(written, 256, "%s", local) < 256;
    return snprintf(written, 256, "%s:%.*s", prefix + 1, (int)(prefix - local), local) < 256;
}

static void XMLCALL copy_event(void *user, const XML_Char *bytes, int count) {
    nb_packet *self = user;
    if (self->skipped == 0) nb_packet_add(self, &self->out, bytes, (size_t)count);
}

static void XMLCALL note_namespace(void *user, const XML_Char *prefix, const XML_Char *uri) {
    nb_packet *self = user;
    const char *parts[3] = {" xmlns", prefix == NULL ? "" : ":", prefix == NULL ? "" : prefix};
    for (int i = 0; i < 3; i++) nb_packet_add(self, &self->namespaces, parts[i], strlen(parts[i]));
    nb_packet_add(self, &self->namespaces, "=\"", 2);
    if (uri != NULL) nb_packet_escape(self, &self->namespaces, uri, strlen(uri));
    nb_packet_add(self, &self->namespaces, "\"", 1);
}

static void rewrite_tag(nb_packet *self, const char *name, const XML_Char **attributes, int is_empty) {
    char number[12], written[256];
    self->failed |= !written_name(name, written);
    nb_packet_print(self, "<");
    nb_packet_print(self, written);
    nb_packet_add(self, &self->out, self->namespaces.bytes, self->namespaces.count);
    for (const XML_Char **at = attributes; *at != NULL; at += 2) {
        change change = change_of(at[0]);
        if (change == LEFT_OUT) continue;
        self->failed |= !written_name(at[0], written);
        nb_packet_attribute(self, written, change == TRUE_STILL ? at[1] : value_of(self, change, number));
    }
    nb_packet_print(self, is_empty ? "/>" : ">");
}

static void XMLCALL start_element(void *user, const XML_Char *name, const XML_Char **attributes) {
    nb_packet *self = user;
    char number[12];
    int was_skipped = self->skipped != 0, is_true = 1;
    change of_element = change_of(name);
    int64_t end = nb_xml_byte_index(self->parser) + (int64_t)nb_xml_byte_count(self->parser);
    int is_empty = end >= 2 && self->source[end - 2] == '/';
    if (nb_packet_enter(self) && !was_skipped) {
        for (const XML_Char **at = attributes; *at != NULL; at += 2) is_true &= change_of(*at) == TRUE_STILL;
        if (of_element == LEFT_OUT) self->skipped = self->depth;
        else if (is_true) XML_DefaultCurrent(self->parser);
        else rewrite_tag(self, name, attributes, is_empty);
        if (of_element != TRUE_STILL && of_element != LEFT_OUT && !is_empty) {
            nb_packet_print(self, value_of(self, of_element, number));
            self->skipped = self->depth;
        }
    }
    self->namespaces.count = 0;
}

static void XMLCALL end_element(void *user, const XML_Char *name) {
    nb_packet *self = user;
    int ends_skipping = self->skipped == self->depth;
    if (ends_skipping) self->skipped = 0;
    if (self->skipped == 0 && !(ends_skipping && change_of(name) == LEFT_OUT)) XML_DefaultCurrent(self->parser);
    self->depth--;
}

nb_status nb_xmp_update(const uint8_t *bytes, size_t count, int32_t width, int32_t height, uint8_t **result,
                        size_t *result_count) {
    nb_packet self;
    nb_status status = nb_packet_start(&self, count);
    if (status != NB_OK) return status;
    self.width = width;
    self.height = height;
    XML_SetDefaultHandler(self.parser, copy_event);
    XML_SetElementHandler(self.parser, start_element, end_element);
    XML_SetStartNamespaceDeclHandler(self.parser, note_namespace);
    return nb_packet_parse(&self, bytes, count, result, result_count);
}
