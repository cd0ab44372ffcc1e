/* openmp_jit_test.c - kernels that are compiled together, and processes that share a cache
 * directory and leave kernels to one another. */
#include "openmp_square.h"

#include <errno.h>
#include <signal.h>
#include <sys/wait.h>

#include "openmp/compiler/unity_build.h"

/* ---- texts put together ---------------------------------------------------------------------- */

/* Three texts that give different things the same names. */
static const char *const texts[] = {
    "#define EXPORT __attribute__((visibility(\"default\")))\ntypedef int cell;\n"
    "typedef int (*give)(int);\nstruct pair {\n    cell a, b;\n};\n/* static int no(void); \" */\n"
    "static int help(int a) { return a + 1; }\nstatic const cell table[2] = {10, 1e1};\n"
    "EXPORT int lun_kernel(int x)\n{\n    struct pair pair = {x, table[1]};\n    give help2 = "
    "help;\n"
    "    return help2(pair.a) + pair.b;\n}\n",
    "#define EXPORT __attribute__((visibility(\"default\")))\ntypedef long cell;\n"
    "static const char help[] = \"a \\\" ( static int quote;\";\nstruct pair {\n    char a;\n};\n"
    "EXPORT long lun_kernel(cell x)\n{\n    return x * (cell)sizeof(struct pair) * help[0];\n}\n",
    "#define EXPORT __attribute__((visibility(\"default\")))\n"
    "enum { table = 7 };\nunsigned long long twice(int a) __asm__(\"abs\");\n"
    "EXPORT int lun_kernel(int x)\n{\n    return table * x;\n}\n",
};

static void test_bundle(void **state)
{
    (void)state;
    static const int expected[] = {5 + 1 + 10, 5 * 'a', 35};
    char suffix[3][LUN_SUFFIX], path[160], object[160], name[64];
    lun_strbuf text = LUN_STRBUF_INIT, why = LUN_STRBUF_INIT;
    for (int i = 0; i < 3; i++) {
        lun__unity_build_suffix(texts[i], suffix[i]);
        lun__unity_build_add(&text, texts[i], suffix[i], true);
    }
    snprintf(path, sizeof path, "%s/bundle.c", tools);
    snprintf(object, sizeof object, "%s/bundle.so", tools);
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    fputs(lun__strbuf_text(&text), f);
    fclose(f);
    char command[512];
    snprintf(command, sizeof command, "cc -w -shared -fPIC -fvisibility=hidden -o %s %s", object,
             path);
    assert_int_equal(system(command), 0);
    static char bytes[1 << 16];
    f = fopen(object, "rb");
    assert_non_null(f);
    size_t length = fread(bytes, 1, sizeof bytes, f);
    fclose(f);
    lun_loader loader = {0};
    lun_object *o = lun__loader_open(&loader, bytes, length, NULL, &why);
    assert_non_null(o);
    for (int i = 0; i < 3; i++) {
        int (*function)(int);
        snprintf(name, sizeof name, "lun_kernel%s", suffix[i]);
        void *found = lun__loader_find(o, name);
        assert_non_null(found);
        memcpy(&function, &found, sizeof found);
        assert_int_equal(function(5), expected[i]);
    }
    assert_ptr_equal(lun__loader_open(&loader, bytes, length, NULL, &why), o); /* once more */
    lun__loader_close(o);
    assert_ptr_equal(loader.first, o);
    lun__loader_close(o);
    assert_null(loader.first);
    lun__strbuf_free(&text);
    lun__strbuf_free(&why);
}

/* ---- kernels compiled together --------------------------------------------------------------- */

enum { FEW = 7 };

static void run_often(kit *k, lun_kernel **kernels, int count, int first)
{
    for (int round = 0; round < 3; round++)
        for (int i = 0; i < count; i++)
            check_square(k, kernels[i], (float)(first + i), 100);
}

/* The first is compiled at once; what waits meanwhile, in the next run; each has an
 * entry of its own. */
