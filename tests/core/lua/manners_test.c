/* manners_test.c - what the library leaves alone in its host: signal handlers and masks,
 * floating-point modes, locale, stdout and stderr, the end of the process; and what it stands:
 * fork, few threads, little address space. Everything that may end a process happens in a child. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "left_out.h"

#include <dirent.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <fenv.h>
#include <locale.h>
#include <signal.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lunarray.h"

#define OK(call) assert_int_equal((call), LUN_OK)

static lun_engine *open_engine(lun_jit jit)
{
    lun_config c = {
        .size = sizeof c, .cache_dir = "", .backend = "openmp", .threads = 2, .jit = jit};
    lun_engine *e = NULL;
    return lun_open(&c, &e) == LUN_OK ? e : NULL;
}

/* ---- work ------------------------------------------------------------------------------------ */

/* Kernels of all kinds, `rounds` times 20 of them; large enough for two threads. */
static const char mixed[] =
    "local n = 70000\n"
    "local a, b, k = lun.random(n, {seed = 1}), lun.random(n, {seed = 2, dtype = 'f32'}), "
    "lun.index(n)\n"
    "local odd = lun.map(function(x) if x > 0.5 then return x * x end return -x end)\n"
    "for i = 1, rounds do\n"
    "  local tiny = a * 1e-310\n"
    "  assert(tiny:max() > 0 and tiny:max() < 1e-309, 'denormals')\n"
    "  local r = {a + i, a * b, b:sqrt(), a:exp() - a:log(), k // 7, k % (i + 1), k & i, "
    "a:lt(0.5),\n"
    "    a:sin() * b, lun.where(b:gt(0.5), a, -a), k:cast 'f32' / 3, a:cast 'i8', odd(a),\n"
    "    a:scan('+', 0), b:scan('max', 0)}\n"
    "  lun.eval(table.unpack(r))\n"
    "  assert(r[1][1] == a[1] + i and #r[15] == n)\n"
    "  s, t = a:sum(), k:sum()\n"
    "  assert(t == n * (n + 1) // 2 and r[4]:min() and r[5]:var())\n"
    "end\n";

static bool work(lun_engine *e, int rounds)
{
    return e && lun_setnumber(e, "rounds", rounds) == LUN_OK && lun_dostring(e, mixed) == LUN_OK;
}

static void do_work(lun_engine *e, int rounds)
{
    if (!work(e, rounds))
        fail_msg("%s", e ? lun_error(e) : lun_error(NULL));
}

/* A small computation on two threads whose result is known. */
static bool sum_is_right(lun_engine *e)
{
    const lun_value one = {.dtype = LUN_I64, .as.i = 1};
    lun_array *k = NULL;
    lun_value v = {.dtype = LUN_I64};
    lun_status s = lun_range(e, one, one, 300000, LUN_I64, &k);
    if (s == LUN_OK)
        s = lun_total(e, LUN_SUM, k, 0, &v);
    lun_release(k);
    return s == LUN_OK && v.as.i == INT64_C(300000) * 300001 / 2;
}

/* The same in an engine of its own; with `or_reason` true too where it failed in
 * order, with a text. */
static bool computes(lun_jit jit, bool or_reason)
{
    lun_engine *e = open_engine(jit);
    if (!e)
        return or_reason && lun_error(NULL)[0] != 0;
    bool well = sum_is_right(e) || (or_reason && lun_error(e)[0] != 0);
    lun_close(e);
    return well;
}

/* ---- children -------------------------------------------------------------------------------- */

/* The end of a child. libomp's exit handler tells archer, make tsan's helper, of the end of a
 * thread that archer has no notes of after a fork, and that reads through NULL; so there the
 * handlers do not run. */
static _Noreturn void leave(int status)
{
    fflush(NULL);
#ifdef __SANITIZE_THREAD__
    _exit(status);
#else
    exit(status);
#endif
}

