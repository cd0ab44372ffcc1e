/* inspector.c - the part of a body that finds which elements it gathers; see inspector.h.  Knows no
 * array.
 *
 * Seeds are the gathers from arrays that are apart: what their elements' numbers are computed from
 * is taken, with the control flow around it, and in turn what that hangs on.  CHECKs are seeds too,
 * unless they alone would need elements of arrays that are apart. */
#include "ir/inspector.h"

#include <stdlib.h>
#include <string.h>

#include "ir/remap_gathers.h"
#include "ir/structure.h"
#include "table/atomic.h"
#include "table/op.h"

typedef struct slice {
    const lun_ir *ir;
    const lun_ir_sought *of;
    lun_ir_structure blocks;
    uint8_t
        *taken; /* by instruction: it is in the new body; of a gather that marks: its value too */
    uint8_t *seed;
    bool grown;
} slice;

static bool marks(const slice *s, int i)
{
    const lun_ir_ins *ins = &s->ir->ins[i];
    return ins->kind == LUN_IR_GATHER && s->of[ins->imm].apart;
}

/* ---- what is taken --------------------------------------------------------------------------- */

static void take(slice *s, int i)
{
    s->grown |= !s->taken[i];
    s->taken[i] = 1;
}

static void take_inputs(slice *s, int i)
{
    int32_t in[LUN_IR_INPUTS];
    const int n = lun__ir_inputs(s->ir, &s->ir->ins[i], in);
    for (int k = 0; k < n; k++)
        take(s, in[k]);
    for (int32_t p = s->blocks.parent[i]; p >= 0; p = s->blocks.parent[p])
        take(s, p);
}

/* Whether control flow or a variable makes instruction i part of it, others having been taken. */
static bool follows(const slice *s, int i)
{
    const lun_ir_ins *ins = &s->ir->ins[i];
    switch (lun__ir_row(ins->kind)->flow) {
    case LUN_FLOW_OTHER:
    case LUN_FLOW_CLOSE:
    case LUN_FLOW_LEAVE:
        return s->taken[s->blocks.target[i]];
    default:
        return ins->kind == LUN_IR_SET && s->taken[ins->a];
    }
}

static void grow(slice *s)
{
    do {
        s->grown = false;
        for (int i = s->ir->count - 1; i >= 0; i--) {
            if (follows(s, i))
                take(s, i);
            if (s->taken[i] || s->seed[i])
                take_inputs(s, i);
        }
    } while (s->grown);
}

/* How many gathers' values are taken from arrays that are apart. */
static int count_known(const slice *s)
{
    int n = 0;
    for (int i = 0; i < s->ir->count; i++)
        n += marks(s, i) && s->taken[i];
    return n;
}

/* Takes a CHECK and what it needs, unless that is more of arrays that are apart. */
static void try_check(slice *s, int i, uint8_t *spare)
{
    const size_t n = (size_t)s->ir->count;
    const int known = count_known(s);
    memcpy(spare, s->taken, n);
    take(s, i);
    grow(s);
    if (count_known(s) > known)
        memcpy(s->taken, spare, n);
}

static lun_status find(slice *s)
{
    const size_t n = (size_t)s->ir->count + 1;
    lun_status status = lun__ir_structure_find(s->ir, &s->blocks, NULL);
    if (status != LUN_OK)
        return status;
    s->taken = calloc(n, 3);
    if (!s->taken)
        return LUN_ENOMEM;
    s->seed = s->taken + n;
    for (int i = 0; i < s->ir->count; i++)
        s->seed[i] = marks(s, i);
    grow(s);
    for (int i = 0; i < s->ir->count; i++)
        if (s->ir->ins[i].kind == LUN_IR_CHECK)
            try_check(s, i, s->seed + n);
    return LUN_OK;
}

/* ---- the new body ---------------------------------------------------------------------------- */

/* Whether element `element` is in the box: a bool; -1 without memory. */
static int32_t is_inside(lun_ir *to, const lun_ir_sought *of, int32_t element)
{
    const int32_t zero = lun__remap_constant(to, LUN_I64, 0);
    int32_t inside = -1, rest = element;
    for (int d = of->axes - 1; d >= 0; d--) {
        int32_t index = rest;
        if (d > 0) {
            const int32_t extent = lun__remap_constant(to, LUN_I64, (uint64_t)of->extent[d]);
            index = lun__remap_apply(to, LUN_OP_MOD, LUN_I64, rest, extent);
            rest = lun__remap_apply(to, LUN_OP_IDIV, LUN_I64, rest, extent);
        }
        if (of->whole[d] && (d > 0 || inside >= 0))
            continue;
        const int32_t at = lun__remap_apply(to, LUN_OP_SUB, LUN_I64, index,
                                            lun__remap_argument(to, of->argument + 2 * d));
        const int32_t above = lun__remap_apply(to, LUN_OP_GE, LUN_I64, at, zero);
        const int32_t below = lun__remap_apply(to, LUN_OP_LT, LUN_I64, at,
                                               lun__remap_argument(to, of->argument + 2 * d + 1));
        const int32_t here = lun__remap_apply(to, LUN_OP_LAND, LUN_BOOL, above, below);
        inside = inside < 0 ? here : lun__remap_apply(to, LUN_OP_LAND, LUN_BOOL, inside, here);
        if (inside < 0)
            return -1;
    }
    return inside;
}

