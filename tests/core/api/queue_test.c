/* queue_test.c - the explicit layer from C: buffers, copies, tasks of a front end's, queues on
 * threads, events, failures, and an engine that is closed while they work. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <unistd.h>

#include "engine_kit.h"
#include "ir/ir.h"

enum { N = 1000 };

/* ---- a function: y[i] = y[i] + k, or for ever ------------------------------------------------ */

typedef struct body {
    lun_ir ir;
    lun_ir_function function;
} body;

static int32_t add(lun_ir *ir, int kind, int dtype, int64_t imm, int32_t a, int32_t b)
{
    return lun__ir_add(ir, (lun_ir_ins){.kind = (uint8_t)kind,
                                        .dtype = (uint8_t)dtype,
                                        .from = kind == LUN_IR_OP ? (uint8_t)dtype : 0,
                                        .op = kind == LUN_IR_OP ? LUN_OP_ADD : LUN_OP_COUNT,
                                        .a = a,
                                        .b = b,
                                        .c = -1,
                                        .imm = imm});
}

static void make_body(body *f, bool endless)
{
    lun_ir *ir = &f->ir;
    lun__ir_init(ir);
    for (int k = 0; k < LUN_FRONT_NUMBERS; k++)
        lun__ir_arg_add(ir, LUN_I64);
    lun__ir_arg_add(ir, LUN_F64);
    lun__ir_slot_add(ir, LUN_F64, LUN_SLOT_TARGET);
    ir->threads = 1;
    int32_t item = add(ir, LUN_IR_TEAM, LUN_I64, 0, -1, -1);
    int32_t k = add(ir, LUN_IR_ARG, LUN_F64, LUN_FRONT_NUMBERS, -1, -1);
    if (endless) {
        add(ir, LUN_IR_LOOP, LUN_BOOL, 0, -1, -1);
        add(ir, LUN_IR_END, LUN_BOOL, 0, -1, -1);
    }
    int32_t old = add(ir, LUN_IR_GATHER, LUN_F64, 0, item, -1);
    int32_t sum = add(ir, LUN_IR_OP, LUN_F64, 0, old, k);
    add(ir, LUN_IR_PUT, LUN_F64, 0, sum, item);
    f->function = (lun_ir_function){.body = ir};
}

static lun_status specialise(void *ctx, const lun_front_param *params, int count,
                             lun_front_result *out, lun_strbuf *error)
{
    (void)params;
    (void)error;
    assert_int_equal(count, LUN_FRONT_NUMBERS + 2);
    out->function = &((body *)ctx)->function;
    return LUN_OK;
}

static lun_task *task_of(body *f, lun_memory *y, double k, int64_t league)
{
    lun_task *t = NULL;
    lun_function *fn;
    lun_front front = {.ctx = f, .params = 2, .specialise = specialise};
    const lun_workdiv w = {
        .size = sizeof w, .league = {league, 1, 1}, .team = {1, 1, 1}, .elements = {1, 1, 1}};
    const lun_argument args[] = {{.size = sizeof *args, .buffer = y},
                                 {.size = sizeof *args, .number = {LUN_F64, {.d = k}}}};
    OK(lun__make_function_front(e, &front, &fn));
    OK(lun_task_new(e, fn, &w, args, 2, &t));
    lun_function_release(fn);
    return t;
}

static lun_memory *buffer(int64_t n)
{
    lun_memory *m = NULL;
    OK(lun_buffer_new(e, "host", 1, &n, LUN_F64, &m));
    return m;
}

