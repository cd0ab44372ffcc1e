/* Two engines in two threads: each is used by one thread at a time, and they know
 * nothing of each other.
 *
 *     cc threads.c $(pkg-config --cflags --libs lunarray) -pthread -o threads && ./threads
 *
 * prints:
 *     thread 1: 1000 squares sum to 333833500
 *     thread 2: 2000 squares sum to 2668667000
 */
#include <pthread.h>
#include <stdio.h>

#include <lunarray.h>

typedef struct job {
    int64_t n;
    int64_t sum;
    char error[256];
} job;

/* The sum of 1, 4, 9, ... n * n; the status of the first call that fails. */
static lun_status sum_of_squares(lun_engine *e, int64_t n, int64_t *out)
{
    const lun_value one = {.dtype = LUN_I64, .as.i = 1};
    lun_array *k = NULL, *square = NULL;
    lun_value sum = {.dtype = LUN_I64};
    lun_status s = lun_range(e, one, one, n, LUN_I64, &k);
    if (s == LUN_OK)
        s = lun_mul(e, k, k, &square);
    if (s == LUN_OK)
        s = lun_total(e, LUN_SUM, square, 0, &sum);
    lun_release(k); /* NULL is allowed */
    lun_release(square);
    *out = sum.as.i;
    return s;
}

static void *work(void *arg)
{
    job *j = arg;
    lun_engine *e = NULL;
    lun_status s = lun_open(NULL, &e);
    if (s == LUN_OK)
        s = sum_of_squares(e, j->n, &j->sum);
    if (s != LUN_OK)
        snprintf(j->error, sizeof j->error, "%s", lun_error(e));
    lun_close(e);
    return NULL;
}

int main(void)
{
    job jobs[2] = {{.n = 1000}, {.n = 2000}};
    pthread_t threads[2];
    for (int i = 0; i < 2; i++)
        if (pthread_create(&threads[i], NULL, work, &jobs[i]) != 0)
            return 1;
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    for (int i = 0; i < 2; i++)
        printf("thread %d: %lld squares sum to %lld%s\n", i + 1, (long long)jobs[i].n,
               (long long)jobs[i].sum, jobs[i].error);
    return 0;
}
