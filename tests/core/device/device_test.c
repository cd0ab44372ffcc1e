/* device_test.c - arrays whose elements are in the memory of a device: what is moved, when, and
 * what is left when moving fails.  The device is a double: the reference backend behind buffers
 * that only it can read, whose calls are counted and fail on demand. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine_kit.h"
#include "lunarray_bind.h"
#include "reference/reference.h"

/* ---- the double ------------------------------------------------------------------------------ */

struct lun_buffer {
    int device;
    int64_t bytes;
    char *data;
};

struct lun_kernel {
    lun_kernel *inner;
    lun_ir_slot slot[64];
    int slots;
};

typedef struct far {
    int device;
    void *inner;
    const lun_services *services;
} far;

static struct {
    int buffers, uploads, downloads; /* buffers: alive */
    int workgroup;                   /* of the last launch */
    int64_t calls, fail_at;          /* 0: never */
} seen;

static bool fails(far *f, const char *what)
{
    if (++seen.calls != seen.fail_at)
        return false;
    lun__strbuf_clear(f->services->error);
    lun__strbuf_printf(f->services->error, "%s failed", what);
    return true;
}

static lun_status far_open(const lun_services *services, const lun_opening *how, void **state,
                           lun_abilities *out)
{
    if (how->device > 2) {
        lun__strbuf_clear(services->error);
        lun__strbuf_puts(services->error, "there are 2 devices");
        return LUN_EBACKEND;
    }
    far *f = calloc(1, sizeof *f);
    *f = (far){.device = how->device ? how->device : 1, .services = services};
    *state = f;
    const lun_status s = lun__backend_reference.open(services, &(lun_opening){0}, &f->inner, out);
    *out = (lun_abilities){.memory_bytes = 1 << 30};
    return s;
}

static void far_close(void *state)
{
    far *f = state;
    lun__backend_reference.close(f->inner);
    free(f);
}

static lun_status far_build(void *state, const lun_ir *ir, const char *text, lun_kernel **out)
{
    far *f = state;
    lun_kernel *k = calloc(1, sizeof *k);
    k->slots = ir->slot_count;
    memcpy(k->slot, ir->slots, (size_t)ir->slot_count * sizeof *ir->slots);
    *out = k;
    return lun__backend_reference.build(f->inner, ir, text, &k->inner);
}

static void far_release(void *state, lun_kernel *k)
{
    lun__backend_reference.release(((far *)state)->inner, k->inner);
    free(k);
}

static lun_status run(far *f, lun_kernel *k, lun_launch *launch)
{
    void *slots[64];
    lun_launch inner = *launch;
    if (fails(f, "run"))
        return LUN_EBACKEND;
    for (int i = 0; i < k->slots; i++) {
        const struct lun_buffer *b = launch->slots[i];
        int64_t size = lun_dtype_size((lun_dtype)k->slot[i].dtype);
        assert_int_equal(b->device, f->device);
        assert_true((launch->origin[i] + launch->room[i]) * size <= b->bytes);
        slots[i] = b->data + launch->origin[i] * size;
    }
    inner.slots = slots;
    seen.workgroup = launch->workgroup;
    const lun_work work = lun__work_launch(k->inner, &inner);
    lun_status s = lun__backend_work_do(&lun__backend_reference, f->inner, &work);
    launch->trap = inner.trap;
    launch->trap_value = inner.trap_value;
    return s;
}

static lun_status far_source(void *state, const lun_ir *ir, lun_strbuf *out)
{
    return lun__backend_reference.source(((far *)state)->inner, ir, out);
}

static int far_devices(const lun_services *services, void *state, lun_device *rows, int room)
{
    (void)services;
    for (int i = 0; i < 2 && i < room; i++)
        rows[i] = (lun_device){
            .name = "far", .kind = "gpu", .backend = "far", .memory = 1 << 30, .units = 1};
    return state ? 2 : 0;
}

