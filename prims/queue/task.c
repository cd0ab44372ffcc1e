/* task.c - a function of teams with its arguments, made once and run by queues; see queue.h.
 *
 * Invariant: nothing of a task changes once it is made but its references, so that workers may run
 * it at once.  It holds its function and its buffers. */
#include <stdlib.h>
#include <string.h>

#include "base/sized.h"
#include "graph/function_ref.h"
#include "queue/queue.h"

/* ---- making one ------------------------------------------------------------------------------ */

static lun_status take_arguments(lun_task *t, const lun_argument *args, int count,
                                 lun_argument *own, lun_front_param *params)
{
    for (int k = 0; k < count; k++) {
        lun_argument *a = &own[k];
        lun_front_param *p = &params[LUN_FRONT_NUMBERS + k];
        const lun_argument *given =
            (const lun_argument *)((const char *)args + (size_t)k * args->size);
        *a = (lun_argument){.size = sizeof *a};
        lun__sized_take(a, given, sizeof *a);
        const lun_memory *m = a->buffer;
        lun_status s = m ? lun__user_buffer_usable(t->e, m, "argument", k)
                         : lun__fail_check_value(t->e, a->number);
        if (s != LUN_OK)
            return s;
        p->stored = m ? m->dtype : a->number.dtype;
        p->dtype = (lun_dtype)lun__dtype_get(p->stored)->compute;
        p->array = m != NULL;
        p->weak = m == NULL;
        p->rank = m ? m->rank : 0;
        if (!m)
            continue;
        memcpy(p->shape, m->extent, sizeof p->shape);
        p->pitched = m->row != m->extent[m->rank - 1];
        if (p->pitched) /* of fewer extents than there is room for */
            p->shape[m->rank] = m->row;
    }
    return LUN_OK;
}

/* first: the number of the body's first array that is captured. */
static lun_status check_captured(lun_engine *e, const lun_front_result *r, int first)
{
    int64_t shape[LUN_MAX_RANK];
    for (int k = 0; k < r->arrays; k++)
        if (lun_shape(r->array[k], shape) > 0)
            return lun__fail(e, LUN_EARG,
                             "'%s' is captured: pass the array as an argument, in a buffer",
                             r->names ? r->names[first] : "an array");
    return LUN_OK;
}

/* A buffer that is assigned is the only way to its elements. */
static lun_status check_shared(const lun_task *t)
{
    for (int k = 0; k < t->arrays; k++)
        for (int i = 0; i < t->arrays; i++)
            if (i != k && t->array[k].memory && t->array[k].memory == t->array[i].memory &&
                t->function.body->slots[k].role == LUN_SLOT_TARGET)
                return lun__fail(t->e, LUN_EARG,
                                 "arguments " LUN_NTH " and " LUN_NTH
                                 " are one buffer, which the function assigns: "
                                 "hand it over once",
                                 t->array[k < i ? k : i].number, t->array[k < i ? i : k].number);
    return LUN_OK;
}

/* What the body takes, in its order. */
static lun_status take_body(lun_task *t, const lun_front_result *r, const lun_argument *args,
                            int count)
{
    const lun_ir *body = r->function->body;
    lun_status s = LUN_OK;
    int cells = 0;
    t->function = *r->function;
    for (int k = 0; k < count; k++) {
        if (args[k].buffer) {
            args[k].buffer->refs++;
            t->array[t->arrays++] = (lun_task_array){args[k].buffer, k};
            continue;
        }
        t->cell[cells] = lun__dtype_cell_from_value(
            (lun_dtype)body->args[LUN_FRONT_NUMBERS + cells], args[k].number);
        cells++;
    }
    t->run.first = t->arrays;
    t->run.scratch = t->scratch;
    t->run.scratches = r->scratches;
    t->arrays += r->scratches;
    for (int k = 0; k < r->scalars; k++)
        t->cell[cells++] = lun__dtype_cell_from_value(r->scalar_dtype[k], r->scalar[k]);
    for (int k = 0; s == LUN_OK && k < r->arrays;
         k++) { /* Scalars: their numbers as they are now */
        uint64_t cell = 0;
        s = lun_read(t->e, r->array[k], &cell, 0, 1);
        t->cell[cells] = lun__dtype_cell_cast((lun_dtype)body->args[LUN_FRONT_NUMBERS + cells],
                                              lun_dtype_of(r->array[k]), cell);
        cells++;
    }
    return s;
}

