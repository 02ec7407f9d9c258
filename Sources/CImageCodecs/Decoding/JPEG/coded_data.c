#include "coded_data.h"

#if NB_DIRECT
NB_DIRECT_BEGIN

static int is_restart(uint8_t marker) { return marker >= 0xD0 && marker <= 0xD7; }

void nb_coded_fill(nb_coded_data *data) {
    ptrdiff_t kept = data->filled - data->bits.next;
    if (kept < 0) return;  // read past the end of damaged data, which is found later
    memmove(data->window, data->bits.next, (size_t)kept);
    data->bits.next = data->window;
    uint8_t *to = data->window + kept;
    const uint8_t *from = data->at, *most = data->window + data->size - 32;
    while (to <= most) {
        if (data->file_end - from >= 32) {
            int plain = nb_copy_plain(from, to);
            from += plain, to += plain;
            if (plain == 32) continue;
        } else if (*from != 0xFF) {
            *to++ = *from++;
            continue;
        }
        // Another byte follows every FF, as a marker ends the scan.
        if (from[1] == 0) {
            *to++ = 0xFF;
            from += 2;
        } else if (from[1] == 0xFF) {
            from++;
        } else {
            data->segment_ends = 1;
            memset(to, 0, NB_WINDOW_PAD);
            break;
        }
    }
    data->at = from;
    data->filled = to;
}

static void start_segment(nb_coded_data *data) {
    data->bits = (nb_bit_reader){0, 0, data->window};
    data->filled = data->window;
    data->segment_ends = 0;
    nb_coded_fill(data);
}

void nb_coded_start(nb_coded_data *data, uint8_t *window, size_t size, const uint8_t *start, const uint8_t *end,
                    const uint8_t *file_end) {
    *data = (nb_coded_data){.at = start, .end = end, .file_end = file_end, .window = window, .size = size};
    start_segment(data);
}

int nb_segment_is_used(nb_coded_data *data) {
    if (!data->segment_ends) nb_coded_fill(data);
    ptrdiff_t left = 8 * (data->filled - data->bits.next) + data->bits.have;
    return data->segment_ends && left >= 0 && left < 8;
}

int nb_coded_is_at_end(const nb_coded_data *data) { return data->segment_ends && data->at == data->end; }

int nb_next_segment(nb_coded_data *data) {
    if (!nb_segment_is_used(data) || data->at == data->end) return 0;
    data->at += 2;  // the restart marker, whose number nb_find_scan_end has checked
    start_segment(data);
    return 1;
}

const uint8_t *nb_find_scan_end(const uint8_t *from, const uint8_t *end) {
    int restart = 0;
    for (;;) {
        from = from < end ? memchr(from, 0xFF, (size_t)(end - from)) : NULL;
        if (!from || end - from < 2) return NULL;
        if (from[1] == 0) {
            from += 2;
        } else if (from[1] == 0xFF) {
            // Fill bytes before a stuffed one: libjpeg-turbo keeps coefficients of its first try at such an MCU.
            if (end - from > 2 && from[2] == 0) return NULL;
            from++;
        } else if (!is_restart(from[1])) {
            return from;
        } else {
            if ((from[1] & 7) != (restart++ & 7)) return NULL;
            from += 2;
        }
    }
}

NB_DIRECT_END
#endif