static lun_status far_new(void *state, int64_t bytes, lun_buffer **out)
{
    far *f = state;
    if (fails(f, "buffer_new"))
        return LUN_ENOMEM;
    *out = malloc(sizeof **out);
    **out = (lun_buffer){f->device, bytes, malloc((size_t)bytes + 1)};
    memset((*out)->data, 0xee, (size_t)bytes);
    seen.buffers++;
    return LUN_OK;
}

static void far_free(void *state, lun_buffer *b)
{
    assert_int_equal(b->device, ((far *)state)->device);
    seen.buffers--;
    free(b->data);
    free(b);
}

static lun_status far_write(void *state, lun_buffer *to, int64_t offset, const void *host,
                            int64_t bytes, lun_work_mark *mark)
{
    (void)mark;
    if (fails(state, "upload"))
        return LUN_EBACKEND;
    assert_true(offset + bytes <= to->bytes);
    memcpy((char *)to->data + offset, host, (size_t)bytes);
    seen.uploads++;
    return LUN_OK;
}

static lun_status far_read(void *state, lun_buffer *from, int64_t offset, void *host, int64_t bytes,
                           lun_work_mark *mark)
{
    (void)mark;
    if (fails(state, "download"))
        return LUN_EBACKEND;
    assert_true(offset >= 0 && offset + bytes <= from->bytes);
    memcpy(host, from->data + offset, (size_t)bytes);
    seen.downloads++;
    return LUN_OK;
}

static lun_status pad(far *f, const lun_work_pad *w)
{
    const lun_padding *p = w->pad;
    if (fails(f, "pad"))
        return LUN_EBACKEND;
    const lun_layout all = lun__layout_right(p->rank, p->extent);
    const lun_pad_box whole = lun__pad_box(p, &all);
    lun__pad_read(p, &all, &whole, w->from->data + w->origin * w->bytes, w->bytes, 0,
                  lun__layout_count(&all), w->to->data);
    return LUN_OK;
}

static lun_status transfer(far *f, const lun_transfer *t)
{
    char *to = t->to->data + t->to_origin * t->bytes;
    const int64_t n = lun__layout_count(&t->at);
    if (fails(f, "transfer"))
        return LUN_EBACKEND;
    if (t->from)
        lun__strided_copy(&t->of, t->from->data + t->from_origin * t->bytes, &t->at, to, t->bytes,
                          0, n);
    for (int64_t i = 0; !t->from && i < n; i++)
        memcpy(to + lun__layout_offset(&t->at, i) * t->bytes, &t->cell, (size_t)t->bytes);
    return LUN_OK;
}

static lun_status far_prepare(void *state, lun_kernel *k, lun_kernel_facts *out)
{
    return lun__backend_reference.prepare(((far *)state)->inner, k->inner, out);
}

static bool far_takes(void *state, const lun_work *w, int64_t *scratch)
{
    (void)state;
    *scratch = 0;
    return w->kind == LUN_WORK_LAUNCH || w->kind == LUN_WORK_PAD || w->kind == LUN_WORK_TRANSFER;
}

static lun_status far_begin(void *state, const lun_work *w, lun_work_mark *mark)
{
    (void)mark;
    switch (w->kind) {
    case LUN_WORK_LAUNCH:
        return run(state, w->is.run.kernel, w->is.run.launch);
    case LUN_WORK_PAD:
        return pad(state, &w->is.pad);
    case LUN_WORK_TRANSFER:
        return transfer(state, w->is.transfer);
    default:
        fail_msg("work of kind %d is begun", (int)w->kind);
        return LUN_EBACKEND;
    }
}

static const lun_backend lun_backend_far = {
    .name = "far",
    .devices = far_devices,
    .open = far_open,
    .close = far_close,
    .build = far_build,
    .release = far_release,
    .prepare = far_prepare,
    .source = far_source,
    .takes = far_takes,
    .begin = far_begin,
    .wait = lun__backend_ended_at_once,
    .buffer_new = far_new,
    .buffer_free = far_free,
    .write = far_write,
    .read = far_read,
};

