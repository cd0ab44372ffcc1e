/* opencl_dialect.c - OpenCL C: its dialect in both forms, the head of a text, the way through one
 * kernel. */
#include "math/sequence.h"
#include "render/body/lanes/lane_barrier.h"
#include "render/opencl/cl_kernel_text.h"
#include "render/opencl/cl_texts.h"
#include "render/opencl/device_needs.h"
#include "render/opencl/move/moved.h"
#include "render/text/text.h"
#include "render/unit/unit.h"
#include "table/atomic.h"

/* ---- words ----------------------------------------------------------------------------------- */

static const lun_word words[] = {
#define LUN_WORD(name, opencl, meaning) {#name, opencl},
#include "render/words.def"
#undef LUN_WORD
    {NULL, NULL}};

/* Contraction is off for users' texts too. */
static const char start[] = "@no_contraction\n";

static const char head[] =
    "typedef @i8 lun_i8;\ntypedef @u8 lun_u8;\ntypedef @i16 lun_i16;\ntypedef @u16 lun_u16;\n"
    "typedef @i32 lun_i32;\ntypedef @u32 lun_u32;\ntypedef @i64 lun_i64;\ntypedef @u64 lun_u64;\n"
    "typedef float lun_f32;\n";

static const char vector_words[] =
    "#define INLINE static inline __attribute__((always_inline))\n"
    "#define LANES(count) for (int l = 0; l < count; l++)\n"
    "#define SHUFFLE(indices, a, b, ...) __builtin_shufflevector(a, b, __VA_ARGS__)\n"
    "#define RESIZE(type, a, b, ...) __builtin_shufflevector(a, b, __VA_ARGS__)\n";

static const char scalar_words[] = "#define INLINE @inline\n";

/* Body of lun_any: true if the mask has a lane. */
static const char any_lane[] =
    "#if __has_builtin(__builtin_reduce_or)\n    return __builtin_reduce_or(a) != 0;\n#else\n"
    "    lun_u64 w[(sizeof a + 7) / 8] = {0}, k = 0;\n"
    "    __builtin_memcpy(w, &a, sizeof a);\n"
    "    for (@u32 l = 0; l < sizeof w / 8; l++) k |= w[l];\n    return k != 0;\n#endif\n";

/* lun_dialect.single: functions have the names of C's, for all floats. */
static void own_name(lun_renderer *r, const char *name, size_t n, lun_dtype t, lun_strbuf *out)
{
    (void)r, (void)t;
    lun__strbuf_add(out, name, n);
}

static const lun_dialect vector_dialect = {.words = words,
                                           .own = "own_",
                                           .flat = true,
                                           .function = "\nINLINE void chunk_%s(",
                                           .any = any_lane,
                                           .single = own_name,
                                           .bit_names = true,
                                           .rounds = 32,
                                           .stopped = "__builtin_expect(*f->stop, 0)",
                                           .vector_function = lun__vector_builtin_named,
                                           .prelude = lun__cl_prelude,
                                           .exports = lun__vector_kernels};
static const lun_dialect scalar_dialect = {.words = words,
                                           .own = "own_",
                                           .sequences_of_one = true,
                                           .single = own_name,
                                           .bit_names = true,
                                           .rounds = 32,
                                           .far_stop = true,
                                           .stopped = "*f->stop",
                                           .prelude = lun__cl_prelude,
                                           .exports = lun__scalar_kernel_all};

/* ---- head ------------------------------------------------------------------------------------ */

