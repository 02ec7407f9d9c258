#pragma once
#include <stddef.h>

/// Starts counting what is allocated and freed from now on, on all threads. Without the address sanitizer, whose hooks do
/// the counting, nothing is counted.
void allocations_begin(void);
/// The most bytes that were held at once since the counting began, beyond what was held then.
size_t allocations_peak(void);
