// Finds pairs of hashes that differ in few bits: sorts hashes by a band of their bits, and compares those whose bands match.
#include "internal.h"

#include <string.h>

#if defined(__x86_64__)
// Without the instruction, counting the bits of a word takes a dozen others.
#define NB_COUNTING __attribute__((target("popcnt")))
static inline int counts_bits(void) { return __builtin_cpu_supports("popcnt") != 0; }
#else
#define NB_COUNTING
static inline int counts_bits(void) { return 1; }
#endif

/// The bits `first` to `first + bits - 1` of a hash; 64 bits hold them with those before.
static uint32_t band(const nb_hash *hash, int first, int bits) {
    int word = first / 64, shift = first % 64;
    uint64_t value = hash->words[word] >> shift;
    if (shift + bits > 64) value |= hash->words[word + 1] << (64 - shift);
    return (uint32_t)(value & (((uint64_t)1 << bits) - 1));
}

void nb_sort_hashes(nb_hash *hashes, nb_hash *sorted, size_t count, int first, int bits, uint32_t *starts) {
    size_t keys = (size_t)1 << bits;
    memset(starts, 0, (keys + 1) * sizeof *starts);
    for (size_t i = 0; i < count; i++) {
        hashes[i].key = bits ? band(&hashes[i], first, bits) : 0;
        starts[hashes[i].key + 1]++;
    }
    for (size_t key = 0; key < keys; key++) starts[key + 1] += starts[key];
    for (size_t i = 0; i < count; i++) sorted[starts[hashes[i].key]++] = hashes[i];
    // Each start has moved to the next one.
    memmove(starts + 1, starts, keys * sizeof *starts);
    starts[0] = 0;
}

static inline __attribute__((always_inline)) size_t join(const nb_hash *hashes, size_t count, const uint32_t *starts,
                                                         uint32_t mask, int distance, size_t *next,
                                                         nb_hash_pair *pairs, size_t room) {
    // Of two keys, the one without the highest bit of the mask meets the other.
    uint32_t top = mask ? (uint32_t)1 << (31 - __builtin_clz(mask)) : 0;
    size_t found = 0, i = *next;
    while (i < count) {
        const nb_hash hash = hashes[i];
        if (hash.key & top) {
            i = starts[(hash.key | (top - 1)) + 1];
            continue;
        }
        uint32_t other = hash.key ^ mask;
        size_t start = mask ? starts[other] : i + 1, end = starts[other + 1];
        if (end - start > room - found) {
            *next = i;
            return found;
        }
        for (size_t j = start; j < end; j++) {
            const uint64_t *words = hashes[j].words;
            int differing = __builtin_popcountll(hash.words[0] ^ words[0]) + __builtin_popcountll(hash.words[1] ^ words[1]);
            if (differing > distance) continue;
            differing += __builtin_popcountll(hash.words[2] ^ words[2]) + __builtin_popcountll(hash.words[3] ^ words[3]);
            if (differing <= distance) pairs[found++] = (nb_hash_pair){hash.item, hashes[j].item, differing};
        }
        i++;
    }
    *next = count;
    return found;
}

NB_COUNTING static size_t join_counting(const nb_hash *hashes, size_t count, const uint32_t *starts, uint32_t mask,
                                        int distance, size_t *next, nb_hash_pair *pairs, size_t room) {
    return join(hashes, count, starts, mask, distance, next, pairs, room);
}

size_t nb_join_hashes(const nb_hash *hashes, size_t count, const uint32_t *starts, uint32_t mask, int distance,
                      size_t *next, nb_hash_pair *pairs, size_t room) {
    if (counts_bits()) return join_counting(hashes, count, starts, mask, distance, next, pairs, room);
    return join(hashes, count, starts, mask, distance, next, pairs, room);
}
