/* random.c - random bits in the generated text: Philox4x32-10 on vectors of 64-bit lanes, a block
 * in each lane.
 *
 * The low half of a lane holds a word. Products read low halves only, so the high ones may hold
 * anything. A round depends on the one before, so several vectors go through the rounds together,
 * from all streams of a kernel. */
#include "render/vector/operation.h"

#include <inttypes.h>

#include "render/text/element_text.h"
#include "render/text/text.h"

/* Vectors that go through the rounds together: as many as the registers hold. */
static int together(const lun_renderer *r)
{
    return r->target->isa == LUN_ISA_AVX512 ? 4 : r->target->isa == LUN_ISA_AVX2 ? 2 : 1;
}

static int per_block(lun_dtype t)
{
    return 16 / lun__dtype_get(t)->bytes;
}

/* ---- rounds ---------------------------------------------------------------------------------- */

static void helpers(lun_renderer *r)
{
    int lanes = r->bytes / 8;
    lun_snippet v = lun__vector_of(r, LUN_U64, lanes);
    lun_strbuf *out = &r->helpers;
    const char *multiply =
        r->target->isa == LUN_ISA_AVX512 ? "vpmuludq %2, %1, %0\" : \"=v\"(r) : \"v\"(a), \"v"
        : r->target->isa == LUN_ISA_AVX2 ? "vpmuludq %2, %1, %0\" : \"=x\"(r) : \"x\"(a), \"x"
                                         : NULL;
    lun__strbuf_printf(out, "INLINE %s lun_multiply_low(%s a, %s b)\n{\n", v.s, v.s, v.s);
    if (multiply)
        lun__strbuf_printf(out, "    %s r;\n    __asm__(\"%s\"(b));\n    return r;\n}\n", v.s,
                           multiply);
    else
        lun__strbuf_puts(out, "    return (a & 0xffffffffu) * (b & 0xffffffffu);\n}\n");
    lun__strbuf_printf(out, "INLINE %s lun_xor(%s a, %s b, const lun_u64 *key)\n{\n", v.s, v.s,
                       v.s);
    if (r->target->isa == LUN_ISA_AVX512) /* in one instruction, the key from memory */
        lun__strbuf_puts(out, "    __asm__(\"vpternlogq $0x96, %2%{1to8%}, %1, %0\" : \"+v\"(a) : "
                              "\"v\"(b), \"m\"(*key));\n    return a;\n}\n");
    else
        lun__strbuf_puts(out, "    return a ^ b ^ *key;\n}\n");
    /* high halves into low ones: a shuffle, for multiplications and shifts share a port */
    lun_snippet words = lun__vector_of(r, LUN_U32, 2 * lanes),
                index = lun__vector_of(r, LUN_I32, 2 * lanes);
    lun__strbuf_printf(out, "INLINE %s lun_high(%s a)\n{\n    return (%s)SHUFFLE(%s, (%s)a, (%s)a",
                       v.s, v.s, v.s, index.s, words.s, words.s);
    for (int l = 0; l < 2 * lanes; l++)
        lun__strbuf_printf(out, ", %d", l | 1);
    lun__strbuf_puts(
        out, ");\n}\n"
             "/* The ten pairs of keys. */\n"
             "INLINE void lun_philox_keys(lun_u64 *keys, lun_u64 key)\n{\n"
             "    for (int k = 0; k < 10; k++) {\n"
             "        keys[2 * k] = (lun_u32)((lun_u32)key + k * 0x9e3779b9u);\n"
             "        keys[2 * k + 1] = (lun_u32)((lun_u32)(key >> 32) + k * 0xbb67ae85u);\n"
             "    }\n}\n");
}

/* The words of vector k at the start, and its first round, in which two words are still 0. */
static void begin(lun_renderer *r, lun_snippet v, int k)
{
    lun_strbuf *out = &r->helpers;
    lun__strbuf_printf(out, "    %s a%d = {", v.s, k);
    for (int l = 0; l < r->bytes / 8; l++)
        lun__strbuf_printf(out, "%s%d", l ? ", " : "", l);
    lun__strbuf_printf(out,
                       "}, b%d = {}, c%d, d%d;\n    a%d += block%d;\n"
                       "    d%d = lun_multiply_low(a%d, m0);\n    a%d = (a%d >> 32) ^ *keys%d;\n"
                       "    c%d = lun_high(d%d) ^ keys%d[1];\n",
                       k, k, k, k, k, k, k, k, k, k, k, k, k);
}

