/* cteams_test.c - functions of teams given as C text, from C: at once and as tasks, their failures,
 * and texts without an end. */
#include "engine_kit.h"

enum { N = 600 };

/* Threads of a team swap what they read. */
static const char text[] = "void f(double k, double *y, const double *x) {\n"
                           "    LUN_SCRATCH(double, s, LUN_THREADS(0));\n"
                           "    s[LUN_THREAD(0)] = LUN_AT(x, LUN_INDEX(0)) * k;\n"
                           "    LUN_BARRIER;\n"
                           "    y[LUN_INDEX(0)] = s[LUN_THREADS(0) - 1 - LUN_THREAD(0)];\n"
                           "}\n";

static lun_workdiv division(int64_t league, int64_t team)
{
    return (lun_workdiv){.size = sizeof(lun_workdiv),
                         .league = {league, 1, 1},
                         .team = {team, 1, 1},
                         .elements = {1, 1, 1}};
}

/* A division as of a host that was built before there were more than three axes. */
static lun_workdiv old_division(int64_t league, int64_t team)
{
    lun_workdiv w = division(league, team);
    w.size = offsetof(lun_workdiv, league_more);
    memset(w.league_more, -1, sizeof w.league_more);
    memset(w.team_more, -1, sizeof w.team_more);
    memset(w.elements_more, -1, sizeof w.elements_more);
    return w;
}

static lun_function *function(const char *c)
{
    lun_function *f = NULL;
    OK(lun_function_c(e, c, &f));
    return f;
}

static void check_swapped(const double *y, int team)
{
    for (int i = 0; i < N; i++)
        assert_true(y[i] == 3 * (double)(i / team * team + team - 1 - i % team));
}

static void swap_on(const char *backend)
{
    double x[N], y[N];
    int64_t n = N;
    lun_array *args[3];
    lun_function *f = function(text);
    OK(lun_use(e, backend));
    for (int i = 0; i < N; i++)
        x[i] = i;
    OK(lun_number(e, 3, &args[0]));
    OK(lun_vector(e, x, n, LUN_F64, &args[2]));
    for (int team = 1; team <= 100; team = team == 1 ? 20 : 5 * team) {
        lun_workdiv w = team == 20 ? old_division(N / team, team) : division(N / team, team);
        memset(y, 0, sizeof y);
        OK(lun_vector(e, y, n, LUN_F64, &args[1]));
        OK(lun_teams(e, f, &w, args, 3));
        OK(lun_read(e, args[1], y, 0, N));
        check_swapped(y, team);
        lun_release(args[1]);
    }
    lun_release(args[0]);
    lun_release(args[2]);
    lun_function_release(f);
}

static void test_at_once(void **state)
{
    (void)state;
    swap_on("openmp");
    swap_on("reference");
}

static void *data_of(const lun_memory *m)
{
    lun_buffer_info info = {.size = sizeof info};
    lun_buffer_get(m, &info);
    return info.data;
}

static void test_tasks(void **state)
{
    (void)state;
    double x[N], y[N];
    int64_t n = N;
    lun_memory *from, *to;
    lun_queue *q;
    lun_task *t;
    lun_function *f = function(text);
    const lun_queue_options async = {.size = sizeof async, .async = true};
    lun_workdiv w = division(N / 20, 20);
    for (int i = 0; i < N; i++)
        x[i] = i;
    OK(lun_buffer_new(e, "host", 1, &n, LUN_F64, &from));
    OK(lun_buffer_new(e, "host", 1, &n, LUN_F64, &to));
    OK(lun_queue_new(e, "openmp", &async, &q));
    memcpy(data_of(from), x, sizeof x);
    const lun_argument args[] = {{.size = sizeof *args, .number = {LUN_F64, {.d = 3}}},
                                 {.size = sizeof *args, .buffer = to},
                                 {.size = sizeof *args, .buffer = from}};
    OK(lun_task_new(e, f, &w, args, 3, &t));
    lun_function_release(f);
    OK(lun_queue_enqueue(q, t));
    OK(lun_queue_wait(q));
    memcpy(y, data_of(to), sizeof y);
    check_swapped(y, 20);
    lun_task_release(t);
    lun_queue_free(q);
    lun_buffer_release(from);
    lun_buffer_release(to);
}

