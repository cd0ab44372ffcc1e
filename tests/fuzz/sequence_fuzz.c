/* sequence_fuzz.c - for libFuzzer: bytes are calls of the C interface, two or more for each: what
 * to call, on which of the arrays, functions and plans that the calls before have made.  The engine
 * lives on from one input to the next.  A call that fails must say why and leave its results
 * untouched; when everything is released no node is left. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lunarray_bind.h"

enum { HELD = 8, FUNCTIONS = 4, MOST = 4096, USES = 5000 };

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size);

typedef struct world {
    lun_engine *e;
    lun_array *a[HELD];
    lun_function *f[FUNCTIONS];
    int uses;
} world;

typedef struct input {
    const unsigned char *at, *end;
} input;

static int byte(input *in)
{
    return in->at < in->end ? *in->at++ : 0;
}

static int64_t number(input *in)
{
    static const int64_t odd[] = {
        0,  1,   2,    3,    7,   63,         64,        65,
        -1, -2,  1000, 4096, 300, INT64_MAX,  INT64_MIN, (int64_t)1 << 31,
        5,  127, 128,  255,  256, 2147483647, -128,      (int64_t)1 << 62};
    return odd[byte(in) % 24];
}

static double real(input *in)
{
    static const double odd[] = {0, -0.0, 1, -1, 0.5, 1e300, -1e300, 5e-324, 3, 1e9, 7.25, -2.5};
    int k = byte(in) % 14;
    return k == 12 ? strtod("nan", NULL) : k == 13 ? strtod("inf", NULL) : odd[k];
}

static lun_value value(input *in)
{
    static const lun_dtype kinds[] = {LUN_BOOL, LUN_I64, LUN_U64, LUN_F64, LUN_F32};
    lun_value v = {.dtype = kinds[byte(in) % 5]};
    if (v.dtype == LUN_F64)
        v.as.d = real(in);
    else
        v.as.i = number(in);
    return v;
}

static lun_array *array(world *w, input *in)
{
    return w->a[byte(in) % HELD];
}

static lun_function *function(world *w, input *in)
{
    return w->f[byte(in) % FUNCTIONS];
}

/* Small extents nearly always: the interface takes what fits the memory. */
static int extents(input *in, int64_t *shape)
{
    int rank = byte(in) % 4;
    for (int i = 0; i < rank; i++) {
        shape[i] = byte(in) % 16;
        if (shape[i] == 15)
            shape[i] = number(in);
        else if (shape[i] == 14)
            shape[i] = 100;
    }
    return rank == 3 && byte(in) % 16 == 0 ? 9 : rank;
}

static _Noreturn void broken(const world *w, const char *what)
{
    fprintf(stderr, "%s: %s\n", what, lun_error(w->e));
    abort();
}

/* What a call must keep: OK with a result, or an error with a text and none. */
static lun_status checked(world *w, lun_status s, const void *result, const void *before)
{
    if (s == LUN_OK && !result)
        broken(w, "success without a result");
    if (s != LUN_OK && result != before)
        broken(w, "a failed call has changed its result");
    if (s != LUN_OK && !*lun_error(w->e))
        broken(w, "a failed call says nothing");
    return s;
}

static void keep(world *w, input *in, lun_status s, lun_array *made)
{
    if (checked(w, s, made, NULL) != LUN_OK)
        return;
    int64_t shape[LUN_MAX_RANK], elements = 1;
    int rank = lun_shape(made, shape);
    for (int i = 0; i < rank; i++)
        elements *= shape[i];
    if (elements != lun_size(made) || rank < 0 || rank > LUN_MAX_RANK)
        broken(w, "extents and size differ");
    lun_array **to = &w->a[byte(in) % HELD];
    lun_release(*to);
    *to = made;
}

static void keep_function(world *w, input *in, lun_status s, lun_function *made)
{
    if (checked(w, s, made, NULL) != LUN_OK)
        return;
    lun_function **to = &w->f[byte(in) % FUNCTIONS];
    lun_function_release(*to);
    *to = made;
}

/* Too large to be computed within an input's time. */
static bool large(const lun_array *a)
{
    return a && lun_size(a) > MOST;
}

/* ---- calls ----------------------------------------------------------------------------------- */

