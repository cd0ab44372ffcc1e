/* batch.c - random kernels, hundreds to one run of an instrumented compiler, compared with the
 * interpreter; for kernels.sh.  Half are of control flow (flow_cases.h), half are straight-line
 * code of every operation, cast, reduction and scan in every dtype.
 * usage: batch compiler seed count level-and-flags...    Prints "N kernels"; a trap or a report
 * ends it otherwise. */
#include "openmp_kit.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>

/* Only the generators of these headers are used. */
#pragma GCC diagnostic ignored "-Wunused-function"
#define N FLOW_N
#include "flow_cases.h"
#undef N
#define N LINE_N
#include "ops_cases.h"
#undef N

enum { BATCH = 200, INPUTS = 5, LENGTH = 1103 };

extern char **environ;

/* ---- straight lines -------------------------------------------------------------------------- */

typedef struct line {
    lun_ir *ir;
    uint64_t r;
    int32_t values[LUN_DTYPE_COUNT][200];
    int count[LUN_DTYPE_COUNT];
} line;

static int below(line *w, int n)
{
    return (int)(test_random(&w->r) % (uint64_t)n);
}

static int32_t one_of(line *w, lun_dtype t)
{
    int n = w->count[t];
    return w->values[t][n > 3 && below(w, 2) ? n - 1 - below(w, 3) : below(w, n)];
}

/* A value to be used; one of a dtype that is only stored as what that is computed in. */
static void note(line *w, int32_t v)
{
    lun_dtype t = (lun_dtype)w->ir->ins[v].dtype;
    if (lun__dtype_is_stored(t)) {
        t = lun__dtype_get(t)->compute;
        v = ir_cast(w->ir, t, v);
    }
    if (w->count[t] < 200)
        w->values[t][w->count[t]++] = v;
}

static lun_dtype known_dtype(line *w)
{
    lun_dtype t;
    do
        t = (lun_dtype)below(w, LUN_DTYPE_COUNT);
    while (!w->count[t]);
    return t;
}

static void add_op(line *w)
{
    for (int tries = 0; tries < 40; tries++) {
        lun_dtype t = known_dtype(w);
        lun_op op = (lun_op)below(w, LUN_OP_COUNT);
        const lun_op_row *row = lun__op_get(op);
        if (!exists(op, t) || (row->rule == LUN_RULE_SELECT && !w->count[LUN_BOOL]))
            continue;
        int32_t a = one_of(w, row->rule == LUN_RULE_SELECT ? LUN_BOOL : t), b = -1, c = -1;
        if (row->arity > 1)
            b = one_of(w, t);
        if (row->arity > 2)
            c = one_of(w, t);
        /* most divisors are not 0: a kernel that traps has no result to compare */
        if (row->flags & LUN_OPF_TRAP0 && !lun__dtype_is_float(t) && below(w, 8))
            b = ir_op(w->ir, LUN_OP_BOR, t, b, ir_const(w->ir, t, 1), -1);
        note(w, ir_op(w->ir, op, t, a, b, c));
        return;
    }
}

static void add_cast(line *w)
{
    const lun_dtype from = known_dtype(w);
    lun_dtype to = (lun_dtype)below(w, LUN_DTYPE_COUNT);
    if (lun__dtype_is_stored(to) && !lun__dtype_is_plain_float(from))
        to = lun__dtype_get(to)->compute;
    note(w, ir_cast(w->ir, to, one_of(w, from)));
}

static bool may_combine(lun_op op, lun_dtype t)
{
    const lun_op_row *row = lun__op_get(op);
    if (lun__dtype_is_float(t) ? !row->flt : !row->integer)
        return false;
    return (row->rule == LUN_RULE_LOGIC) == (t == LUN_BOOL);
}

static lun_op combiner(line *w, lun_dtype t)
{
    static const lun_op ops[] = {LUN_OP_ADD,  LUN_OP_MUL,  LUN_OP_MIN,  LUN_OP_MAX,
                                 LUN_OP_FMIN, LUN_OP_FMAX, LUN_OP_BAND, LUN_OP_BOR,
                                 LUN_OP_BXOR, LUN_OP_LAND, LUN_OP_LOR};
    for (;;) {
        lun_op op = ops[below(w, sizeof ops / sizeof *ops)];
        if (may_combine(op, t))
            return op;
    }
}

static void add_constant(line *w)
{
    lun_dtype t = (lun_dtype)below(w, LUN_DTYPE_COUNT);
    note(w, ir_const(w->ir, t, element(t, 0, below(w, 2000), &w->r, false)));
}

