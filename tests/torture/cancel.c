/* cancel.c - evaluations stopped at random times, by lun_cancel from another thread and by
 * signals to the program: the call ends soon, its results are absent, its operands unchanged,
 * and the next evaluation is right. argv[1] is a file in the directory of the programs. */
#include "kit.h"

#include <fcntl.h>
#include <pthread.h>

#include "lunarray.h"

enum { LENGTH = 4000000, LOADS = 10 };

typedef struct canceller {
    lun_engine *e;
    double after; /* seconds */
    double at;    /* when it was done */
} canceller;

static void *cancel_later(void *arg)
{
    canceller *c = arg;
    kit_sleep(c->after);
    c->at = kit_seconds();
    lun_cancel(c->e);
    return NULL;
}

/* An expression of about 20 to 300 ms: elementwise, reduced, scanned, random, cut into many
 * kernels. */
static lun_status load(lun_engine *e, int which, lun_array *x, lun_array **out)
{
    lun_array *y = NULL, *z = NULL;
    lun_status s = LUN_OK;
    lun_function *add = NULL;
    lun_value one = {.dtype = LUN_F64, .as.d = 1};
    const int64_t shape[1] = {LENGTH};
    if (which == 5)
        s = lun_random(e, 1, shape, 7, LUN_NORMAL, LUN_F64, &y);
    else if (which == 6)
        s = lun_range(e, one, one, LENGTH, LUN_F64, &y);
    else
        lun_retain(y = x);
    for (int i = 0; i < 3 + which * 3 && s == LUN_OK; i++) {
        s = which % 3 == 0   ? lun_sin(e, y, &z)
            : which % 3 == 1 ? lun_mul(e, y, x, &z)
                             : lun_pow(e, y, x, &z);
        lun_release(y);
        y = z;
    }
    if (s == LUN_OK && (which == 2 || which == 7)) {
        s = lun_function_op(e, LUN_OP_ADD, &add);
        if (s == LUN_OK)
            s = lun_scan(e, add, NULL, y, true, &z);
        lun_function_release(add);
        lun_release(y);
        y = z;
    }
    if (s == LUN_OK && (which == 3 || which == 8)) {
        s = lun_total_lazy(e, LUN_SUM, y, 0, &z);
        lun_release(y);
        y = z;
    }
    if (s == LUN_OK && which == 9) {
        s = lun_concat(e, y, x, &z);
        lun_release(y);
        y = z;
    }
    *out = y;
    return s;
}

