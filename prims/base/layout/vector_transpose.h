/* vector_transpose.h - a square of N x N elements turned in N vectors: vector i is interleaved with
 * vector i + N / 2, log2 N times over.  For transpose.c and column_transpose.c alone; knows no
 * memory. */
#ifndef LUN_VECTOR_TRANSPOSE_H
#define LUN_VECTOR_TRANSPOSE_H

#define UNROLLED _Pragma("GCC unroll 64")
#ifdef __clang__ /* which warns of loops that it finds too large for that; they are slower */
#pragma clang diagnostic ignored "-Wpass-failed"
#endif

/* The first halves of two vectors of N elements interleaved; the second halves. */
#define LOW_2(a, b)  __builtin_shufflevector(a, b, 0, 2)
#define HIGH_2(a, b) __builtin_shufflevector(a, b, 1, 3)
#define LOW_4(a, b)  __builtin_shufflevector(a, b, 0, 4, 1, 5)
#define HIGH_4(a, b) __builtin_shufflevector(a, b, 2, 6, 3, 7)
#define LOW_8(a, b)  __builtin_shufflevector(a, b, 0, 8, 1, 9, 2, 10, 3, 11)
#define HIGH_8(a, b) __builtin_shufflevector(a, b, 4, 12, 5, 13, 6, 14, 7, 15)
#define LOW_16(a, b) \
    __builtin_shufflevector(a, b, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23)
#define HIGH_16(a, b) \
    __builtin_shufflevector(a, b, 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31)

/* v: the N vectors; w: room for as many. */
#define TURN(N, v, w)                                     \
    UNROLLED for (int turn = 1; turn < N; turn *= 2)      \
    {                                                     \
        UNROLLED for (int k = 0; k < N / 2; k++)          \
        {                                                 \
            w[2 * k] = LOW_##N(v[k], v[k + N / 2]);       \
            w[2 * k + 1] = HIGH_##N(v[k], v[k + N / 2]);  \
        }                                                 \
        UNROLLED for (int k = 0; k < N; k++) v[k] = w[k]; \
    }

#endif
