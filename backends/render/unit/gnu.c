/* gnu.c - the dialect of the host: C with GNU vectors, for host/host.h's way of running. */
#include <inttypes.h>

#include "render/body/combiner.h"
#include "render/text/element_text.h"
#include "render/unit/unit.h"
#include "render/user/c_prelude.h"

static const char head[] =
    "typedef __INT8_TYPE__ lun_i8;\ntypedef __UINT8_TYPE__ lun_u8;\n"
    "typedef __INT16_TYPE__ lun_i16;\ntypedef __UINT16_TYPE__ lun_u16;\n"
    "typedef __INT32_TYPE__ lun_i32;\ntypedef __UINT32_TYPE__ lun_u32;\n"
    "typedef __INT64_TYPE__ lun_i64;\ntypedef __UINT64_TYPE__ lun_u64;\n"
    "typedef float lun_f32;\ntypedef double lun_f64;\n"
    "#define INLINE static inline __attribute__((always_inline))\n"
    "#define EXPORT __attribute__((visibility(\"default\")))\n"
    "/* Unrolled before it is vectorised, it would not be. */\n"
    "#define LANES(count) _Pragma(\"GCC unroll 1\") for (int l = 0; l < count; l++)\n"
    "#if defined __clang__ || __GNUC__ >= 12\n"
    "#define SHUFFLE(indices, a, b, ...) __builtin_shufflevector(a, b, __VA_ARGS__)\n"
    "#define RESIZE(type, a, b, ...) __builtin_shufflevector(a, b, __VA_ARGS__)\n"
    "#else\n"
    "#define SHUFFLE(indices, a, b, ...) __builtin_shuffle(a, b, (indices){__VA_ARGS__})\n"
    "#define RESIZE(type, a, b, ...) __extension__({ __typeof__(a) whole = a; type r; \\\n"
    "    static const int from[] = {__VA_ARGS__}; \\\n"
    "    for (unsigned l = 0; l < sizeof from / sizeof *from; l++) \\\n"
    "        r[l] = whole[from[l] % (sizeof whole / sizeof whole[0])]; r; })\n"
    "#endif\n"
    "struct frame {\n"
    "    lun_i64 n;\n    void *const *slots;\n    const lun_u64 *args;\n    const void *const "
    "*math;\n"
    "    lun_u64 *partials, *carry;\n    lun_i64 trap, stream;\n    void *scratch;\n"
    "    lun_i64 trap_value;\n    const volatile int *cancel;\n"
    "    lun_i64 (*part)(struct frame *f, lun_i64 from, lun_i64 hi);\n};\n";

/* gcc from 12 on fuses sums and differences side by side with their products, in spite of
 * -ffp-contract=off (contraction_check.c).  The barrier keeps the vectors. */
static const char product[] = "#if !defined __clang__ && __GNUC__ >= 12\n"
                              "#define lun_product(x) __builtin_assoc_barrier(x)\n"
                              "#else\n#define lun_product(x) (x)\n#endif\n";

static bool has_loops(const lun_renderer *r)
{
    for (int32_t v = 0; v < r->ir->count; v++)
        if (r->ir->ins[v].kind == LUN_IR_RANDOM)
            return true;
    return r->ir->scan >= 0 || r->ir->function_count > 0;
}

/* out = what REDUCE number `result`, or the SCAN (-1), makes of a and b. */
static void combine(lun_renderer *r, lun_strbuf *out)
{
    lun_strbuf cases = LUN_STRBUF_INIT;
    for (int32_t v = 0; v < r->ir->count; v++) {
        const lun_ir_ins *ins = &r->ir->ins[v];
        lun_dtype t = (lun_dtype)ins->dtype;
        if (ins->kind != LUN_IR_REDUCE && ins->kind != LUN_IR_SCAN)
            continue;
        if (lun__ir_gives_index(ins)) {
            lun__strbuf_printf(&cases, "    case %" PRId64 ": {\n", ins->imm);
            lun__combine_indices(r, v, "        ", "out", "a", "b", &cases);
            lun__strbuf_puts(&cases, "        break;\n    }\n");
            continue;
        }
        lun_snippet join = lun__combine_function(r, v), cell = lun__element_cell(r, t),
                    of = lun__element_uncell(r, t);
        lun__strbuf_printf(&cases,
                           "    case %" PRId64
                           ":\n        *out = %s(%s(%s(*a), %s(*b), f));\n        break;\n",
                           ins->kind == LUN_IR_SCAN ? -1 : ins->imm, cell.s, join.s, of.s, of.s);
    }
    if (cases.length)
        lun__strbuf_printf(
            out,
            "\nEXPORT void lun_combine(const void *self, int result, const lun_u64 *a, const "
            "lun_u64 *b, "
            "lun_u64 *out, struct frame *f)\n{\n    switch (result) {\n%s    "
            "}\n}\n",
            lun__strbuf_text(&cases));
    lun__strbuf_free(&cases);
}

static const char stopped[] = "__builtin_expect(__atomic_load_n(f->cancel, __ATOMIC_RELAXED), 0)";

static const lun_dialect gnu = {.own = "",
                                .function = "\nEXPORT void lun_%s(const void *self, ",
                                .affine = true,
                                .wide_sums = true,
                                .narrow_sums = true,
                                .frame_slots = true,
                                .padded_stores = true,
                                .streamed_stores = true,
                                .unrolls = true,
                                .elements = true,
                                .f64_by_bits = true,
                                .wraps = true,
                                .sequence_loops = true,
                                .product = product,
                                .rounds = 1,
                                .stopped = stopped,
                                .prelude = lun__c_prelude_write,
                                .exports = combine};

lun_status lun__gnu_render(const lun_ir *ir, const lun_render_target *target, lun_strbuf *out,
                           unsigned *needs)
{
    lun_renderer r = {.ir = ir,
                      .dialect = &gnu,
                      .target = target,
                      .bytes = lun__isa_bytes(target->isa),
                      .parts = 1,
                      .stops = true};
    lun_status s = lun__unit_render(&r, head, out);
    *needs = r.libs | (has_loops(&r) ? LUN_RENDER_LOOPS : 0);
    return lun__unit_end(&r, s, out);
}