static void put_head(lun_renderer *r, const lun_cl_target *target, lun_cl_form form,
                     lun_strbuf *out)
{
    lun__text_put(r, out, "%s", head);
    if (target->fp64)
        lun__strbuf_puts(out, "typedef double lun_f64;\n");
    lun__text_put(r, out, "%s", form == LUN_CL_VECTOR ? vector_words : scalar_words);
    lun__text_put(r, out,
                  "struct frame {\n    lun_i64 n;\n    @constant lun_u64 *args;\n"
                  "    @global lun_u64 *partials;\n    lun_u64 *carry;\n"
                  "    lun_i64 trap, trap_value;\n");
    for (int s = 0; s < r->ir->slot_count; s++)
        lun__strbuf_printf(out, "    %s *p%d;\n", lun__cl_kernel_slot(r, s).s, s);
    if (r->stops)
        lun__text_put(r, out, "    @atomic_int *stop;\n");
    if (r->ir->threads)
        lun__text_put(r, out,
                      "    lun_i64 team, thread;\n    @local int *votes;\n"
                      "    int turn, left;\n");
    lun__strbuf_puts(out, "};\n");
}

/* ---- a text ---------------------------------------------------------------------------------- */

static void without_f64(lun_renderer *r, lun_strbuf *out)
{
    lun__text_put(r, out,
                  "it computes in f64, which the device lacks: it has no @has_double (sums "
                  "and products of f32 are accumulated in f64 too, and pow, sin, cos and tan of "
                  "f32 computed in it); use f32 or integers, or another backend");
}

/* Whether it computes in f32 or f64, in which the device has not all that results are defined by:
 * they would have other bits. */
static bool inexact(lun_renderer *r, const lun_cl_target *target, lun_strbuf *out)
{
    for (int wide = 0; wide < 2; wide++)
        if (target->lacks[wide] &&
            (lun__cl_needs_arithmetic(r->ir, wide) || (wide && lun__sequence_wide(r->sequences)))) {
            lun__text_put(r, out,
                          "it computes in %s, and the device has no %s there: results would have "
                          "other bits than elsewhere; use another backend",
                          wide ? "f64" : "f32", target->lacks[wide]);
            return true;
        }
    return false;
}

/* Whether the kernel needs an extension that the device does not have; out: which, and what else
 * can be done. */
static bool lacks(lun_renderer *r, const lun_cl_target *target, lun_strbuf *out)
{
    const lun_ir_ins *wide = lun__cl_needs_wide_atomic(r->ir);
    if (!target->fp64 && lun__cl_needs_f64(r->ir)) {
        without_f64(r, out);
        return true;
    }
    if (inexact(r, target, out))
        return true;
    if (target->wide_atomics || !wide)
        return false;
    lun__text_put(r, out,
                  "lun.atomic.%s on elements of %s needs the extension "
                  "@has_wide_atomics, which the device lacks: use elements of 32 "
                  "bits, or another backend",
                  lun__atomic_get((lun_atomic)wide->op)->name,
                  lun__dtype_get((lun_dtype)wide->dtype)->name);
    return true;
}

lun_status lun__cl_dialect_render(const lun_ir *ir, const lun_cl_target *target, lun_strbuf *out,
                                  lun_cl_shape *shape)
{
    const lun_render_target plain = {LUN_ISA_BASE, target->version};
    const bool vector = target->form == LUN_CL_VECTOR && !lun__ir_puts(ir);
    const lun_cl_form form = vector ? LUN_CL_VECTOR : LUN_CL_SCALAR;
    lun_renderer r = {.ir = ir,
                      .dialect = vector ? &vector_dialect : &scalar_dialect,
                      .target = &plain,
                      .bytes = target->form == LUN_CL_VECTOR ? target->bytes : 8,
                      .versions = target->form == LUN_CL_VECTOR && !ir->threads,
                      .parts = 1,
                      .stops = target->coherent && lun__cl_needs_stop(ir),
                      .fp64 = target->fp64,
                      .plain_reads = target->plain_reads,
                      .more_atomics = target->more_atomics};
    lun_strbuf first = LUN_STRBUF_INIT;
    *shape = (lun_cl_shape){.form = form,
                            .slots = ir->slot_count,
                            .args = ir->arg_count,
                            .results = ir->result_count,
                            .scan = ir->scan >= 0,
                            .team = ir->threads,
                            .traps = lun__cl_needs_report(ir),
                            .stops = r.stops,
                            .pairs = lun__cl_needs_pairs(ir),
                            .math = lun__cl_needs_device_math(ir),
                            .arrays = lun__cl_needs_arrays(ir),
                            .cost = lun__ir_cost(ir)};
    if (lacks(&r, target, out))
        return LUN_EDTYPE;
    lun__text_put(&r, out, "%s", start);
    put_head(&r, target, form, &first);
    lun_status s = ir->threads ? lun__lane_barrier_find(&r) : LUN_OK;
    if (s == LUN_OK)
        s = vector ? lun__unit_render(&r, lun__strbuf_text(&first), out)
                   : lun__scalar_kernel_unit(&r, lun__strbuf_text(&first), out);
    lun__lane_barrier_forget(&r);
    if (first.failed)
        out->failed = true;
    lun__strbuf_free(&first);
    shape->local_bytes = r.local_bytes;
    if (s == LUN_OK && !target->fp64 && lun__sequence_wide(r.sequences)) {
        lun__strbuf_clear(out);
        without_f64(&r, out);
        s = LUN_EDTYPE;
    }
    if (s == LUN_OK && target->lacks[1] && lun__sequence_wide(r.sequences)) {
        lun__strbuf_clear(out);
        inexact(&r, target, out);
        s = LUN_EDTYPE;
    }
    return lun__unit_end(&r, s, out);
}

