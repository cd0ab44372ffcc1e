/* run_event.c - see run_event.h. */
#include "launch/run_event.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lunarray_bind.h"
#include "table/algorithm.h"
#include "table/dtype.h"
#include "table/skeleton.h"

struct lun_run_event {
    lun_tool_event ev;
    int64_t interpreted, moved; /* runs of that tier, bytes read and written before it */
    char place[64], label[160];
};

void lun__run_event_operations(const lun_ir *ir, char *to, size_t room)
{
    size_t used = 0;
    to[0] = 0;
    for (int i = 0; i < ir->count; i++) {
        const lun_ir_ins *ins = &ir->ins[i];
        lun_op_info info = {.size = sizeof info};
        const char *name = NULL;
        if (ins->kind == LUN_IR_OP && lun_op_describe((lun_op)ins->op, &info))
            name = info.name;
        else if (ins->kind == LUN_IR_CALL)
            name = "C";
        else if (ins->kind == LUN_IR_LOOP)
            name = "loop";
        if (!name)
            continue;
        size_t length = strlen(name);
        if (used + length + 5 > room) {
            memcpy(to + used, " ...", 5);
            return;
        }
        used += (size_t)snprintf(to + used, room - used, "%s%s", used ? " " : "", name);
    }
}

const char *lun__run_event_line(const lun_engine *e, const lun_lowered *l)
{
    const char *line = "";
    for (int i = l->ir.count - 1; i >= 0 && !*line; i--)
        line = lun__source_mark_text(e, l->where[i]);
    return line;
}

/* ---- what begins ----------------------------------------------------------------------------- */

static lun_run_event *event(lun_engine *e, double start, const lun_backend_slot *at,
                            lun_tool_kind kind)
{
    lun_run_event *x = lun__tools_watch(e->tools) ? malloc(sizeof *x) : NULL;
    if (!x)
        return NULL;
    x->ev = (lun_tool_event){.kind = kind, .time = start, .place = x->place, .label = x->label};
    x->interpreted = e->stats.interpreted;
    x->moved = e->stats.bytes_read + e->stats.bytes_written;
    x->label[0] = 0;
    if (at || !e->set_count)
        snprintf(x->place, sizeof x->place, "%s", at ? at->name : lun__set_at(e, 0)->name);
    else
        snprintf(x->place, sizeof x->place, "%s and %d more", e->set[0]->name, e->set_count - 1);
    return x;
}

static lun_run_event *begin(lun_engine *e, lun_run_event *x)
{
    lun__tools_call(e->tools, true, &x->ev);
    return x;
}

static const char *name_of(const lun_lowered *l)
{
    return lun__skeleton_kernel_name(l->ir.scan >= 0, l->ir.result_count || l->unrolled);
}

lun_run_event *lun__run_event_kernel(lun_engine *e, double start, const lun_backend_slot *at,
                                     const lun_lowered *l, int64_t elements, int64_t bytes)
{
    lun_run_event *x = event(e, start, at, LUN_TOOL_KERNEL);
    if (!x)
        return NULL;
    x->ev.name = name_of(l);
    x->ev.where = lun__run_event_line(e, l);
    x->ev.operations = l->ops;
    x->ev.elements = elements;
    x->ev.bytes = bytes;
    lun__run_event_operations(&l->ir, x->label, sizeof x->label);
    return begin(e, x);
}

lun_run_event *lun__run_event_together(lun_engine *e, double start, const lun_backend_slot *at,
                                       const lun_steps *s, int first, int last, int64_t bytes)
{
    lun_run_event *x = event(e, start, at, LUN_TOOL_KERNEL);
    if (!x)
        return NULL;
    size_t used = 0;
    x->ev.name = s->at[first].sweep ? "sweep" : "chain";
    x->ev.where = lun__run_event_line(e, &s->at[last].lowered);
    x->ev.bytes = bytes;
    for (int k = first; k <= last; k++) {
        const lun_lowered *l = &s->at[k].lowered;
        x->ev.operations += l->ops;
        x->ev.elements = s->at[k].n > x->ev.elements ? s->at[k].n : x->ev.elements;
        if (used + 10 > sizeof x->label)
            continue;
        used += (size_t)snprintf(x->label + used, sizeof x->label - used, "%s", used ? "; " : "");
        lun__run_event_operations(&l->ir, x->label + used, sizeof x->label - used);
        used += strlen(x->label + used);
    }
    return begin(e, x);
}

static int64_t bytes_of(const lun_node *n)
{
    const bool number = !n || n->kind == LUN_NODE_NUMBER;
    return number ? 0 : n->n * lun__dtype_get((lun_dtype)n->dtype)->bytes;
}

lun_run_event *lun__run_event_product(lun_engine *e, double start, const lun_backend_slot *at,
                                      const lun_node *n)
{
    lun_run_event *x = event(e, start, at, LUN_TOOL_PRODUCT);
    if (!x)
        return NULL;
    x->ev.name = "matmul";
    x->ev.where = lun__source_mark_text(e, n->where);
    x->ev.operations = 1;
    x->ev.elements = n->n;
    x->ev.bytes = bytes_of(n->in[0]) + bytes_of(n->in[1]) + bytes_of(n);
    return begin(e, x);
}

lun_run_event *lun__run_event_algorithm(lun_engine *e, double start, const lun_backend_slot *at,
                                        const lun_node *n)
{
    lun_run_event *x = event(e, start, at, LUN_TOOL_ALGORITHM);
    if (!x)
        return NULL;
    x->ev.name = lun__algorithm_rows[n->op].name;
    x->ev.where = lun__source_mark_text(e, n->where);
    x->ev.operations = 1;
    x->ev.elements = n->more[0]->n;
    for (int k = 0; k < n->count; k++)
        x->ev.bytes += bytes_of(n->more[k]);
    return begin(e, x);
}

/* ---- its end --------------------------------------------------------------------------------- */

void lun__run_event_end(lun_engine *e, lun_run_event *x, double end)
{
    if (!x)
        return;
    x->ev.time = end;
    x->ev.interpreted = e->stats.interpreted > x->interpreted;
    if (!x->ev.bytes)
        x->ev.bytes = e->stats.bytes_read + e->stats.bytes_written - x->moved;
    lun__tools_call(e->tools, false, &x->ev);
    free(x);
}