/* How a child that runs f(arg) ends: its exit status, 128 + a signal; 300 seconds are too long. */
static int in_child(void (*f)(void *arg), void *arg)
{
    int status = 0;
    fflush(NULL);
    pid_t pid = fork();
    assert_true(pid >= 0);
    if (pid == 0) {
        alarm(300);
        f(arg);
        leave(0);
    }
    assert_int_equal(waitpid(pid, &status, 0), pid);
    return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

/* ---- what is left alone ---------------------------------------------------------------------- */

#ifdef __x86_64__
static unsigned mode_of_floats(void)
{
    return __builtin_ia32_stmxcsr() & ~0x3Fu; /* without the flags that operations leave */
}
#else
static unsigned mode_of_floats(void)
{
    return 0;
}
#endif

static void test_floating_point_modes(void **state)
{
    (void)state;
    static const int rounding[] = {FE_TONEAREST, FE_UPWARD, FE_TOWARDZERO};
    lun_engine *e = open_engine(LUN_JIT_SYNC);
    for (size_t i = 0; i < sizeof rounding / sizeof rounding[0]; i++) {
        assert_int_equal(fesetround(rounding[i]), 0);
        unsigned before = mode_of_floats();
        if (i == 0)
            do_work(e, 50); /* about 1,000 kernels */
        else
            assert_true(sum_is_right(e));
        unsigned after = mode_of_floats();
        int now = fegetround();
        fesetround(FE_TONEAREST);
        assert_int_equal(after, before);
        assert_int_equal(now, rounding[i]);
    }
    volatile double least = 4.9e-324;
    assert_true(least > 0 && least / 2 == 0 && least + least > least);
    lun_close(e);
}

static void on_signal(int signal)
{
    (void)signal;
}

static void test_signals(void **state)
{
    (void)state;
    static const int signals[] = {SIGINT,  SIGTERM, SIGFPE,  SIGSEGV,
                                  SIGUSR1, SIGUSR2, SIGCHLD, SIGPIPE};
    enum { COUNT = sizeof signals / sizeof signals[0] };
    struct sigaction saved[COUNT], now, ours = {.sa_handler = on_signal, .sa_flags = SA_RESTART};
    sigset_t mask, mask_after;
    sigemptyset(&mask);
    sigaddset(&mask, SIGUSR2);
    sigaddset(&ours.sa_mask, SIGUSR1);
    for (int i = 0; i < COUNT; i++)
        sigaction(signals[i], &ours, &saved[i]);
    sigprocmask(SIG_BLOCK, &mask, NULL);
    lun_config c = {.size = sizeof c, .cache_dir = "", .time_limit = 100};
    lun_engine *e = open_engine(LUN_JIT_SYNC), *limited = NULL;
    assert_int_equal(lun_open(&c, &limited), LUN_OK);
    do_work(e, 2);
    do_work(limited, 2);
    const char *reason;
    for (int i = 0; lun_backend_at(e, i, &reason); i++)
        ;
    lun_devices(e, NULL, 0);
    lun_close(e);
    lun_close(limited);
    for (int i = 0; i < COUNT; i++) {
        sigaction(signals[i], &saved[i], &now);
        if (now.sa_handler != on_signal || (now.sa_flags & SA_RESTART) == 0 ||
            !sigismember(&now.sa_mask, SIGUSR1))
            fail_msg("signal %d has another handler", signals[i]);
    }
    sigprocmask(SIG_SETMASK, NULL, &mask_after);
    assert_true(sigismember(&mask_after, SIGUSR2) && !sigismember(&mask_after, SIGINT));
    sigprocmask(SIG_UNBLOCK, &mask, NULL);
}

/* Threads that the library has made hold back what is the host's: SIGINT is held back by
 * all but this one. */
static void test_threads_take_no_signals(void **state)
{
    (void)state;
#if defined __SANITIZE_THREAD__ || defined __SANITIZE_ADDRESS__
    LEAVE_OUT("sanitizers have threads of their own");
#endif
    sigset_t after;
    lun_engine *e = open_engine(LUN_JIT_SYNC);
    do_work(e, 1);
    DIR *tasks = opendir("/proc/self/task");
    if (!tasks)
        skip();
    int others = 0;
    for (struct dirent *d; (d = readdir(tasks));) {
        char path[300], line[256];
        unsigned long long blocked = 0;
        snprintf(path, sizeof path, "/proc/self/task/%s/status", d->d_name);
        FILE *f = atoi(d->d_name) > 0 && atoi(d->d_name) != getpid() ? fopen(path, "re") : NULL;
        while (f && fgets(line, sizeof line, f))
            sscanf(line, "SigBlk: %llx", &blocked);
        if (!f)
            continue;
        fclose(f);
        others++;
        assert_true(blocked >> (SIGINT - 1) & 1 && blocked >> (SIGUSR1 - 1) & 1);
        assert_false(blocked >> (SIGSEGV - 1) & 1);
    }
    closedir(tasks);
    assert_true(others >= 1);
    pthread_sigmask(SIG_SETMASK, NULL, &after);
    assert_false(sigismember(&after, SIGINT));
    lun_close(e);
}

/* Whatever fails, too. */
static void test_output(void **state)
{
    (void)state;
    char path[] = "/tmp/manners_test_XXXXXX";
    int file = mkstemp(path), out = dup(1), err = dup(2);
    assert_true(file >= 0 && out >= 0 && err >= 0);
    fflush(NULL);
    dup2(file, 1);
    dup2(file, 2);
    lun_engine *e = open_engine(LUN_JIT_SYNC);
    bool worked = work(e, 2);
    lun_dostring(e, "this is no Lua");
    lun_dostring(e, "error {}");
    lun_dostring(e, "warn '@on' warn 'unheard'");
    lun_dostring(e, "return lun.ones(3) + lun.ones(4)");
    lun_dostring(e, "return (lun.vector {1} // 0):eval()");
    lun_dostring(e, "return lun.map '(float x) { return x +; }' (lun.ones(3)):eval()");
    lun_dostring(e, "return lun.map '#error no' (lun.ones(3)):eval()");
    lun_dostring(e, "setmetatable({}, {__gc = function() error 'in a finaliser' end}) "
                    "collectgarbage()");
    lun_close(e);
    lun_config c = {.size = sizeof c, .backend = "nope"};
    lun_open(&c, &e);
    fflush(NULL);
    dup2(out, 1);
    dup2(err, 2);
    struct stat st;
    fstat(file, &st);
    close(file);
    close(out);
    close(err);
    remove(path);
    assert_true(worked);
    assert_int_equal(st.st_size, 0);
}

/* ---- locale ---------------------------------------------------------------------------------- */

/* A locale with decimal commas: an installed one, else one made in `directory`. */
static bool set_comma_locale(char *directory)
{
    static const char *const names[] = {"de_DE.UTF-8", "fr_FR.UTF-8", "de_DE.utf8", "comma"};
    char command[512];
    if (!mkdtemp(directory))
        return false;
    snprintf(command, sizeof command,
             "cd %s && printf '%%s\\n' LC_NUMERIC 'decimal_point \"<U002C>\"' 'thousands_sep "
             "\"<U002E>\"' 'grouping 3;3' 'END LC_NUMERIC' >comma.def && "
             "localedef -c -i ./comma.def -f UTF-8 %s/comma >/dev/null 2>&1",
             directory, directory);
    if (system(command) == -1)
        return false;
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        setenv("LOCPATH", directory, i == 3);
        if (i < 3)
            unsetenv("LOCPATH");
        if (setlocale(LC_ALL, names[i]) && localeconv()->decimal_point[0] == ',')
            return true;
    }
    return false;
}

