/* atomic_text.c - functions that change an element at once; see atomic_text.h.  A language of
 * devices has words for some of them, and compares and exchanges the bits of an element for
 * others. */
#include "render/text/atomic_text.h"

#include "render/text/element_text.h"
#include "render/text/text.h"

/* The function of an operation on bits of floats that are computed in f32. */
static lun_snippet in_f32(lun_renderer *r, lun_op op, lun_dtype t)
{
    const lun_snippet name = lun__text_name("lun_bits_%s_%s", lun__op_get(op)->name,
                                            lun__dtype_get(t)->name),
                      type = lun__element_type(t), of = lun__element_cast(r, LUN_F32, t),
                      to = lun__element_cast(r, t, LUN_F32), f = lun__element_op(r, op, LUN_F32);
    if (lun__text_once(r, name.s))
        lun__strbuf_printf(&r->helpers,
                           "INLINE %s %s(const %s a, const %s x)\n{\n"
                           "    return %s(%s(%s(a), %s(x)));\n}\n",
                           type.s, name.s, type.s, type.s, to.s, f.s, of.s, of.s);
    return name;
}

/* What becomes of element a and x. */
static lun_snippet result_of(lun_renderer *r, lun_atomic which, lun_dtype t)
{
    const lun_atomic_row *row = lun__atomic_get(which);
    if (row->op == LUN_OP_COUNT)
        return lun__text_name("x");
    if (!lun__dtype_is_stored(t))
        return lun__text_name("%s(a, x)", lun__element_op(r, (lun_op)row->op, t).s);
    return lun__text_name("%s(a, x)", in_f32(r, (lun_op)row->op, t).s);
}

/* Elements as integers of their size, and back. */
static void put_bits(lun_renderer *r, const char *name, lun_dtype t)
{
    const int size = lun__dtype_bits(t);
    const lun_snippet type = lun__element_type(t);
    const bool real = lun__dtype_is_float(t);
    lun__text_put(r, &r->helpers, "#define %s_bits(x) %s(x)\n#define %s_value(x) %s(x)\n", name,
                  !real        ? size == 32 ? "(@u32)" : "(@u64)"
                  : size == 32 ? "@bits_of_f32"
                               : "@bits_of_f64",
                  name,
                  real ? size == 32 ? "@f32_of_bits" : "@f64_of_bits"
                       : lun__text_name("(%s)", type.s).s);
}

/* The language's own operation on elements of t, a word; some on 64 bits are there only if the
 * device has them.  NULL: none. */
static const char *own_word(const lun_renderer *r, lun_atomic which, lun_dtype t)
{
    static const struct {
        const char *word;
        bool base, floats; /* of 64 bits on every device that has such at all; moves bits alone */
    } own[LUN_ATOMIC_COUNT] = {
        [LUN_ATOMIC_ADD] = {"fetch_add", true, false},
        [LUN_ATOMIC_SUB] = {"fetch_sub", true, false},
        [LUN_ATOMIC_MIN] = {"fetch_min", false, false},
        [LUN_ATOMIC_MAX] = {"fetch_max", false, false},
        [LUN_ATOMIC_BAND] = {"fetch_and", false, false},
        [LUN_ATOMIC_BOR] = {"fetch_or", false, false},
        [LUN_ATOMIC_BXOR] = {"fetch_xor", false, false},
        [LUN_ATOMIC_EXCHANGE] = {"exchange", true, true},
        [LUN_ATOMIC_CAS] = {"compare_exchange", true, true},
    };
    const bool wide = lun__dtype_bits(t) == 64;
    const bool has = lun__dtype_bits(t) >= 32 && (lun__dtype_is_integer(t) || own[which].floats) &&
                     (!wide || own[which].base || r->more_atomics);
    return has ? own[which].word : NULL;
}

/* Of floats the bits are moved. */
static void put_own(lun_renderer *r, const char *name, lun_atomic which, lun_dtype t,
                    const char *space)
{
    const char *const size = lun__dtype_bits(t) == 64 ? "_64" : "", *word = own_word(r, which, t);
    const bool real = lun__dtype_is_float(t), expects = lun__atomic_get(which)->expects;
    const lun_snippet type =
        real ? lun__text_name("@u%d", lun__dtype_bits(t)) : lun__element_type(t);
    const lun_snippet x = lun__text_name(real ? "%s_bits(x)" : "x", name),
                      e = lun__text_name(real ? "%s_bits(e), " : "e, ", name);
    lun__text_put(r, &r->helpers, real ? "    return %s_value(" : "    return ", name);
    lun__text_put(r, &r->helpers, "@%s%s((volatile @%s %s *)p, %s%s)%s;\n}\n", word, size, space,
                  type.s, expects ? e.s : "", x.s, real ? ")" : "");
}

/* What else there is: its result is exchanged for the element until no other came between.  OpenCL
 * C 1.2 has no atomic read, and a plain one races with what others change.  A processor's gives a
 * whole cell all the same, in a fifth of the time: PoCL, adding 4 million f64 in 1021 cells, 20
 * against 97 ms. */
static void put_loop(lun_renderer *r, const char *name, lun_atomic which, lun_dtype t,
                     const char *space)
{
    const lun_snippet type = lun__element_type(t);
    const int bits = lun__dtype_bits(t);
    const char *const size = bits == 64 ? "_64" : "";
    lun__text_put(r, &r->helpers, "    volatile @%s @u%d *q = (volatile @%s @u%d *)p;\n", space,
                  bits, space, bits);
    lun__text_put(r, &r->helpers,
                  r->plain_reads ? "    @u%d o = *q, s;\n"
                                 : "    @u%d o = @fetch_add%s(q, 0), s;\n",
                  bits, size);
    lun__text_put(r, &r->helpers,
                  "    for (;;) {\n        const %s a = %s_value(o);\n"
                  "        s = @compare_exchange%s(q, o, %s_bits(%s));\n",
                  type.s, name, size, name, result_of(r, which, t).s);
    lun__text_put(r, &r->helpers, "        if (s == o) return a;\n        o = s;\n    }\n}\n");
}