static void test_failures(void **state)
{
    (void)state;
    double y[4] = {0};
    lun_array *v, *two;
    lun_workdiv w = division(2, 2);
    OK(lun_vector(e, y, 4, LUN_F64, &v));
    OK(lun_number(e, 2, &two));
    lun_function *f = function("void f(double *y) { if (LUN_THREAD(0)) LUN_BARRIER; y[0] = 1; }");
    FAILS(lun_teams(e, f, &w, &v, 1), LUN_EBOUNDS, "line 1: some threads of a team");
    FAILS(lun_teams(e, f, &w, NULL, 0), LUN_EARG, "takes 1 argument, got 0");
    lun_function_release(f);
    lun_workdiv other = w;
    other.mapping = (lun_mapping)2;
    f = function("void f(double *y) { y[0] = 1; }");
    FAILS(lun_teams(e, f, &other, &v, 1), LUN_EARG, "mapping 2: LUN_MAPPING_BLOCKS or");
    lun_function_release(f);
    f = function("void f(float *y) { y[0] = 1; }");
    FAILS(lun_teams(e, f, &w, &v, 1), LUN_EDTYPE, "an array of f64 where parameter 'y'");
    lun_array *out = NULL;
    FAILS(lun_reduce(e, f, NULL, v, &out), LUN_EARG, "the result is void");
    lun_function_release(f);
    f = function("double f(double x) { return x; }");
    FAILS(lun_teams(e, f, &w, &v, 1), LUN_EARG, "C text without a result");
    lun_function_release(f);
    f = function("void f(double *y) { y[0] = nothing; }");
    FAILS(lun_teams(e, f, &w, &v, 1), LUN_EBUILD, "nothing");
    lun_function_release(f);
    f = function("void f(double *y, long n) { LUN_SCRATCH(int, s, n * n); y[0] = s[0]; }");
    FAILS(lun_teams(e, f, &w, (lun_array *[]){v, two}, 2), LUN_EARG, "n is an integer constant");
    lun_function_release(f);
    lun_release(two);
    lun_release(v);
}

/* Loops end with the time limit, around barriers and between them. */
static void test_endless(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "void f(long *y) { while (1) { LUN_BARRIER; y[0]++; LUN_BARRIER; } }",
        "void f(long *y) { LUN_BARRIER; while (y[0] >= 0) y[0] &= 7; LUN_BARRIER; }"};
    int64_t y[4] = {0};
    lun_array *v;
    lun_workdiv w = division(2, 2);
    OK(lun_vector(e, y, 4, LUN_I64, &v));
    for (size_t k = 0; k < 2; k++) {
        lun_function *f = function(texts[k]);
        FAILS(lun_teams(e, f, &w, &v, 1), LUN_ELIMIT, "time limit reached");
        lun_function_release(f);
    }
    lun_release(v);
}

/* Where a thread is along axes beyond the third. */
static void test_axes(void **state)
{
    static const char axes[] =
        "void f(long *y) { long at = LUN_BLOCK() * LUN_THREADS() + LUN_THREAD();\n"
        "  y[at] = LUN_BLOCK(3) * 1000 + LUN_BLOCK(7) * 100 + LUN_THREAD(5) * 10 + LUN_INDEX(7);\n"
        "  if (LUN_BLOCKS(3) != 2 || LUN_THREADS(5) != 3 || LUN_ELEMENTS(7) != 4) y[at] = -1; }\n";
    (void)state;
    int64_t y[12] = {0};
    lun_array *v;
    lun_workdiv w = division(1, 1);
    w.league_more[0] = w.league_more[4] = 2;
    w.team_more[2] = 3;
    w.elements_more[4] = 4;
    lun_function *f = function(axes);
    OK(lun_vector(e, y, 12, LUN_I64, &v));
    OK(lun_teams(e, f, &w, &v, 1));
    OK(lun_read(e, v, y, 0, 12));
    for (int64_t k = 0; k < 12; k++)
        assert_int_equal(y[k], k / 6 * 1000 + k / 3 % 2 * 100 + k % 3 * 10 + k / 3 % 2 * 4);
    w.size = sizeof w.size / 2; /* of no member */
    FAILS(lun_teams(e, f, &w, &v, 1), LUN_EARG, "league {0, 0, 0}: extents are 1 or more");
    w.size = sizeof w;
    w.team_more[1] = -2;
    FAILS(lun_teams(e, f, &w, &v, 1), LUN_EARG, "team {1, 1, 1, 1, -2, 3}: extents are 1 or more");
    lun_release(v);
    lun_function_release(f);
}

static int open_native(void **state)
{
    (void)state;
    return kit_engine_open("openmp");
}

static int open_limited(void **state)
{
    (void)state;
    lun_config c = {.size = sizeof c, .backend = "openmp", .cache_dir = "", .time_limit = 0.5};
    return lun_open(&c, &e) != LUN_OK;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_at_once, open_native, kit_close),
        cmocka_unit_test_setup_teardown(test_tasks, open_native, kit_close),
        cmocka_unit_test_setup_teardown(test_failures, open_native, kit_close),
        cmocka_unit_test_setup_teardown(test_axes, open_native, kit_close),
        cmocka_unit_test_setup_teardown(test_endless, open_limited, kit_close),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