static lun_status make(lun_task *t, const lun_workdiv *w, const lun_argument *args, int count)
{
    lun_front_param params[LUN_FRONT_NUMBERS + LUN_MAX_OPERANDS] = {0};
    lun_argument own[LUN_MAX_OPERANDS];
    lun_front_result r = {0};
    int buffers = 0;
    lun_status s = take_arguments(t, args, count, own, params);
    if (s == LUN_OK)
        s = lun__team_division(t->e, w, &t->run);
    if (s == LUN_OK)
        s = lun__team_specialise(t->e, t->f, w, params, count, &r);
    for (int k = 0; k < count; k++)
        buffers += own[k].buffer != NULL;
    if (s == LUN_OK)
        s = check_captured(t->e, &r, buffers + r.scratches);
    if (s != LUN_OK)
        return s;
    s = take_body(t, &r, own, count);
    if (s == LUN_OK)
        s = lun__team_scratch(t->e, &r, w, t->cell, t->scratch);
    t->run.f = &t->function;
    t->run.number = r.function->number;
    t->run.notes = r.notes;
    t->run.names = r.names;
    t->run.check = w->check;
    t->run.cells = t->cell;
    return s == LUN_OK ? check_shared(t) : s;
}

lun_status lun_task_new(lun_engine *e, lun_function *f, const lun_workdiv *w,
                        const lun_argument *args, int count, lun_task **out)
{
    LUN_NEED(e, w && out && count >= 0 && (args || !count));
    if (!f || !f->front.specialise)
        return lun__fail(
            e, LUN_EARG,
            "a task takes a function of the host's language, or C text without a result, "
            "which assigns elements of buffers");
    if (count > LUN_MAX_OPERANDS)
        return lun__fail(e, LUN_EARG, "%d arguments: at most %d can be given", count,
                         LUN_MAX_OPERANDS);
    const lun_workdiv division = lun__team_workdiv(w);
    lun_task *t = lun__account_object_new(e->account, sizeof *t);
    if (!t)
        return lun__fail_nomem(e);
    t->refs = 1;
    t->e = e;
    t->where = e->source_line;
    t->f = f;
    lun_function_retain(f);
    lun_status s = make(t, &division, args, count);
    if (s == LUN_OK)
        *out = t;
    else
        lun_task_release(t);
    return s;
}

static void release(void *object)
{
    lun_task *t = object;
    if (--t->refs)
        return;
    for (int k = 0; k < t->arrays; k++)
        lun__user_buffer_release(t->array[k].memory);
    lun_function_release(t->f);
    lun__account_object_free(t->e->account, t);
}

void lun_task_release(lun_task *t)
{
    if (!t)
        return;
    LUN_RELEASES(t->e, &t->later, release, t);
    release(t);
}

/* ---- running it ------------------------------------------------------------------------------ */

/* A LEAF of e on the memory, for the backend in use. */
static lun_status borrow(lun_engine *e, const lun_memory *m, lun_node **out)
{
    lun_storage *s;
    lun_status status = lun__storage_empty(e, m->dtype, m->n, &s);
    if (status != LUN_OK)
        return status;
    if (m->buffer) {
        lun_mirror *there = calloc(1, sizeof *there);
        if (!there) {
            lun__storage_release(e, s);
            return lun__fail_nomem(e);
        }
        *there = (lun_mirror){.at = e->backends[e->current], .buffer = m->buffer, .current = true};
        s->mirrors = there;
    } else {
        s->data = m->data;
        s->room = m->bytes / lun__dtype_get(m->dtype)->bytes;
        s->stale = false;
        s->wrapped = true;
    }
    int64_t shape[LUN_MAX_RANK];
    memcpy(shape, m->extent, sizeof shape);
    shape[m->rank - 1] = m->row;
    status = lun__node_leaf(e, s, 0, m->rank, shape, out);
    if (status != LUN_OK) {
        free(s->mirrors);
        s->mirrors = NULL;
    }
    lun__storage_release(e, s);
    return status;
}

/* The memory is no longer the LEAF's. */
static void give_back(lun_engine *e, lun_node *n)
{
    if (!n)
        return;
    free(n->storage->mirrors);
    n->storage->mirrors = NULL;
    lun__node_release(e, n);
}

lun_status lun__task_run(lun_engine *e, const lun_task *t)
{
    lun_node *node[LUN_TEAM_ARRAYS] = {NULL};
    lun_team_run run = t->run;
    lun_status s = LUN_OK;
    for (int k = 0; s == LUN_OK && k < t->arrays; k++)
        if (t->array[k].memory)
            s = borrow(e, t->array[k].memory, &node[k]);
    run.arrays = node;
    if (s == LUN_OK)
        s = lun__teams_step_run(e, &run);
    for (int k = 0; k < t->arrays; k++)
        if (t->array[k].memory)
            give_back(e, node[k]);
    return s;
}
