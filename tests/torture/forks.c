/* forks.c - children of a process whose engine has threads and a compiler at work: they compute,
 * with the inherited engine and with one of their own, and end; the parent goes on.  None may
 * hang.  argv[1]: stored_cc. */
#include "kit.h"

#include "lunarray.h"

enum { LENGTH = 200000 };

static lun_engine *open_engine(const char *backend)
{
    lun_engine *e = NULL;
    lun_config c = {.size = sizeof c, .backend = backend, .threads = 4, .cache_dir = ""};
    return lun_open(&c, &e) == LUN_OK ? e : NULL;
}

/* The sum of (i + add) * 2 over 0 .. LENGTH-1, by threads; another kernel for each `kind`. */
static bool computes(lun_engine *e, int64_t add, int kind)
{
    lun_array *x = NULL, *y = NULL, *z = NULL, *n = NULL;
    lun_value zero = {.dtype = LUN_I64}, one = {.dtype = LUN_I64, .as.i = 1}, sum = {0};
    double want = (double)LENGTH * (LENGTH - 1) + 2.0 * (double)add * LENGTH;
    bool good = lun_range(e, zero, one, LENGTH, LUN_I64, &x) == LUN_OK &&
                lun_integer(e, add, &n) == LUN_OK && lun_add(e, x, n, &y) == LUN_OK &&
                lun_add(e, y, y, &z) == LUN_OK;
    for (int i = 0; good && i < kind; i++) {
        lun_array *more = NULL;
        good = (i % 2 ? lun_abs(e, z, &more) : lun_max(e, z, z, &more)) == LUN_OK;
        lun_release(z);
        z = more;
    }
    good = good && lun_total(e, LUN_SUM, z, 0, &sum) == LUN_OK && (double)sum.as.i == want;
    lun_release(n);
    lun_release(x);
    lun_release(y);
    lun_release(z);
    return good;
}

typedef struct job {
    lun_engine *e;
    long round;
} job;

static int child(void *arg)
{
    const job *j = arg;
    if (!computes(j->e, j->round, (int)(j->round % 7)))
        return 2;
    if (j->round % 3 == 0) {
        lun_engine *own = open_engine(j->round % 2 ? "openmp" : "reference");
        if (!own || !computes(own, 5, 1))
            return 3;
        lun_close(own);
    }
    if (j->round % 5 == 0) /* a child of the child */
        return kit_child(child, &(job){j->e, j->round + 1}, 20);
    if (j->round % 4 == 0) {
        lun_close(j->e);
        exit(0);
    }
    return 0;
}

int main(int argc, char **argv)
{
    long rounds = kit_count(200, 20), wrong = 0, hung = 0;
    char store[64];
    if (argc < 2 || !kit_directory(store))
        return 1;
    setenv("LUNARRAY_CC", argv[1], 1);
    setenv("STORED_CC_DIR", store, 1);
    lun_engine *e = open_engine("openmp");
    if (!e)
        return 1;
    for (long i = 0; i < rounds; i++) {
        job j = {e, i};
        wrong +=
            !computes(e, i, (int)(i % 7)); /* a new kernel: its compiler may run during the fork */
        int status = kit_child(child, &j, 20);
        hung += status == 1000 + SIGALRM;
        wrong += status != 0;
        if (status)
            fprintf(stderr, "round %ld: %d\n", i, status);
    }
    lun_close(e);
    kit_remove(store);
    kit_report(wrong == 0, "forks after use", "%ld children, %ld hung, %ld wrong", rounds, hung,
               wrong);
    return 0;
}
