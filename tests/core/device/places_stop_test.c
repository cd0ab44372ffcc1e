/* places_stop_test.c - a kernel without end on one place of several, and cancellation and errors
 * while all work: the evaluation ends, operands are whole, all places usable.  Devices are PoCL's,
 * of the kind that runs kernels in threads of its own; without OpenCL they are left out. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "stop_kit.h"

#include "engine_kit.h"

/* Sets, and the places on which a kernel does not end. */
static const struct {
    const char *set;
    int places, stuck[2];
} cases[] = {
    {"openmp/3", 3, {2, 3}},          {"reference/2", 2, {1, 2}},
    {"opencl:1,opencl:2", 2, {1, 2}}, {"opencl:2,openmp", 2, {1, 2}},
    {"openmp,opencl:1", 2, {1, 2}},
};
enum { CASES = sizeof cases / sizeof *cases, N = 3000 };

static void ok(lun_engine *own, const char *text, const char *what)
{
    if (lun_dostring(own, text) != LUN_OK)
        fail_msg("%s: %s", what, lun_error(own));
}

/* Operands in parts; what runs for ever is the index of an element, or the number of a team, that
 * is in low + 1 .. high. */
static const char begin[] =
    "n = 3000\n"
    "a = (lun.range(1, n) * 1.0):copy():distribute 'block'\n"
    "b = (a * 2):eval()\n"
    "loops = lun.map(function(x, low, high) while x > low and x <= high do "
    "x = x + 0 end return x end)\n"
    "counts = lun.zeros(n, 'i64'):copy():distribute 'copy'\n"
    "function teams(low, high)\n"
    "    lun.teams { league = n }(function(t)\n"
    "        local x, i = t:block(), 0\n"
    "        while x > low and x <= high and i > -1 do i = i // 2 end\n"
    "        lun.atomic.add(counts, x, 1 + i)\n"
    "    end)\n"
    "end\n"
    "w = lun.vector { 1, 2, 3, 4 }\n"
    "function checked(low, high)\n" /* its results are waited for: an index may be out of range */
    "    return lun.generate(n, function(i)\n"
    "        local x = i * 1.0\n"
    "        while x > low and x <= high do x = x + 0 end\n"
    "        return w[i % 4 + 1] + x * 0\n"
    "    end):eval()\n"
    "end\n"
    "assert(checked(0, 0):sum() == 2.5 * n)\n"
    "assert(loops(a, 0, 0):eval():sum() == n * (n + 1) / 2)\n"
    "teams(0, 0)\n"
    "assert(counts:sum() == n)\n";

static const char end[] = "assert(a:sum() == n * (n + 1) / 2 and b:sum() == n * (n + 1))\n"
                          "assert((a + b):eval():sum() == 3 * n * (n + 1) / 2)\n"
                          "assert(loops(a, 0, 0):eval():sum() == n * (n + 1) / 2)\n"
                          "assert(a:scan('+', 0)[n] == n * (n - 1) / 2)\n";

/* The set in use; NULL: it cannot be had. */
static lun_engine *open_set(int k)
{
    const lun_config config = {.size = sizeof config, .backend = "reference", .alloc = note_begin};
    lun_engine *own;
    assert_int_equal(lun_open(&config, &own), LUN_OK);
    if (lun_use(own, cases[k].set) != LUN_OK) {
        print_message("%s: %s\n", cases[k].set, lun_error(own));
        assert_non_null(strstr(cases[k].set, "opencl"));
        lun_close(own);
        return NULL;
    }
    ok(own, begin, cases[k].set);
    return own;
}

static void ends_by_limit(lun_engine *own, int k, int place, const char *form)
{
    char text[128];
    const int each = N / cases[k].places;
    snprintf(text, sizeof text, form, each * (place - 1), each * place);
    assert_int_equal(lun_time_limit(own, 0.2), LUN_OK);
    const lun_status s = lun_dostring(own, text);
    if (s != LUN_ELIMIT || !strstr(lun_error(own), "time limit reached"))
        fail_msg("%s, place %d: %s: %s", cases[k].set, place, lun_status_name(s), lun_error(own));
    assert_int_equal(lun_time_limit(own, 0), LUN_OK);
    ok(own, end, cases[k].set);
}

