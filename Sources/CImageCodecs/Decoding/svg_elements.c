// Reads the elements of SVG with Expat: the root, which tells what a file is and how large, and references to other files.
//
// The input is untrusted. Expat opens nothing, and limits what entities grow to.
#include "svg_elements.h"

#include <string.h>

#include <expat.h>

/// The root begins here: some programs write many entities, and long comments, before it.
enum { LONGEST_START = 64 << 10 };

#define SEPARATOR '\n'  // no name has one
#define SVG "http://www.w3.org/2000/svg\n"
#define XLINK "http://www.w3.org/1999/xlink\n"

typedef struct {
    XML_Parser parser;
    nb_svg_root *root;
    int found;
} reader;

static void keep(char *kept, size_t capacity, const char *value) {
    size_t count = strlen(value);
    if (count < capacity) memcpy(kept, value, count + 1);
}

static void XMLCALL read_root(void *user, const XML_Char *name, const XML_Char **attributes) {
    reader *self = user;
    self->found = strcmp(name, SVG "svg") == 0;
    for (; self->found && *attributes != NULL; attributes += 2) {
        if (strcmp(attributes[0], "width") == 0) keep(self->root->width, sizeof self->root->width, attributes[1]);
        if (strcmp(attributes[0], "height") == 0) keep(self->root->height, sizeof self->root->height, attributes[1]);
        if (strcmp(attributes[0], "viewBox") == 0)
            keep(self->root->view_box, sizeof self->root->view_box, attributes[1]);
    }
    XML_StopParser(self->parser, XML_FALSE);
}

static void XMLCALL find_reference(void *user, const XML_Char *name, const XML_Char **attributes) {
    reader *self = user;
    if (strcmp(name, SVG "image") != 0 && strcmp(name, SVG "feImage") != 0 && strcmp(name, SVG "use") != 0) return;
    for (; *attributes != NULL; attributes += 2) {
        if (strcmp(attributes[0], "href") != 0 && strcmp(attributes[0], XLINK "href") != 0) continue;
        const char *target = attributes[1] + strspn(attributes[1], " \t\r\n");
        if (*target != 0 && *target != '#' && strncmp(target, "data:", 5) != 0) self->found = 1;
    }
    if (self->found) XML_StopParser(self->parser, XML_FALSE);
}

/// Reads from the beginning; returns what is wrong with the XML.
static enum XML_Error parse(reader *self, const uint8_t *bytes, size_t count, XML_StartElementHandler handler,
                            int is_whole) {
    self->parser = XML_ParserCreateNS(NULL, SEPARATOR);
    if (self->parser == NULL) return XML_ERROR_NO_MEMORY;
    XML_SetUserData(self->parser, self);
    XML_SetStartElementHandler(self->parser, handler);
    (void)XML_Parse(self->parser, (const char *)bytes, (int)count, is_whole);
    enum XML_Error error = XML_GetErrorCode(self->parser);
    XML_ParserFree(self->parser);
    return error;
}

static int find(reader *self, const uint8_t *bytes, size_t count, XML_StartElementHandler handler) {
    // That it is stopped, and what is wrong behind it, is no failure here.
    (void)parse(self, bytes, count, handler, 0);
    return self->found;
}

/// Whether the first byte that is no space, no half of a wide character and no mark of an order of bytes opens an element.
static int is_markup(const uint8_t *bytes, size_t count) {
    static const uint8_t passed[] = {0xEF, 0xBB, 0xBF, 0xFE, 0xFF, 0, ' ', '\t', '\r', '\n'};
    for (size_t i = 0; i < count; i++)
        if (memchr(passed, bytes[i], sizeof passed) == NULL) return bytes[i] == '<';
    return 0;
}

int nb_svg_read_root(const uint8_t *bytes, size_t count, nb_svg_root *root) {
    *root = (nb_svg_root){0};
    if (count > LONGEST_START) count = LONGEST_START;
    reader self = {.root = root};
    return is_markup(bytes, count) && find(&self, bytes, count, read_root);
}

int nb_svg_has_external_reference(const uint8_t *bytes, size_t count) {
    reader self = {0};
    return count <= INT32_MAX && find(&self, bytes, count, find_reference);
}

int nb_svg_is_cut(const uint8_t *bytes, size_t count) {
    reader self = {0};
    if (count > INT32_MAX) return 0;
    switch (parse(&self, bytes, count, NULL, 1)) {
        // Open elements; or a tag, a character or a section without its end, behind which nothing else can come.
        case XML_ERROR_NO_ELEMENTS: case XML_ERROR_UNCLOSED_TOKEN: case XML_ERROR_PARTIAL_CHAR:
        case XML_ERROR_UNCLOSED_CDATA_SECTION: return 1;
        default: return 0;
    }
}
