#pragma once
// The search for hashes that differ in few bits. It keeps nothing between calls, and allocates nothing.

#include <stddef.h>
#include <stdint.h>

/// A hash of 256 bits with the number of its item; `key` is the band of bits by which it was sorted.
typedef struct {
    uint64_t words[4];
    uint32_t item, key;
} nb_hash;

/// Two items whose hashes differ in `distance` bits.
typedef struct {
    uint32_t one, other;
    int32_t distance;
} nb_hash_pair;

/// Sorts `count` hashes, fewer than 2^32, by `bits` of their bits, 0 to 31, from bit `first` on. `starts` has 2^bits + 1 entries:
/// the hashes of a key stand from the entry of that key to the next one.
void nb_sort_hashes(nb_hash *hashes, nb_hash *sorted, size_t count, int first, int bits, uint32_t *starts);

/// Finds the pairs whose keys differ in the bits of `mask`, and that differ in at most `distance` bits, from the hash `*next` on.
/// Stops before a hash with more partners to compare than `pairs` has room for; `*next` is then that hash, else `count`.
/// Returns the number of pairs.
size_t nb_join_hashes(const nb_hash *hashes, size_t count, const uint32_t *starts, uint32_t mask, int distance,
                      size_t *next, nb_hash_pair *pairs, size_t room);