static void test_together(void **state)
{
    kit k, l;
    lun_kernel *kernels[FEW];
    (void)state;
    kit_open(&k, NULL, "cc", LUN_JIT_AUTO, 1, LUN_MATH_FAST);
    for (int i = 0; i < FEW; i++)
        kernels[i] = build_square(&k, (float)(20 + i));
    run_often(&k, kernels, FEW, 20);
    for (int i = 0; i < FEW; i++)
        wait_until_compiled(&k, kernels[i], (float)(20 + i));
    assert_int_equal(k.stats.compiles, 2);
    lun__backend_openmp.release(k.state, kernels[3]); /* the others stay */
    for (int i = 0; i < FEW; i++)
        if (i != 3)
            check_square(&k, kernels[i], (float)(20 + i), N);
    kit_open(&l, k.dir, "cc", LUN_JIT_AUTO, 1, LUN_MATH_FAST);
    for (int i = FEW - 1; i >= 0; i--) {
        lun_kernel *b = build_square(&l, (float)(20 + i));
        check_square(&l, b, (float)(20 + i), N);
        lun__backend_openmp.release(l.state, b);
    }
    assert_int_equal(l.stats.cache_hits, FEW);
    assert_int_equal(l.stats.interpreted, 0);
    kit_close(&l, false);
    for (int i = 0; i < FEW; i++)
        if (i != 3)
            lun__backend_openmp.release(k.state, kernels[i]);
    kit_close(&k, true);
}

/* sin(x) + number of large x, which compiled kernels leave to the library. */
static lun_kernel *build_sine(kit *k, float number)
{
    lun_ir ir;
    lun_strbuf text = LUN_STRBUF_INIT;
    lun_kernel *kernel = NULL;
    uint64_t cell = 0;
    memcpy(&cell, &number, sizeof number);
    lun__ir_init(&ir);
    lun__ir_slot_add(&ir, LUN_F32, LUN_SLOT_IN);
    lun__ir_slot_add(&ir, LUN_F32, LUN_SLOT_OUT);
    int32_t sine = ir_op(&ir, LUN_OP_SIN, LUN_F32, ir_load(&ir, 0), -1, -1);
    ir_store(&ir, 1, ir_op(&ir, LUN_OP_ADD, LUN_F32, sine, ir_const(&ir, LUN_F32, cell), -1));
    lun__print_ir(&ir, &text);
    assert_int_equal(lun__backend_openmp.build(k->state, &ir, lun__strbuf_text(&text), &kernel),
                     LUN_OK);
    lun__strbuf_free(&text);
    lun__ir_free(&ir);
    return kernel;
}

/* Each of those compiled together finds the library's loops. */
static void test_sines_together(void **state)
{
    enum { COUNT = 100 };
    static float x[LUN_CHUNK], y[LUN_CHUNK];
    kit k;
    lun_kernel *kernels[FEW];
    int compiled = 0;
    (void)state;
    for (int i = 0; i < COUNT; i++)
        x[i] = (float)i * 0x1p60f;
    kit_open(&k, NULL, "cc", LUN_JIT_AUTO, 1, LUN_MATH_FAST);
    for (int i = 0; i < FEW; i++)
        kernels[i] = build_sine(&k, (float)i);
    for (int round = 0; round < HANGS && compiled < FEW; round++, usleep(1000)) {
        compiled = 0;
        for (int i = 0; i < FEW; i++) {
            void *slots[2] = {x, y};
            int64_t room[2] = {LUN_CHUNK, LUN_CHUNK}, before = k.stats.interpreted;
            lun_launch launch = {
                .n = COUNT, .count = COUNT, .slots = slots, .room = room, .trap = -1};
            assert_int_equal(test_launch(&lun__backend_openmp, k.state, kernels[i], &launch),
                             LUN_OK);
            compiled += k.stats.interpreted == before;
            for (int j = 0; j < COUNT; j++)
                assert_true(fabs(y[j] - (sin(x[j]) + i)) < 1e-6);
        }
    }
    assert_int_equal(compiled, FEW);
    assert_true(k.stats.compiles < FEW);
    for (int i = 0; i < FEW; i++)
        lun__backend_openmp.release(k.state, kernels[i]);
    kit_close(&k, true);
}

/* A kernel that the compiler refuses costs the others in its run nothing but time. */
static void test_one_bad_among_several(void **state)
{
    kit k;
    lun_kernel *kernels[FEW];
    (void)state;
    const char *cc = script("picky", "for a; do case $a in *.c) grep -q 0x42c80000u \"$a\" && "
                                     "{ echo 'error: not this one' >&2; exit 1; };; esac; done\n"
                                     "exec cc \"$@\"");
    kit_open(&k, NULL, cc, LUN_JIT_AUTO, 1, LUN_MATH_FAST);
    for (int i = 0; i < FEW; i++)
        kernels[i] = build_square(&k, (float)(97 + i)); /* 100 is 0x42c80000 */
    run_often(&k, kernels, FEW, 97);
    for (int i = 0; i < FEW; i++)
        if (i != 3)
            wait_until_compiled(&k, kernels[i], (float)(97 + i));
    int64_t before = k.stats.interpreted;
    for (int round = 0; round < HANGS && !k.log.length; round++, usleep(1000))
        check_square(&k, kernels[3], 100, 100);
    check_square(&k, kernels[3], 100, 100);
    assert_true(k.stats.interpreted > before);
    assert_non_null(strstr(lun__strbuf_text(&k.log), "not this one"));
    lun__strbuf_clear(&k.log);
    for (int i = 0; i < FEW; i++)
        lun__backend_openmp.release(k.state, kernels[i]);
    kit_close(&k, true);
}