static void test_locale(void **state)
{
    (void)state;
    char directory[] = "/tmp/manners_test_XXXXXX", command[64], text[32];
    bool comma = set_comma_locale(directory);
    lun_status s = LUN_OK;
    if (comma) {
        lun_engine *e = open_engine(LUN_JIT_SYNC);
        s = lun_dostring(
            e, "local a = lun.vector {1.5, 2.25, -0.125}\n"
               "local function same(x, y) if x ~= y then error(x .. ' is not ' .. y, 2) end end\n"
               "same(tostring(a):match '\\n(%b[])', '[ 1.500  2.250 -0.125]')\n"
               "same((a * 2.5 + 0.5):sum(), 10.5625)\n"
               "same(a:map(function(x) return x * 1.5 + 0.25 end):sum(), 6.1875)\n"
               "same(lun.map '(double x) { return x * 1.5; }' (a):sum(), 5.4375)\n"
               "local path = os.tmpname()\n"
               "os.remove(path)\n"
               "for _, ending in ipairs {'.csv', '.npy'} do\n"
               "  local file = path .. ending\n"
               "  assert(lun.save(file, ending == '.csv' and {x = a, y = a / 3} or a))\n"
               "  if ending == '.csv' then same(io.open(file):read 'a':match '\\n([^,]*),', '1.5') "
               "end\n"
               "  local b = assert(lun.load(file))\n"
               "  if ending == '.csv' then same((b.y - a / 3):abs():max(), 0.0) b = b.x end\n"
               "  same((b - a):abs():max(), 0.0)\n"
               "  os.remove(file)\n"
               "end\n"
               "same(tostring(lun.explain(a + 1)):match '1 kernel', '1 kernel')\n");
        if (s != LUN_OK)
            print_message("%s\n", lun_error(e));
        lun_close(e);
        snprintf(text, sizeof text, "%.1f", 1.5);
        setlocale(LC_ALL, "C");
        assert_string_equal(text, "1,5"); /* still the host's */
    }
    snprintf(command, sizeof command, "rm -rf %s", directory);
    assert_int_equal(system(command), 0);
    assert_int_equal(s, LUN_OK);
    if (!comma) {
        print_message("no locale with decimal commas, and no localedef to make one\n");
        skip();
    }
}

