// Walks the chunks of a PNG (PNG, third edition, chapters 5 and 11).
#include "parts.h"

#include <stdio.h>
#include <string.h>

#include <libdeflate.h>

enum { SIGNATURE = 8, AROUND = 12, HEADER = 13 };  // bytes; around a chunk's content: length, type, checksum

typedef struct {
    nb_png_parts *parts;
    nb_error *error;
    const uint8_t *file;
    int colors;                // of the palette so far; 0 without one
    int has_palette, has_pixels, has_transparency, has_broken_end;
    int is_animated;           // frames follow behind the still picture
    int seen[4];               // descriptions of colours, in the order of `descriptions`
} walk;

typedef struct {
    const uint8_t *start, *content;
    size_t count;              // of the content
} chunk;

static int is(const chunk *c, const char *type) { return memcmp(c->start + 4, type, 4) == 0; }

static int is_ancillary(const chunk *c) { return c->start[4] & 0x20; }

static int has_letters(const chunk *c) {
    for (int i = 4; i < 8; i++)
        if ((c->start[i] | 0x20) < 'a' || (c->start[i] | 0x20) > 'z') return 0;
    return 1;
}

static int is_right(const chunk *c) {
    return libdeflate_crc32(0, c->start + 4, c->count + 4) == nb_get32(c->content + c->count);
}

static nb_range range_of(const walk *w, const chunk *c) { return (nb_range){(size_t)(c->content - w->file), c->count}; }

static int keep(walk *w, const chunk *c) {
    nb_png_parts *p = w->parts;
    if (p->count == NB_PNG_PIECES - 1) return 0;
    p->pieces[p->count++] = (nb_png_piece){c->start, c->count + AROUND};
    return 1;
}

static nb_status read_header(walk *w, const uint8_t *bytes, size_t count) {
    static const int depths[7] = {1 | 2 | 4 | 8 | 16, 0, 8 | 16, 1 | 2 | 4 | 8, 8 | 16, 0, 8 | 16};
    if (count < SIGNATURE + AROUND + HEADER) return nb_fail(w->error, NB_TRUNCATED, "it ends within its header");
    chunk c = {bytes + SIGNATURE, bytes + SIGNATURE + 8, nb_get32(bytes + SIGNATURE)};
    const uint8_t *p = c.content;
    uint32_t width = nb_get32(p), height = nb_get32(p + 4);
    int depth = p[8], type = p[9];
    if (c.count != HEADER || !is(&c, "IHDR") || width - 1 >= INT32_MAX || height - 1 >= INT32_MAX || type > 6 ||
        (depths[type] & depth) == 0 || (depth & (depth - 1)) != 0 || p[12] > 1)
        return nb_fail(w->error, NB_CORRUPT, "its header is invalid");
    w->parts->header = (nb_png_header){.width = (int32_t)width, .height = (int32_t)height, .depth = depth,
                                       .color_type = type, .is_interlaced = p[12]};
    w->parts->pieces[w->parts->count++] = (nb_png_piece){bytes, SIGNATURE + AROUND + HEADER};
    return NB_OK;
}

static void read_palette(walk *w, const chunk *c) {
    nb_png_parts *p = w->parts;
    int most = 1 << (p->header.depth < 8 ? p->header.depth : 8), colors = (int)(c->count > 768 ? 256 : c->count / 3);
    // Only a palette's image needs it; libpng reads that one, and passes over others.
    if (!(p->header.color_type & 2)) nb_warn(w->error, NB_WARNING_PART_PLACE);
    else if (p->header.color_type != 3 && (c->count % 3 != 0 || colors == 0)) nb_warn(w->error, NB_WARNING_HEADER_VALUE);
    w->has_palette = 1;
    w->colors = colors < most ? colors : most;
    if (!w->has_transparency || p->header.color_type == 0) return;
    // Transparency must come behind a palette, even of an image that does not need one.
    nb_warn(w->error, NB_WARNING_TRANSPARENCY);
    p->header.transparency = 0;
    for (int i = 0; i < p->count; i++)
        if (memcmp(p->pieces[i].start + 4, "tRNS", 4) == 0) p->pieces[i] = (nb_png_piece){NULL, 0};
}