/* ---- processes that share a directory -------------------------------------------------------- */

/* A compiler that leaves a line in a log and waits until the gate is open. */
static const char *gated(void)
{
    char body[320];
    snprintf(body, sizeof body,
             "echo $$ > %s/pid\necho x >> %s/log\nuntil test -e %s/gate; do sleep 0.02; done\n"
             "exec cc \"$@\"",
             tools, tools, tools);
    return script("gated", body);
}

static void open_gate(void)
{
    char path[96];
    snprintf(path, sizeof path, "%s/gate", tools);
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    fclose(f);
}

static long runs(void)
{
    struct stat st;
    char path[96];
    snprintf(path, sizeof path, "%s/log", tools);
    return stat(path, &st) ? 0 : (long)st.st_size / 2;
}

/* No runs, and the gate is shut. */
static void begin_anew(char dir[64])
{
    char path[96];
    snprintf(dir, 64, "/tmp/lunarray-shared-XXXXXX");
    assert_non_null(mkdtemp(dir));
    snprintf(path, sizeof path, "%s/log", tools);
    unlink(path);
    snprintf(path, sizeof path, "%s/gate", tools);
    unlink(path);
}

static void wait_for_runs(long count)
{
    for (int i = 0; i < HANGS && runs() < count; i++)
        usleep(1000);
    assert_int_equal(runs(), count);
}

/* A process that compiles kernel 50 in directory dir; it ends as the kernel's sum is right. asks:
 * where it writes a byte as it asks for the kernel; -1: nowhere. */
static pid_t start_process(const char *dir, const char *cc, int asks)
{
    fflush(NULL);
    pid_t pid = fork();
    if (pid)
        return pid;
    kit k;
    alarm(HANGS / 1000);
    kit_open(&k, dir, cc, LUN_JIT_SYNC, 1, LUN_MATH_FAST);
    lun_kernel *a = build_square(&k, 50);
    if (asks >= 0 && write(asks, "", 1) != 1)
        _exit(2);
    bool well = run_square(&k, a, 100) == LUN_OK && out[7] == in[7] * in[7] + 50;
    lun__backend_openmp.release(k.state, a);
    kit_close(&k, false);
    _exit(well && k.stats.interpreted == 0 ? 0 : 1);
}

static void expect_end(pid_t pid)
{
    int status;
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_int_equal(status, 0);
}

/* Eight that start at once: one compiles, the others take what it made. */
static void test_one_compiles(void **state)
{
    pid_t pids[8];
    char dir[64], byte;
    int asks[2];
    (void)state;
    begin_anew(dir);
    const char *cc = gated();
    assert_int_equal(pipe(asks), 0);
    for (int i = 0; i < 8; i++)
        pids[i] = start_process(dir, cc, asks[1]);
    assert_int_equal(close(asks[1]), 0);
    for (int i = 0; i < 8; i++)
        assert_int_equal(read(asks[0], &byte, 1), 1);
    assert_int_equal(close(asks[0]), 0);
    wait_for_runs(1);
    open_gate();
    for (int i = 0; i < 8; i++)
        expect_end(pids[i]);
    assert_int_equal(runs(), 1);
    kit_remove(dir);
}

