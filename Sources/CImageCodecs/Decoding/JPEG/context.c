#include "context.h"

#include <stdlib.h>

#if NB_DIRECT
NB_DIRECT_BEGIN

#define KEPT 4  // at least three: a scan's must all be there at once

struct nb_jpeg_context {
    nb_table_pair *kept[KEPT];
    int oldest;
};

static nb_table_pair *find(nb_jpeg_context *context, const nb_scan *s, int i, int only_dc, int index_bits) {
    for (int slot = 0; slot < KEPT; slot++) {
        nb_table_pair *pair = context->kept[slot];
        if (pair && pair->index_bits == index_bits && pair->only_dc == only_dc && nb_same_codes(&pair->dc, &s->dc[i]) &&
            nb_same_codes(&pair->ac, &s->ac[i]))
            return pair;
    }
    return NULL;
}

// The pair that was made the longest ago, but for those that this scan already uses.
static nb_table_pair *oldest(nb_jpeg_context *context, const nb_table_pair *used[3], int count) {
    for (;;) {
        nb_table_pair **slot = &context->kept[context->oldest++ % KEPT];
        int is_used = 0;
        for (int i = 0; i < count; i++) is_used |= *slot != NULL && *slot == used[i];
        if (is_used) continue;
        if (!*slot) *slot = calloc(1, sizeof **slot);
        return *slot;
    }
}

static nb_table_pair *make(nb_jpeg_context *context, const nb_scan *s, int i, int only_dc, int index_bits,
                           const nb_table_pair *used[3]) {
    nb_table_pair *pair = oldest(context, used, i);
    if (!pair) return NULL;
    pair->index_bits = 0;
    if (!nb_make_block_tables(&s->dc[i], &s->ac[i], only_dc, index_bits, pair->tables)) return NULL;
    pair->dc = s->dc[i], pair->ac = s->ac[i];
    pair->only_dc = only_dc;
    pair->index_bits = index_bits;
    return pair;
}

static int only_dc(const nb_jpeg_frame *frame, const nb_scan *s, int i) { return frame->part[s->part[i]].size == 1; }

static int find_all(nb_jpeg_context *context, const nb_jpeg_frame *frame, const nb_scan *s, int index_bits,
                    const nb_table_pair *pairs[3]) {
    for (int i = 0; i < s->count; i++)
        if (!(pairs[i] = find(context, s, i, only_dc(frame, s, i), index_bits))) return 0;
    return 1;
}

// Larger tables need fewer lookups and take longer to make: measured on the web corpus with tables made anew each time.
static int worthwhile_bits(ptrdiff_t bytes) {
    return bytes < 6000 ? 8 : bytes < 20000 ? 9 : bytes < 60000 ? 10 : bytes < 200000 ? 11 : NB_INDEX_BITS;
}

int nb_context_tables(nb_jpeg_context *context, const nb_jpeg_frame *frame, const nb_scan *s,
                      const nb_table_pair *pairs[3], int *index_bits) {
    int least = worthwhile_bits(s->end - s->start);
    for (*index_bits = NB_INDEX_BITS; *index_bits >= least; --*index_bits)
        if (find_all(context, frame, s, *index_bits, pairs)) return 1;
    *index_bits = least;
    for (int i = 0; i < s->count; i++) {
        int dc = only_dc(frame, s, i);
        pairs[i] = find(context, s, i, dc, least);
        if (!pairs[i] && !(pairs[i] = make(context, s, i, dc, least, pairs))) return 0;
    }
    return 1;
}

nb_jpeg_context *nb_jpeg_context_make(void) { return calloc(1, sizeof(nb_jpeg_context)); }

void nb_jpeg_context_free(nb_jpeg_context *context) {
    if (!context) return;
    for (int i = 0; i < KEPT; i++) free(context->kept[i]);
    free(context);
}

NB_DIRECT_END
#else
nb_jpeg_context *nb_jpeg_context_make(void) { return NULL; }
void nb_jpeg_context_free(nb_jpeg_context *context) { (void)context; }
#endif