const lun_backend *const lun__backends_all[] = {&lun_backend_far, &lun__backend_reference, NULL};

/* ---- tests ----------------------------------------------------------------------------------- */

enum { N = 3000 };

static int open_engine(void **state)
{
    (void)state;
    memset(&seen, 0, sizeof seen);
    return kit_engine_open("far");
}

static int close_engine(void **state)
{
    (void)state;
    return kit_engine_close() || seen.buffers != 0;
}

static lun_array *counting(int64_t n)
{
    double x[N];
    lun_array *a;
    for (int i = 0; i < N; i++)
        x[i] = i;
    OK(lun_vector(e, x, n, LUN_F64, &a));
    return a;
}

static lun_array *times(lun_array *a, double k)
{
    lun_array *number, *out;
    OK(lun_number(e, k, &number));
    OK(lun_mul(e, a, number, &out));
    lun_release(number);
    return out;
}

static double element(lun_array *a, int64_t i)
{
    lun_value v;
    OK(lun_get(e, a, i, &v));
    return v.as.d;
}

static double sum(lun_array *a)
{
    lun_value v;
    OK(lun_total(e, LUN_SUM, a, 0, &v));
    return v.as.d;
}

static void expect_transfers(int uploads, int downloads)
{
    assert_int_equal(seen.uploads, uploads);
    assert_int_equal(seen.downloads, downloads);
}

static void test_ten_uses_are_one_upload(void **state)
{
    (void)state;
    lun_array *a = counting(N), *b[10];
    for (int k = 0; k < 10; k++) {
        b[k] = times(a, k);
        OK(lun_eval(e, &b[k], 1));
    }
    expect_transfers(1, 0);
    assert_true(element(b[9], 5) == 45);
    expect_transfers(1, 1);
    assert_true(sum(b[2]) == (double)N * (N - 1));
    expect_transfers(1, 1);
    for (int k = 0; k < 10; k++)
        lun_release(b[k]);
    lun_release(a);
}

static void test_chains_stay_on_the_device(void **state)
{
    (void)state;
    lun_array *a = counting(N), *b = times(a, 2), *c;
    for (int k = 0; k < 5; k++) {
        OK(lun_eval(e, &b, 1));
        c = times(b, 0.5);
        lun_release(b);
        b = c;
    }
    assert_true(sum(b) == N * (N - 1) / 2.0 / 16);
    expect_transfers(1, 0);
    lun_release(b);
    lun_release(a);
}

static void test_writing_outdates_the_device(void **state)
{
    (void)state;
    lun_array *a = counting(N), *b = times(a, 2), *c;
    OK(lun_eval(e, &b, 1));
    OK(lun_set(e, a, 7, (lun_value){.dtype = LUN_F64, .as.d = 100}));
    c = times(a, 2);
    assert_true(element(b, 7) == 14 && element(c, 7) == 200 && element(c, 8) == 16);
    OK(lun_fill(e, b, (lun_value){.dtype = LUN_F64, .as.d = 1}));
    assert_true(sum(b) == N);
    lun_array *all[] = {a, b, c};
    for (int k = 0; k < 3; k++)
        lun_release(all[k]);
}

/* An expression that was built before a write sees the old elements, wherever they are. */
static void test_copy_on_write(void **state)
{
    (void)state;
    lun_array *a = counting(N), *b = times(a, 1), *c;
    OK(lun_eval(e, &b, 1));
    c = times(b, 3); /* waits */
    double x = -1;
    OK(lun_write(e, b, &x, 2, 1));
    assert_true(element(b, 2) == -1 && element(b, 3) == 3);
    assert_true(element(c, 2) == 6);
    lun_array *all[] = {a, b, c};
    for (int k = 0; k < 3; k++)
        lun_release(all[k]);
}