/* No process waits: while another process compiles, a kernel is interpreted; then it takes over. */
static void test_interpreted_meanwhile(void **state)
{
    kit k;
    char dir[64];
    (void)state;
    begin_anew(dir);
    const char *cc = gated();
    pid_t pid = start_process(dir, cc, -1);
    wait_for_runs(1);
    kit_open(&k, dir, cc, LUN_JIT_AUTO, 1, LUN_MATH_FAST);
    lun_kernel *a = build_square(&k, 50), *b = build_square(&k, 51);
    for (int i = 0; i < 5; i++) /* the gate is shut: who waits here, waits for ever */
        check_square(&k, a, 50, 100);
    assert_int_equal(k.stats.interpreted, 5);
    assert_int_equal(k.stats.compiles, 0);
    for (int i = 0; i < 3; i++) /* a kernel that no process compiles is compiled */
        check_square(&k, b, 51, 100);
    assert_int_equal(k.stats.compiles, 1);
    wait_for_runs(2);
    open_gate();
    wait_until_compiled(&k, a, 50);
    assert_int_equal(k.stats.cache_hits, 1);
    wait_until_compiled(&k, b, 51);
    assert_int_equal(k.stats.compiles, 1);
    assert_int_equal(runs(), 2);
    lun__backend_openmp.release(k.state, a);
    lun__backend_openmp.release(k.state, b);
    kit_close(&k, false);
    expect_end(pid);
    kit_remove(dir);
}

/* Compiles what is no kernel in directory dir, with a patience that never ends. */
static pid_t start_patient(const char *dir, const char *cc)
{
    fflush(NULL);
    pid_t pid = fork();
    if (pid)
        return pid;
    kit k;
    alarm(HANGS / 1000);
    kit_open(&k, dir, cc, LUN_JIT_SYNC, 1, LUN_MATH_FAST);
    k.jit.timeout_ms = INT64_C(1) << 40;
    lun_unit unit = {.source = strdup("int lun_kernel(void) { return 2; }"), .wanted = true};
    const lun_status s = lun__jit_wait(&k.jit, &unit);
    lun__unit_result_free(&unit);
    kit_close(&k, false);
    _exit(s == LUN_EBUILD ? 0 : 1);
}

/* For a process that is killed with its compiler no other waits. */
static void test_killed_owner(void **state)
{
    char dir[64], command[256];
    (void)state;
    begin_anew(dir);
    const char *cc = gated();
    pid_t pid = start_patient(dir, cc);
    wait_for_runs(1);
    assert_int_equal(kill(pid, SIGKILL), 0);
    assert_int_equal(waitpid(pid, NULL, 0), pid);
    snprintf(command, sizeof command, "kill -KILL -$(cat %s/pid)", tools); /* its group */
    assert_int_equal(system(command), 0);
    open_gate();
    expect_end(start_patient(dir, cc));
    assert_int_equal(runs(), 2);
    kit_remove(dir);
}

/* Patience ends where a compiler's time does. */
static void test_patience(void **state)
{
    kit k;
    char dir[64];
    (void)state;
    begin_anew(dir);
    open_gate();
    kit_open(&k, dir, gated(), LUN_JIT_SYNC, 1, LUN_MATH_FAST);
    lun_unit mine = {.source = strdup("int lun_kernel(void) { return 1; }"), .wanted = true},
             same = {.source = strdup(mine.source), .wanted = true};
    lun_strbuf key = LUN_STRBUF_INIT;
    assert_true(lun__compiler_find(&k.jit.compiler));
    lun__compiler_key(&k.jit.compiler, mine.source, 0, 0, &key);
    int claim = lun__cache_claim(k.services.cache, key.text, key.length, false);
    assert_true(claim >= 0); /* and it stays */
    k.jit.timeout_ms = 400;
    assert_int_equal(lun__jit_wait(&k.jit, &mine), LUN_EBUILD); /* not exported: no kernel */
    assert_int_equal(runs(), 1);                                /* compiled in spite of the claim */
    assert_non_null(strstr(lun__strbuf_text(&mine.message), "no kernel"));
    k.cancel = 1;
    claim = lun__cache_claim(k.services.cache, key.text, key.length, true);
    assert_int_equal(lun__jit_wait(&k.jit, &same), LUN_ECANCEL);
    k.cancel = 0;
    lun__jit_forget(&k.jit, &same);
    lun__unit_result_free(&mine);
    lun__unit_result_free(&same);
    lun__strbuf_free(&key);
    if (claim >= 0)
        close(claim);
    kit_close(&k, false);
    kit_remove(dir);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bundle),         cmocka_unit_test(test_together),
        cmocka_unit_test(test_sines_together), cmocka_unit_test(test_one_bad_among_several),
        cmocka_unit_test(test_one_compiles),   cmocka_unit_test(test_interpreted_meanwhile),
        cmocka_unit_test(test_killed_owner),   cmocka_unit_test(test_patience),
    };
    int failed = cmocka_run_group_tests(tests, set_up, tear_down);
    lun__strbuf_free(&test_error);
    return failed;
}
