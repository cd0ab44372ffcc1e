/* solve.c - what bench/mathematics.lua times, written by hand, on one thread: LU with exchanged
 * rows by panels of 64 columns, the rest in tiles of 4 rows and 64 columns that the compiler keeps
 * in vectors; 3 x 3 unrolled, one matrix after the other. Prints the seconds of each repetition.
 * usage: solve solve|small n repetitions */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { PANEL = 64, STRIP = 64, ROWS = 4 };

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void exchange(double *a, double *b, long n)
{
    for (long j = 0; j < n; j++) {
        double x = a[j];
        a[j] = b[j];
        b[j] = x;
    }
}

static void panel(double *a, double *b, long n, long p, long end)
{
    for (long k = p; k < end; k++) {
        long at = k;
        for (long i = k; i < n; i++)
            at = fabs(a[i * n + k]) > fabs(a[at * n + k]) ? i : at;
        if (at != k) {
            exchange(a + k * n, a + at * n, n);
            exchange(b + k, b + at, 1);
        }
        double by = 1 / a[k * n + k];
        for (long i = k + 1; i < n; i++) {
            double l = a[i * n + k] *= by;
            for (long j = k + 1; j < end; j++)
                a[i * n + j] -= l * a[k * n + j];
        }
    }
}

static void tile(double *c, const double *l, const double *u, long n, long columns)
{
    for (long p = 0; p < PANEL; p++)
        for (long i = 0; i < ROWS; i++)
            for (long j = 0; j < columns; j++)
                c[i * n + j] -= l[i * n + p] * u[p * n + j];
}

static void solve(double *a, double *b, long n)
{
    for (long p = 0; p < n; p += PANEL) {
        long end = p + PANEL < n ? p + PANEL : n;
        panel(a, b, n, p, end);
        for (long i = p + 1; i < end; i++)
            for (long k = p; k < i; k++)
                for (long j = end; j < n; j++)
                    a[i * n + j] -= a[i * n + k] * a[k * n + j];
        for (long j = end; j < n; j += STRIP) {
            long columns = n - j < STRIP ? n - j : STRIP, i = end;
            for (; i + ROWS <= n; i += ROWS)
                if (columns == STRIP)
                    tile(a + i * n + j, a + i * n + p, a + p * n + j, n, STRIP);
                else
                    tile(a + i * n + j, a + i * n + p, a + p * n + j, n, columns);
            for (; i < n; i++)
                for (long k = p; k < end; k++)
                    for (long q = j; q < j + columns; q++)
                        a[i * n + q] -= a[i * n + k] * a[k * n + q];
        }
    }
    for (long i = 0; i < n; i++)
        for (long k = 0; k < i; k++)
            b[i] -= a[i * n + k] * b[k];
    for (long i = n - 1; i >= 0; i--) {
        for (long k = i + 1; k < n; k++)
            b[i] -= a[i * n + k] * b[k];
        b[i] /= a[i * n + i];
    }
}

static void solve3(const double *from, const double *right, double *x)
{
    double a[9], b[3];
    memcpy(a, from, sizeof a);
    memcpy(b, right, sizeof b);
    for (int k = 0; k < 3; k++) {
        int at = k;
        for (int i = k; i < 3; i++)
            at = fabs(a[3 * i + k]) > fabs(a[3 * at + k]) ? i : at;
        if (at != k) {
            exchange(a + 3 * k, a + 3 * at, 3);
            exchange(b + k, b + at, 1);
        }
        for (int i = k + 1; i < 3; i++) {
            double l = a[3 * i + k] / a[3 * k + k];
            for (int j = k + 1; j < 3; j++)
                a[3 * i + j] -= l * a[3 * k + j];
            b[i] -= l * b[k];
        }
    }
    x[2] = b[2] / a[8];
    x[1] = (b[1] - a[5] * x[2]) / a[4];
    x[0] = (b[0] - a[1] * x[1] - a[2] * x[2]) / a[0];
}

int main(int argc, char **argv)
{
    if (argc < 4)
        return 1;
    const int small = !strcmp(argv[1], "small");
    const long n = atol(argv[2]), elements = small ? 9 * n : n * n, rights = small ? 3 * n : n;
    double *a = malloc(sizeof *a * (size_t)elements), *w = malloc(sizeof *w * (size_t)elements);
    double *b = malloc(sizeof *b * (size_t)rights), *x = malloc(sizeof *x * (size_t)rights);
    if (!a || !w || !b || !x)
        return 1;
    for (long i = 0; i < elements; i++)
        a[i] = (double)rand() / RAND_MAX - 0.5;
    for (long i = 0; i < rights; i++)
        b[i] = (double)rand() / RAND_MAX;
    for (long r = atol(argv[3]); r > 0; r--) {
        double start = now();
        if (small) {
            for (long k = 0; k < n; k++)
                solve3(a + 9 * k, b + 3 * k, x + 3 * k);
        } else {
            memcpy(w, a, sizeof *a * (size_t)elements);
            memcpy(x, b, sizeof *b * (size_t)rights);
            solve(w, x, n);
        }
        printf("%.9f\n", now() - start);
    }
    return x[0] == 12345.678;
}