/* Rows that stand apart, as a C host sees them. */
static void test_rows_apart(void **state)
{
    (void)state;
    const int64_t extents[] = {3, 2};
    const double x[] = {1, 2, 3, 4, 5, 6};
    const lun_buffer_options o = {.size = sizeof o, .align = 64};
    lun_memory *m = NULL;
    lun_array *flat, *a;
    lun_queue *q = NULL;
    lun_buffer_info info = {.size = sizeof info};
    OK(lun_buffer_make(e, "host", 2, extents, LUN_F64, &o, &m));
    OK(lun_queue_new(e, "reference", NULL, &q));
    OK(lun_vector(e, x, 6, LUN_F64, &flat));
    OK(lun_reshape(e, flat, 2, extents, &a));
    OK(lun_queue_copy(q, &(lun_copy_side){.size = sizeof(lun_copy_side), .buffer = m},
                      &(lun_copy_side){.size = sizeof(lun_copy_side), .array = a}, NULL));
    lun_buffer_get(m, &info);
    assert_int_equal(info.pitch, 64);
    const double *data = info.data;
    assert_int_equal((uintptr_t)data % 64, 0);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 8; j++)
            assert_true(data[8 * i + j] == (j < 2 ? 2 * i + j + 1 : 0));
    lun_release(a);
    lun_release(flat);
    lun_queue_free(q);
    lun_buffer_release(m);
}

static lun_queue *queue(bool async)
{
    lun_queue *q = NULL;
    OK(lun_queue_new(e, "reference",
                     &(lun_queue_options){.size = sizeof(lun_queue_options), .async = async}, &q));
    return q;
}

static const double *elements(const lun_memory *m)
{
    lun_buffer_info info = {.size = sizeof info};
    lun_buffer_get(m, &info);
    return info.data;
}

/* ---- work ------------------------------------------------------------------------------------ */

static void test_tasks_in_order(void **state)
{
    (void)state;
    body f;
    make_body(&f, false);
    for (int async = 0; async < 2; async++) {
        lun_queue *q = queue(async);
        lun_memory *y = buffer(N);
        lun_task *one = task_of(&f, y, 1, N), *ten = task_of(&f, y, 10, N / 2);
        for (int i = 0; i < 3; i++) {
            OK(lun_queue_enqueue(q, one));
            OK(lun_queue_enqueue(q, ten));
        }
        OK(lun_queue_wait(q));
        assert_true(elements(y)[0] == 33 && elements(y)[N / 2 - 1] == 33);
        assert_true(elements(y)[N / 2] == 3 && elements(y)[N - 1] == 3);
        lun_task_release(one);
        OK(lun_queue_enqueue(q, ten));
        lun_task_release(ten); /* the work has it */
        lun_buffer_release(y);
        OK(lun_queue_wait(q));
        lun_queue_free(q);
    }
    lun__ir_free(&f.ir);
}

static void test_events_between_queues(void **state)
{
    (void)state;
    enum { ROUNDS = 20, QUEUES = 3 };
    body f;
    make_body(&f, false);
    lun_queue *q[QUEUES];
    lun_event *last = NULL;
    lun_memory *y = buffer(N);
    lun_task *one = task_of(&f, y, 1, N);
    for (int k = 0; k < QUEUES; k++)
        q[k] = queue(k > 0);
    for (int i = 0; i < ROUNDS; i++) {
        lun_queue *to = q[i * 7 % QUEUES];
        if (last)
            OK(lun_queue_wait_for(to, last));
        OK(lun_queue_enqueue(to, one));
        lun_event_release(last);
        OK(lun_queue_record(to, &last));
    }
    OK(lun_event_wait(last));
    bool done = false, idle = false;
    OK(lun_event_done(last, &done));
    assert_true(done);
    for (int i = 0; i < N; i++)
        assert_true(elements(y)[i] == ROUNDS);
    for (int k = 0; k < QUEUES; k++) {
        OK(lun_queue_wait(q[k]));
        OK(lun_queue_idle(q[k], &idle));
        assert_true(idle);
        lun_queue_free(q[k]);
    }
    lun_event_release(last);
    lun_task_release(one);
    lun_buffer_release(y);
    lun__ir_free(&f.ir);
}

/* x[i] * 2, which waits; x has the elements 0, 1, ... */
static lun_array *doubled(lun_array **x)
{
    double elements[N];
    lun_array *two, *a = NULL;
    for (int i = 0; i < N; i++)
        elements[i] = i;
    OK(lun_vector(e, elements, N, LUN_F64, x));
    OK(lun_number(e, 2, &two));
    OK(lun_mul(e, *x, two, &a));
    lun_release(two);
    return a;
}