/* An instruction without further operands. */
static bool add(lun_ir *to, lun_ir_kind kind, lun_dtype t, int32_t a, int32_t b)
{
    return lun__ir_add(
               to, (lun_ir_ins){
                       .kind = (uint8_t)kind, .dtype = (uint8_t)t, .a = a, .b = b, .c = -1}) >= 0;
}

/* Element `element` is marked and counted, unless it is at hand. */
static bool mark(lun_ir *to, const lun_ir_sought *of, int32_t element, int32_t counter)
{
    const int32_t away =
        lun__remap_apply(to, LUN_OP_LNOT, LUN_BOOL, is_inside(to, of, element), -1);
    if (away < 0 || !add(to, LUN_IR_IF, LUN_BOOL, away, -1))
        return false;
    const int32_t word =
        lun__remap_apply(to, LUN_OP_SHR, LUN_I64, element, lun__remap_constant(to, LUN_I64, 5));
    const int32_t number =
        lun__remap_apply(to, LUN_OP_BAND, LUN_I64, element, lun__remap_constant(to, LUN_I64, 31));
    const int32_t bit =
        lun__remap_apply(to, LUN_OP_SHL, LUN_U32, lun__remap_constant(to, LUN_U32, 1),
                         lun__remap_convert(to, LUN_U32, LUN_I64, number));
    if (word < 0 || bit < 0 ||
        lun__ir_add(to, (lun_ir_ins){.kind = LUN_IR_ATOMIC,
                                     .dtype = LUN_U32,
                                     .op = LUN_ATOMIC_BOR,
                                     .a = bit,
                                     .b = word,
                                     .c = -1,
                                     .imm = of->slot}) < 0)
        return false;
    const lun_ir_ins get = {.kind = LUN_IR_GET, .dtype = LUN_I64, .a = counter, .b = -1, .c = -1};
    const int32_t so_far = lun__ir_add(to, get);
    const int32_t more =
        lun__remap_apply(to, LUN_OP_ADD, LUN_I64, so_far, lun__remap_constant(to, LUN_I64, 1));
    return more >= 0 && add(to, LUN_IR_SET, LUN_I64, counter, more) &&
           add(to, LUN_IR_END, LUN_BOOL, -1, -1);
}

static bool write(const slice *s, lun_ir *to, int32_t counter, int32_t *map)
{
    for (int i = 0; i < s->ir->count; i++) {
        const lun_ir_ins *ins = &s->ir->ins[i];
        map[i] = -1;
        if (s->seed[i] && !mark(to, &s->of[ins->imm], map[ins->a], counter))
            return false;
        if (s->taken[i] && (map[i] = lun__remap_moved(s->ir, ins, map, to)) < 0)
            return false;
    }
    return true;
}

/* Slots and arguments that are added. */
static bool add_outside(const lun_ir *from, lun_ir_sought *of, lun_ir *to)
{
    bool well = lun__ir_copy_outside(from, to);
    for (int k = 0; well && k < from->slot_count; k++) {
        of[k].slot = -1;
        if (!of[k].apart)
            continue;
        of[k].argument = to->arg_count;
        for (int d = 0; well && d < 2 * of[k].axes; d++)
            well = lun__ir_arg_add(to, LUN_I64) >= 0;
        of[k].slot = well ? lun__ir_slot_add(to, LUN_U32, LUN_SLOT_TARGET) : -1;
        well = of[k].slot >= 0;
    }
    return well;
}

static lun_status write_all(const slice *s, lun_ir_sought *of, lun_ir *to, int32_t *count)
{
    int32_t *map = malloc(((size_t)s->ir->count + 1) * sizeof *map);
    bool well = map && add_outside(s->ir, of, to);
    int32_t zero = well ? lun__remap_constant(to, LUN_I64, 0) : -1, counter = -1;
    if (zero >= 0)
        counter = lun__ir_add(
            to, (lun_ir_ins){.kind = LUN_IR_VAR, .dtype = LUN_I64, .a = zero, .b = -1, .c = -1});
    well = counter >= 0 && write(s, to, counter, map);
    if (well)
        *count = lun__ir_add(
            to, (lun_ir_ins){.kind = LUN_IR_GET, .dtype = LUN_I64, .a = counter, .b = -1, .c = -1});
    free(map);
    return well && *count >= 0 ? LUN_OK : LUN_ENOMEM;
}

lun_status lun__ir_inspector(const lun_ir *f, lun_ir_sought *of, lun_ir *to, int32_t *count)
{
    slice s = {.ir = f, .of = of};
    lun__ir_init(to);
    lun_status status = find(&s);
    for (int i = 0; status == LUN_OK && i < f->count; i++)
        if (marks(&s, i))
            of[f->ins[i].imm].known |= s.taken[i];
    if (status == LUN_OK)
        status = write_all(&s, of, to, count);
    free(s.taken);
    lun__ir_structure_free(&s.blocks);
    return status;
}
