/* structure.c - finds how the control flow of a kernel nests, in one pass; see structure.h.
 * Invariant: `around` is the innermost open block, and the open blocks are its chain of parents. */
#include "ir/structure.h"

#include <stdlib.h>
#include <string.h>

void lun__ir_structure_free(lun_ir_structure *s)
{
    free(s->parent);
    memset(s, 0, sizeof *s);
}

/* All arrays in one block, so that there is one failure to look at. */
static bool allocate(lun_ir_structure *s, size_t n)
{
    memset(s, 0, sizeof *s);
    s->parent = malloc(n * (4 * sizeof *s->parent + 1));
    if (!s->parent)
        return false;
    s->target = s->parent + n;
    s->end = s->parent + 2 * n;
    s->other = s->parent + 3 * n;
    s->continued = (uint8_t *)(s->parent + 4 * n);
    memset(s->parent, -1, 4 * n * sizeof *s->parent);
    memset(s->continued, 0, n);
    return true;
}

/* A jump's target: the imm-th counted block from `around` outwards, -1: none. */
static int32_t find_target(const lun_ir *ir, const lun_ir_structure *s, int32_t around, int64_t imm)
{
    int32_t p = around;
    for (; p >= 0; p = s->parent[p])
        if (lun__ir_row(ir->ins[p].kind)->flow == LUN_FLOW_OPEN && imm-- == 0)
            break;
    return p;
}

/* The rule that a jump breaks, or NULL. */
static const char *add_jump(const lun_ir *ir, lun_ir_structure *s, int32_t i, int32_t around)
{
    int32_t to = s->target[i] = find_target(ir, s, around, ir->ins[i].imm);
    if (to < 0)
        return "no such enclosing block";
    if (ir->ins[i].kind != LUN_IR_CONTINUE)
        return NULL;
    s->continued[to] = 1;
    return ir->ins[to].kind == LUN_IR_LOOP ? NULL : "continue of a block";
}

/* The rule that instruction i breaks, or NULL. */
static const char *add(const lun_ir *ir, lun_ir_structure *s, int32_t i, int32_t *around)
{
    int32_t block = *around;
    if (ir->ins[i].kind >= LUN_IR_KIND_COUNT)
        return "no such kind";
    s->parent[i] = block;
    switch (lun__ir_row(ir->ins[i].kind)->flow) {
    case LUN_FLOW_OPEN:
    case LUN_FLOW_BRANCH:
        s->blocks = true;
        *around = i;
        return NULL;
    case LUN_FLOW_OTHER:
        if (block < 0 || ir->ins[block].kind != LUN_IR_IF || s->other[block] >= 0)
            return "else without if";
        s->other[block] = i;
        break;
    case LUN_FLOW_CLOSE:
        if (block < 0)
            return "end without a block";
        s->end[block] = i;
        *around = s->parent[block];
        break;
    case LUN_FLOW_LEAVE:
        return add_jump(ir, s, i, block);
    default:
        return NULL;
    }
    s->target[i] = block;
    s->parent[i] = s->parent[block];
    return NULL;
}

lun_status lun__ir_structure_find(const lun_ir *ir, lun_ir_structure *out, lun_ir_fault *fault)
{
    const char *wrong = NULL;
    int32_t around = -1, i = 0;
    if (!allocate(out, (size_t)ir->count + 1))
        return LUN_ENOMEM;
    for (; i < ir->count && !wrong; i++)
        wrong = add(ir, out, i, &around);
    if (!wrong && around < 0)
        return LUN_OK;
    lun__ir_structure_free(out);
    if (fault)
        *fault =
            wrong ? (lun_ir_fault){i - 1, wrong} : (lun_ir_fault){around, "a block has no end"};
    return LUN_EARG;
}

/* i stands in the block of v, or further inside; and if that is an IF, in the same part of it. */
bool lun__ir_structure_dominates(const lun_ir_structure *s, int32_t v, int32_t i)
{
    int32_t block = s->parent[v];
    if (v >= i)
        return false;
    if (block < 0)
        return true;
    return i < s->end[block] && !(v < s->other[block] && s->other[block] < i);
}