lun_status lun__cl_dialect_builtin(lun_cl_builtin which, lun_cl_form form, int bytes,
                                   lun_strbuf *out)
{
    static void (*const text[LUN_CL_BUILTINS])(lun_renderer *, lun_cl_form, int, lun_strbuf *) = {
        [LUN_CL_PACK] = lun__pack_kernel_text,
        [LUN_CL_PAD] = lun__pad_kernel_text,
        [LUN_CL_TRANSFER] = lun__transfer_kernel_text,
    };
    lun_renderer r = {.dialect = &scalar_dialect};
    text[which](&r, form, bytes, out);
    return lun__unit_end(&r, LUN_OK, out);
}

lun_status lun__cl_dialect_coherence(lun_strbuf *out)
{
    lun_renderer r = {.dialect = &scalar_dialect};
    lun__text_put(&r, out, "@kernel @group_open");
    lun__text_put(&r, out,
                  "1@group_close void lun_listen(@constant @i64 *c, @global @i32 *to, "
                  "@atomic_int *stop)\n{\n    const @i64 rounds = c[0];\n    @i64 n = 0;\n"
                  "    const @i32 early = *stop != 0;\n"
                  "    while (n < rounds && !*stop) n++;\n"
                  "    to[0] = early ? 1 : n < rounds ? 2 : 0;\n}\n");
    return lun__unit_end(&r, LUN_OK, out);
}

lun_status lun__cl_dialect_math(lun_op op, lun_dtype dtype, int version, lun_strbuf *out)
{
    const lun_sequence *q = lun__sequence(op, dtype, version);
    const char *type = lun__dtype_is_double(dtype) ? "double" : "float";
    lun_renderer r = {.dialect = &scalar_dialect};
    lun__text_put(&r, out, "%s", start);
    lun__text_put(&r, out, "%s", scalar_words);
    lun__sequence_write(out, 1u << q->text, (lun_sequence_form){0});
    lun__text_put(
        &r, out,
        "@kernel void lun_math(@constant @i64 *c, @global const %s *x, @global const %s *y, "
        "@global %s *to)\n{\n    const @i64 i = @global_id;\n"
        "    if (i < c[0]) to[i] = lun_seq_%s(x[i]%s);\n}\n",
        type, type, type, q->name, lun__op_get(op)->arity > 1 ? ", y[i]" : "");
    return lun__unit_end(&r, LUN_OK, out);
}

lun_status lun__cl_dialect_product(lun_dtype a, lun_dtype b, lun_dtype c, lun_strbuf *out)
{
    lun_renderer r = {.dialect = &scalar_dialect};
    lun__product_kernel_text(&r, a, b, c, out);
    return lun__unit_end(&r, LUN_OK, out);
}
