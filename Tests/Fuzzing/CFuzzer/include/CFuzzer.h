#pragma once
#include <stddef.h>
#include <stdint.h>

/// Runs libFuzzer with its arguments, the program's name first, and gives its exit code; -1 if it is not linked (only
/// `make fuzz` links it).
int fuzzer_run(int count, char **arguments, int (*trial)(const uint8_t *bytes, size_t count));

/// Returns 1 if the bytes begin with the control's word, which only a fuzzer that observes comparisons can find.
int fuzzer_planted(const uint8_t *bytes, size_t count);
