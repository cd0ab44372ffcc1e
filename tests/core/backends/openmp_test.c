/* openmp_test.c - the life of kernels in the openmp backend: when they are compiled, what
 * happens when the compiler fails in any way, what is kept on disk.  What kernels compute is
 * tested in openmp_*_test.c. */
#include "openmp_square.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>

/* A kernel that calls a function in C. */
static lun_status run_call(kit *k, const char *body)
{
    static char name[] = "fn";
    char text[512];
    lun_ir ir;
    lun_kernel *kernel = NULL;
    void *slots[2] = {in, out};
    int64_t room[2] = {N, N};
    snprintf(text, sizeof text, "#line 1 \"C function\"\nstatic float fn(float x) { %s }", body);
    lun_ir_function f = {.text = text, .name = name, .params = 1, .result = LUN_F32};
    f.param[0].dtype = LUN_F32;
    lun__ir_init(&ir);
    lun__ir_slot_add(&ir, LUN_F32, LUN_SLOT_IN);
    lun__ir_slot_add(&ir, LUN_F32, LUN_SLOT_OUT);
    lun__ir_function_add(&ir, &f);
    int32_t first = lun__ir_operand_add(&ir, ir_load(&ir, 0));
    ir_store(&ir, 1,
             ir_add(&ir, (lun_ir_ins){
                             .kind = LUN_IR_CALL, .dtype = LUN_F32, .a = -1, .b = first, .c = 1}));
    assert_int_equal(lun__backend_openmp.build(k->state, &ir, "", &kernel), LUN_OK);
    lun_launch launch = {.n = 100, .count = 100, .slots = slots, .room = room, .trap = -1};
    lun_status s = test_launch(&lun__backend_openmp, k->state, kernel, &launch);
    lun__backend_openmp.release(k->state, kernel);
    lun__ir_free(&ir);
    return s;
}

/* ---- when kernels are compiled --------------------------------------------------------------- */

static void test_third_launch(void **state)
{
    kit k;
    (void)state;
    kit_open(&k, NULL, "cc", LUN_JIT_AUTO, 1, LUN_MATH_FAST);
    lun_kernel *a = build_square(&k, 1), *b = build_square(&k, 2);
    for (int i = 0; i < 2; i++)
        check_square(&k, a, 1, 100);
    assert_int_equal(k.stats.compiles, 0);
    assert_int_equal(k.stats.interpreted, 2);
    check_square(&k, b, 2, 100);
    wait_until_compiled(&k, a, 1);
    assert_int_equal(k.stats.compiles, 1);
    wait_until_compiled(&k, b, 2);
    assert_int_equal(k.stats.compiles, 2);
    int64_t interpreted = k.stats.interpreted, launches = k.stats.launches;
    check_square(&k, a, 1, N);
    assert_int_equal(k.stats.interpreted, interpreted);
    assert_int_equal(k.stats.launches, launches + 1);
    lun__backend_openmp.release(k.state, a);
    lun__backend_openmp.release(k.state, b);
    kit_close(&k, true);
}

static void test_large_launch(void **state)
{
    kit k;
    (void)state;
    static float large_in[1 << 18], large_out[1 << 18];
    void *slots[2] = {large_in, large_out};
    int64_t room[2] = {1 << 18, 1 << 18};
    kit_open(&k, NULL, "cc", LUN_JIT_AUTO, 2, LUN_MATH_FAST);
    lun_kernel *a = build_square(&k, 3);
    lun_launch launch = {.n = 1 << 18, .count = 1 << 18, .slots = slots, .room = room};
    assert_int_equal(test_launch(&lun__backend_openmp, k.state, a, &launch), LUN_OK);
    assert_true(large_out[1000] == 3);
    assert_int_equal(k.stats.compiles, 1); /* begun, not waited for */
    assert_int_equal(k.stats.interpreted, 1);
    lun__backend_openmp.release(k.state, a); /* while the compiler works on it */
    lun_kernel *b = build_square(&k, 4);
    wait_until_compiled(&k, b, 4);
    lun__backend_openmp.release(k.state, b);
    kit_close(&k, true);
}

static void test_off(void **state)
{
    kit k;
    (void)state;
    kit_open(&k, NULL, "cc", LUN_JIT_OFF, 1, LUN_MATH_FAST);
    lun_kernel *a = build_square(&k, 5);
    for (int i = 0; i < 6; i++)
        check_square(&k, a, 5, N);
    assert_int_equal(k.stats.interpreted, 6);
    assert_int_equal(run_call(&k, "return x;"), LUN_EBACKEND);
    assert_non_null(strstr(lun__strbuf_text(&k.error), "LUNARRAY_JIT"));
    assert_int_equal(k.stats.compiles, 0);
    lun__backend_openmp.release(k.state, a);
    kit_close(&k, true);
}

