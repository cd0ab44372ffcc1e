/* allpairs.c - what bench/allpairs.lua times, written by hand: sums of absolute differences of all
 * pairs of rows, f32, the second matrix packed by columns, 4 x 2 vectors of sums in registers,
 * blocks of rows shared out by OpenMP.  Prints the seconds of each repetition.
 * usage: allpairs threads n m k repetitions    (n divisible by 4, m by 32) */
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { LANES = 16, WIDE = 2 * LANES, ROWS = 4, BLOCK = 64 };
typedef float floats __attribute__((vector_size(4 * LANES)));
typedef int ints __attribute__((vector_size(4 * LANES)));

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static inline floats apart(float a, floats b)
{
    return (floats)((ints)(a - b) & 0x7fffffff);
}

/* ROWS rows of a with the columns of one panel. */
static void tile(const float *a, const float *panel, float *c, int m, int k)
{
    floats sum[ROWS][2] = {0};
    for (int l = 0; l < k; l++) {
        const floats b0 = *(const floats *)(panel + l * WIDE);
        const floats b1 = *(const floats *)(panel + l * WIDE + LANES);
        for (int i = 0; i < ROWS; i++) {
            sum[i][0] += apart(a[i * k + l], b0);
            sum[i][1] += apart(a[i * k + l], b1);
        }
    }
    for (int i = 0; i < ROWS; i++) {
        *(floats *)(c + i * m) = sum[i][0];
        *(floats *)(c + i * m + LANES) = sum[i][1];
    }
}

static void all_pairs(const float *a, const float *b, float *packed, float *c, int n, int m, int k)
{
#pragma omp parallel
    {
#pragma omp for
        for (int p = 0; p < m / WIDE; p++)
            for (int l = 0; l < k; l++)
                for (int j = 0; j < WIDE; j++)
                    packed[(p * k + l) * WIDE + j] = b[(p * WIDE + j) * k + l];
#pragma omp for
        for (int i = 0; i < n; i += BLOCK)
            for (int p = 0; p < m / WIDE; p++)
                for (int r = i; r < i + BLOCK && r < n; r += ROWS)
                    tile(a + r * k, packed + p * k * WIDE, c + r * m + p * WIDE, m, k);
    }
}

static float *matrix(int rows, int columns)
{
    size_t bytes = ((size_t)rows * (size_t)columns * sizeof(float) + 63) / 64 * 64;
    float *x = aligned_alloc(64, bytes);
    if (!x)
        exit(1);
    for (size_t i = 0; i < (size_t)rows * (size_t)columns; i++)
        x[i] = (float)(rand() % 1000) / 1000;
    return x;
}

int main(int count, char **words)
{
    if (count != 6)
        return 1;
    omp_set_num_threads(atoi(words[1]));
    int n = atoi(words[2]), m = atoi(words[3]), k = atoi(words[4]);
    if (n % ROWS || m % WIDE)
        return 1;
    float *a = matrix(n, k), *b = matrix(m, k), *packed = matrix(m, k), *c = matrix(n, m);
    for (int r = atoi(words[5]); r > 0; r--) {
        double start = now();
        all_pairs(a, b, packed, c, n, m, k);
        printf("%.9f\n", now() - start);
        a[0] += c[n]; /* no result is remembered */
    }
    return 0;
}