/* Words to memory in the order of the blocks. */
static void finish(lun_renderer *r, lun_snippet v, int k)
{
    int lanes = r->bytes / 8;
    lun_snippet m = lun__vector_of(r, LUN_I64, lanes);
    lun_strbuf *out = &r->helpers;
    lun__strbuf_printf(
        out, "    a%d = (a%d & low) | (b%d << 32);\n    c%d = (c%d & low) | (d%d << 32);\n", k, k,
        k, k, k, k);
    for (int half = 0; half < 2; half++) { /* a0 c0 a1 c1 ... */
        lun__strbuf_printf(out, "    *(%s *)(out%d + %d) = SHUFFLE(%s, a%d, c%d", v.s, k,
                           half * lanes, m.s, k, k);
        for (int l = 0; l < lanes; l++)
            lun__strbuf_printf(out, ", %d", half * lanes / 2 + l / 2 + (l & 1 ? lanes : 0));
        lun__strbuf_puts(out, ");\n");
    }
}

/* Name of a function that makes `count` vectors of blocks: (out, first block, keys) for each. */
static lun_snippet philox(lun_renderer *r, int count)
{
    lun_snippet c = lun__text_name("lun_philox%d", count);
    if (lun__text_once(r, "lun_philox_keys"))
        helpers(r);
    if (!lun__text_once(r, c.s))
        return c;
    lun_snippet v = lun__vector_of(r, LUN_U64, r->bytes / 8);
    lun_strbuf *out = &r->helpers;
    lun__strbuf_printf(out, "INLINE void %s(", c.s);
    for (int k = 0; k < count; k++)
        lun__strbuf_printf(out, "%slun_u64 *out%d, lun_u64 block%d, const lun_u64 *keys%d",
                           k ? ", " : "", k, k, k);
    lun__strbuf_printf(out,
                       ")\n{\n    const %s m0 = (%s){} + 0xd2511f53u, m1 = (%s){} + 0xcd9e8d57u,\n"
                       "        low = (%s){} + 0xffffffffu;\n",
                       v.s, v.s, v.s, v.s);
    for (int k = 0; k < count; k++)
        begin(r, v, k);
    lun__strbuf_puts(out, "    for (int round = 2; round < 20; round += 2) {\n");
    for (int k = 0; k < count; k++)
        lun__strbuf_printf(out,
                           "        const %s p%d = lun_multiply_low(a%d, m0), q%d = "
                           "lun_multiply_low(c%d, m1);\n",
                           v.s, k, k, k, k);
    for (int k = 0; k < count; k++)
        lun__strbuf_printf(out,
                           "        a%d = lun_xor(lun_high(q%d), b%d, keys%d + round);\n"
                           "        c%d = lun_xor(lun_high(p%d), d%d, keys%d + round + 1);\n"
                           "        b%d = q%d;\n        d%d = p%d;\n",
                           k, k, k, k, k, k, k, k, k, k, k, k);
    lun__strbuf_puts(out, "    }\n");
    for (int k = 0; k < count; k++)
        finish(r, v, k);
    lun__strbuf_puts(out, "}\n");
    return c;
}

/* ---- streams --------------------------------------------------------------------------------- */

/* Calls for vectors of blocks, several in each. */
typedef struct calls {
    lun_renderer *r;
    lun_strbuf args, *out;
    int count;
} calls;

static void flush(calls *c)
{
    if (c->count)
        lun__strbuf_printf(c->out, "        %s(%s);\n", philox(c->r, c->count).s,
                           lun__strbuf_text(&c->args));
    if (c->args.failed)
        c->out->failed = true;
    lun__strbuf_clear(&c->args);
    c->count = 0;
}

static void add(calls *c, int32_t v, int32_t key, int per, int first)
{
    lun__strbuf_printf(&c->args, "%sb%" PRId32 " + %d, e%" PRId32 " / %d + %d, u.k%" PRId32,
                       c->count ? ", " : "", v, 2 * first, v, per, first, key);
    if (++c->count == together(c->r))
        flush(c);
}

