/* The kernels of dgemm.c in OpenCL, by hand: a work-item has a tile of C, or a column of tiles for
 * which it packs a part of B first. N, ROWS, COLUMNS (16) and TALL are given to the compiler. */
#pragma OPENCL EXTENSION cl_khr_fp64 : enable

/* NAME: ROWS x 16 elements of C at i0, j0; b: the part of B there, with `stride` elements a row. */
#define TILE(NAME, SPACE)                                                                        \
    static void NAME(__global const double *a, SPACE const double *b, int stride,                \
                     __global double *c, int i0, int j0)                                         \
    {                                                                                            \
        double8 left[ROWS], right[ROWS];                                                         \
        for (int i = 0; i < ROWS; i++)                                                           \
            left[i] = right[i] = 0;                                                              \
        for (int k = 0; k < N; k++) {                                                            \
            const double8 l = vload8(0, b + k * stride), r = vload8(1, b + k * stride);          \
            _Pragma("unroll") for (int i = 0; i < ROWS; i++)                                     \
            {                                                                                    \
                const double8 x = a[(i0 + i) * N + k];                                           \
                left[i] = fma(x, l, left[i]);                                                    \
                right[i] = fma(x, r, right[i]);                                                  \
            }                                                                                    \
        }                                                                                        \
        for (int i = 0; i < ROWS; i++) {                                                         \
            vstore8(left[i], 0, c + (i0 + i) * N + j0);                                          \
            vstore8(right[i], 1, c + (i0 + i) * N + j0);                                         \
        }                                                                                        \
    }
TILE(global_tile, __global)
TILE(local_tile, __local)

__kernel void tiles(__global const double *a, __global const double *b, __global double *c)
{
    const int j0 = get_global_id(1) * COLUMNS;
    global_tile(a, b + j0, N, c, get_global_id(0) * ROWS, j0);
}

__kernel __attribute__((reqd_work_group_size(1, 1, 1))) void
panels(__global const double *a, __global const double *b, __global double *c)
{
    __local double panel[N * COLUMNS];
    const int i0 = get_global_id(0) * TALL, j0 = get_global_id(1) * COLUMNS;
    for (int k = 0; k < N; k++)
        for (int j = 0; j < COLUMNS; j++)
            panel[k * COLUMNS + j] = b[k * N + j0 + j];
    for (int i = 0; i < TALL; i += ROWS)
        local_tile(a, panel, COLUMNS, c, i0 + i, j0);
}
