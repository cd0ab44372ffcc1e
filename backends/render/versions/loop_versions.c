/* loop_versions.c - writes a kernel in versions; see loop_versions.h.
 *
 * Before the first loop of a kernel one test decides whether all indices that its loops count lie
 * within their arrays: then a version runs that does not check them, else the kernel with
 * all its checks.  Loops for which that is not known so early are tested one by one
 * where they begin.  Where loops have a known number of rounds in all but the last indices of an
 * array, these have a version as well, so that a compiler unrolls them.
 *
 * Private memory (slot.own) is an array in these versions, which a compiler holds in
 * registers. */
#include "render/versions/loop_versions.h"

#include <stdlib.h>
#include <string.h>

#include "render/versions/loop_range.h"

enum {
    MOST_CODE = 1024, /* instructions of a kernel that is written in versions */
    NESTED = 6        /* versions within versions */
};

static void copy(lun_writer *w, int32_t from, int32_t to, int nested);

/* ---- instructions before all versions -------------------------------------------------------- */

static void write_early(lun_writer *w, int32_t cut)
{
    int32_t in[LUN_IR_INPUTS];
    for (int32_t i = cut; i < w->to.ir->count; i++) {
        bool early = lun__version_writer_free(w, i);
        for (int k = early ? lun__ir_inputs(w->to.ir, &w->to.ir->ins[i], in) - 1 : -1;
             early && k >= 0; k--)
            early = lun__version_writer_early(w, cut, in[k]);
        if (!early)
            continue;
        lun__ir_write_copy(&w->to, i);
        w->state[i] |= LUN_WRITTEN_EARLY;
    }
}

/* ---- checks ---------------------------------------------------------------------------------- */

/* Whether IF p guards a loop that counts, and asks whether it has a round to run. */
static bool is_guard(const lun_writer *w, int32_t p)
{
    if (w->to.ir->ins[p].kind != LUN_IR_IF)
        return false;
    for (int32_t i = p + 1; i < w->blocks.end[p]; i++)
        if (w->to.ir->ins[i].kind == LUN_IR_LOOP && w->loop[i].var >= 0 &&
            lun__version_writer_guards(w, p, i))
            return true;
    return false;
}

/* Whether a CHECK runs where the loops that count around it have rounds, up to `around`. */
static bool is_certain(const lun_writer *w, int32_t check, int32_t around)
{
    const lun_ir_structure *b = &w->blocks;
    for (int32_t p = b->parent[check]; p >= 0 && p != around; p = b->parent[p])
        if (!is_guard(w, p) && (w->to.ir->ins[p].kind != LUN_IR_LOOP || w->loop[p].var < 0))
            return false;
    return true;
}

/* Finds the checks between `around`, a LOOP or -1, and `to` that a test before them has proved, and
 * leaves them out from now on.  Returns how many. */
static int drop_checks(lun_range_test *t, int32_t around, int32_t from, int32_t to)
{
    lun_writer *w = t->w;
    int dropped = 0;
    for (int32_t i = from; i < to; i++) {
        if (w->to.ir->ins[i].kind != LUN_IR_CHECK || (w->state[i] & LUN_WRITTEN_NOT) ||
            !is_certain(w, i, around) || !lun__loop_range_holds(t, w->to.ir->ins[i].a))
            continue;
        w->state[i] |= LUN_WRITTEN_NOT;
        w->to.map[i] = t->at; /* the test that implies it */
        dropped++;
    }
    return dropped;
}

static void take_checks(lun_writer *w, int32_t at, int32_t from, int32_t to)
{
    for (int32_t i = from; i < to; i++)
        if (w->to.ir->ins[i].kind == LUN_IR_CHECK && (w->state[i] & LUN_WRITTEN_NOT) &&
            w->to.map[i] == at)
            w->state[i] &= (uint8_t)~LUN_WRITTEN_NOT;
}

/* ---- loops ----------------------------------------------------------------------------------- */