static void make(world *w, input *in, int what)
{
    static const double some[64] = {1, 2, 3, -4, 0.5, 1e9, -0.0, 7};
    int64_t shape[16] = {0};
    lun_dtype t = (lun_dtype)(byte(in) % (LUN_DTYPE_COUNT + 1));
    lun_array *out = NULL;
    lun_status s = LUN_OK;
    lun_value v;
    int rank;
    switch (what) {
    case 0:
        s = lun_vector(w->e, some, byte(in) % 64, t, &out);
        break;
    case 1:
        rank = extents(in, shape);
        s = lun_tensor(w->e, NULL, rank, shape, t, &out);
        break;
    case 2:
        s = lun_number(w->e, real(in), &out);
        break;
    case 3:
        s = lun_integer(w->e, number(in), &out);
        break;
    case 4:
        s = lun_boolean(w->e, byte(in) & 1, &out);
        break;
    case 5:
        rank = extents(in, shape);
        s = lun_full(w->e, rank, shape, t, value(in), &out);
        break;
    case 6:
        v = value(in);
        s = lun_range(w->e, v, value(in), number(in), t, &out);
        break;
    case 7:
        s = lun_linspace(w->e, real(in), real(in), number(in), t, &out);
        break;
    default:
        rank = extents(in, shape);
        s = lun_random(w->e, rank, shape, (uint64_t)number(in), (lun_dist)(byte(in) % 3), t, &out);
    }
    keep(w, in, s, out);
}

static void express(world *w, input *in, int what)
{
    lun_array *out = NULL, *operands[3] = {array(w, in), array(w, in), array(w, in)};
    int64_t shape[16] = {0}, first, count;
    lun_status s;
    int rank;
    switch (what) {
    case 0:
    case 1:
    case 2: {
        lun_op op = (lun_op)(byte(in) % (LUN_OP_COUNT + 1));
        lun_op_info row = {.size = sizeof row, .arity = 1 + byte(in) % 3};
        lun_op_describe(op, &row);
        s = lun_apply(w->e, op, operands, row.arity, &out);
        break;
    }
    case 3:
        s = lun_cast(w->e, operands[0], (lun_dtype)(byte(in) % (LUN_DTYPE_COUNT + 1)), &out);
        break;
    case 4:
        first = number(in);
        count = number(in);
        s = lun_slice(w->e, operands[0], first, count, number(in), &out);
        break;
    case 5:
        s = lun_concat(w->e, operands[0], operands[1], &out);
        break;
    case 6:
        rank = extents(in, shape);
        s = lun_reshape(w->e, operands[0], rank, shape, &out);
        break;
    case 7:
        s = lun_row(w->e, operands[0], number(in), &out);
        break;
    default:
        if (large(operands[0]))
            return;
        s = lun_copy(w->e, operands[0], &out);
    }
    keep(w, in, s, out);
}

static void skeleton(world *w, input *in, int what)
{
    lun_array *out = NULL, *outs[3] = {NULL}, *a = array(w, in), *b = array(w, in);
    lun_array *extra[2] = {array(w, in), array(w, in)};
    lun_function *f = function(w, in), *g = NULL;
    int results = 0;
    switch (what) {
    case 0:
        keep_function(w, in, lun_function_op(w->e, (lun_op)(byte(in) % (LUN_OP_COUNT + 1)), &g), g);
        return;
    case 1:
        keep_function(w, in, lun_function_c(w->e, byte(in) & 1 ? "(int x) { return x }" : "(", &g),
                      g);
        return;
    case 2:
        keep(w, in, lun_map(w->e, f, a, extra, byte(in) % 3, &out), out);
        return;
    case 3:
        keep(w, in, lun_zip(w->e, f, a, b, extra, byte(in) % 3, &out), out);
        return;
    case 4: {
        lun_array *operands[3] = {a, b, extra[0]};
        int count = byte(in) % 4, elements = byte(in) % 4;
        if (lun_call(w->e, f, operands, count, elements, outs, 3, &results) == LUN_OK)
            for (int i = 0; i < results; i++)
                keep(w, in, LUN_OK, outs[i]);
        return;
    }
    case 5:
        keep(w, in, lun_reduce(w->e, f, byte(in) & 1 ? b : NULL, a, &out), out);
        return;
    case 6:
        keep(w, in, lun_scan(w->e, f, byte(in) & 1 ? b : NULL, a, byte(in) & 1, &out), out);
        return;
    default:
        keep(
            w, in,
            lun_total_lazy(w->e, (lun_reduction)(byte(in) % (LUN_REDUCTION_COUNT + 1)), a, 0, &out),
            out);
    }
}