static void write_line(lun_ir *ir, uint64_t seed, bool combines)
{
    static line w;
    memset(&w, 0, sizeof w);
    w.ir = ir;
    w.r = seed * 131 + 7;
    lun__ir_init(ir);
    for (int k = 0; k < INPUTS; k++) {
        lun_dtype t = k == 4 ? LUN_BOOL : (lun_dtype)below(&w, LUN_DTYPE_COUNT);
        lun__ir_slot_add(ir, t, LUN_SLOT_IN);
        note(&w, ir_load(ir, k));
    }
    note(&w, ir_arg(ir, known_dtype(&w)));
    note(&w, ir_index(ir));
    int32_t x = -1, s = -1;
    for (int steps = 3 + below(&w, 24), i = 0; i < steps; i++) {
        int way = below(&w, 20);
        if (way < 14)
            add_op(&w);
        else if (way < 18)
            add_cast(&w);
        else
            add_constant(&w);
        if (combines && i == steps / 2 && below(&w, 2)) {
            x = one_of(&w, known_dtype(&w));
            lun_dtype t = (lun_dtype)ir->ins[x].dtype;
            lun_op op = combiner(&w, t);
            uint64_t initial = 1;
            lun__op_identity(op, t, &initial);
            int32_t first = ir_const(ir, t, initial);
            s = ir_scan(ir, op, 0, below(&w, 2), x, first);
            note(&w, s);
        }
    }
    for (int k = combines ? below(&w, 3) : 0; k > 0 && s < 0; k--) {
        x = one_of(&w, known_dtype(&w));
        ir_reduce(ir, combiner(&w, (lun_dtype)ir->ins[x].dtype), -1, x);
    }
    for (int k = 1 + below(&w, 4); k > 0; k--) {
        x = k == 1 && s >= 0 ? s : one_of(&w, known_dtype(&w));
        ir_store(ir, lun__ir_slot_add(ir, (lun_dtype)ir->ins[x].dtype, LUN_SLOT_OUT), x);
    }
}

/* ---- texts ----------------------------------------------------------------------------------- */

/* Whether a name at file scope of a kernel's text collides with another kernel's. */
static bool is_own(const char *name, size_t n)
{
    static const char *const others[] = {"frame", "uniform", "prepare", "body", "operand"};
    size_t letters = strspn(name, "fiu"), digits = strspn(name + letters, "0123456789");
    if (n > 4 && !strncmp(name, "lun_", 4))
        return true;
    if (letters == 1 && digits && name[1 + digits] == 'x') /* f32x16 */
        return true;
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (strlen(others[i]) == n && !strncmp(name, others[i], n))
            return true;
    return false;
}

/* The text with its own names numbered. */
static void put_numbered(FILE *out, const char *text, int number)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789";
    for (const char *p = text; *p;) {
        size_t n = strspn(p, letters);
        if (n == 0) {
            fputc(*p++, out);
            continue;
        }
        bool own = (*p < '0' || *p > '9') && is_own(p, n);
        fprintf(out, own ? "%.*s_%d" : "%.*s", (int)n, p, number);
        p += n;
    }
}

static int compile(char **flags, int count, const char *compiler, const char *source,
                   const char *object, lun_isa isa)
{
    static const char *const march[] = {"-march=x86-64", "-march=x86-64-v3", "-march=x86-64-v4"};
    /* as jit.c has them */
    const char *argv[64] = {compiler,
                            "-std=gnu11",
                            "-fno-math-errno",
                            "-fno-trapping-math",
                            "-ffp-contract=off",
                            "-fwrapv",
                            "-fno-strict-aliasing",
                            "-w",
                            "-Wno-psabi",
                            "-pipe",
                            "-fPIC",
                            "-shared"};
    int n = 12, status;
    pid_t pid;
#ifdef __x86_64__
    argv[n++] = march[isa];
    if (isa == 2)
        argv[n++] = "-mprefer-vector-width=512";
#else
    (void)march, (void)isa;
#endif
    for (int i = 0; i < count && n < 56; i++)
        argv[n++] = flags[i];
    argv[n++] = source;
    argv[n++] = "-o";
    argv[n++] = object;
    argv[n++] = "-lm";
    char *clean[256]; /* without LD_PRELOAD: that is for this process only */
    int k = 0;
    for (char **e = environ; *e && k < 255; e++)
        if (strncmp(*e, "LD_PRELOAD=", 11))
            clean[k++] = *e;
    clean[k] = NULL;
    if (posix_spawnp(&pid, compiler, NULL, NULL, (char **)argv, clean))
        return 1;
    return waitpid(pid, &status, 0) < 0 || status;
}

/* ---- running --------------------------------------------------------------------------------- */

typedef struct random_kernel {
    uint64_t seed;
    bool flow;
    lun_ir ir;
    lun_unit unit;
} random_kernel;

static void run_flow(kit *k, random_kernel *q)
{
    uint64_t r = q->seed * 77 + 1, args[512];
    int32_t *a = test_alloc(LENGTH, 4), *table = malloc(TABLE * sizeof *table);
    float *b = test_alloc(LENGTH, 4), *table_f = malloc(TABLE * sizeof *table_f);
    kit_kernel kernel = {.unit = q->unit};
    assert_true(table && table_f && q->ir.arg_count < 512);
    for (int i = 0; i < LENGTH; i++) {
        a[i] = i % 3 ? (int32_t)(test_random(&r) % 41) - 20 : (int32_t)test_random(&r);
        b[i] = (float)((int)(test_random(&r) % 2001) - 1000) / 64;
    }
    for (int i = 0; i < TABLE; i++) {
        table[i] = i * i - 100;
        table_f[i] = (float)i / 3;
    }
    for (int i = 0; i < q->ir.arg_count; i++) {
        float x = (float)(test_random(&r) % 100) / 8;
        args[i] = test_random(&r) % 12;
        if (q->ir.args[i] == LUN_F32)
            memcpy(&args[i], &x, sizeof x);
    }
    void *slots[12] = {a, b, table, table_f};
    kit_compare(k, &q->ir, &kernel, slots, LENGTH - (int64_t)(q->seed % 64), args, 0);
    free(a);
    free(b);
    free(table);
    free(table_f);
}