static void write_loop(lun_writer *w, int32_t loop, int nested)
{
    const lun_counted *c = &w->loop[loop];
    w->to.map[c->var] = lun__ir_write_copy(&w->to, c->var);
    lun__ir_write_copy(&w->to, loop);
    copy(w, loop + 1, w->blocks.end[loop] + 1, nested);
}

/* A LOOP in two versions; false: in one. */
static bool write_tested(lun_writer *w, int32_t loop, int nested)
{
    const int32_t end = w->blocks.end[loop];
    lun_range_test t = {.w = w, .at = loop, .all = -1};
    if (!nested || !drop_checks(&t, loop, loop, end))
        return false;
    lun__ir_write(&w->to, LUN_IR_IF, LUN_BOOL, t.all, -1, 0);
    write_loop(w, loop, nested - 1);
    take_checks(w, loop, loop, end);
    lun__ir_write(&w->to, LUN_IR_ELSE, LUN_BOOL, -1, -1, 0);
    write_loop(w, loop, 0);
    lun__ir_write(&w->to, LUN_IR_END, LUN_BOOL, -1, -1, 0);
    return true;
}

/* ---- private memory -------------------------------------------------------------------------- */

/* Arrays of their own for the version that is written next; or none. */
static void open_own(lun_writer *w, bool any)
{
    lun_ir *to = &w->out->ir;
    for (int k = 0; k < w->to.ir->slot_count; k++) {
        w->local[k] = -1;
        if (!any || !w->own[k])
            continue;
        w->local[k] = lun__ir_slot_add(to, (lun_dtype)w->to.ir->slots[k].dtype, LUN_SLOT_TARGET);
        w->to.failed |= w->local[k] < 0;
        if (w->to.failed)
            return;
        to->slots[w->local[k]].own = w->to.ir->slots[k].own;
        w->out->locals = w->to.ir->slot_count;
    }
}

/* ---- instructions ---------------------------------------------------------------------------- */

static void write_ins(lun_writer *w, int32_t i)
{
    const lun_ir_ins *ins = &w->to.ir->ins[i];
    const bool slot = lun__ir_row(ins->kind)->imm == LUN_IMM_SLOT;
    lun__ir_write_copy(&w->to, i);
    if (!slot || w->local[ins->imm] < 0 || w->to.failed)
        return;
    lun_ir_ins *to = &w->out->ir.ins[w->to.map[i]];
    to->imm = w->local[ins->imm];
    *(ins->kind == LUN_IR_GATHER ? &to->a : &to->b) =
        w->to.map[lun__private_memory_within(w->to.ir, i)];
}

/* Instructions from .. to - 1, loops in versions `nested` deep. */
static void copy(lun_writer *w, int32_t from, int32_t to, int nested)
{
    for (int32_t i = from; i < to && !w->to.failed; i++) {
        const bool loop = w->to.ir->ins[i].kind == LUN_IR_LOOP && w->loop[i].var >= 0;
        if (w->state[i] & ~LUN_WRITTEN_DECIDED)
            continue;
        if (!loop) {
            write_ins(w, i);
            continue;
        }
        if (!write_tested(w, i, nested))
            write_loop(w, i, nested);
        i = w->blocks.end[i];
    }
}

/* ---- all of it ------------------------------------------------------------------------------- */

/* The first instruction with control flow or effects. */
static int32_t find_cut(const lun_writer *w)
{
    int32_t i = 0;
    while (i < w->to.ir->count && w->blocks.parent[i] < 0) {
        const lun_ir_row *row = lun__ir_row(w->to.ir->ins[i].kind);
        if (row->flow != LUN_FLOW_NONE ||
            (row->effects & (LUN_EFFECT_WRITES | LUN_EFFECT_VARIABLE)))
            break;
        i++;
    }
    return i;
}

/* Behind the test, IF or -1: the version in which all loops have their rounds, and the one without
 * that. */
