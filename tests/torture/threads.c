/* threads.c - eight threads with an engine each and a thousand different kernels in each: the
 * results are those of a single thread; then all with one engine, which refuses calls or does
 * them and loses nothing that is released.  `make tsan` runs it to find data races.  RACE plants
 * one: the name of a backend, whose kernel reads what the host writes at the same time. */
#include "kit.h"

#include <pthread.h>

#include "lunarray.h"
#include "lunarray_bind.h"

enum { THREADS = 8, LENGTH = 3000, MOST = 1000, SHARED = 1 << 14 };

typedef struct worker {
    pthread_t thread;
    int number, kernels;
    bool failed;
    double sums[MOST];
} worker;

/* Kernel `number`: its digits choose the operations. */
static lun_status make(lun_engine *e, lun_array *x, int number, lun_array **out)
{
    lun_array *y = x;
    lun_status s = LUN_OK;
    lun_retain(y);
    for (int n = number + 7; n && s == LUN_OK; n /= 7) {
        lun_array *z = NULL;
        switch (n % 7) {
        case 0:
            s = lun_add(e, y, x, &z);
            break;
        case 1:
            s = lun_mul(e, y, x, &z);
            break;
        case 2:
            s = lun_sin(e, y, &z);
            break;
        case 3:
            s = lun_max(e, y, x, &z);
            break;
        case 4:
            s = lun_sub(e, x, y, &z);
            break;
        case 5:
            s = lun_abs(e, y, &z);
            break;
        default:
            s = lun_cast(e, y, number % 2 ? LUN_F32 : LUN_F64, &z);
        }
        lun_release(y);
        y = z;
    }
    *out = y;
    return s;
}

static void *work(void *arg)
{
    worker *w = arg;
    lun_engine *e = NULL;
    lun_array *x = NULL;
    lun_value first = {.dtype = LUN_F64, .as.d = 0.5}, step = {.dtype = LUN_F64, .as.d = 0.001};
    lun_config c = {.size = sizeof c,
                    .backend = w->number % 2 ? "reference" : "openmp",
                    .threads = 2,
                    .jit = LUN_JIT_OFF,
                    .cache_dir = ""};
    w->failed =
        lun_open(&c, &e) != LUN_OK || lun_range(e, first, step, LENGTH, LUN_F64, &x) != LUN_OK;
    for (int i = 0; i < w->kernels && !w->failed; i++) {
        lun_array *y = NULL;
        lun_value sum;
        w->failed = make(e, x, i, &y) != LUN_OK || lun_eval(e, &y, 1) != LUN_OK ||
                    lun_total(e, LUN_SUM, y, 0, &sum) != LUN_OK;
        if (!w->failed)
            w->sums[i] = sum.as.d;
        lun_release(y);
    }
    lun_release(x);
    lun_close(e);
    return NULL;
}

/* ---- one engine ------------------------------------------------------------------------------ */

typedef struct sharer {
    pthread_t thread;
    lun_engine *e;
    lun_array *common;
    int rounds, done;
    bool failed;
} sharer;

/* Calls of all kinds; what another thread's call refuses is all that may fail. */
static void *share(void *arg)
{
    sharer *w = arg;
    for (int i = 0; i < w->rounds && !w->failed; i++) {
        lun_array *x = NULL, *y = NULL;
        lun_blank *blank;
        void *memory;
        lun_stats s = {.size = sizeof s};
        int64_t shape[LUN_MAX_RANK];
        lun_value sum;
        lun_retain(w->common);
        w->failed = lun_vector(w->e, NULL, 16, LUN_F64, &x) > LUN_EARG ||
                    (x && lun_add(w->e, x, w->common, &y) > LUN_EARG);
        if (y && lun_total(w->e, LUN_SUM, y, 0, &sum) == LUN_OK) {
            w->failed |= sum.as.d != 16;
            w->done++;
        }
        if (lun_shape(x, shape) == 1)
            w->failed |= shape[0] != 16;
        (void)(lun_size(y) + (int64_t)lun_dtype_of(y) + lun_pending(y) + lun_class_of(x));
        (void)(lun_is_freed(x) || lun_is_virtual(x) || lun_device_of(y) || lun_backend_name(w->e));
        lun_stats_get(w->e, &s);
        if (lun_blank_new(w->e, 16, 8, &blank, &memory) == LUN_OK)
            lun_blank_drop(w->e, blank);
        (void)(lun_pressure(w->e) + lun_thrifty(w->e, false));
        lun_release(y);
        lun_release(w->common);
        lun_release(x);
    }
    return NULL;
}