/* ---- processes ------------------------------------------------------------------------------- */

static void compute_once(void *e)
{
    if (!sum_is_right(e))
        leave(9);
    lun_engine *own = open_engine(LUN_JIT_OFF);
    if (!own || !sum_is_right(own))
        leave(8);
    lun_close(own);
}

static void fork_again(void *e)
{
    compute_once(e);
    if (in_child(compute_once, e) != 0)
        leave(7);
}

static void test_fork(void **state)
{
    (void)state;
    lun_engine *e = open_engine(LUN_JIT_AUTO);
    do_work(e, 1);
    for (int i = 0; i < 20; i++) {
        assert_true(sum_is_right(e));
        assert_int_equal(in_child(i % 4 ? compute_once : fork_again, e), 0);
    }
    assert_true(sum_is_right(e));
    do_work(e, 1);
    lun_close(e);
}

/* The time limit has a thread, which a child does not have. */
static void stop_in_child(void *e)
{
    if (lun_dostring(e, "(lun.index(1 << 36) * 0.5):sqrt():max()") != LUN_ELIMIT)
        leave(9);
    lun_close(e);
}

static void test_fork_with_a_time_limit(void **state)
{
    (void)state;
    lun_config c = {
        .size = sizeof c, .cache_dir = "", .jit = LUN_JIT_OFF, .threads = 2, .time_limit = 0.05};
    lun_engine *e = NULL;
    OK(lun_open(&c, &e));
    assert_int_equal(lun_dostring(e, "while true do end"), LUN_ELIMIT);
    assert_int_equal(in_child(stop_in_child, e), 0);
    assert_int_equal(lun_dostring(e, "while true do end"), LUN_ELIMIT);
    lun_close(e);
}

/* The role of a process under shim/few_threads.so: its exit status. */
static int with_few_threads(int most)
{
    const int *refused = dlsym(RTLD_DEFAULT, "few_threads_refused");
    if (!refused)
        return 7;
    if (!computes(most % 2 ? LUN_JIT_AUTO : LUN_JIT_OFF, false))
        return 9;
    return (__atomic_load_n(refused, __ATOMIC_RELAXED) > 0) == (most < 2) || most % 2 ? 0 : 8;
}

static void begin_with_few_threads(void *most)
{
    char shim[4200], number[16];
    const ssize_t n = readlink("/proc/self/exe", shim, 4096);
    if (n <= 0)
        leave(6);
    shim[n] = '\0';
    strcpy(strrchr(shim, '/'), "/shim/few_threads.so");
    snprintf(number, sizeof number, "%d", *(const int *)most);
    setenv("LD_PRELOAD", shim, 1);
    setenv("FEW_THREADS", number, 1);
    execl("/proc/self/exe", "manners_test", number, (char *)NULL);
    leave(5);
}

/* This process alone can have few threads: libgomp ends one that gets fewer than it wants. */
static void test_few_threads(void **state)
{
    (void)state;
#if defined __SANITIZE_ADDRESS__ || defined __SANITIZE_THREAD__
    LEAVE_OUT("sanitizers need a thread of their own");
#endif
    for (int most = 0; most < 12; most++)
        assert_int_equal(in_child(begin_with_few_threads, &most), 0);
}

