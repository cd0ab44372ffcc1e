/* wanted.c - which elements of arrays the rounds of a loop read at computed indices, by a kernel
 * that marks them.  Knows no rank but as a box of elements. */
#include "api/spmd/wanted.h"

#include <stdlib.h>
#include <string.h>

#include "base/sized.h"
#include "kernels/bitmap_kernel.h"
#include "steps/step_runners.h"

/* The axes of array a for the search: those along which all ranks have all of it go with the one
 * before. */
static void set_axes(const lun_array *a, const lun_blocks *blocks, lun_ir_sought *x)
{
    int64_t shape[LUN_MAX_RANK];
    const int rank = lun_shape(a, shape);
    for (int d = 0; d < rank; d++) {
        const bool whole = blocks && blocks->grid[d] == 1;
        if (whole && x->axes && shape[d]) {
            x->extent[x->axes - 1] *= shape[d];
            continue;
        }
        x->extent[x->axes] = shape[d];
        x->whole[x->axes++] = whole;
    }
}

lun_status lun__wanted_search(lun_engine *e, const lun_boxed *b, const lun_part *parts, int count,
                              const lun_blocks *const *blocks, lun_search *out)
{
    memset(out->of, 0, sizeof out->of);
    for (int k = 0; k < b->r.arrays; k++) {
        const int number = lun__boxed_number(b->loop, b->r.array[k]);
        out->of[k].apart = number >= 0 && !lun__boxed_computed(parts, count, number);
        if (out->of[k].apart)
            set_axes(b->r.array[k], blocks ? blocks[number] : NULL, &out->of[k]);
    }
    const lun_status s = lun__ir_inspector(b->r.function->body, out->of, &out->body, &out->count);
    return s == LUN_OK ? LUN_OK : lun__fail_nomem(e);
}

/* ---- the kernel's operands ------------------------------------------------------------------- */

enum { MOST_SCALARS = LUN_FRONT_WINDOWS + LUN_FRONT_SCALARS + 2 * LUN_MAX_RANK * LUN_FRONT_ARRAYS };

typedef struct marking {
    lun_search found;
    lun_taken taken[MOST_SCALARS];
    lun_node *arrays[2 * LUN_FRONT_ARRAYS];
    lun_marking kernel;
} marking;

/* n, which is taken, as a LEAF. */
static lun_status settle(lun_engine *e, lun_node *n, lun_node **out)
{
    lun_status s = LUN_OK;
    if (n->kind == LUN_NODE_LEAF) {
        *out = n;
        return LUN_OK;
    }
    s = lun__read_node_copy(e, n, out);
    lun__node_release(e, n);
    return s;
}

bool lun__wanted_is_read(const lun_ir *body, lun_ir_kind kind, int number)
{
    for (int i = 0; i < body->count; i++)
        if (body->ins[i].kind == kind && body->ins[i].imm == number)
            return true;
    return false;
}

/* The elements of windows that the body reads, and the numbers that it takes. */
static lun_status take_scalars(lun_engine *e, const lun_boxed *b, marking *m)
{
    const lun_ir *body = &m->found.body;
    lun_status s = LUN_OK;
    int at = 0;
    for (int k = 0; s == LUN_OK && k < b->r.window_count; k++, at++) {
        lun_node *n = NULL;
        m->taken[at].how = LUN_TAKES_NUMBER;
        if (!lun__wanted_is_read(body, LUN_IR_ARG, b->box.rank + k))
            continue;
        s = lun__boxed_window(e, b, k, &n);
        if (s == LUN_OK && n->kind == LUN_NODE_NUMBER && !n->rank) {
            m->taken[at].cell = n->cell;
            lun__node_release(e, n);
            continue;
        }
        m->taken[at].how = LUN_TAKES_ELEMENT;
        if (s == LUN_OK)
            s = settle(e, n, &m->taken[at].node);
    }
    for (int k = 0; s == LUN_OK && k < b->r.scalars; k++, at++)
        m->taken[at] =
            (lun_taken){.how = LUN_TAKES_NUMBER,
                        .cell = lun__dtype_cell_from_value(b->r.scalar_dtype[k], b->r.scalar[k])};
    return s;
}

/* The box of its elements that is at hand of what slot k reads: arguments of the body. */
static void take_box(const lun_boxed *b, const lun_blocks *blocks, int pe, int k, marking *m)
{
    const lun_ir_sought *x = &m->found.of[k];
    int64_t first[LUN_MAX_RANK], count[LUN_MAX_RANK];
    lun_blocks_box(blocks, pe, first, count);
    for (int d = 0, axis = -1; d < blocks->rank; d++) {
        const bool joins = blocks->grid[d] == 1 && axis >= 0 && blocks->extent[d];
        axis += !joins;
        lun_taken *to = &m->taken[x->argument + 2 * axis - b->box.rank];
        if (!joins)
            to[0] = to[1] = (lun_taken){.how = LUN_TAKES_NUMBER, .cell = 1};
        to[0].cell = joins ? to[0].cell * (uint64_t)count[d] : (uint64_t)first[d];
        to[1].cell *= (uint64_t)count[d];
    }
}

/* Zeros to be marked: the bits of a's elements. */
static lun_status make_marks(lun_engine *e, const lun_array *a, lun_array **out)
{
    const int64_t n = lun_size(a) / 32 + 1;
    lun_array *zeros = NULL;
    lun_status s = lun_full(e, 1, &n, LUN_U32, (lun_value){LUN_I64, {0}}, &zeros);
    if (s == LUN_OK)
        s = lun_copy(e, zeros, out);
    lun_release(zeros);
    return s == LUN_OK ? lun_eval(e, out, 1) : s;
}