// libpng's rules: what it would ignore is no transparency of the header either.
static void read_transparency(walk *w, const chunk *c) {
    nb_png_header *header = &w->parts->header;
    size_t most = header->color_type == 0 ? 2 : header->color_type == 2 ? 6 : (size_t)w->colors;
    size_t least = header->color_type == 3 ? 1 : most;
    if (w->has_transparency || w->has_pixels || (header->color_type == 3 && !w->has_palette)) {
        nb_warn(w->error, NB_WARNING_PART_PLACE);
    } else if (header->color_type & 4 || c->count < least || c->count > most) {
        nb_warn(w->error, NB_WARNING_TRANSPARENCY);
    } else if (keep(w, c)) {
        header->transparency = 1;
    }
    w->has_transparency = 1;
}

static const char descriptions[4][5] = {"iCCP", "sRGB", "gAMA", "cHRM"};

static void read_description(walk *w, const chunk *c, int kind) {
    if (w->has_palette || w->has_pixels || w->seen[kind]) {
        nb_warn(w->error, NB_WARNING_PART_PLACE);
        return;
    }
    w->seen[kind] = 1;
    if (!keep(w, c)) return;
    if (kind == 0) w->parts->has_profile = 1;
    if (kind == 0 || kind == 2) w->parts->header.profile = 1;
}

static void read_codes(walk *w, const chunk *c) {
    if (w->has_palette || w->has_pixels || w->parts->has_codes) {
        nb_warn(w->error, NB_WARNING_PART_PLACE);
    } else if (c->count != 4 || c->content[2] != 0 || c->content[3] > 1 ||
               !nb_codes_are_known(c->content[0], c->content[1])) {
        nb_warn(w->error, NB_WARNING_COLORS);
    } else if (c->content[0] != 2 && c->content[1] != 2) {  // 2 leaves it to the other chunks
        memcpy(w->parts->codes, c->content, 4);
        w->parts->has_codes = 1;
    }
}

/// A number of cd/m2 for colours in PQ, whose absence does no harm.
static void read_light(walk *w, const chunk *c, size_t count, nb_range *to) {
    if (w->has_pixels || to->count > 0) nb_warn(w->error, NB_WARNING_PART_PLACE);
    else if (c->count != count) nb_warn(w->error, NB_WARNING_COLORS);
    else *to = range_of(w, c);
}

static void read_text(walk *w, const chunk *c) {
    // The standard keyword, and the one that libvips writes in another chunk.
    static const char plain[] = "XML:com.adobe.xmp\0\0\0\0", deflated[] = "XML:com.adobe.xmp\0\1\0\0",
                      zipped[] = "XML:com.adobe.xmp\0";
    nb_png_header *header = &w->parts->header;
    nb_range content = range_of(w, c), *to = &header->deflated_xmp;
    size_t prefix = is(c, "iTXt") ? sizeof plain : sizeof zipped;
    if (c->count < prefix) return;
    if (is(c, "zTXt")) {
        if (memcmp(c->content, zipped, prefix) != 0) return;
    } else if (memcmp(c->content, plain, prefix) == 0) {
        to = &header->xmp;
    } else if (memcmp(c->content, deflated, prefix) != 0) {
        return;
    }
    *to = (nb_range){content.start + prefix, content.count - prefix};
}

static void read_ancillary(walk *w, const chunk *c) {
    if (!is_right(c)) {
        nb_warn(w->error, NB_WARNING_PART_CHECKSUM);
        return;
    }
    for (int i = 0; i < 4; i++)
        if (is(c, descriptions[i])) read_description(w, c, i);
    if (is(c, "acTL")) w->is_animated |= !w->has_pixels;
    if (is(c, "tRNS")) read_transparency(w, c);
    if (is(c, "cICP")) read_codes(w, c);
    if (is(c, "cLLI")) read_light(w, c, 8, &w->parts->header.content_light);
    if (is(c, "mDCV")) read_light(w, c, 24, &w->parts->header.screen_light);
    if (is(c, "iTXt") || is(c, "zTXt")) read_text(w, c);
    if (!is(c, "eXIf")) return;
    if (w->parts->header.exif.count > 0) nb_warn(w->error, NB_WARNING_PART_PLACE);
    else w->parts->header.exif = range_of(w, c);
}

