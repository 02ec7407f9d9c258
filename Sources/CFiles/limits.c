#define _GNU_SOURCE
#include "CFiles.h"

#include <malloc.h>
#include <sys/mman.h>
#include <sys/resource.h>

long nb_descriptor_limit(void) {
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return 0;
    return limit.rlim_cur < INT32_MAX ? (long)limit.rlim_cur : INT32_MAX;
}

void nb_raise_descriptor_limit(void) {
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
    limit.rlim_cur = limit.rlim_max;
    setrlimit(RLIMIT_NOFILE, &limit);
}

void nb_return_large_blocks(void) {
    // Otherwise the allocator learns to keep freed blocks of up to 32 MiB, in each of its arenas (mallopt(3)). Smaller
    // ones come and go with each image, such as the coefficients of a progressive JPEG of 1 MP (6 MB): at lower
    // thresholds their pages would be mapped again each time.
    mallopt(M_MMAP_THRESHOLD, 8 << 20);
    mallopt(M_TRIM_THRESHOLD, 32 << 20);
}

void nb_use_one_arena(void) { mallopt(M_ARENA_MAX, 1); }

int64_t nb_address_space_limit(void) {
    struct rlimit limit;
    if (getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return -1;
    return limit.rlim_cur < INT64_MAX ? (int64_t)limit.rlim_cur : INT64_MAX;
}

int nb_has_address_space(uint64_t bytes) {
    // The allocator reserves 64 MB for each of many threads.
    mallopt(M_ARENA_MAX, 2);
    void *space = mmap(NULL, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (space == MAP_FAILED) return 0;
    munmap(space, bytes);
    return 1;
}