static long pages_in_use(void)
{
    long pages = 0;
    FILE *f = fopen("/proc/self/statm", "r");
    if (f) {
        if (fscanf(f, "%ld", &pages) != 1)
            pages = 0;
        fclose(f);
    }
    return pages;
}

static void with_memory(void *more)
{
    rlim_t bytes = (rlim_t)(pages_in_use() * sysconf(_SC_PAGESIZE)) + *(const rlim_t *)more;
    struct rlimit l = {bytes, bytes};
    setrlimit(RLIMIT_AS, &l);
    if (!computes(LUN_JIT_AUTO, true))
        exit(9);
}

static void test_little_address_space(void **state)
{
    (void)state;
#if defined __SANITIZE_ADDRESS__ || defined __SANITIZE_THREAD__
    LEAVE_OUT("a sanitizer ends the program where its own mmap fails");
#endif
    for (rlim_t i = 0; i < 50; i++) {
        rlim_t more = i < 25 ? i * 40000 : (i - 24) * 1500000;
        assert_int_equal(in_child(with_memory, &more), 0);
    }
}

/* Work that asks for no device: no driver, and no library that loads drivers by itself, comes
 * into the process. */
static void without_drivers(void *unused)
{
    char line[1024];
    (void)unused;
    lun_engine *e = open_engine(LUN_JIT_AUTO);
    if (!work(e, 1) || lun_use(e, "reference") != LUN_OK || !work(e, 1))
        exit(9);
    FILE *f = fopen("/proc/self/maps", "r");
    while (f && fgets(line, sizeof line, f))
        if (strstr(line, "OpenCL") || strstr(line, "pocl") || strstr(line, "libLLVM"))
            exit(8);
    if (!f)
        exit(7);
    fclose(f);
    lun_close(e);
}

static void test_no_drivers(void **state)
{
    (void)state;
    assert_int_equal(in_child(without_drivers, NULL), 0);
}

static void leave_open(void *how)
{
    lun_engine *e = open_engine(LUN_JIT_AUTO);
    if (!work(e, 1))
        exit(9);
    switch (*(const int *)how) {
    case 0:
        exit(0); /* nothing closed */
    case 1:
        exit(3);
    case 2:
        _exit(4);
    case 3:
        raise(SIGTERM);
        break;
    case 4:
        lun_dostring(e, "os.exit(50)"); /* ends the script, not the host */
        exit(5);
    case 5:
        lun_dostring(e, "os.exit(60, true)");
        exit(6);
    default:
        lun_close(e);
        exit(7);
    }
}

static void test_every_way_to_end(void **state)
{
    (void)state;
#ifdef __SANITIZE_ADDRESS__
    LEAVE_OUT("what a program that just ends leaves behind is a leak to LeakSanitizer");
#endif
    static const int expected[] = {0, 3, 4, 128 + SIGTERM, 5, 6, 7};
    for (int how = 0; how < 7; how++)
        assert_int_equal(in_child(leave_open, &how), expected[how]);
}

/* The same in children of a program that has had threads. */
static void test_every_way_to_end_after_threads(void **state)
{
#ifdef __SANITIZE_THREAD__
    LEAVE_OUT("archer reads through NULL in libomp's exit handler, in a child of a program that "
              "used OpenMP");
#endif
    test_every_way_to_end(state);
}

int main(int argc, char **argv)
{
    if (argc > 1)
        return with_few_threads(atoi(argv[1]));
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_no_drivers),       /* first: others ask for devices */
        cmocka_unit_test(test_every_way_to_end), /* before others use threads */
        cmocka_unit_test(test_floating_point_modes),
        cmocka_unit_test(test_signals),
        cmocka_unit_test(test_threads_take_no_signals),
        cmocka_unit_test(test_output),
        cmocka_unit_test(test_locale),
        cmocka_unit_test(test_fork),
        cmocka_unit_test(test_fork_with_a_time_limit),
        cmocka_unit_test(test_few_threads),
        cmocka_unit_test(test_little_address_space),
        cmocka_unit_test(test_every_way_to_end_after_threads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