static void test_expressions_in_order(void **state)
{
    (void)state;
    body f;
    make_body(&f, false);
    for (int async = 0; async < 2; async++) {
        lun_queue *q = queue(async);
        lun_memory *y = buffer(N);
        lun_task *t = task_of(&f, y, 1, N);
        lun_array *x, *a = doubled(&x), *zero, *wrong;
        double got[N];
        OK(lun_queue_enqueue(q, t));
        OK(lun_queue_evaluate(q, a));
        OK(lun_set(e, x, 1, (lun_value){LUN_F64, {.d = 7}})); /* later */
        OK(lun_queue_wait(q));
        OK(lun_read(e, a, got, 0, N));
        for (int i = 0; i < N; i++)
            assert_true(got[i] == 2 * i);
        OK(lun_queue_evaluate(q, x));
        lun_release(a);
        lun_release(x);
        a = doubled(&x);
        OK(lun_vector(e, &(int64_t){0}, 1, LUN_I64, &zero));
        OK(lun_idiv(e, zero, zero, &wrong));
        if (async) {
            OK(lun_queue_evaluate(q, wrong));
            OK(lun_queue_evaluate(q, a)); /* dropped */
            FAILS(lun_queue_wait(q), LUN_EZERO, "n//0");
        } else {
            FAILS(lun_queue_evaluate(q, wrong), LUN_EZERO, "n//0");
        }
        OK(lun_read(e, a, got, 0, N));
        assert_true(got[N - 1] == 2 * (N - 1));
        lun_release(a);
        lun_release(x);
        lun_release(zero);
        lun_release(wrong);
        lun_task_release(t);
        lun_buffer_release(y);
        lun_queue_free(q);
    }
    lun__ir_free(&f.ir);
}

/* Boxes of two extents from an array to memory and back. */
static void test_copies(void **state)
{
    (void)state;
    const int64_t extents[2] = {4, 5}, box[2] = {2, 3};
    double x[20];
    for (int i = 0; i < 20; i++)
        x[i] = i;
    for (int async = 0; async < 2; async++) {
        lun_queue *q = queue(async);
        lun_array *flat, *a, *b;
        lun_memory *m = NULL;
        OK(lun_vector(e, x, 20, LUN_F64, &flat));
        OK(lun_reshape(e, flat, 2, extents, &a));
        OK(lun_copy(e, a, &b));
        OK(lun_buffer_new(e, "host", 2, extents, LUN_F64, &m));
        lun_copy_side to = {.size = sizeof to, .buffer = m, .from = {2, 1}},
                      from = {.size = sizeof from, .array = a, .from = {0, 2}};
        OK(lun_queue_copy(q, &to, &from, box));
        OK(lun_queue_copy(q, &(lun_copy_side){.size = sizeof to, .array = b},
                          &(lun_copy_side){.size = sizeof to, .buffer = m}, NULL));
        OK(lun_queue_wait(q));
        double got[20];
        OK(lun_read(e, b, got, 0, 20));
        for (int i = 0; i < 4; i++)
            for (int j = 0; j < 5; j++)
                assert_true(got[5 * i + j] ==
                            (i >= 2 && j >= 1 && j < 4 ? 5 * (i - 2) + (j - 1) + 2 : 0));
        FAILS(lun_queue_copy(q, &to, &from, extents), LUN_ERANGE, "does not fit");
        to.array = a;
        FAILS(lun_queue_copy(q, &to, &from, box), LUN_EARG, "a buffer or an array");
        lun_release(flat);
        lun_release(a);
        lun_release(b);
        lun_buffer_release(m);
        lun_queue_free(q);
    }
}

/* ---- failures -------------------------------------------------------------------------------- */

static void test_cancelled(void **state)
{
    (void)state;
    body f;
    make_body(&f, true);
    lun_queue *q = queue(true), *other = queue(true);
    lun_memory *y = buffer(N);
    lun_task *t = task_of(&f, y, 1, N);
    lun_event *ev, *after;
    OK(lun_queue_enqueue(q, t));
    OK(lun_queue_record(q, &ev));
    OK(lun_queue_wait_for(other, ev));
    OK(lun_queue_record(other, &after));
    OK(lun_time_limit(e, 0.1));
    FAILS(lun_event_wait(after), LUN_ELIMIT, "time limit reached");
    FAILS(lun_queue_wait(q), LUN_ELIMIT, "time limit reached");
    OK(lun_time_limit(e, 0));
    OK(lun_queue_wait(q));
    bool done = false;
    OK(lun_event_done(ev, &done));
    assert_true(done);
    OK(lun_event_wait(after));
    OK(lun_queue_wait(other));
    OK(lun_queue_enqueue(q, t)); /* it goes on when nothing refers to it, until the engine ends */
    lun_event_release(ev);
    lun_event_release(after);
    lun_task_release(t);
    lun_buffer_release(y);
    lun_queue_free(q);
    lun_queue_free(other);
    lun_close(e);
    lun__ir_free(&f.ir);
    assert_int_equal(kit_reference_open(NULL), 0);
}