static void run_line(kit *k, random_kernel *q)
{
    static const int64_t some[] = {0, 1, 63, 64, 65, 700, LENGTH};
    uint64_t r = q->seed + 5, args[64];
    void *slots[128] = {NULL};
    kit_kernel kernel = {.unit = q->unit};
    for (int i = 0; i < INPUTS; i++)
        slots[i] = operand((lun_dtype)q->ir.slots[i].dtype, i, q->seed + (uint64_t)i, false);
    for (int i = 0; i < q->ir.arg_count; i++)
        args[i] = element((lun_dtype)q->ir.args[i], i, (int64_t)(q->seed % 1000), &r, false);
    for (int i = 0; i < 2; i++)
        kit_compare(k, &q->ir, &kernel, slots, i ? LENGTH : some[q->seed % 7], args, 0);
    for (int i = 0; i < INPUTS; i++)
        free(slots[i]);
}

/* A function of the batch's object, by the name that put_numbered gave it. */
static void *numbered(void *object, const char *name, int number)
{
    char text[64];
    snprintf(text, sizeof text, "%s_%d", name, number);
    return dlsym(object, text);
}

static void run_batch(kit *k, const char *dir, uint64_t seed, int count, const char *compiler,
                      char **flags, int flag_count)
{
    static random_kernel batch[BATCH];
    char source[256], object[256];
    snprintf(source, sizeof source, "%s/batch%llu.c", dir, (unsigned long long)seed);
    snprintf(object, sizeof object, "%s/batch%llu.so", dir, (unsigned long long)seed);
    FILE *f = fopen(source, "w");
    assert_non_null(f);
    for (int i = 0; i < count; i++) {
        random_kernel *q = &batch[i];
        lun_strbuf text = LUN_STRBUF_INIT;
        unsigned needs;
        lun_render_target target = {k->isa, lun__backend_version(&k->services)};
        *q = (random_kernel){.seed = seed + (uint64_t)i, .flow = i % 2};
        if (q->flow)
            write_kernel(&q->ir, q->seed, q->seed % 8 == 3);
        else
            write_line(&q->ir, q->seed, q->seed % 4 == 2);
        ir_check_valid(&q->ir);
        if (lun__gnu_render(&q->ir, &target, &text, &needs) != LUN_OK)
            fail_msg("seed %llu: %s", (unsigned long long)q->seed, lun__strbuf_text(&text));
        put_numbered(f, lun__strbuf_text(&text), i);
        lun__strbuf_free(&text);
    }
    assert_int_equal(fclose(f), 0);
    if (compile(flags, flag_count, compiler, source, object, k->isa))
        fail_msg("%s is not compiled", source);
    void *loaded = dlopen(object, RTLD_NOW | RTLD_LOCAL);
    if (!loaded)
        fail_msg("%s", dlerror());
    for (int i = 0; i < count; i++) {
        random_kernel *q = &batch[i];
        q->unit = (lun_unit){.kernel = (lun_chunk_fn)numbered(loaded, "lun_kernel", i),
                             .total = (lun_chunk_fn)numbered(loaded, "lun_total", i),
                             .state = LUN_UNIT_READY};
        *(void **)&q->unit.combine = numbered(loaded, "lun_combine", i);
        if (!q->unit.kernel)
            fail_msg("seed %llu has no code", (unsigned long long)q->seed);
        fprintf(stderr, "seed %llu\n", (unsigned long long)q->seed); /* the last one of a crash */
        if (q->flow)
            run_flow(k, q);
        else
            run_line(k, q);
        lun__ir_free(&q->ir);
    }
    dlclose(loaded);
    unlink(source);
    unlink(object);
}

int main(int argc, char **argv)
{
    kit k;
    char dir[] = "/tmp/lunarray-batch-XXXXXX";
    if (argc < 5 || !mkdtemp(dir))
        return 2;
    uint64_t seed = strtoull(argv[2], NULL, 10);
    long count = atol(argv[3]), done = 0;
    kit_open(&k, "", argv[1], LUN_JIT_OFF, 1, LUN_MATH_FAST);
    int isas = (int)k.isa + 1;
    while (done < count) {
        int n = count - done < BATCH ? (int)(count - done) : BATCH;
        k.isa = (lun_isa)((seed / BATCH + (uint64_t)done / BATCH) % (uint64_t)isas);
        run_batch(&k, dir, seed + (uint64_t)done, n, argv[1], argv + 4, argc - 4);
        done += n;
    }
    kit_close(&k, false);
    lun__strbuf_free(&test_error);
    rmdir(dir);
    printf("%ld kernels\n", done);
    return 0;
}
