/* tile.c - the tiles of an instruction set; see tile.h.  Compiled with -DLUN_ISA=base, avx2 or
 * avx512 and the matching -march.
 *
 * The operations of ops.def are never contracted; a product is defined by fma, so it is written as
 * one here.  Where the instruction set has none, the C library computes it: slow, and right. */
#include "product/tile.h"

#include <math.h>
#include <string.h>

#include "table/floats.h"

#ifdef __x86_64__
#include <immintrin.h>
#endif

#ifndef LUN_ISA
#error "compile with -DLUN_ISA=base, avx2 or avx512"
#endif

#if defined(__AVX512F__)
#define BYTES 64
#define ROWS  12
#define FMA32 _mm512_fmadd_ps
#define FMA64 _mm512_fmadd_pd
#define NS    0.001
#elif defined(__AVX2__) && defined(__FMA__)
#define BYTES 32
#define ROWS  6
#define FMA32 _mm256_fmadd_ps
#define FMA64 _mm256_fmadd_pd
#define NS    0.002
#else
#define BYTES 16
#define ROWS  4
#define FMA32 fma_f32
#define FMA64 fma_f64
#ifdef __FP_FAST_FMAF
#define NS 0.004
#else
#define NS 0.5
#endif

typedef float f32s __attribute__((vector_size(BYTES)));
typedef double f64s __attribute__((vector_size(BYTES)));

static inline __attribute__((always_inline)) f32s fma_f32(f32s x, f32s y, f32s z)
{
    for (int i = 0; i < 4; i++)
        z[i] = __builtin_fmaf(x[i], y[i], z[i]);
    return z;
}

static inline __attribute__((always_inline)) f64s fma_f64(f64s x, f64s y, f64s z)
{
    for (int i = 0; i < 2; i++)
        z[i] = __builtin_fma(x[i], y[i], z[i]);
    return z;
}
#endif

#define ID           f32
#define T            float
#define NOT_NUMBER   __builtin_nanf("")
#define FMA(x, y, z) FMA32(x, y, z)
#include "product/tile_of.h"

#define ID           f64
#define T            double
#define NOT_NUMBER   __builtin_nan("")
#define FMA(x, y, z) FMA64(x, y, z)
#include "product/tile_of.h"

#define ID           i64
#define T            int64_t
#define FMA(x, y, z) ((x) * (y) + (z))
#include "product/tile_of.h"

#if ROWS > 6
#define LARGEST(id) [12] = {tile_12_1_##id, tile_12_2_##id}, [6] = {tile_6_1_##id, tile_6_2_##id},
#elif ROWS > 4
#define LARGEST(id) [6] = {tile_6_1_##id, tile_6_2_##id},
#else
#define LARGEST(id)
#endif
#define ROW(id, t, ns)                                                                        \
    {                                                                                         \
        .size = sizeof(t), .rows = ROWS, .vector = BYTES / sizeof(t), .each_ns = ns,          \
        .tile = {LARGEST(id)[1] = {tile_1_1_##id, tile_1_2_##id},                             \
                 [2] = {tile_2_1_##id, tile_2_2_##id}, [4] = {tile_4_1_##id, tile_4_2_##id}}, \
        .convert = convert_##id                                                               \
    }

#define JOIN_(a, b) a##_##b
#define JOIN(a, b)  JOIN_(a, b)
/* What one element takes, in nanoseconds: as many lanes at 2.5 to 3 GHz; of integers a few more. */
const lun_tiles JOIN(lun__tiles, LUN_ISA)[3] = {ROW(f32, float, 25 * NS), ROW(f64, double, 50 * NS),
                                                ROW(i64, int64_t, 0.2)};