/* ---- a thread that waits --------------------------------------------------------------------- */

typedef struct waiter {
    lun_queue *queue;
    lun_event *event; /* NULL: it waits for the queue */
    lun_status status;
    atomic_bool ended;
} waiter;

static void *wait_there(void *ctx)
{
    waiter *w = ctx;
    do /* refused while the test's thread is inside */
        w->status = w->event ? lun_event_wait(w->event) : lun_queue_wait(w->queue);
    while (w->status == LUN_EARG);
    atomic_store(&w->ended, true);
    return NULL;
}

/* A thread waits for endless work of the queue's own thread: no other one may ask or wait, as with
 * all calls, and lun_cancel ends it. */
static void wait_elsewhere(waiter *w)
{
    static const char told[] = "engine in use by another thread";
    pthread_t thread;
    bool is = false;
    lun_status s;
    assert_int_equal(pthread_create(&thread, NULL, wait_there, w), 0);
    do
        s = lun_queue_idle(w->queue, &is);
    while (s == LUN_OK && !is); /* until it waits, as the work has no end */
    assert_int_equal(s, LUN_EARG);
    assert_non_null(strstr(lun_error(e), told));
    FAILS(lun_queue_wait(w->queue), LUN_EARG, told);
    if (w->event) {
        FAILS(lun_event_done(w->event, &is), LUN_EARG, told);
        FAILS(lun_event_wait(w->event), LUN_EARG, told);
    }
    assert_false(is);
    while (!atomic_load(&w->ended)) /* again where it came before the wait */
        lun_cancel(e);
    pthread_join(thread, NULL);
    assert_int_equal(w->status, LUN_ECANCEL);
}

static void test_waits_elsewhere(void **state)
{
    (void)state;
    body f;
    make_body(&f, true);
    lun_queue *q = queue(true);
    lun_memory *y = buffer(N);
    lun_task *t = task_of(&f, y, 1, N);
    lun_event *ev = NULL;
    bool done = false;
    OK(lun_queue_enqueue(q, t));
    wait_elsewhere(&(waiter){.queue = q});
    OK(lun_queue_enqueue(q, t));
    OK(lun_queue_record(q, &ev));
    wait_elsewhere(&(waiter){.queue = q, .event = ev});
    OK(lun_event_done(ev, &done)); /* and now this one may */
    assert_true(done);
    OK(lun_event_wait(ev));
    lun_event_release(ev);
    lun_task_release(t);
    lun_buffer_release(y);
    lun_queue_free(q);
    lun__ir_free(&f.ir);
}