static bool is_stream(const lun_renderer *r, int32_t v, unsigned need)
{
    return (r->flags[v] & LUN_FACT_STREAM) && (r->flags[v] & need);
}

/* Declares the memory of a stream's words, and its keys. */
static void declare(lun_renderer *r, int32_t v, lun_strbuf *out)
{
    const lun_ir_ins *ins = &r->ir->ins[v];
    int per = per_block((lun_dtype)ins->dtype);
    lun_snippet t = lun__element_type((lun_dtype)ins->dtype);
    lun__strbuf_printf(out,
                       "        lun_u64 b%" PRId32 "[%d] __attribute__((aligned(64)));\n"
                       "        const lun_u64 e%" PRId32 " = (lun_u64)i",
                       v, 2 * (64 / per + r->bytes / 8), v);
    if (r->origin[v] >= 0)
        lun__strbuf_printf(out, " + (lun_u64)u.s%" PRId32, r->origin[v]);
    lun__strbuf_printf(out,
                       ";\n        const %s *const w%" PRId32 " = (const %s *)b%" PRId32
                       " + e%" PRId32 " %% %d;\n",
                       t.s, v, t.s, v, v, per);
    if (!lun__text_once(r, lun__text_name("keys %" PRId32, ins->b).s))
        return;
    lun__strbuf_printf(&r->fields, "    lun_u64 k%" PRId32 "[20];\n", ins->b);
    lun__strbuf_printf(&r->keys, "    lun_philox_keys(u->k%" PRId32 ", u->s%" PRId32 ");\n", ins->b,
                       ins->b);
}

void lun__random_streams(lun_renderer *r, unsigned need, lun_strbuf *out)
{
    int lanes = r->bytes / 8;
    calls c = {.r = r, .args = LUN_STRBUF_INIT, .out = out};
    for (int32_t v = 0; v < r->ir->count; v++)
        if (is_stream(r, v, need))
            declare(r, v, out);
    for (int32_t v = 0; v < r->ir->count; v++) {
        int32_t key = r->ir->ins[v].b;
        if (!is_stream(r, v, need))
            continue;
        int per = per_block((lun_dtype)r->ir->ins[v].dtype);
        if (together(r) == 1) {
            lun__strbuf_printf(out,
                               "        for (lun_u64 k = 0; k < %d + (e%" PRId32
                               " %% %d != 0); k += %d)\n            %s(b%" PRId32
                               " + 2 * k, e%" PRId32 " / %d + k, u.k%" PRId32 ");\n",
                               64 / per, v, per, lanes, philox(r, 1).s, v, v, per, key);
            continue;
        }
        for (int first = 0; first < 64 / per; first += lanes)
            add(&c, v, key, per, first);
        lun__strbuf_printf(out,
                           "        if (__builtin_expect(e%" PRId32 " %% %d != 0, 0)) %s(b%" PRId32
                           " + %d, e%" PRId32 " / %d + %d, u.k%" PRId32 ");\n",
                           v, per, philox(r, 1).s, v, 2 * (64 / per), v, per, 64 / per, key);
    }
    flush(&c);
    lun__strbuf_free(&c.args);
}

/* ---- single elements ------------------------------------------------------------------------- */

lun_snippet lun__random_one(lun_renderer *r, lun_dtype t)
{
    int per = per_block(t);
    lun_snippet c = lun__text_name("lun_random_one_%s", lun__dtype_get(t)->name),
                type = lun__element_type(t);
    if (!lun__text_once(r, c.s))
        return c;
    lun_snippet fill = philox(r, 1);
    lun__strbuf_printf(&r->helpers,
                       "static %s %s(lun_u64 element, lun_u64 key)\n{\n"
                       "    lun_u64 buffer[%d] __attribute__((aligned(64))), keys[20];\n"
                       "    lun_philox_keys(keys, key);\n"
                       "    %s(buffer, element / %d, keys);\n"
                       "    return ((const %s *)buffer)[element %% %d];\n}\n",
                       type.s, c.s, 2 * r->bytes / 8, fill.s, per, type.s, per);
    return c;
}