static bool share_one(int rounds)
{
    lun_config c = {.size = sizeof c, .backend = "reference", .cache_dir = ""};
    lun_stats s = {.size = sizeof s};
    sharer all[THREADS] = {{0}};
    lun_engine *e = NULL;
    lun_array *common = NULL;
    bool failed =
        lun_open(&c, &e) != LUN_OK || lun_full(e, 1, (const int64_t[]){16}, LUN_F64,
                                               (lun_value){LUN_F64, {.d = 1}}, &common) != LUN_OK;
    int started = 0, done = 0;
    for (; !failed && started < THREADS; started++) {
        all[started] = (sharer){.e = e, .common = common, .rounds = rounds};
        if (pthread_create(&all[started].thread, NULL, share, &all[started]))
            break;
    }
    for (int t = 0; t < started; t++) {
        pthread_join(all[t].thread, NULL);
        failed |= all[t].failed;
        done += all[t].done;
    }
    lun_release(common);
    lun_stats_get(e, &s);
    kit_report(!failed && done > 0 && s.nodes == 0 && s.allocated == 0, "one engine of all threads",
               "%d threads x %d calls, %d sums, %lld nodes left", started, rounds, done,
               (long long)s.nodes);
    failed |= done == 0 || s.nodes || s.allocated;
    lun_close(e);
    return failed;
}

/* ---- planted races --------------------------------------------------------------------------- */

static void *write_there(void *arg)
{
    for (int i = 0; i < SHARED; i++)
        ((double *)arg)[i] = i;
    return NULL;
}

/* The host writes elements that a kernel reads. */
static int race_with_kernel(const char *backend)
{
    static _Alignas(4096) double elements[SHARED]; /* aligned, so that no copy is made */
    lun_config c = {.size = sizeof c, .backend = backend, .jit = LUN_JIT_SYNC, .cache_dir = ""};
    lun_engine *e = NULL;
    lun_array *x = NULL, *y = NULL;
    lun_value sum;
    pthread_t t;
    if (lun_open(&c, &e) != LUN_OK ||
        lun_wrap(e, elements, SHARED, LUN_F64, NULL, NULL, &x) != LUN_OK ||
        lun_mul(e, x, x, &y) != LUN_OK || pthread_create(&t, NULL, write_there, elements))
        return 1;
    lun_total(e, LUN_SUM, y, 0, &sum);
    pthread_join(t, NULL);
    lun_release(x);
    lun_release(y);
    lun_close(e);
    return 0;
}

int main(void)
{
    static worker one, all[THREADS];
    int wrong = 0;
    const char *planted = getenv("RACE");
    if (planted)
        return race_with_kernel(planted);
    one.kernels = (int)kit_count(MOST, 40);
    if (one.kernels > MOST)
        one.kernels = MOST;
    work(&one);
    for (int t = 0; t < THREADS; t++) {
        all[t].number = t;
        all[t].kernels = one.kernels;
        if (pthread_create(&all[t].thread, NULL, work, &all[t]))
            return 1;
    }
    for (int t = 0; t < THREADS; t++) {
        pthread_join(all[t].thread, NULL);
        wrong += all[t].failed || memcmp(all[t].sums, one.sums, sizeof one.sums) != 0;
    }
    kit_report(!one.failed && wrong == 0, "engines in threads", "%d threads x %d kernels, %d wrong",
               THREADS, one.kernels, wrong);
    const bool lost = share_one((int)kit_count(20 * MOST, 2000));
    return wrong != 0 || lost;
}
