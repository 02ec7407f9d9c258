// The door to libFuzzer, which is a library here and leaves `main` to the program (LLVM's documentation of libFuzzer,
// "Using libFuzzer as a library").
#include "CFuzzer.h"

extern int LLVMFuzzerRunDriver(int *count, char ***arguments, int (*trial)(const uint8_t *, size_t))
    __attribute__((weak));

int fuzzer_run(int count, char **arguments, int (*trial)(const uint8_t *bytes, size_t count)) {
    return LLVMFuzzerRunDriver ? LLVMFuzzerRunDriver(&count, &arguments, trial) : -1;
}

int fuzzer_planted(const uint8_t *bytes, size_t count) {
    static const char word[] = "nuke";
    for (size_t i = 0; word[i] != 0; i++)
        if (i >= count || bytes[i] != (uint8_t)word[i]) return 0;
    return 1;
}

// Swift's globals are made on first use and kept; the leak detector does not see what a `Data` among them holds, whose
// pointer carries other bits.
const char *__lsan_default_suppressions(void) { return "leak:swift::threading_impl::once_slow\n"; }
const char *__lsan_default_options(void) { return "print_suppressions=0"; }