static int by_size(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void from_threads(const char *backend)
{
    long rounds = kit_count(500, LOADS), cancelled = 0, wrong = 0;
    double *late = calloc((size_t)rounds, sizeof *late);
    double *host = malloc(LENGTH * sizeof *host);
    uint64_t random = 3;
    lun_engine *e;
    lun_array *x;
    lun_config c = {.size = sizeof c, .backend = backend};
    char name[64];
    snprintf(name, sizeof name, "lun_cancel at random times, %s", backend);
    if (!late || !host)
        exit(1);
    if (lun_open(&c, &e) != LUN_OK) {
        kit_report(!strcmp(backend, "opencl"), name, "left out: there is no device");
        free(late);
        free(host);
        return;
    }
    for (long i = 0; i < LENGTH; i++)
        host[i] = 0.5 + (double)(i % 1000) / 2000;
    if (lun_wrap(e, host, LENGTH, LUN_F64, NULL, NULL, &x) != LUN_OK)
        exit(1);
    for (int i = 0; i < LOADS && !strcmp(backend, "opencl");
         i++) { /* a driver's compiler cannot be stopped */
        lun_array *y = NULL;
        if (load(e, i, x, &y) != LUN_OK || lun_eval(e, &y, 1) != LUN_OK)
            exit(1);
        lun_release(y);
    }
    for (long i = 0; i < rounds; i++) {
        lun_array *y = NULL;
        pthread_t t;
        lun_value v;
        canceller later = {.e = e, .after = (double)kit_below(&random, 60000) * 1e-6};
        if (load(e, (int)(i % LOADS), x, &y) != LUN_OK ||
            pthread_create(&t, NULL, cancel_later, &later))
            exit(1);
        lun_status s = lun_eval(e, &y, 1);
        double end = kit_seconds();
        pthread_join(t, NULL);
        if (s == LUN_ECANCEL) {
            late[cancelled++] = end - later.at;
            wrong +=
                lun_pending(y) == 0 &&
                lun_class_of(y) == LUN_COMPOSITION; /* a Composition still: no partial result */
        } else if (s != LUN_OK) {
            wrong++;
        }
        wrong += lun_get(e, x, 999, &v) != LUN_OK || v.as.d != host[999];
        if (i % 10 == 9) /* the stopped expression can be evaluated */
            wrong += lun_get(e, y, 0, &v) != LUN_OK;
        lun_release(y);
    }
    lun_release(x);
    lun_close(e);
    qsort(late, (size_t)cancelled, sizeof *late, by_size);
    double p99 = cancelled ? late[(cancelled * 99 - 1) / 100] : 0;
    /* in a small run the worst time may be that of a busy machine */
    double judged = cancelled >= 100 ? p99 : cancelled ? late[cancelled / 2] : 0;
    kit_report(wrong == 0 && cancelled > 0 && judged < 0.2, name,
               "%ld of %ld stopped, p99 %.0f ms, worst %.0f ms, %ld wrong", cancelled, rounds,
               p99 * 1e3, (cancelled ? late[cancelled - 1] : 0) * 1e3, wrong);
    free(late);
    free(host);
}

static const char *const scripts[] = {
    "local x = lun.range(1, 4e6):eval() while true do x = (x * 0.5 + 1):sin():eval() end",
    "local x = lun.range(1, 4e6):eval() while true do local s = (x * 0.5):sum() end",
    "local x = lun.range(1, 4e6):eval() while true do lun.scan('+', 0)(x):eval() end",
    "while true do end",
    "while true do local t = {} for i = 1, 1000 do t[i] = lun.vector { i } + 1 end end",
    "local f = lun.map(function(x) local s = x for i = 1, 1000 do s = s * 0.5 + i end return s "
    "end) while true do "
    "f(lun.range(1, 1e6)):eval() end",
    "while true do pcall(function() while true do lun.range(1, 1e6):sum() end end) end",
    "local co = coroutine.wrap(function() while true do lun.random(1e6):sum() end end) co()",
    "while true do tostring(lun.range(1, 1e5)) end",
    "while true do lun.vector(lun.range(1, 1e5):totable()) end",
    "local x, p = lun.random(1e5), os.getenv 'TMPDIR' .. '/f' while true do lun.save(p .. '.npy', "
    "x) "
    "lun.load(p .. '.npy'):sum() end",
    "local x, p = lun.random(1e3), os.getenv 'TMPDIR' .. '/f' while true do lun.save(p .. '.csv', "
    "{x = x}) "
    "lun.load(p .. '.csv') end",
    "local p = os.getenv 'TMPDIR' .. '/f' .. '.npy' lun.save(p, lun.random(1e6)) local f = "
    "lun.open(p) "
    "while true do (f * 2):sum() end",
    "local k = 0 while true do k = k + 1 local y = lun.index(1000) for i = 1, k % 100 do "
    "y = y * 3 + y // i end y:sum() end",
    "lun.use 'reference' local x = lun.range(1, 1e6):eval() while true do (x:sin() + x):eval() end",
    /* from here on: devices only */
    "lun.use 'opencl' local x = lun.range(1, 4e6):eval() while true do x = (x * 0.5 + 1):eval() "
    "x:sum() end",
    "lun.use 'opencl' local x = lun.range(1, 1e11) x:sum()",
    "lun.use 'opencl' lun.index(1e6):map(function(i) local s = i for k = 1, 1e7 do s = s * 31 ~ k "
    "end return s end):eval()",
};
enum { DEVICE_SCRIPTS = 3 };

static bool has_device(void)
{
    lun_engine *e;
    lun_config c = {.size = sizeof c, .backend = "opencl", .cache_dir = ""};
    if (lun_open(&c, &e) != LUN_OK)
        return false;
    lun_close(e);
    return true;
}

/* SIGINT to the program, which runs one of `count` scripts: it ends, by status 1 with
 * "interrupted!" or by the signal. */
static void from_signals(const char *program, const char *name, const char *const *list, long count,
                         long rounds)
{
    long wrong = 0;
    double *late = calloc((size_t)rounds, sizeof *late);
    char dir[64];
    uint64_t random = 5;
    if (!late || !kit_directory(dir))
        exit(1);
    setenv("TMPDIR", dir, 1);
    for (long i = 0; i < rounds; i++) {
        const char *script = list[i % count];
        fflush(NULL);
        pid_t pid = fork();
        if (pid == 0) {
            int null = open("/dev/null", O_WRONLY);
            dup2(null, 2);
            alarm(20); /* one that hangs is ended by another signal */
            execl(program, "lunarray", "-e", script, (char *)NULL);
            _exit(127);
        }
        kit_sleep(0.05 + (double)kit_below(&random, 400000) * 1e-6);
        double sent = kit_seconds();
        kill(pid, SIGINT);
        int status;
        /* a script that catches its errors goes on: a second signal ends the program */
        for (int k = 0; waitpid(pid, &status, WNOHANG) == 0; k++) {
            kit_sleep(0.002);
            if (k % 250 == 249)
                kill(pid, SIGINT);
        }
        late[i] = kit_seconds() - sent;
        bool well =
            (WIFEXITED(status) && (WEXITSTATUS(status) == 1 || WEXITSTATUS(status) == 130)) ||
            (WIFSIGNALED(status) && WTERMSIG(status) == SIGINT);
        if (!well)
            fprintf(stderr, "%s: status %x after %.3f s\n", script, (unsigned)status, late[i]);
        wrong += !well;
    }
    qsort(late, (size_t)rounds, sizeof *late, by_size);
    double p99 = late[(rounds * 99 - 1) / 100], half = late[rounds / 2];
    kit_report(wrong == 0 && half < (strstr(name, "opencl") ? 5 : 0.2), name,
               "%ld programs, %ld workloads, median %.0f ms, p99 %.0f ms, worst %.0f ms, %ld wrong",
               rounds, count, half * 1e3, p99 * 1e3, late[rounds - 1] * 1e3, wrong);
    kit_remove(dir);
    free(late);
}

int main(int argc, char **argv)
{
    char program[512];
    if (argc < 2)
        return 1;
    snprintf(program, sizeof program, "%.*s/../lunarray", (int)(strrchr(argv[1], '/') - argv[1]),
             argv[1]);
    from_threads("openmp");
    from_threads("reference");
    from_threads("opencl");
    const long device = DEVICE_SCRIPTS, host = (long)(sizeof scripts / sizeof *scripts) - device;
    from_signals(program, "SIGINT at random times", scripts, host, kit_count(1000, host));
    if (has_device()) /* what loads a driver or waits for its compiler cannot be stopped there */
        from_signals(program, "SIGINT at random times, opencl", scripts + host, device,
                     kit_count(200, device));
    return 0;
}
