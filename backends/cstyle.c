/* cstyle.c - the way through one kernel for the dialect of C with GNU vectors: facts first, then the
 * parts, then the unit put together.  Knows no statement. */
#include "cstyle.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "crender.h"

lun_cname lun_cname_of(const char *format, ...)
{
    lun_cname c;
    va_list args;
    va_start(args, format);
    vsnprintf(c.s, sizeof c.s, format, args);
    va_end(args);
    return c;
}

bool lun_cmake(lun_crender *r, const char *name)
{
    lun_cname key = lun_cname_of("\n%s\n", name);
    if (strstr(lun_strbuf_text(&r->made), key.s))
        return false;
    lun_strbuf_puts(&r->made, key.s);
    return true;
}

static const char head[] =
    "typedef __INT8_TYPE__ lun_i8;\ntypedef __UINT8_TYPE__ lun_u8;\n"
    "typedef __INT16_TYPE__ lun_i16;\ntypedef __UINT16_TYPE__ lun_u16;\n"
    "typedef __INT32_TYPE__ lun_i32;\ntypedef __UINT32_TYPE__ lun_u32;\n"
    "typedef __INT64_TYPE__ lun_i64;\ntypedef __UINT64_TYPE__ lun_u64;\n"
    "typedef float lun_f32;\ntypedef double lun_f64;\n"
    "#define INLINE static inline __attribute__((always_inline))\n"
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
    "    lun_i64 trap_value;\n};\n";

static bool is_guarded(const lun_crender *r)
{
    for (int32_t v = 0; v < r->ir->count; v++)
        if (r->ir->ins[v].kind == LUN_IR_GATHER || r->ir->ins[v].kind == LUN_IR_CALL)
            return true;
    return r->masked;
}

/* Where lanes leave a loop one by one, every round waits for the one before: several vectors in turn
 * hide that, as long as they fit the registers. */
static int parts_of(const lun_crender *r)
{
    bool parted = false;
    int parts = r->target->isa == LUN_ISA_AVX512 ? 4 : 2,
        weight = lun_cfacts_weight(r, LUN_CF_BODY);
    for (int32_t v = 0; v < r->ir->count; v++) {
        if (r->ir->ins[v].kind == LUN_IR_CALL)
            return 1;
        parted |= r->ir->ins[v].kind == LUN_IR_LOOP && (r->flags[v] & LUN_CF_VARYING);
    }
    while (parts > 1 && (parts * r->lanes > 64 || parts * weight > 240))
        parts /= 2;
    return parted ? parts : 1;
}

static bool has_loops(const lun_crender *r)
{
    for (int32_t v = 0; v < r->ir->count; v++)
        if (r->ir->ins[v].kind == LUN_IR_RANDOM)
            return true;
    return r->ir->scan >= 0 || r->ir->function_count > 0;
}

static lun_status render(lun_crender *r, lun_strbuf *out)
{
    lun_strbuf functions = LUN_STRBUF_INIT;
    lun_status s = lun_cfacts(r);
    if (s != LUN_OK)
        return s;
    r->guarded = is_guarded(r);
    r->parts = parts_of(r);
    lun_strbuf_printf(out, "/* Lunarray kernel: vectors of %d bytes, %d lanes. */\n", r->bytes,
                      r->lanes);
    lun_cfunctions(r, &functions);
    lun_strbuf_puts(out, lun_strbuf_text(&functions));
    lun_strbuf_puts(out, head);
    lun_cframe(r, out);
    bool failed = functions.failed || out->failed || r->made.failed || r->problem.failed ||
                  r->types.failed || r->helpers.failed || r->fields.failed || r->setup.failed ||
                  r->prepare.failed || r->keys.failed;
    lun_strbuf_free(&functions);
    if (failed)
        return LUN_ENOMEM;
    if (!r->problem.length)
        return LUN_OK;
    lun_strbuf_clear(out);
    lun_strbuf_puts(out, lun_strbuf_text(&r->problem));
    return LUN_EARG;
}

lun_status lun_cstyle_openmp(const lun_ir *ir, const lun_cstyle_target *target, lun_strbuf *out,
                             unsigned *needs)
{
    lun_crender r = {.ir = ir, .target = target, .bytes = lun_isa_bytes(target->isa), .parts = 1};
    lun_status s = render(&r, out);
    *needs = r.libs | (has_loops(&r) ? LUN_CSTYLE_LOOPS : 0);
    free(r.flags);
    free(r.mask);
    free(r.parent);
    free(r.origin);
    lun_strbuf_free(&r.types);
    lun_strbuf_free(&r.helpers);
    lun_strbuf_free(&r.fields);
    lun_strbuf_free(&r.setup);
    lun_strbuf_free(&r.prepare);
    lun_strbuf_free(&r.keys);
    lun_strbuf_free(&r.made);
    lun_strbuf_free(&r.problem);
    return s;
}
