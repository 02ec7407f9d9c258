// Bytes that are held, by the hooks that the sanitizers' allocator offers (sanitizer/allocator_interface.h).
#include "CAllocations.h"

#include <stdatomic.h>

extern int __sanitizer_install_malloc_and_free_hooks(void (*malloc_hook)(const volatile void *, size_t),
                                                     void (*free_hook)(const volatile void *)) __attribute__((weak));
extern size_t __sanitizer_get_allocated_size(const volatile void *memory) __attribute__((weak));

static _Atomic long long held, peak;

static void on_malloc(const volatile void *memory, size_t count) {
    (void)memory;
    long long now = atomic_fetch_add(&held, (long long)count) + (long long)count, before = atomic_load(&peak);
    while (now > before && !atomic_compare_exchange_weak(&peak, &before, now)) {}
}

static void on_free(const volatile void *memory) {
    if (memory != NULL) atomic_fetch_sub(&held, (long long)__sanitizer_get_allocated_size(memory));
}

void allocations_begin(void) {
    static int installed;
    if (!__sanitizer_install_malloc_and_free_hooks) return;
    if (!installed) installed = __sanitizer_install_malloc_and_free_hooks(on_malloc, on_free) != 0;
    atomic_store(&held, 0);
    atomic_store(&peak, 0);
}

size_t allocations_peak(void) { return (size_t)atomic_load(&peak); }