/* What slot k of the body reads, and where it marks. */
static lun_status take_array(lun_engine *e, const lun_boxed *b, const lun_part *parts, int count,
                             int k, marking *m, lun_array **marks)
{
    const lun_ir_sought *x = &m->found.of[k];
    const int number = lun__boxed_number(b->loop, b->r.array[k]);
    lun_node *n = NULL, *cast = NULL;
    if (x->apart) {
        lun_status s = make_marks(e, b->r.array[k], &marks[number]);
        if (s == LUN_OK)
            m->arrays[x->slot] = lun__node_retain(marks[number]->node);
        return s;
    }
    if (!lun__wanted_is_read(&m->found.body, LUN_IR_GATHER, k) &&
        !lun__wanted_is_read(&m->found.body, LUN_IR_LOADU, k))
        return LUN_OK;
    lun_array *from =
        number < 0 ? b->r.array[k] : lun__boxed_computed(parts, count, number)->elements;
    lun_status s = lun__array_node(e, from, LUN_DTYPE_COUNT, &n);
    if (s == LUN_OK)
        s = lun__convert(e, n, (lun_dtype)m->found.body.slots[k].dtype, &cast);
    lun__node_release(e, n);
    return s == LUN_OK ? settle(e, cast, &m->arrays[k]) : s;
}

static lun_status take(lun_engine *e, const lun_boxed *b, const lun_part *parts, int count,
                       const lun_whose *whose, marking *m, lun_array **marks)
{
    lun_status s = take_scalars(e, b, m);
    for (int k = 0; s == LUN_OK && k < b->r.arrays; k++) {
        if (m->found.of[k].apart)
            take_box(b, whose->blocks[lun__boxed_number(b->loop, b->r.array[k])], whose->pe, k, m);
        s = take_array(e, b, parts, count, k, m, marks);
    }
    return s;
}

/* ---- running --------------------------------------------------------------------------------- */

/* The sum of n elements of i64, which are taken. */
static lun_status sum_of(lun_engine *e, lun_storage *from, int64_t n, int64_t *out)
{
    lun_node *node = NULL;
    lun_array *all = NULL;
    const void *data;
    *out = 0;
    lun_status s = lun__node_leaf(e, from, 0, 1, &n, &node);
    lun__storage_release(e, from);
    if (s == LUN_OK)
        s = lun__array(e, node, true, &all);
    if (s == LUN_OK)
        s = lun_data(e, all, &data);
    for (int64_t i = 0; s == LUN_OK && i < n; i++)
        *out += ((const int64_t *)data)[i];
    lun_release(all);
    return s;
}

static lun_status run(lun_engine *e, const lun_boxed *b, marking *m, int64_t *gets)
{
    const int64_t n = lun__layout_count(&b->box.at);
    lun_lowered kernel;
    lun_storage *counts = NULL;
    lun_node *like = NULL;
    lun_status s = lun__node_index(e, n, &like);
    if (s != LUN_OK)
        return s;
    m->kernel = (lun_marking){.body = &m->found.body,
                              .value = m->found.count,
                              .rank = b->box.rank,
                              .first = b->box.first,
                              .extent = b->box.at.extent,
                              .taken = m->taken,
                              .arrays = m->arrays,
                              .notes = b->r.notes,
                              .note_count = b->r.note_count,
                              .like = like};
    s = lun__bitmap_kernel_lower(e, &m->kernel, &kernel);
    if (s == LUN_OK) {
        lun_host_begin(e);
        s = lun__inplace_step_run(e, &kernel, n, false, &counts);
        lun_host_end(e);
        lun__lowered_free(&kernel);
    }
    lun__node_release(e, like);
    return s == LUN_OK ? sum_of(e, counts, n, gets) : s;
}

lun_status lun_loop_wanted(lun_engine *e, lun_function *f, const lun_part_loop *loop,
                           const lun_part *given, int count, const lun_whose *whose,
                           lun_array **marks, int64_t *gets)
{
    LUN_NEED(e, LUN_HAS(loop, count) && (!count || LUN_HAS(given, words)) && count >= 0 &&
                    LUN_HAS(whose, pe) && marks && gets);
    lun_boxed b;
    *gets = 0;
    for (int k = 0; k < loop->count; k++)
        marks[k] = NULL;
    marking *m = calloc(1, sizeof *m);
    lun_part *parts = lun__sized_take_list(given, count, sizeof *parts);
    lun_status s = m && parts ? lun__boxed_open(e, f, loop, &b) : lun__fail_nomem(e);
    if (s != LUN_OK) {
        free(parts);
        free(m);
        return s;
    }
    s = lun__boxed_windows(e, &b, parts, count);
    if (s == LUN_OK)
        s = lun__wanted_search(e, &b, parts, count, whose->blocks, &m->found);
    if (s == LUN_OK)
        s = take(e, &b, parts, count, whose, m, marks);
    if (s == LUN_OK && !b.box.empty)
        s = run(e, &b, m, gets);
    for (int k = 0; k < MOST_SCALARS; k++)
        lun__node_release(e, m->taken[k].node);
    for (int k = 0; k < 2 * LUN_FRONT_ARRAYS; k++)
        lun__node_release(e, m->arrays[k]);
    for (int k = 0; s != LUN_OK && k < loop->count; k++) {
        lun_release(marks[k]);
        marks[k] = NULL;
    }
    lun__ir_free(&m->found.body);
    lun__boxed_close(&b);
    free(parts);
    free(m);
    return s;
}
