/* group.c - what bench/group.lua times, written by hand: sums of f64 by the group of each row in
 * one serial loop into one table.  Prints the seconds of each repetition.
 * usage: group rows groups repetitions */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

int main(int argc, char **argv)
{
    if (argc != 4)
        return 2;
    long n = atol(argv[1]), groups = atol(argv[2]);
    double *x = malloc((size_t)n * sizeof *x), *sum = malloc((size_t)groups * sizeof *sum);
    int32_t *code = malloc((size_t)n * sizeof *code);
    uint64_t state = 1;
    if (!x || !sum || !code)
        return 1;
    for (long i = 0; i < n; i++) {
        state = state * 6364136223846793005u + 1442695040888963407u;
        x[i] = (double)(state >> 11) * 0x1p-53;
        code[i] = (int32_t)((state >> 33) % (uint64_t)groups);
    }
    for (int r = atoi(argv[3]); r > 0; r--) {
        double start = now();
        memset(sum, 0, (size_t)groups * sizeof *sum);
        for (long i = 0; i < n; i++)
            sum[code[i]] += x[i];
        printf("%.9f\n", now() - start);
        if (sum[0] < 0)
            return 1;
    }
    return 0;
}
