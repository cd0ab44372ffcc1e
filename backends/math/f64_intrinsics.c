/* f64_intrinsics.c - vector math functions of our own, in f64, where libmvec's miss the promise.
 * Compiled once per instruction set, with -DLUN_ISA=base, avx2 or avx512 and the matching -march;
 * vecmath_table.c refers to what each copy exports. */
#include <math.h>
#include <stdint.h>

#ifdef __x86_64__
#include <immintrin.h>
#endif

#ifndef LUN_ISA
#error "compile with -DLUN_ISA=base, avx2 or avx512"
#endif

#define JOIN3_(a, b, c) a##_##b##_##c
#define JOIN3(a, b, c)  JOIN3_(a, b, c)

#if defined(__AVX512F__)
#define BYTES 64
#elif defined(__AVX2__)
#define BYTES 32
#else
#define BYTES 16
#endif

typedef double vector_f64 __attribute__((vector_size(BYTES)));

#if defined(__FMA__) && defined(__AVX2__) && defined(__GLIBC__)
#include "math/f64.h"
#elif defined(__x86_64__) && defined(__GLIBC__)
#include "math/f64_wide.h"
#endif