static void use(world *w, input *in, int what)
{
    uint64_t host[MOST] = {0};
    lun_array *a = array(w, in), *b = array(w, in), *both[2] = {a, b};
    const void *data = NULL;
    lun_value v = {.dtype = LUN_DTYPE_COUNT};
    lun_plan *plan = NULL;
    lun_status s = LUN_OK;
    int64_t first, count;
    bool asks = false;
    if (large(a) || large(b))
        return;
    switch (what) {
    case 0:
        s = lun_eval(w->e, both, 1 + byte(in) % 2);
        break;
    case 1:
    case 2:
        first = number(in);
        count = number(in);
        s = what == 1 ? lun_read(w->e, a, host, first, count > MOST ? MOST : count)
                      : lun_write(w->e, a, host, first, count > MOST ? MOST : count);
        break;
    case 3:
        s = lun_data(w->e, a, &data);
        if (s == LUN_OK ? !data && lun_size(a) > 0 : data != NULL)
            broken(w, "elements where there are none, or none");
        break;
    case 4:
        s = lun_get(w->e, a, number(in), &v);
        asks = true;
        break;
    case 5:
        first = number(in);
        s = lun_set(w->e, a, first, value(in));
        break;
    case 6:
        s = lun_fill(w->e, a, value(in));
        break;
    case 7:
        s = lun_store(w->e, a, b);
        break;
    case 8:
        s = lun_total(w->e, (lun_reduction)(byte(in) % (LUN_REDUCTION_COUNT + 1)), a, number(in),
                      &v);
        asks = true;
        break;
    default:
        if (checked(w, lun_explain(w->e, both, 1 + byte(in) % 2, &plan), plan, NULL) == LUN_OK)
            for (int i = 0; lun_plan_at(plan, i); i++)
                if (!lun_plan_at(plan, i)->source)
                    broken(w, "a kernel without a text");
        lun_plan_release(plan);
        return;
    }
    if (s != LUN_OK && !*lun_error(w->e))
        broken(w, "a failed call says nothing");
    if (asks && (s == LUN_OK) == (v.dtype == LUN_DTYPE_COUNT))
        broken(w, "a result where there is none, or none");
}

static void manage(world *w, input *in, int what)
{
    lun_array **a = &w->a[byte(in) % HELD];
    lun_function **f = &w->f[byte(in) % FUNCTIONS];
    lun_stats stats = {.size = sizeof stats};
    switch (what) {
    case 0:
        lun_release(*a);
        *a = NULL;
        break;
    case 1:
        lun_free(w->e, *a);
        break;
    case 2:
        lun_function_release(*f);
        *f = NULL;
        break;
    case 3:
        lun_use(w->e, byte(in) & 1 ? "reference" : "openmp");
        break;
    case 4:
        lun_trim(w->e);
        break;
    case 5:
        lun_cancel(w->e);
        break;
    case 6:
        lun_mark(w->e, byte(in) & 1 ? "fuzz:1" : "");
        break;
    case 7:
        lun_math_mode(w->e, (lun_math)(byte(in) % 3));
        break;
    case 8: /* a View that outlives what it looks at */
        lun_retain(*a);
        lun_release(*a);
        break;
    case 9:
        if (lun_profile_start(w->e) == LUN_OK && byte(in) & 1)
            lun_profile_stop(w->e);
        break;
    case 10:
        lun_host_begin(w->e);
        lun_host_check(w->e);
        lun_host_end(w->e);
        break;
    default:
        lun_stats_get(w->e, &stats);
        if (stats.allocated < 0 || stats.nodes < 0 || stats.pooled < 0)
            broken(w, "counters below nothing");
        lun_pressure(w->e);
    }
}

/* ---- inputs ---------------------------------------------------------------------------------- */

static void release_all(world *w)
{
    lun_stats stats = {.size = sizeof stats};
    for (int i = 0; i < HELD; i++) {
        lun_release(w->a[i]);
        w->a[i] = NULL;
    }
    for (int i = 0; i < FUNCTIONS; i++) {
        lun_function_release(w->f[i]);
        w->f[i] = NULL;
    }
    lun_stats_get(w->e, &stats);
    if (stats.nodes || stats.allocated)
        broken(w, "something is left although everything was released");
}

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size)
{
    static world w;
    input in = {data, data + size};
    lun_config c = {.size = sizeof c,
                    .backend = "reference",
                    .threads = 2,
                    .jit = LUN_JIT_OFF,
                    .cache_dir = "",
                    .memory_limit = 64 << 20,
                    .time_limit = 2};
    if (!w.e && lun_open(&c, &w.e) != LUN_OK)
        abort();
    while (in.at < in.end) {
        int call = byte(&in), what = byte(&in);
        switch (call % 6) {
        case 0:
            make(&w, &in, what % 9);
            break;
        case 1:
        case 2:
            express(&w, &in, what % 9);
            break;
        case 3:
            skeleton(&w, &in, what % 8);
            break;
        case 4:
            use(&w, &in, what % 10);
            break;
        default:
            manage(&w, &in, what % 12);
        }
    }
    release_all(&w);
    if (++w.uses == USES) {
        lun_close(w.e);
        w = (world){.e = NULL};
    }
    return 0;
}
