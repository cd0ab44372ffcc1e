/* histogram.c - a histogram of bytes by hand: eight tables a thread.
 * usage: histogram threads bits repetitions    (2^bits bytes; seconds of each repetition) */
#include <omp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(int argc, char **argv)
{
    if (argc < 4)
        return 2;
    omp_set_num_threads(atoi(argv[1]));
    int64_t n = INT64_C(1) << atoi(argv[2]), counts[256];
    uint8_t *x = malloc((size_t)n);
    if (!x)
        return 1;
    uint64_t state = 1;
    for (int64_t k = 0; k < n; k++) {
        state = state * 6364136223846793005u + 1442695040888963407u;
        x[k] = (uint8_t)(state >> 56);
    }
    for (int repetition = 0; repetition <= atoi(argv[3]); repetition++) {
        double start = omp_get_wtime();
        memset(counts, 0, sizeof counts);
#pragma omp parallel
        {
            uint32_t table[8][256] = {{0}};
#pragma omp for schedule(static) nowait
            for (int64_t k = 0; k < n / 8; k++) {
                uint64_t eight;
                memcpy(&eight, x + 8 * k, sizeof eight);
                for (int i = 0; i < 8; i++)
                    table[i][eight >> 8 * i & 0xff]++;
            }
#pragma omp critical
            for (int i = 0; i < 8; i++)
                for (int v = 0; v < 256; v++)
                    counts[v] += table[i][v];
        }
        if (repetition && counts[0] >= 0)
            printf("%.9f\n", omp_get_wtime() - start);
    }
    free(x);
    return 0;
}
