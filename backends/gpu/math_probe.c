/* math_probe.c - whether a device computes the math functions with the host's bits; see
 * gpu_state.h.
 *
 * Compilers of drivers contract, flush or estimate now and then in spite of their options.  So each
 * function of math/sequence.h is computed for ARGUMENTS arguments before the first kernel that has
 * it, and compared.  That a driver's version passed is kept in the cache; one that
 * differs is asked again. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "gpu/gpu_state.h"
#include "math/scalar_sequence.h"
#include "math/sequence.h"

enum { ARGUMENTS = 2048, OPERANDS = 2 };

typedef struct probe {
    lun_op op;
    lun_dtype dtype;
    int version;
    size_t bytes; /* of an element */
    uint64_t cell[OPERANDS][ARGUMENTS];
    unsigned char sent[OPERANDS][ARGUMENTS * 8], got[ARGUMENTS * 8];
    lun_buffer *memory[OPERANDS + 1];
} probe;

/* ---- arguments ------------------------------------------------------------------------------- */

static uint64_t mixed(uint64_t z)
{
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

static uint64_t cell_of(lun_dtype t, double x)
{
    uint64_t cell;
    memcpy(&cell, &x, sizeof x);
    return lun__dtype_cell_cast(t, LUN_F64, cell);
}

/* In turn any bits, multiples of pi/2, numbers near 1 and those of moderate size; special ones
 * first. */
static uint64_t argument(lun_dtype t, uint64_t i, int operand)
{
    static const double special[] = {0,        -0.0,   1,       -1,        0.5,       -0.5,
                                     INFINITY, 2,      NAN,     -INFINITY, 709,       -745,
                                     88,       -103.5, 0x1p-30, 1e300,     0x1p-1074, 0x1p-140};
    enum { SPECIAL = sizeof special / sizeof *special };
    const uint64_t z = mixed((i + 1) * UINT64_C(0x9e3779b97f4a7c15) + (uint64_t)operand);
    const double unit = (double)(int64_t)z * 0x1p-63;
    if (i < SPECIAL * SPECIAL)
        return cell_of(t, special[operand ? i / SPECIAL : i % SPECIAL]);
    switch (i % 4) {
    case 0:
        return lun__dtype_is_double(t) ? z : z >> 32;
    case 1:
        return cell_of(t, (double)((int32_t)(z >> 32) >> z % 31) * 0x1.921fb54442d18p+0);
    case 2:
        return cell_of(t, 1 + unit * 0x1p-6);
    default:
        return cell_of(t, unit * 32);
    }
}

static void fill(probe *p)
{
    for (int k = 0; k < OPERANDS; k++)
        for (int i = 0; i < ARGUMENTS; i++) {
            p->cell[k][i] = argument(p->dtype, (uint64_t)i, k);
            memcpy(p->sent[k] + (size_t)i * p->bytes, &p->cell[k][i], p->bytes);
        }
}

/* ---- one function ---------------------------------------------------------------------------- */

static lun_status run(lun_gpu *g, probe *p, lun_kernel *k)
{
    int64_t n = ARGUMENTS;
    lun_gpu_builtin call = {
        .cells = &n,
        .cell_count = 1,
        .plan = {.steps = 1, .step = {{.kernel = "lun_math", .global = ARGUMENTS, .local = 1}}},
        .count = ARGUMENTS,
        .memories = OPERANDS + 1};
    lun_status s = LUN_OK;
    for (int i = 0; s == LUN_OK && i <= OPERANDS; i++) {
        s = lun__gpu_buffer_new(g, ARGUMENTS * 8, &p->memory[i]);
        if (s == LUN_OK && i < OPERANDS)
            s = lun__gpu_buffer_write(g, p->memory[i], 0, p->sent[i],
                                      (int64_t)(ARGUMENTS * p->bytes), NULL);
        call.memory[i] = s == LUN_OK ? p->memory[i]->memory : NULL;
    }
    if (s == LUN_OK)
        s = lun__gpu_builtin_run(g, k, &call);
    if (s == LUN_OK)
        s = lun__gpu_batch_wait(g, 0);
    if (s == LUN_OK)
        s = lun__gpu_buffer_read(g, p->memory[OPERANDS], 0, p->got, (int64_t)(ARGUMENTS * p->bytes),
                                 NULL);
    for (int i = 0; i <= OPERANDS; i++)
        lun__gpu_buffer_free(g, p->memory[i]);
    return s;
}

static double number_of(lun_dtype t, uint64_t cell)
{
    return lun__dtype_cell_to_value(t, cell).as.d;
}

static lun_status compare(lun_gpu *g, const probe *p)
{
    for (int i = 0; i < ARGUMENTS; i++) {
        const uint64_t x[OPERANDS] = {p->cell[0][i], p->cell[1][i]};
        uint64_t want = 0, got = 0;
        memcpy(&got, p->got + (size_t)i * p->bytes, p->bytes);
        if (!lun__scalar_sequence(p->op, p->dtype, p->version, x, &want))
            return LUN_OK;
        const double w = number_of(p->dtype, want), y = number_of(p->dtype, got);
        if (want == got || (w != w && y != y))
            continue;
        return lun__gpu_state_fail(
            g, LUN_EBACKEND,
            "%s: %s of %s has other bits there than elsewhere (of %a: %a, not %a): use another "
            "backend, or another version of the driver",
            g->device.name, lun__op_get(p->op)->name, lun__dtype_get(p->dtype)->name,
            number_of(p->dtype, x[0]), y, w);
    }
    return LUN_OK;
}

/* The key under which it stands in the cache that the function passed: that of its program. */
static lun_status compute(lun_gpu *g, probe *p, lun_strbuf *text, lun_strbuf *key)
{
    lun_kernel *k = lun__gpu_builtin_open(g), *built = NULL;
    if (!k)
        return LUN_ENOMEM;
    lun__gpu_program_key(g->driver->name, &g->device, g->services->bits, lun__strbuf_text(text),
                         key);
    lun__strbuf_puts(key, "\npassed\n");
    void *found;
    size_t length;
    if (!key->failed &&
        lun__cache_entry_load(g->services->cache, key->text, key->length, &found, &length)) {
        free(found);
        lun__gpu_kernel_release(g, k);
        return LUN_OK;
    }
    fill(p);
    lun_status s = lun__gpu_builtin_build(g, LUN_OK, text, k, &built);
    if (s == LUN_OK)
        s = run(g, p, built);
    if (s == LUN_OK)
        s = compare(g, p);
    if (s == LUN_OK && !key->failed)
        lun__cache_entry_store(g->services->cache, key->text, key->length, "1", 1);
    if (built)
        lun__gpu_kernel_release(g, built);
    return s;
}

static lun_status probe_one(lun_gpu *g, lun_op op, lun_dtype t)
{
    lun_strbuf text = LUN_STRBUF_INIT, key = LUN_STRBUF_INIT;
    const lun_stats before = *g->services->stats;
    probe *p = calloc(1, sizeof *p);
    if (!p)
        return lun__gpu_state_fail(g, LUN_ENOMEM, "out of memory");
    p->op = op;
    p->dtype = t;
    p->version = g->target.version;
    p->bytes = (size_t)lun__dtype_get(t)->bytes;
    lun_status s = lun__gpu_batch_wait(g, 0);
    if (s == LUN_OK)
        s = g->driver->render_math(op, t, p->version, &text);
    if (s == LUN_OK)
        s = compute(g, p, &text, &key);
    lun__strbuf_free(&text);
    lun__strbuf_free(&key);
    free(p);
    /* no work of the script's */
    g->services->stats->compiles = before.compiles;
    g->services->stats->cache_hits = before.cache_hits;
    g->services->stats->bytes_to_device = before.bytes_to_device;
    g->services->stats->bytes_to_host = before.bytes_to_host;
    g->probed[lun__dtype_is_double(t)][op] = s == LUN_OK;
    return s;
}

/* ---- all of a kernel ------------------------------------------------------------------------- */

static lun_status probe_body(lun_gpu *g, const lun_ir *ir)
{
    lun_status s = LUN_OK;
    for (int i = 0; s == LUN_OK && i < ir->count; i++) {
        const lun_ir_ins *ins = &ir->ins[i];
        const lun_op op = (lun_op)ins->op;
        const lun_dtype from = (lun_dtype)ins->from;
        if (ins->kind != LUN_IR_OP || !lun__sequence(op, from, g->target.version)->name)
            continue;
        if (!g->probed[lun__dtype_is_double(from)][op])
            s = probe_one(g, op, from);
    }
    return s;
}

lun_status lun__gpu_math_probe(lun_gpu *g, const lun_ir *ir)
{
    lun_status s = probe_body(g, ir);
    for (int i = 0; s == LUN_OK && i < ir->function_count; i++)
        if (ir->functions[i]->body)
            s = probe_body(g, ir->functions[i]->body);
    return s;
}