static nb_status read_critical(walk *w, const chunk *c) {
    nb_png_parts *p = w->parts;
    if (is(c, "IDAT")) {
        if (!w->has_pixels) p->pixels = (nb_png_piece){c->start, 0};
        w->has_pixels = 1;
    } else if (w->has_pixels) {
        w->has_broken_end = 1;  // libpng judges it
    } else if (is(c, "PLTE") && !w->has_palette) {
        read_palette(w, c);
        keep(w, c);
    } else {
        return nb_fail(w->error, NB_CORRUPT, "it has a critical chunk of an unknown type, or one twice");
    }
    return NB_OK;
}

static void leave_out_descriptions(nb_png_parts *p) {
    for (int i = 1; i < p->count; i++)
        for (int kind = 0; kind < 4; kind++)
            if (p->pieces[i].count > 0 && memcmp(p->pieces[i].start + 4, descriptions[kind], 4) == 0)
                p->pieces[i] = (nb_png_piece){NULL, 0};
    p->has_profile = 0;
}

static void obey_codes(nb_png_parts *p) {
    leave_out_descriptions(p);
    p->header.profile = nb_codes_kind(p->codes[0], p->codes[1]) == NB_CODES_OTHER;
    p->header.hdr = nb_codes_hdr(p->codes[0], p->codes[1]);
    p->header.is_narrow = p->codes[3] == 0;
}

// Reads the length of a chunk; `left` are the bytes from its start to the end of the file.
static nb_status read_length(chunk *c, size_t left, nb_error *error) {
    if (left < AROUND) return nb_fail(error, NB_TRUNCATED, "it ends within a chunk");
    c->count = nb_get32(c->start);
    if (!has_letters(c)) return nb_fail(error, NB_CORRUPT, "what should be a chunk is none");
    if (c->count <= left - AROUND) return NB_OK;
    snprintf(error->message, sizeof error->message, "it ends within its %.4s chunk", c->start + 4);
    return NB_TRUNCATED;
}

// True if damage here leaves the still picture of an animation whole: whoever reads the frames ends with the last good one.
static int is_behind_picture(const walk *w, const chunk *c, size_t left) {
    return w->is_animated && w->has_pixels && (left < 8 || !is(c, "IDAT"));
}

nb_status nb_png_find_parts(const uint8_t *bytes, size_t count, nb_png_parts *parts, nb_error *error) {
    memset(parts, 0, sizeof *parts);
    walk w = {.parts = parts, .error = error, .file = bytes};
    nb_status status = read_header(&w, bytes, count);
    size_t at = SIGNATURE + AROUND + HEADER;
    int has_end = 0;
    if (status != NB_OK) return status;
    while (!has_end && at < count) {
        chunk c = {bytes + at, bytes + at + 8, 0};
        status = read_length(&c, count - at, error);
        if (status != NB_OK && !is_behind_picture(&w, &c, count - at)) return status;
        if (status != NB_OK) break;
        if (is(&c, "IEND")) has_end = 1;
        else if (is_ancillary(&c)) read_ancillary(&w, &c);
        else status = read_critical(&w, &c);
        if (status != NB_OK) return status;
        at += AROUND + c.count;
    }
    if (has_end && at < count) nb_warn(error, NB_WARNING_TRAILING_DATA);
    if (w.has_pixels) parts->pixels.count = (size_t)(bytes + count - parts->pixels.start);
    parts->pieces[parts->count++] = parts->pixels;
    if (w.has_pixels && w.has_broken_end) parts->lacks_end = w.is_animated;
    else parts->lacks_end = w.has_pixels && !has_end;
    if (parts->lacks_end) nb_warn(error, NB_WARNING_MISSING_END);
    if (parts->has_codes) obey_codes(parts);
    return NB_OK;
}

nb_status nb_png_read_header(const uint8_t *bytes, size_t count, nb_png_header *header, nb_error *error) {
    nb_png_parts parts;
    nb_status status = nb_png_find_parts(bytes, count, &parts, error);
    *header = parts.header;
    return status;
}