static void test_parts(void **state)
{
    (void)state;
    lun_array *a = counting(N), *b = times(a, 2), *part, *twice, *both;
    double x[100];
    OK(lun_eval(e, &b, 1));
    OK(lun_slice(e, b, 1001, 500, 1, &part));
    twice = times(part, 2);
    OK(lun_read(e, twice, x, 3, 100)); /* a part of what waits */
    assert_true(x[0] == 4 * 1004 && x[99] == 4 * 1103);
    OK(lun_read(e, b, x, 2900, 100)); /* of what is there */
    assert_true(x[0] == 5800 && x[99] == 5998);
    OK(lun_concat(e, part, twice, &both));
    assert_true(element(both, 0) == 2002 && element(both, 500) == 4004);
    assert_true(element(both, 999) == 6000);
    lun_array *all[] = {a, b, part, twice, both};
    for (int k = 0; k < 5; k++)
        lun_release(all[k]);
}

static void test_scalars_and_scans(void **state)
{
    (void)state;
    lun_array *a = counting(100), *total, *share, *running;
    lun_function *add;
    lun_value v;
    OK(lun_function_op(e, LUN_OP_ADD, &add));
    OK(lun_total_lazy(e, LUN_SUM, a, 0, &total));
    OK(lun_div(e, a, total, &share));
    assert_true(element(share, 99) == 99 / 4950.0);
    OK(lun_scan(e, add, NULL, share, true, &running));
    assert_true(element(running, 99) > 0.999999 && element(running, 99) < 1.000001);
    OK(lun_total(e, LUN_VAR, a, 0, &v));
    assert_true(v.as.d == 833.25);
    lun_function_release(add);
    lun_array *all[] = {a, total, share, running};
    for (int k = 0; k < 4; k++)
        lun_release(all[k]);
}

static void test_wrapped_memory(void **state)
{
    (void)state;
    double x[N];
    const void *mapped;
    lun_array *a = counting(N), *w, *b;
    for (int i = 0; i < N; i++)
        x[i] = 1;
    OK(lun_wrap(e, x, N, LUN_F64, NULL, NULL, &w));
    OK(lun_add(e, a, w, &b));
    assert_true(element(b, 10) == 11);
    OK(lun_store(e, w, b));
    assert_true(x[10] == 11 && x[N - 1] == N);
    OK(lun_data(e, b, &mapped));
    assert_true(((const double *)mapped)[20] == 21);
    lun_array *all[] = {a, w, b};
    for (int k = 0; k < 3; k++)
        lun_release(all[k]);
}

static void test_several_devices(void **state)
{
    (void)state;
    lun_array *a = counting(N), *first = times(a, 2), *second, *third, *both;
    OK(lun_eval(e, &first, 1));
    OK(lun_use(e, "far:2"));
    assert_string_equal(lun_backend_name(e), "far:2");
    second = times(a, 3);
    OK(lun_eval(e, &second, 1));
    OK(lun_use(e, "reference"));
    third = times(a, 4);
    OK(lun_eval(e, &third, 1));
    OK(lun_add(e, first, second, &both));
    lun_array *all;
    OK(lun_add(e, both, third, &all));
    assert_true(element(all, 10) == 90);
    OK(lun_use(e, "far"));
    lun_array *again = times(all, 1);
    assert_true(element(again, 11) == 99);
    assert_int_equal(lun_use(e, "far:3"), LUN_EBACKEND);
    assert_non_null(strstr(lun_error(e), "far:3 cannot be used here: there are 2 devices"));
    assert_int_equal(lun_use(e, "reference:2"), LUN_EARG);
    assert_int_equal(lun_use(e, "far:x"), LUN_EARG);
    const int64_t three = 3; /* nor has it memory of the host's */
    lun_memory *m = NULL;
    assert_int_equal(lun_buffer_make(e, "far:1", 1, &three, LUN_F64,
                                     &(lun_buffer_options){.size = sizeof(lun_buffer_options),
                                                           .memory = "pinned"},
                                     &m),
                     LUN_EBACKEND);
    assert_string_equal(lun_error(e), "far:1 has no pinned memory, only plain");
    assert_string_equal(lun_backend_name(e), "far");
    assert_string_equal(lun_backend_at(e, 1, NULL), "reference");
    assert_null(lun_backend_at(e, 2, NULL));
    assert_int_equal(lun_devices(e, NULL, 0), 3);
    lun_array *list[] = {a, first, second, third, both, all, again};
    for (int k = 0; k < 7; k++)
        lun_release(list[k]);
}