static void write_free(lun_writer *w, int32_t cut, int32_t test)
{
    lun_range_test full = {.w = w, .at = cut, .all = -1};
    const bool found = lun__full_rounds_find(&full, cut) > 0;
    if (found) {
        lun__block_test_write(w, cut);
        lun__block_test_decides(w, test);
        lun__block_test_decides(w, lun__ir_write(&w->to, LUN_IR_IF, LUN_BOOL, full.all, -1, 0));
        open_own(w, true);
        lun__full_rounds_set(w, cut, true);
        copy(w, cut, w->to.ir->count, NESTED);
        lun__block_test_guards(w, cut);
        lun__ir_write(&w->to, LUN_IR_ELSE, LUN_BOOL, -1, -1, 0);
        lun__full_rounds_set(w, cut, false);
    }
    open_own(w, true);
    copy(w, cut, w->to.ir->count, NESTED);
    if (found)
        lun__ir_write(&w->to, LUN_IR_END, LUN_BOOL, -1, -1, 0);
}

static void write_all(lun_writer *w)
{
    const int32_t cut = find_cut(w);
    lun_range_test t = {.w = w, .at = cut, .all = -1};
    open_own(w, false);
    copy(w, 0, cut, 0);
    write_early(w, cut);
    drop_checks(&t, -1, cut, w->to.ir->count);
    if (t.all < 0) {
        write_free(w, cut, -1);
        return;
    }
    write_free(w, cut, lun__ir_write(&w->to, LUN_IR_IF, LUN_BOOL, t.all, -1, 0));
    lun__ir_write(&w->to, LUN_IR_ELSE, LUN_BOOL, -1, -1, 0);
    take_checks(w, cut, cut, w->to.ir->count);
    open_own(w, false);
    copy(w, cut, w->to.ir->count, 0);
    lun__ir_write(&w->to, LUN_IR_END, LUN_BOOL, -1, -1, 0);
}

/* Finds the loops that count; returns how many. */
static int find_loops(lun_writer *w)
{
    int found = 0;
    for (int32_t i = 0; i < w->to.ir->count; i++) {
        w->loop[i].var = -1;
        if (w->to.ir->ins[i].kind != LUN_IR_LOOP ||
            !lun__counted_find(w->to.ir, &w->blocks, i, &w->loop[i]))
            continue;
        w->state[w->loop[i].var] |= LUN_WRITTEN_COUNTER;
        found++;
    }
    return found;
}

static bool fits(const lun_ir *ir)
{
    for (int32_t i = 0; i < ir->count; i++)
        if (ir->ins[i].kind == LUN_IR_CALL)
            return false;
    return ir->count <= MOST_CODE && ir->scan < 0 && !ir->result_count;
}

lun_status lun__loop_versions_make(const lun_ir *ir, lun_versions *out)
{
    const size_t n = (size_t)ir->count + 1, slots = (size_t)ir->slot_count + 1;
    lun_writer w = {.to = {.ir = ir, .to = &out->ir, .from = &out->from}, .out = out};
    memset(out, 0, sizeof *out);
    lun__ir_init(&out->ir);
    if (!fits(ir))
        return LUN_OK;
    lun_status s = lun__ir_structure_find(ir, &w.blocks, NULL);
    if (s != LUN_OK)
        return s;
    w.loop = malloc(n * sizeof *w.loop);
    w.state = calloc(n + slots, 1);
    w.to.map = malloc((n + slots) * sizeof *w.to.map);
    w.to.failed = !w.loop || !w.state || !w.to.map || !lun__ir_copy_outside(ir, &out->ir);
    if (!w.to.failed) {
        w.own = w.state + n;
        w.local = w.to.map + n;
        lun__private_memory_find(ir, w.own);
        if (find_loops(&w))
            write_all(&w);
    }
    free(w.loop);
    free(w.state);
    free(w.to.map);
    lun__ir_structure_free(&w.blocks);
    return w.to.failed ? LUN_ENOMEM : LUN_OK;
}

void lun__loop_versions_free(lun_versions *v)
{
    lun__ir_free(&v->ir);
    lun__ir_free(&v->whole);
    free(v->from);
    memset(v, 0, sizeof *v);
}
