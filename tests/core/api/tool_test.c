/* tool_test.c - tools: what they are called for, in what order, and when they end; regions; traces
 * that cannot be written, and one that is longer than what is kept. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "engine_kit.h"
#include "lunarray_bind.h"

enum { N = 5000, DEPTH = 64 };

/* What a tool has seen. */
typedef struct seen {
    int begun[LUN_TOOL_KINDS], ended[LUN_TOOL_KINDS], closed, elsewhere;
    lun_tool_kind open[DEPTH]; /* of the test's thread; allocations do not nest */
    int depth;
    double time;
    int64_t allocated;
    lun_tool_event last[LUN_TOOL_KINDS]; /* as they ended, without texts but these: */
    char name[LUN_TOOL_KINDS][80], label[LUN_TOOL_KINDS][80], place[LUN_TOOL_KINDS][80],
        where[LUN_TOOL_KINDS][80];
    pthread_t thread;
    lun_engine *to_add; /* added to it from within, once */
    lun_status refused;
} seen;

static seen s, other; /* tools end after their tests */

static bool nests(const seen *w, const lun_tool_event *ev)
{
    return ev->kind != LUN_TOOL_ALLOCATION && !ev->track &&
           pthread_equal(pthread_self(), w->thread);
}

static void begin(void *ctx, const lun_tool_event *ev)
{
    seen *w = ctx;
    assert_int_equal(ev->size, sizeof *ev);
    assert_true(ev->name && ev->label && ev->place && ev->where);
    w->begun[ev->kind]++;
    w->elsewhere += !pthread_equal(pthread_self(), w->thread);
    if (ev->kind == LUN_TOOL_ALLOCATION)
        w->allocated += ev->bytes;
    if (!nests(w, ev))
        return;
    assert_true(w->depth < DEPTH && ev->time >= w->time);
    w->time = ev->time;
    w->open[w->depth++] = ev->kind;
    if (w->to_add) {
        const lun_tool one = {.size = sizeof one, .ctx = w};
        lun_engine *to = w->to_add;
        w->to_add = NULL;
        w->refused = lun_tool_add(to, &one);
        assert_int_equal(lun_tool_remove(to, w), LUN_EARG);
    }
}

static void end(void *ctx, const lun_tool_event *ev)
{
    seen *w = ctx;
    const int k = (int)ev->kind;
    w->ended[k]++;
    if (ev->kind == LUN_TOOL_ALLOCATION)
        w->allocated -= ev->bytes;
    w->last[k] = *ev;
    snprintf(w->name[k], sizeof w->name[k], "%s", ev->name);
    snprintf(w->label[k], sizeof w->label[k], "%s", ev->label);
    snprintf(w->place[k], sizeof w->place[k], "%s", ev->place);
    snprintf(w->where[k], sizeof w->where[k], "%s", ev->where);
    if (!nests(w, ev))
        return;
    assert_true(w->depth > 0 && ev->time >= w->time);
    assert_int_equal(w->open[--w->depth], ev->kind);
    w->time = ev->time;
}

static void closed(void *ctx)
{
    ((seen *)ctx)->closed++;
}

static lun_tool tool_of(seen *w)
{
    lun_tool t = {.size = sizeof t, .ctx = w, .close = closed};
    *w = (seen){.thread = pthread_self()};
    for (int k = 0; k < LUN_TOOL_KINDS; k++)
        t.on[k] = (lun_tool_calls){begin, end};
    return t;
}

/* The sum of squares of 0 .. n - 1, sorted; and a product of the first 100 as matrices. */
static double work(void)
{
    const int64_t square[] = {10, 10};
    const lun_value from = {.dtype = LUN_F64}, step = {.dtype = LUN_F64, .as.d = 1};
    lun_array *x, *y, *sorted, *m, *p, *few;
    lun_value v;
    OK(lun_range(e, from, step, N, LUN_F64, &x));
    OK(lun_mark(e, "work.lua:7"));
    OK(lun_mul(e, x, x, &y));
    OK(lun_mark(e, "work.lua:8"));
    OK(lun_sort(e, y, 0, 0, &sorted));
    OK(lun_total(e, LUN_SUM, sorted, 0, &v));
    OK(lun_range(e, from, step, 100, LUN_F64, &few));
    OK(lun_reshape(e, few, 2, square, &m));
    OK(lun_matmul(e, m, m, &p));
    OK(lun_eval(e, &p, 1));
    lun_array *all[] = {x, y, sorted, m, p, few};
    for (size_t k = 0; k < sizeof all / sizeof *all; k++)
        lun_release(all[k]);
    return v.as.d;
}

