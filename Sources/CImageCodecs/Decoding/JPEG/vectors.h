// The instructions that the direct JPEG decoder is made for, and how its files are compiled for them.
//
// A file of the decoder stands between NB_DIRECT_BEGIN and NB_DIRECT_END. What is between may only run on a processor
// that has these instructions, which decoder.c asks before it calls anything.
#pragma once
#if defined(__x86_64__)
#define NB_DIRECT 1
#include <immintrin.h>
#define NB_PRAGMA(text) _Pragma(#text)
#define NB_DIRECT_BEGIN \
    NB_PRAGMA(clang attribute push(__attribute__((target("avx2,bmi,bmi2,lzcnt,popcnt,movbe"))), apply_to = function))
/// The same with vectors of 512 bits, for which the processor is asked as well.
#define NB_WIDE_BEGIN \
    NB_PRAGMA(clang attribute push(__attribute__((target("avx2,avx512f,avx512bw,avx512vl"))), apply_to = function))
#define NB_DIRECT_END NB_PRAGMA(clang attribute pop)
#elif defined(__aarch64__)
#define NB_DIRECT 1
#include <arm_neon.h>
#define NB_DIRECT_BEGIN  // every processor has what is needed
#define NB_DIRECT_END
#else
#define NB_DIRECT 0  // libjpeg decodes alone
#endif

#define NB_LIKELY(x) __builtin_expect(!!(x), 1)
#define NB_UNLIKELY(x) __builtin_expect(!!(x), 0)
#define NB_INLINE static inline __attribute__((always_inline))
/// Keeps a value in a register from here on. Compilers turn a choice between two loaded values into a load from one
/// of two addresses, which puts the load behind the choice.
#define NB_KEEP(x) __asm__("" : "+r"(x))