/* What one engine has compiled, the next one finds, even for its first launch. */
static void test_disk(void **state)
{
    kit k, l;
    char command[256];
    (void)state;
    kit_open(&k, NULL, "cc", LUN_JIT_SYNC, 1, LUN_MATH_FAST);
    lun_kernel *a = build_square(&k, 6);
    check_square(&k, a, 6, 100);
    assert_int_equal(k.stats.compiles, 1);
    for (int damaged = 0; damaged < 2; damaged++) {
        kit_open(&l, k.dir, "cc", LUN_JIT_AUTO, 1, LUN_MATH_FAST);
        lun_kernel *b = build_square(&l, 6), *c = build_square(&l, 7);
        check_square(&l, b, 6, 100);
        check_square(&l, c, 7, 100);
        assert_int_equal(l.stats.cache_hits, !damaged);
        assert_int_equal(l.stats.interpreted, 1 + damaged);
        lun__backend_openmp.release(l.state, b);
        lun__backend_openmp.release(l.state, c);
        kit_close(&l, false);
        snprintf(command, sizeof command,
                 "for f in %s/*; do test -f $f && printf x | dd of=$f bs=1 seek=9000 "
                 "conv=notrunc 2>/dev/null; done; true",
                 k.dir);
        assert_int_equal(system(command), 0);
    }
    kit_open(&l, k.dir, "cc", LUN_JIT_AUTO, 1, LUN_MATH_PRECISE); /* another key */
    lun_kernel *d = build_square(&l, 6);
    check_square(&l, d, 6, 100);
    assert_int_equal(l.stats.cache_hits, 0);
    lun__backend_openmp.release(l.state, d);
    kit_close(&l, false);
    lun__backend_openmp.release(k.state, a);
    kit_close(&k, true);
}

/* ---- compilers that fail --------------------------------------------------------------------- */

static const struct {
    const char *name, *body, *says; /* NULL: the compiler does not exist */
} failing[] = {
    {"no such cc", NULL, "no such compiler"},
    {"exit", "echo 'x.c:1: error: strange' >&2; exit 1", "error: strange"},
    {"signal", "kill -SEGV $$", "signal 11"},
    {"hang", "sleep 100 & sleep 100", "stopped after"},
    {"spew", "head -c 1000000 /dev/zero | tr '\\0' 'y' >&2; exit 3", "yyyy"},
    {"nothing", "exit 0", "produced no shared object"},
    {"garbage", "echo garbage > \"$o\"", "produced no shared object"},
    {"cut", "cc \"$@\" && truncate -s 5000 \"$o\"", "produced no shared object"},
    {"empty object", "echo 'int x;' > \"$o.c\"; cc -shared -o \"$o\" \"$o.c\"; rm \"$o.c\"",
     "no kernel"},
    {"gcc; touch injected", "exit 1", "exit status 1"},
};

static void test_failing_compilers(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof failing / sizeof *failing; i++) {
        kit k;
        const char *cc =
            failing[i].body ? script(failing[i].name, failing[i].body) : "/nowhere/no such cc";
        kit_open(&k, NULL, cc, LUN_JIT_SYNC, 1, LUN_MATH_FAST);
        if (!strcmp(failing[i].name, "hang"))
            k.jit.timeout_ms = 300; /* of a compiler of the kit's own: the backend's takes long */
        lun_unit unit = {.source = strdup("int x;"), .wanted = true};
        assert_int_equal(lun__jit_wait(&k.jit, &unit), LUN_EBUILD);
        if (!strstr(lun__strbuf_text(&unit.message), failing[i].says))
            fail_msg("%s: %s", failing[i].name, lun__strbuf_text(&unit.message));
        assert_true(unit.message.length < 2300);
        lun__unit_result_free(&unit);
        if (!strcmp(failing[i].name, "hang")) {
            kit_close(&k, true);
            continue;
        }
        lun_kernel *a = build_square(&k, 8);
        lun__strbuf_clear(&k.log);
        for (int round = 0; round < 5; round++)
            check_square(&k, a, 8, 100);
        assert_int_equal(k.stats.interpreted, 5);
        assert_non_null(strstr(lun__strbuf_text(&k.log), "kernels stay interpreted"));
        assert_null(strchr(strchr(lun__strbuf_text(&k.log), '\n') + 1, '\n')); /* one line */
        assert_int_equal(run_call(&k, "return x;"), LUN_EBUILD);
        assert_non_null(strstr(lun__strbuf_text(&k.error), failing[i].says));
        lun__backend_openmp.release(k.state, a);
        lun__strbuf_clear(&k.log);
        kit_close(&k, true);
    }
    assert_int_equal(access("injected", F_OK), -1);
}