static void test_work_groups(void **state)
{
    (void)state;
    lun_array *a = counting(N), *b, *c, *total;
    lun_workgroup(e, 128);
    b = times(a, 2);
    lun_workgroup(e, 0);
    c = times(b, 2); /* fused with what asks for 128 */
    OK(lun_eval(e, &c, 1));
    assert_int_equal(seen.workgroup, 128);
    lun_release(b);
    b = times(a, 3);
    OK(lun_eval(e, &b, 1));
    assert_int_equal(seen.workgroup, 0);
    lun_workgroup(e, 1 << 20);
    OK(lun_total_lazy(e, LUN_SUM, a, 0, &total));
    lun_workgroup(e, 0);
    OK(lun_eval(e, &total, 1));
    assert_int_equal(seen.workgroup, LUN_MOST_WORKGROUP);
    lun_array *all[] = {a, b, c, total};
    for (int k = 0; k < 4; k++)
        lun_release(all[k]);
}

/* A script's work with a failure at one device call; its sum, or a failed status. */
static lun_status work(lun_array *a, double *out)
{
    lun_array *b = times(a, 2), *part = NULL, *c = NULL;
    lun_value v = {.dtype = LUN_F64};
    double x;
    lun_status s = lun_eval(e, &b, 1);
    if (s == LUN_OK)
        s = lun_slice(e, b, 64, 1000, 1, &part);
    if (s == LUN_OK) {
        c = times(part, 3);
        s = lun_read(e, c, &x, 999, 1);
    }
    if (s == LUN_OK)
        s = lun_set(e, b, 0, (lun_value){.dtype = LUN_F64, .as.d = x});
    if (s == LUN_OK)
        s = lun_total(e, LUN_SUM, b, 0, &v);
    *out = v.as.d;
    lun_array *all[] = {b, part, c};
    for (int k = 0; k < 3; k++)
        if (all[k])
            lun_release(all[k]);
    return s;
}

static void test_every_call_fails_once(void **state)
{
    (void)state;
    double expected, x;
    lun_array *a = counting(N);
    OK(work(a, &expected));
    int64_t calls = seen.calls + 1; /* the first time there is one upload more */
    int failed = 0;
    lun_release(a);
    for (int64_t k = 1; k <= calls; k++) {
        a = counting(N);
        seen.calls = 0;
        seen.fail_at = k;
        lun_status s = work(a, &x);
        seen.fail_at = 0;
        if (s != LUN_OK) {
            failed++;
            assert_non_null(strstr(lun_error(e), " failed"));
            OK(work(a, &x)); /* the session goes on */
        }
        assert_true(x == expected);
        lun_release(a);
    }
    assert_true(failed >= 8);
}

int main(void)
{
#define TEST(f) cmocka_unit_test_setup_teardown(f, open_engine, close_engine)
    const struct CMUnitTest tests[] = {
        TEST(test_ten_uses_are_one_upload),
        TEST(test_chains_stay_on_the_device),
        TEST(test_writing_outdates_the_device),
        TEST(test_copy_on_write),
        TEST(test_parts),
        TEST(test_scalars_and_scans),
        TEST(test_wrapped_memory),
        TEST(test_several_devices),
        TEST(test_work_groups),
        TEST(test_every_call_fails_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
