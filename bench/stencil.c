/* stencil.c - Jacobi sweeps by hand: each element becomes the mean of its four neighbours; rows and
 * columns beyond the border repeat it ("nearest").
 *   stencil plain   threads n sweeps rounds   one parallel loop for each sweep, two arrays in turn
 *   stencil blocked threads n sweeps rounds   bands of rows, ten sweeps at a time: each next sweep
 *                                             lags behind, rows in between stand in rings
 * Prints the seconds of each round, for a sweep. */
#define _POSIX_C_SOURCE 200809L
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { DEPTH = 10, BAND = 512, RING = 4, MARGIN = 16 };

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void row_of(const float *up, const float *here, const float *down, float *to, long n)
{
    to[0] = (up[0] + down[0] + here[0] + here[n > 1]) / 4;
    for (long j = 1; j < n - 1; j++)
        to[j] = (up[j] + down[j] + here[j - 1] + here[j + 1]) / 4;
    if (n > 1)
        to[n - 1] = (up[n - 1] + down[n - 1] + here[n - 2] + here[n - 1]) / 4;
}

static long clamped(long i, long n)
{
    return i < 0 ? 0 : i < n ? i : n - 1;
}

static void sweep(const float *a, float *b, long n)
{
#pragma omp parallel for schedule(static)
    for (long i = 0; i < n; i++)
        row_of(a + clamped(i - 1, n) * n, a + i * n, a + clamped(i + 1, n) * n, b + i * n, n);
}

/* `depth` sweeps of a into b. */
static void sweeps(const float *a, float *b, long n, int depth)
{
    long pitch = n + MARGIN;
#pragma omp parallel
    {
        float *rings = malloc((size_t)(DEPTH * RING * pitch) * sizeof *rings);
        if (!rings)
            abort();
#pragma omp for schedule(static)
        for (long from = 0; from < n; from += BAND) {
            long to = from + BAND < n ? from + BAND : n;
            for (long head = clamped(from - depth, n); head < to + depth; head++)
                for (int t = 1; t <= depth; t++) {
                    long i = head - t + 1, reach = depth - t, r[3];
                    if (i < clamped(from - reach, n) || i > clamped(to - 1 + reach, n))
                        continue;
                    const float *row[3];
                    for (int k = 0; k < 3; k++) {
                        r[k] = clamped(i + k - 1, n);
                        row[k] =
                            t == 1 ? a + r[k] * n : rings + ((t - 1) * RING + r[k] % RING) * pitch;
                    }
                    row_of(row[0], row[1], row[2],
                           t == depth ? b + i * n : rings + (t * RING + i % RING) * pitch, n);
                }
        }
        free(rings);
    }
}

int main(int argc, char **argv)
{
    if (argc != 6)
        return 2;
    int blocked = !strcmp(argv[1], "blocked"), depth = blocked ? DEPTH : 1;
    long n = atol(argv[3]);
    int count = atoi(argv[4]);
    omp_set_num_threads(atoi(argv[2]));
    float *a = malloc((size_t)(n * n) * sizeof *a), *b = malloc((size_t)(n * n) * sizeof *b);
    if (!a || !b || count < 1)
        return 1;
#pragma omp parallel for schedule(static)
    for (long i = 0; i < n; i++)
        for (long j = 0; j < n; j++)
            a[i * n + j] = (float)((i * 7 + j * 13) % 1000) / 1000, b[i * n + j] = 0;
    for (int round = -1; round < atoi(argv[5]); round++) {
        double start = now();
        for (int t = 0; t < count; t += depth) {
            if (blocked)
                sweeps(a, b, n, count - t < depth ? count - t : depth);
            else
                sweep(a, b, n);
            float *c = a;
            a = b;
            b = c;
        }
        if (round >= 0)
            printf("%.9f\n", (now() - start) / count);
    }
    fprintf(stderr, "%g\n", (double)a[n * n / 2 + n / 3]);
    return 0;
}