/* A compiler whose path has spaces and quotes works. */
static void test_strange_path(void **state)
{
    kit k;
    (void)state;
    kit_open(&k, NULL, script("my 'cc' \"1\"", "exec cc \"$@\""), LUN_JIT_SYNC, 1, LUN_MATH_FAST);
    lun_kernel *a = build_square(&k, 9);
    check_square(&k, a, 9, 100);
    assert_int_equal(k.stats.interpreted, 0);
    lun__backend_openmp.release(k.state, a);
    kit_close(&k, true);
}

static void test_user_errors(void **state)
{
    kit k;
    (void)state;
    kit_open(&k, NULL, "cc", LUN_JIT_AUTO, 1, LUN_MATH_FAST);
    assert_int_equal(run_call(&k, "int y = x;\n return x +* y; }\n float g(void) { return 1;"),
                     LUN_EBUILD);
    assert_non_null(strstr(lun__strbuf_text(&k.error), "C function:2:"));
    assert_non_null(strstr(lun__strbuf_text(&k.error), "y"));
    in[3] = 5;
    assert_int_equal(run_call(&k, "return 2 * x;"), LUN_OK); /* and all is well afterwards */
    assert_true(out[3] == 10);
    kit_close(&k, true);
}

/* ---- the compiler as a process --------------------------------------------------------------- */

/* The number of the process that a compiler has started, once it is in file `mark`. */
static long child_of_compiler(const char *mark)
{
    long child = 0;
    for (int i = 0; i < HANGS / 10 && child == 0; i++) {
        FILE *file = fopen(mark, "r");
        if (!file || fscanf(file, "%ld", &child) != 1)
            usleep(10000);
        if (file)
            fclose(file);
    }
    assert_true(child > 0);
    return child;
}

/* Whether a process has not ended; one that nobody waits for is still listed, as 'Z'. */
static bool lives(long process)
{
    char path[64], state = 'Z';
    snprintf(path, sizeof path, "/proc/%ld/stat", process);
    FILE *file = fopen(path, "r");
    if (!file)
        return false;
    const int read = fscanf(file, "%*d (%*[^)]) %c", &state);
    fclose(file);
    return read == 1 && state != 'Z' && state != 'X';
}

/* Closing ends a compiler that hangs, with everything it started; so does an interrupt. */
static void test_hanging_compiler(void **state)
{
    kit k;
    char mark[96], command[256];
    (void)state;
    snprintf(mark, sizeof mark, "%s/child", tools);
    snprintf(command, sizeof command, "sleep 100 & echo $! > %s; sleep 100", mark);
    kit_open(&k, NULL, script("hang", command), LUN_JIT_AUTO, 1, LUN_MATH_FAST);
    lun_kernel *a = build_square(&k, 10);
    for (int i = 0; i < 4; i++)
        check_square(&k, a, 10, 100);
    assert_int_equal(k.stats.compiles, 1);
    const long child = child_of_compiler(mark);
    k.cancel = 1;
    assert_int_equal(run_call(&k, "return x;"), LUN_ECANCEL);
    k.cancel = 0;
    lun__backend_openmp.release(k.state, a);
    kit_close(&k, true);
    for (int i = 0; i < HANGS / 10 && lives(child); i++)
        usleep(10000);
    assert_false(lives(child));
}

/* Hosts that take every child's exit status, or let the kernel throw it away. */
static void test_reaping_hosts(void **state)
{
    (void)state;
    for (int way = 0; way < 2; way++) {
        kit k;
        if (way == 0)
            signal(SIGCHLD, SIG_IGN);
        kit_open(&k, NULL, "cc", LUN_JIT_AUTO, 1, LUN_MATH_FAST);
        lun_kernel *a = build_square(&k, 11);
        for (int i = 0; i < 3; i++)
            check_square(&k, a, 11, 100);
        if (way == 1)
            while (waitpid(-1, NULL, 0) > 0 || errno == EINTR) {
            }
        wait_until_compiled(&k, a, 11);
        lun__backend_openmp.release(k.state, a);
        signal(SIGCHLD, SIG_DFL);
        kit_close(&k, true);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_third_launch),
        cmocka_unit_test(test_large_launch),
        cmocka_unit_test(test_off),
        cmocka_unit_test(test_disk),
        cmocka_unit_test(test_failing_compilers),
        cmocka_unit_test(test_strange_path),
        cmocka_unit_test(test_user_errors),
        cmocka_unit_test(test_hanging_compiler),
        cmocka_unit_test(test_reaping_hosts),
    };
    int failed = cmocka_run_group_tests(tests, set_up, tear_down);
    lun__strbuf_free(&test_error);
    return failed;
}