/* The same of an element of fewer bits in its word of 32, of which the others stay. */
static void put_narrow(lun_renderer *r, const char *name, lun_atomic which, lun_dtype t,
                       const char *space)
{
    const lun_snippet type = lun__element_type(t);
    const int bits = lun__dtype_bits(t);
    (void)name;
    lun__text_put(r, &r->helpers,
                  "    volatile @%s @u32 *q = (volatile @%s @u32 *)((size_t)p & ~(size_t)3);\n"
                  "    const @u32 at = ((size_t)p & 3) * 8, others = ~(%su << at);\n",
                  space, space, bits == 8 ? "0xff" : "0xffff");
    lun__text_put(r, &r->helpers,
                  r->plain_reads ? "    @u32 o = *q, s;\n" : "    @u32 o = @fetch_add(q, 0), s;\n");
    lun__text_put(r, &r->helpers, "    for (;;) {\n        const %s a = (%s)(o >> at);\n%s", type.s,
                  type.s, lun__atomic_get(which)->expects ? "        if (a != e) return a;\n" : "");
    lun__text_put(r, &r->helpers,
                  "        s = @compare_exchange(q, o, (o & others) | (@u32)(lun_u%d)(%s) << at);\n"
                  "        if (s == o) return a;\n        o = s;\n    }\n}\n",
                  bits, result_of(r, which, t).s);
}

static void put_device(lun_renderer *r, const char *name, lun_atomic which, lun_dtype t, bool local)
{
    const bool wide = lun__dtype_bits(t) == 64, expects = lun__atomic_get(which)->expects;
    const bool own = own_word(r, which, t) != NULL, narrow = lun__dtype_bits(t) < 32;
    const lun_snippet type = lun__element_type(t);
    const char *const space = local ? "local" : "global";
    if (wide && lun__text_once(r, "wide atomics"))
        lun__text_put(r, &r->types,
                      r->more_atomics ? "@wide_atomics\n@more_atomics\n" : "@wide_atomics\n");
    if (!narrow && (!own || lun__dtype_is_float(t)))
        put_bits(r, name, t);
    lun__text_put(r, &r->helpers, "INLINE %s %s(@%s %s *p, const %s x%s)\n{\n", type.s, name, space,
                  type.s, type.s, expects ? lun__text_name(", const %s e", type.s).s : "");
    (own ? put_own : narrow ? put_narrow : put_loop)(r, name, which, t, space);
}

static void put_host(lun_renderer *r, const char *name, lun_atomic which, lun_dtype t)
{
    static const char *const fetch[LUN_ATOMIC_COUNT] = {
        [LUN_ATOMIC_ADD] = "fetch_add",  [LUN_ATOMIC_SUB] = "fetch_sub",
        [LUN_ATOMIC_BAND] = "fetch_and", [LUN_ATOMIC_BOR] = "fetch_or",
        [LUN_ATOMIC_BXOR] = "fetch_xor", [LUN_ATOMIC_EXCHANGE] = "exchange_n"};
    const lun_snippet type = lun__element_type(t);
    const bool expects = lun__atomic_get(which)->expects;
    const int bits = lun__dtype_bits(t);
    lun_strbuf *out = &r->helpers;
    lun__strbuf_printf(out, "INLINE %s %s(%s *p, const %s x%s%s)\n{\n", type.s, name, type.s,
                       type.s, expects ? ", const " : "",
                       expects ? lun__text_name("%s e", type.s).s : "");
    if (fetch[which] && lun__dtype_is_integer(t)) {
        lun__strbuf_printf(out, "    return __atomic_%s(p, x, __ATOMIC_RELAXED);\n}\n",
                           fetch[which]);
        return;
    }
    /* bits in a register: an element whose address is taken is stored first, and waited for */
    lun__strbuf_printf(out,
                       "    lun_u%d *const q = (lun_u%d *)p, b = __atomic_load_n(q, "
                       "__ATOMIC_RELAXED), c;\n    %s a, s;\n    do {\n"
                       "        __builtin_memcpy(&a, &b, sizeof a);\n",
                       bits, bits, type.s);
    if (expects)
        lun__strbuf_puts(out, "        if (__builtin_memcmp(&a, &e, sizeof a)) return a;\n");
    lun__strbuf_printf(out,
                       "        s = %s;\n        __builtin_memcpy(&c, &s, sizeof c);\n"
                       "    } while (!__atomic_compare_exchange_n(q, &b, c, 0, __ATOMIC_RELAXED, "
                       "__ATOMIC_RELAXED));\n    return a;\n}\n",
                       result_of(r, which, t).s);
}

lun_snippet lun__atomic_text(lun_renderer *r, lun_atomic which, lun_dtype t, bool local)
{
    lun_snippet name = lun__text_name("lun_%s_%s_%s", local ? "near" : "atomic",
                                      lun__atomic_get(which)->name, lun__dtype_get(t)->name);
    if (!r->dialect->words || !own_word(r, which, t))
        (void)result_of(r, which, t); /* its text comes first */
    if (!lun__text_once(r, name.s))
        return name;
    if (r->dialect->words)
        put_device(r, name.s, which, t, local);
    else
        put_host(r, name.s, which, t);
    return name;
}