static void test_refusals(void **state)
{
    (void)state;
    lun_memory *m = buffer(4);
    lun_queue *q = queue(false);
    const int64_t n = 4, negative = -1;
    lun_memory *none = NULL;
    lun_task *t = NULL;
    body f;
    make_body(&f, false);
    const int64_t many[LUN_MAX_RANK] = {1, 1, 1, 1, 1, 1, 1, 1};
    lun_buffer_options o = {.size = sizeof o, .pitch = 12};
    FAILS(lun_buffer_make(e, "host", 1, &n, LUN_F64, &o, &none), LUN_EARG, "pitch: 12 bytes");
    o.pitch = -8;
    FAILS(lun_buffer_make(e, "host", 1, &n, LUN_F64, &o, &none), LUN_EARG, "pitch: -8 bytes");
    o.pitch = 8;
    FAILS(lun_buffer_make(e, "host", LUN_MAX_RANK, many, LUN_F64, &o, &none), LUN_EARG,
          "7 extents at most");
    o.align = 24;
    FAILS(lun_buffer_make(e, "host", 1, &n, LUN_F64, &o, &none), LUN_EARG, "exclude one another");
    o.pitch = 0;
    FAILS(lun_buffer_make(e, "host", 1, &n, LUN_F64, &o, &none), LUN_EARG, "power of two");
    FAILS(lun_buffer_new(e, "nowhere", 1, &n, LUN_F64, &none), LUN_EARG, "no backend 'nowhere'");
    FAILS(lun_buffer_new(e, "host", 0, &n, LUN_F64, &none), LUN_ESHAPE, "1 to 8 extents");
    FAILS(lun_buffer_new(e, "host", 1, &negative, LUN_F64, &none), LUN_ERANGE, "negative");
    FAILS(lun_buffer_new(e, "host", 1, &n, LUN_DTYPE_COUNT, &none), LUN_EDTYPE, "dtype");
    assert_int_equal(lun_buffer_new(e, NULL, 1, &n, LUN_F64, &none), LUN_EARG);
    assert_int_equal(lun_queue_new(e, NULL, NULL, &q), LUN_EARG);
    assert_int_equal(lun_queue_enqueue(q, NULL), LUN_EARG);
    assert_int_equal(lun_queue_enqueue(NULL, NULL), LUN_EARG);
    assert_int_equal(lun_queue_copy(q, NULL, NULL, NULL), LUN_EARG);
    assert_int_equal(lun_queue_evaluate(q, NULL), LUN_EARG);
    assert_int_equal(lun_queue_record(q, NULL), LUN_EARG);
    assert_int_equal(lun_queue_wait_for(q, NULL), LUN_EARG);
    assert_int_equal(lun_queue_wait(NULL), LUN_EARG);
    assert_int_equal(lun_queue_idle(q, NULL), LUN_EARG);
    assert_int_equal(lun_event_wait(NULL), LUN_EARG);
    assert_int_equal(lun_event_done(NULL, NULL), LUN_EARG);
    assert_string_equal(lun_queue_device(NULL), "");
    assert_null(none);
    t = task_of(&f, m, 1, 4);
    lun_buffer_free(m);
    FAILS(lun_queue_enqueue(q, t), LUN_EFREED, "argument 0 is a buffer that was freed");
    lun_task_release(t);
    lun_buffer_release(m);
    lun_buffer_release(NULL);
    lun_buffer_free(NULL);
    lun_task_release(NULL);
    lun_event_release(NULL);
    lun_queue_free(NULL);
    lun_queue_free(q);
    lun__ir_free(&f.ir);
}

/* What is not released ends with the engine. */
static void test_left_over(void **state)
{
    (void)state;
    body f;
    make_body(&f, false);
    lun_memory *y = buffer(N);
    lun_queue *q = queue(true);
    lun_task *t = task_of(&f, y, 1, N);
    lun_event *ev;
    for (int i = 0; i < 100; i++)
        OK(lun_queue_enqueue(q, t));
    lun_array *x, *a = doubled(&x);
    OK(lun_queue_evaluate(q, a));
    lun_release(a);
    OK(lun_queue_record(q, &ev));
    lun_event_release(ev);
    lun_task_release(t);
    lun_close(e);
    lun__ir_free(&f.ir);
    assert_int_equal(kit_reference_open(NULL), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_tasks_in_order, kit_reference_open, kit_close),
        cmocka_unit_test_setup_teardown(test_events_between_queues, kit_reference_open, kit_close),
        cmocka_unit_test_setup_teardown(test_expressions_in_order, kit_reference_open, kit_close),
        cmocka_unit_test_setup_teardown(test_copies, kit_reference_open, kit_close),
        cmocka_unit_test_setup_teardown(test_rows_apart, kit_reference_open, kit_close),
        cmocka_unit_test_setup_teardown(test_cancelled, kit_reference_open, kit_close),
        cmocka_unit_test_setup_teardown(test_waits_elsewhere, kit_reference_open, kit_close),
        cmocka_unit_test_setup_teardown(test_refusals, kit_reference_open, kit_close),
        cmocka_unit_test_setup_teardown(test_left_over, kit_reference_open, kit_close),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