static int64_t runs(const seen *w)
{
    return w->ended[LUN_TOOL_KERNEL] + w->ended[LUN_TOOL_PRODUCT] + w->ended[LUN_TOOL_ALGORITHM];
}

/* ---- what is seen ---------------------------------------------------------------------------- */

static void test_work_begins_and_ends(void **state)
{
    (void)state;
    const lun_tool t = tool_of(&s);
    const double before = work();
    lun_trim(e);
    lun_stats_reset(e);
    OK(lun_tool_add(e, &t));
    assert_true(work() == before);
    lun_stats now = {.size = sizeof now};
    lun_stats_get(e, &now);
    OK(lun_tool_remove(e, &s));
    assert_int_equal(s.closed, 1);
    assert_int_equal(s.depth, 0);
    for (int k = 0; k < LUN_TOOL_KINDS; k++)
        assert_int_equal(s.begun[k], s.ended[k]);
    assert_int_equal(s.ended[LUN_TOOL_PRODUCT], now.products);
    assert_int_equal(s.ended[LUN_TOOL_ALGORITHM], now.algorithms);
    assert_true(s.ended[LUN_TOOL_KERNEL] >= 2 && s.ended[LUN_TOOL_PLAN] >= 2);
    assert_true(s.ended[LUN_TOOL_ALLOCATION] >= 3);
    assert_true(s.allocated == 0); /* all was given back */
    assert_string_equal(s.name[LUN_TOOL_ALGORITHM], "sort");
    assert_string_equal(s.where[LUN_TOOL_ALGORITHM], "work.lua:8");
    assert_string_equal(s.place[LUN_TOOL_ALGORITHM], "reference");
    assert_true(s.last[LUN_TOOL_ALGORITHM].elements == N);
    assert_string_equal(s.name[LUN_TOOL_PRODUCT], "matmul");
    assert_true(s.last[LUN_TOOL_PRODUCT].elements == 100 && s.last[LUN_TOOL_PRODUCT].bytes == 2400);
    const int64_t seen_runs = runs(&s);
    (void)work();
    assert_int_equal(runs(&s), seen_runs); /* it is removed */
}

static void test_kernels_say_their_operations(void **state)
{
    (void)state;
    const lun_tool t = tool_of(&s);
    lun_array *x, *y, *z;
    OK(lun_range(e, (lun_value){.dtype = LUN_F64}, (lun_value){.dtype = LUN_F64, .as.d = 1}, 1000,
                 LUN_F64, &x));
    OK(lun_eval(e, &x, 1));
    OK(lun_tool_add(e, &t));
    OK(lun_mark(e, "a.lua:3"));
    OK(lun_mul(e, x, x, &y));
    OK(lun_sqrt(e, y, &z));
    OK(lun_eval(e, &z, 1));
    assert_int_equal(s.ended[LUN_TOOL_KERNEL], 1);
    const lun_tool_event *k = &s.last[LUN_TOOL_KERNEL];
    assert_string_equal(s.name[LUN_TOOL_KERNEL], "map");
    assert_string_equal(s.label[LUN_TOOL_KERNEL], "mul sqrt");
    assert_string_equal(s.where[LUN_TOOL_KERNEL], "a.lua:3");
    assert_int_equal(k->operations, 2);
    assert_true(k->elements == 1000 && k->bytes == 16000 && k->interpreted == 1);
    lun_release(x);
    lun_release(y);
    lun_release(z);
}