static void test_limits(void **unused)
{
    (void)unused;
    for (int k = 0; k < CASES; k++) {
        lun_engine *own = open_set(k);
        for (int i = 0; own && i < 2; i++) {
            ends_by_limit(own, k, cases[k].stuck[i], "loops(a, %d, %d):eval()");
            ends_by_limit(own, k, cases[k].stuck[i], "checked(%d, %d)");
            ends_by_limit(own, k, cases[k].stuck[i], "teams(%d, %d)");
        }
        if (own)
            lun_close(own);
    }
}

/* Teams of one place, or of all, that fail while the others work; the first place's error is told,
 * and devices have begun before the host, wherever it stands. */
static void fails(lun_engine *own, int k, int place)
{
    char text[1024];
    const int each = N / cases[k].places;
    const int low = place ? each * (place - 1) : 0, high = place ? each * place : N;
    snprintf(text, sizeof text,
             "local low, high, devices = %d, %d, {}\n"
             "local function launches(name) return lun.stats().places[name].launches end\n"
             "for _, name in ipairs { lun.use() } do\n"
             "    if name:find 'opencl' then devices[name] = launches(name) end\n"
             "end\n"
             "local done, message = pcall(lun.teams { league = n }, function(t)\n"
             "    local x = t:block()\n"
             "    if x > low and x <= high then x = x + 10 * n end\n"
             "    counts[x] = 0\n"
             "end)\n"
             "local index = not done and tonumber(tostring(message):match 'index (%%d+)')\n"
             "assert(index and index > 10 * n + low and index <= 10 * n + low + %d, message)\n"
             "for name, before in pairs(devices) do assert(launches(name) == before + 1) end\n",
             low, high, each);
    ok(own, text, cases[k].set);
    ok(own, end, cases[k].set);
    ok(own,
       "counts = lun.zeros(n, 'i64'):copy():distribute 'copy' teams(0, 0)\n"
       "assert(counts:sum() == n)",
       cases[k].set);
}

static void test_errors(void **unused)
{
    (void)unused;
    for (int k = 0; k < CASES; k++) {
        lun_engine *own = open_set(k);
        for (int place = 0; own && place <= cases[k].places; place++)
            fails(own, k, place);
        if (own)
            lun_close(own);
    }
}

/* Once one of the places runs the kernel. */
static void *cancel_begun(void *engine)
{
    wait_for_begin(engine, true);
    lun_cancel(engine);
    return NULL;
}

/* A script whose kernel ends on no place. */
static void cancelled(const char *text)
{
    for (int k = 0; k < CASES; k++) {
        pthread_t thread;
        char begins[512];
        lun_engine *own = open_set(k);
        if (!own)
            continue;
        snprintf(begins, sizeof begins, "local sign = ('x'):rep(%d) %s", SIGN, text);
        expect_begin(own);
        assert_int_equal(pthread_create(&thread, NULL, cancel_begun, own), 0);
        const lun_status s = lun_dostring(own, begins);
        assert_int_equal(pthread_join(thread, NULL), 0);
        if (s != LUN_ECANCEL)
            fail_msg("%s: %s: %s", cases[k].set, lun_status_name(s), lun_error(own));
        ok(own, end, cases[k].set);
        lun_close(own);
    }
}

static void test_cancel(void **unused)
{
    (void)unused;
    cancelled("loops(a, 1, n):eval()");
    cancelled("teams(0, n)");
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_limits), cmocka_unit_test(test_errors),
                                       cmocka_unit_test(test_cancel)};
    if (setenv("POCL_DEVICES", "pthread pthread", 1))
        return 1;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
