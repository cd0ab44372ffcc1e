/* indexed_statement.c - the statements of a kernel on one element that depend on its index; all
 * others are as for uniform values, in scalar_statement.c. */
#include "render/body/statement.h"

#include <inttypes.h>

#include "render/body/lanes/lane_barrier.h"
#include "render/body/lanes/value_text.h"
#include "render/text/element_text.h"
#include "render/text/text.h"
#include "render/user/faults.h"

static lun_snippet named(const lun_section *s, int32_t v)
{
    return lun__text_name("const %s s%" PRId32,
                          lun__element_type((lun_dtype)lun__renderer_ins(s->r, v)->dtype).s, v);
}

/* Philox4x32-10: the block that holds the element, and its word or words of it. */
static lun_snippet random_one(lun_renderer *r, lun_dtype t)
{
    lun_snippet c = lun__text_name("lun_random_one_%s", lun__dtype_get(t)->name);
    if (!lun__text_once(r, c.s))
        return c;
    if (lun__text_once(r, "lun_philox"))
        lun__text_put(
            r, &r->helpers,
            "INLINE @uint4 lun_philox(lun_u64 block, lun_u64 key)\n{\n"
            "    @uint4 c = @make_uint4((@u32)block, (@u32)(block >> 32), 0, 0);\n"
            "    @u32 k0 = (@u32)key, k1 = (@u32)(key >> 32);\n"
            "    for (int round = 0; round < 10; round++) {\n"
            "        const @u32 h0 = @mul_hi(c.x, 0xd2511f53u), h1 = @mul_hi(c.z, 0xcd9e8d57u);\n"
            "        c = @make_uint4(h1 ^ c.y ^ k0, c.z * 0xcd9e8d57u, h0 ^ c.w ^ k1, c.x * "
            "0xd2511f53u);\n"
            "        k0 += 0x9e3779b9u;\n        k1 += 0xbb67ae85u;\n    }\n    return c;\n}\n");
    if (lun__dtype_bits(t) == 64)
        lun__text_put(r, &r->helpers,
                      "INLINE lun_u64 lun_random_one_u64(lun_u64 i, lun_u64 key)\n{\n"
                      "    const @uint4 c = lun_philox(i / 2, key);\n"
                      "    return i & 1 ? c.z | (lun_u64)c.w << 32 : c.x | (lun_u64)c.y << 32;\n"
                      "}\n");
    else
        lun__text_put(r, &r->helpers,
                      "INLINE lun_u32 lun_random_one_u32(lun_u64 i, lun_u64 key)\n{\n"
                      "    const @uint4 c = lun_philox(i / 4, key);\n"
                      "    return i & 2 ? i & 1 ? c.w : c.z : i & 1 ? c.y : c.x;\n}\n");
    return c;
}

static void random(lun_section *s, int32_t v)
{
    const lun_ir_ins *ins = lun__renderer_ins(s->r, v);
    lun__text_line(s, "%s = %s((lun_u64)%s, %s);", named(s, v).s,
                   random_one(s->r, (lun_dtype)ins->dtype).s, lun__value_single(s, ins->a).s,
                   lun__value_single(s, ins->b).s);
}

static void call(lun_section *s, int32_t v)
{
    const lun_ir_ins *ins = lun__renderer_ins(s->r, v);
    lun_strbuf args = LUN_STRBUF_INIT;
    for (int k = 0; k < ins->c; k++) {
        int32_t o = s->r->ir->operands[ins->b + k];
        lun__strbuf_puts(&args, k ? ", " : "");
        if (o < 0)
            lun__strbuf_printf(&args, "%su->%s", lun__text_flat(s->r),
                               lun__value_slot(s->r, -1 - (int64_t)o).s);
        else
            lun__strbuf_puts(&args, lun__value_single(s, o).s);
    }
    const lun_ir_function *f = s->r->ir->functions[ins->imm];
    lun__strbuf_puts(s->out, lun__faults_before(s->r, f, v).s);
    lun__text_line(s, "%s = %s(%s%s)%s;", named(s, v).s, f->name,
                   lun__faults_argument(s->r, f, v).s, lun__strbuf_text(&args),
                   lun__element_truth((lun_dtype)ins->dtype));
    lun__faults_behind(s->r, f, v, s->out);
    if (args.failed)
        s->out->failed = true;
    lun__strbuf_free(&args);
}

/* The name of the function by which a crew meets: 1 where it breaks up.  The frame here is
 * a copy, whose `math` is the one that they have. */
static lun_snippet meeting(lun_renderer *r)
{
    lun_snippet name = lun__text_name("lun_meet");
    if (lun__text_once(r, name.s))
        lun__strbuf_puts(&r->helpers, "struct lun_crew {\n    struct frame f;\n    void *races;\n"
                                      "    int (*meet)(struct frame *f);\n};\n"
                                      "INLINE int lun_meet(struct frame *f)\n{\n"
                                      "    struct lun_crew *c = (struct lun_crew *)f->math;\n"
                                      "    return c && c->meet(&c->f);\n}\n");
    return name;
}

bool lun__indexed_statement(lun_section *s, int32_t v)
{
    const lun_ir_ins *ins = lun__renderer_ins(s->r, v);
    switch ((lun_ir_kind)ins->kind) {
    case LUN_IR_INDEX:
        lun__text_line(s, "%s = i;", named(s, v).s);
        return true;
    case LUN_IR_THREAD:
        lun__text_line(s, "%s = f->thread;", named(s, v).s);
        return true;
    case LUN_IR_TEAM:
        lun__text_line(s, "%s = f->team;", named(s, v).s);
        return true;
    case LUN_IR_BARRIER:
        lun__lane_barrier_write(s, v);
        return true;
    case LUN_IR_MEET:
        lun__text_line(s, "if (%s(f)) return;", meeting(s->r).s);
        return true;
    case LUN_IR_LOAD:
        lun__text_line(s, "%s = %s[i]%s;", named(s, v).s, lun__value_array(s, ins->imm).s,
                       lun__element_truth((lun_dtype)ins->dtype));
        return true;
    case LUN_IR_RANDOM:
        random(s, v);
        return true;
    case LUN_IR_CALL:
        call(s, v);
        return true;
    case LUN_IR_SCAN:
        lun__text_line(s, "%s = scan;", named(s, v).s);
        break;
    case LUN_IR_STORE:
        lun__text_line(s, "%s[i] = %s;", lun__value_array(s, ins->imm).s,
                       lun__value_single(s, ins->a).s);
        return true;
    case LUN_IR_PUT:
        lun__text_line(s, "%s[%s] = %s;", lun__value_array(s, ins->imm).s,
                       lun__value_element_index(s, ins->imm, ins->b).s,
                       lun__value_single(s, ins->a).s);
        return true;
    case LUN_IR_ATOMIC:
    case LUN_IR_SWAP:
        lun__atomic_statement(s, v);
        return true;
    case LUN_IR_REDUCE:
        lun__text_line(s, "*x%" PRId64 " = %s;", ins->imm, lun__value_single(s, ins->a).s);
        break;
    default:
        return false;
    }
    if (s->scope >= 0)
        lun__strbuf_puts(&s->r->problem, ins->kind == LUN_IR_SCAN
                                             ? "a scan inside control flow"
                                             : "a reduction inside control flow");
    return true;
}