static void test_failures_end_too(void **state)
{
    (void)state;
    const lun_tool t = tool_of(&s);
    lun_array *x, *z;
    const lun_value zero = {.dtype = LUN_I64}, one = {.dtype = LUN_I64, .as.i = 1};
    OK(lun_range(e, zero, one, 10, LUN_I64, &x));
    OK(lun_eval(e, &x, 1));
    OK(lun_tool_add(e, &t));
    OK(lun_idiv(e, x, x, &z));
    assert_int_equal(lun_eval(e, &z, 1), LUN_EZERO);
    assert_int_equal(s.begun[LUN_TOOL_KERNEL], 1);
    assert_int_equal(s.ended[LUN_TOOL_KERNEL], 1);
    assert_int_equal(s.depth, 0);
    lun_release(x);
    lun_release(z);
}

static void test_queues_are_seen_from_their_threads(void **state)
{
    (void)state;
    const lun_tool t = tool_of(&s);
    lun_queue *q;
    lun_array *x, *y;
    OK(lun_queue_new(e, "reference",
                     &(lun_queue_options){.size = sizeof(lun_queue_options), .async = 1}, &q));
    OK(lun_tool_add(e, &t));
    OK(lun_range(e, (lun_value){.dtype = LUN_F64}, (lun_value){.dtype = LUN_F64, .as.d = 1}, 1000,
                 LUN_F64, &x));
    OK(lun_mul(e, x, x, &y));
    OK(lun_queue_evaluate(q, y));
    OK(lun_queue_wait(q));
    assert_int_equal(s.ended[LUN_TOOL_TASK], 1);
    assert_string_equal(s.name[LUN_TOOL_TASK], "evaluate");
    assert_true(s.elsewhere > 0 && s.ended[LUN_TOOL_KERNEL] == 1);
    OK(lun_tool_remove(e, &s));
    lun_queue_free(q);
    lun_release(x);
    lun_release(y);
}

/* ---- the list -------------------------------------------------------------------------------- */

static void test_tools_come_and_go(void **state)
{
    (void)state;
    const lun_tool t = tool_of(&s), u = tool_of(&other);
    FAILS(lun_tool_add(e, NULL), LUN_EARG, "");
    FAILS(lun_tool_add(e, &(lun_tool){.size = 0}), LUN_EARG, "");
    FAILS(lun_tool_remove(e, &s), LUN_EARG, "there is no tool with that ctx");
    OK(lun_tool_add(e, &t));
    OK(lun_tool_add(e, &u));
    s.to_add = e;
    (void)work();
    assert_int_equal(s.refused, LUN_EARG);
    assert_int_equal(runs(&s), runs(&other));
    OK(lun_tool_remove(e, &s));
    assert_true(s.closed == 1 && other.closed == 0);
    lun_close(e);
    assert_int_equal(other.closed, 1);
    assert_int_equal(kit_engine_open("reference"), 0);
}

/* A host built for an engine with fewer kinds. */
static void test_smaller_structs(void **state)
{
    (void)state;
    lun_tool t = tool_of(&s);
    t.size = offsetof(lun_tool, on) + (LUN_TOOL_KERNEL + 1) * sizeof t.on[0];
    OK(lun_tool_add(e, &t));
    (void)work();
    assert_true(s.ended[LUN_TOOL_KERNEL] > 0);
    assert_int_equal(s.ended[LUN_TOOL_PRODUCT] + s.begun[LUN_TOOL_ALLOCATION], 0);
}

static void test_regions(void **state)
{
    (void)state;
    const lun_tool t = tool_of(&s);
    FAILS(lun_region_end(e), LUN_EARG, "no region is open");
    FAILS(lun_region_begin(e, NULL), LUN_EARG, "");
    OK(lun_region_begin(e, "before"));
    OK(lun_tool_add(e, &t));
    OK(lun_region_begin(e, "outer"));
    OK(lun_region_begin(e, "inner"));
    (void)work();
    OK(lun_region_end(e));
    assert_string_equal(s.name[LUN_TOOL_REGION], "inner");
    OK(lun_region_end(e));
    assert_string_equal(s.name[LUN_TOOL_REGION], "outer");
    OK(lun_region_end(e)); /* of a region that the tool has not seen begin */
    assert_true(s.begun[LUN_TOOL_REGION] == 2 && s.ended[LUN_TOOL_REGION] == 2 && s.depth == 0);
    FAILS(lun_region_end(e), LUN_EARG, "no region is open");
}

/* ---- traces ---------------------------------------------------------------------------------- */

static char path[64];

/* What stands behind `before` in the file, a number; -1: it is not there. */
static long long number_in(const char *text, const char *before)
{
    const char *at = strstr(text, before);
    return at ? atoll(at + strlen(before)) : -1;
}

static char *slurp(void)
{
    FILE *f = fopen(path, "rb");
    assert_non_null(f);
    assert_int_equal(fseek(f, 0, SEEK_END), 0);
    const long n = ftell(f);
    char *text = malloc((size_t)n + 1);
    assert_non_null(text);
    rewind(f);
    assert_int_equal(fread(text, 1, (size_t)n, f), n);
    text[n] = 0;
    fclose(f);
    unlink(path);
    return text;
}

static void test_traces_begin_and_end(void **state)
{
    (void)state;
    FAILS(lun_trace(e, NULL), LUN_EARG, "no trace is on");
    FAILS(lun_trace(e, ""), LUN_EARG, "must not be empty");
    FAILS(lun_trace(e, "/no/folder/t.json"), LUN_EIO,
          "the trace cannot be written: /no/folder/t.json: No such file or directory");
    OK(lun_trace(e, path));
    FAILS(lun_trace(e, "other.json"), LUN_EARG, "a trace is on already, into ");
    assert_int_not_equal(access(path, F_OK), 0);
    (void)work();
    OK(lun_trace(e, NULL));
    char *text = slurp();
    assert_non_null(strstr(text, "\"name\":\"sort\",\"cat\":\"algorithm\""));
    free(text);
    FAILS(lun_trace(e, NULL), LUN_EARG, "no trace is on");
}

static void test_a_closed_engine_writes(void **state)
{
    (void)state;
    OK(lun_trace(e, path));
    OK(lun_region_begin(e, "open \"region\"\n\xff"));
    lun_close(e);
    char *text = slurp();
    assert_non_null(
        strstr(text, "\"name\":\"open \\\"region\\\"\\u000a\\ufffd\",\"cat\":\"script\""));
    free(text);
    assert_int_equal(kit_engine_open("reference"), 0);
}

/* The oldest go, and the file says how many. */
static void test_more_than_is_kept(void **state)
{
    (void)state;
    enum { KEPT = 1 << 20, MORE = 1000 };
    OK(lun_trace(e, path));
    for (int i = 0; i < KEPT + MORE; i++) {
        OK(lun_region_begin(e, i < MORE ? "old" : "new"));
        OK(lun_region_end(e));
    }
    OK(lun_trace(e, NULL));
    char *text = slurp();
    static const char name[] = "\"name\":\"new\"";
    long long new = 0;
    for (const char *at = text; *at; at++) /* a sanitizer's strstr looks for the end each time */
        new += *at == '"' && !strncmp(at, name, sizeof name - 1);
    assert_null(strstr(text, "\"name\":\"old\""));
    assert_int_equal(new, KEPT);
    assert_int_equal(number_in(text, "\"args\":{\"lost\":"), MORE);
    free(text);
}

int main(void)
{
    snprintf(path, sizeof path, "/tmp/lunarray-tool-test-%ld.json", (long)getpid());
#define ONE(f) cmocka_unit_test_setup_teardown(f, kit_reference_open, kit_close)
    const struct CMUnitTest tests[] = {
        ONE(test_work_begins_and_ends),
        ONE(test_kernels_say_their_operations),
        ONE(test_failures_end_too),
        ONE(test_queues_are_seen_from_their_threads),
        ONE(test_tools_come_and_go),
        ONE(test_smaller_structs),
        ONE(test_regions),
        ONE(test_traces_begin_and_end),
        ONE(test_a_closed_engine_writes),
        ONE(test_more_than_is_kept),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
