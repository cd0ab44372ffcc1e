/* chain.c - runs chains of steps; see chain.h and plan/chain.h.
 *
 * Every kernel of a chain is elementwise or takes each row alone, so bits do not depend on how many
 * rows are run at a time. */
#include "run/chain.h"

#include <stdlib.h>
#include <string.h>

#include "ir/order.h"
#include "run/bind.h"
#include "run/run.h"

enum { PORTION_BYTES = 2 << 20 }; /* of one wide array, about, that is in work at a time */

/* A result of the chain. */
typedef struct made {
    lun_node *node;
    lun_storage *storage;
    bool narrow, ring; /* an element for each row; only a portion is there, at its begin */
} made;

typedef struct chain {
    lun_engine *e;
    const lun_steps *s;
    int first, last;
    int64_t n, line, rows; /* rows of a portion */
    made *at;
    int count, room;
    uint64_t *cells; /* of a portion's rows */
} chain;

/* Rows row .. row + count - 1. */
typedef struct portion {
    int64_t row, count;
} portion;

bool lun__chain_fits(lun_engine *e)
{
    lun_backend_slot *b;
    return lun__backend(e, &b) == LUN_OK && !b->backend->buffer_new;
}

/* ---- results --------------------------------------------------------------------------------- */

static made *find(const chain *c, const lun_node *n)
{
    for (int i = 0; i < c->count; i++)
        if (c->at[i].node == n)
            return &c->at[i];
    return NULL;
}

/* Whether n is asked for, or read by a step after the chain. */
static bool is_needed(const chain *c, const lun_node *n)
{
    for (int i = 0; i < c->s->root_count; i++)
        if (c->s->roots[i] == n)
            return true;
    for (int k = c->last + 1; k < c->s->count; k++) {
        const lun_step *step = &c->s->at[k];
        const lun_lowered *l = &step->lowered;
        if (step->kind != LUN_STEP_LAUNCH || l->needed == n)
            return true;
        for (int i = 0; i < l->ir.slot_count; i++)
            if (l->slots[i].node == n)
                return true;
    }
    return false;
}

static lun_status add_made(chain *c, lun_node *n, bool narrow)
{
    made m = {.node = n, .narrow = narrow, .ring = !narrow && !is_needed(c, n)};
    int64_t count = m.ring ? c->rows * c->line : narrow ? c->n / c->line : c->n;
    lun_status s = lun__storage_new(c->e, (lun_dtype)n->dtype, count, &m.storage);
    if (s == LUN_OK)
        c->at[c->count++] = m;
    return s;
}

static lun_status make_results(chain *c)
{
    lun_status s = LUN_OK;
    int most = 0;
    for (int k = c->first; k <= c->last; k++)
        most += c->s->at[k].lowered.ir.slot_count + c->s->at[k].lowered.ir.result_count;
    c->at = calloc((size_t)most + 1, sizeof *c->at);
    if (!c->at)
        return lun__nomem(c->e);
    for (int k = c->first; s == LUN_OK && k <= c->last; k++) {
        const lun_lowered *l = &c->s->at[k].lowered;
        bool narrow = lun__chain_width(&c->s->at[k], c->n, c->line) == LUN_CHAINED_NARROW;
        for (int r = 0; s == LUN_OK && r < l->ir.result_count; r++)
            if (!find(c, l->results[r]))
                s = add_made(c, l->results[r], true);
        for (int i = 0; s == LUN_OK && i < l->ir.slot_count; i++)
            if (l->ir.slots[i].role == LUN_SLOT_OUT)
                s = add_made(c, l->slots[i].node, narrow);
    }
    return s;
}

/* ---- one step on a portion ------------------------------------------------------------------- */

/* Binds slot i to a result of the chain; `at`: the first index, `shifted`: the launch counts from
 * there. */
static lun_status bind_made(const chain *c, lun_binding *to, int i, const made *m, int64_t at,
                            int64_t count, bool shifted, bool out)
{
    const lun_slot_source *from = &to->l->slots[i];
    lun_layout rows;
    if (!out && from->view) { /* the element of each row */
        lun__node_layout(from->view, &rows);
        lun_status s = lun__bind_part(c->e, to, i, m->storage, 0, &rows, count, false);
        if (s == LUN_OK && shifted)
            to->streams[i].origin = at;
        return s;
    }
    int64_t offset = m->ring ? (shifted ? 0 : -at) : (shifted ? at : 0);
    lun_status s = lun__bind_part(c->e, to, i, m->storage, offset, NULL, count, out);
    if (s == LUN_OK) /* of the whole storage: neighbours are written after this portion */
        to->room[i] = m->storage->room - offset;
    return s;
}

/* Binds slot i to what was there before the chain. */
static lun_status bind_other(const chain *c, lun_binding *to, int i, int64_t at, int64_t count,
                             bool shifted)
{
    const lun_slot_source *from = &to->l->slots[i];
    bool walks = shifted && to->l->ir.slots[i].role == LUN_SLOT_IN;
    lun_status s;
    if (walks && !from->view && !lun__node_made(from->node))
        return lun__bind_part(c->e, to, i, from->node->storage,
                              from->node->offset + from->offset + at, NULL, count, false);
    s = lun__bind_slot(c->e, to, i, NULL, at, count);
    if (s == LUN_OK && walks)
        to->streams[i].origin = at;
    return s;
}

/* The cells of a portion's rows to the results. */
static void keep_cells(const chain *c, const lun_lowered *l, const portion *p)
{
    const int results = l->ir.result_count;
    for (int r = 0; r < results; r++) {
        const made *m = find(c, l->results[r]);
        lun_dtype t = (lun_dtype)m->node->dtype, acc = (lun_dtype)l->ir.results[r];
        int size = lun__dtype_get(t)->bytes;
        char *to = (char *)m->storage->data + p->row * size;
        for (int64_t k = 0; k < p->count; k++, to += size) {
            uint64_t cell = lun__cell_cast(t, acc, c->cells[k * results + r]);
            memcpy(to, &cell, (size_t)size);
        }
    }
}

static lun_status launch(const chain *c, const lun_step *step, const portion *p)
{
    const lun_lowered *l = &step->lowered;
    bool narrow = lun__chain_width(step, c->n, c->line) == LUN_CHAINED_NARROW;
    bool shifted = l->line != 0;
    int64_t each = narrow ? 1 : c->line, at = p->row * each, count = p->count * each;
    lun_binding to;
    lun_kernel_entry *k;
    lun_status s = lun__bind_open(c->e, l, &to);
    for (int i = 0; s == LUN_OK && i < l->ir.slot_count; i++) {
        const made *m = find(c, l->slots[i].node);
        bool out = l->ir.slots[i].role == LUN_SLOT_OUT;
        s = m ? bind_made(c, &to, i, m, at, count, shifted, out)
              : bind_other(c, &to, i, at, count, shifted);
    }
    if (s == LUN_OK)
        s = lun__run_kernel(c->e, l, &k);
    if (s == LUN_OK)
        s = shifted ? lun__bind_run(c->e, &to, k, count, 0, count, c->cells)
                    : lun__bind_run(c->e, &to, k, step->n, at, count, c->cells);
    lun__bind_close(&to);
    return s;
}

/* Whether the results of a step, of these rows, are used. */
static lun_status is_used(const chain *c, const lun_lowered *l, const portion *p, bool *used)
{
    const made *m = l->needed ? find(c, l->needed) : NULL;
    *used = true;
    if (m)
        *used = memchr((char *)m->storage->data + (m->ring ? 0 : p->row), 1, (size_t)p->count);
    return l->needed && !m ? lun__needed(c->e, l->needed, p->row, p->count, used) : LUN_OK;
}

static lun_status run_step(const chain *c, const lun_step *step, const portion *p)
{
    const lun_lowered *l = &step->lowered;
    bool used;
    lun_status s = is_used(c, l, p, &used);
    if (s == LUN_OK && used)
        s = launch(c, step, p);
    else if (s == LUN_OK) /* any cells */
        memset(c->cells, 0, (size_t)(p->count * l->ir.result_count) * sizeof *c->cells);
    if (s == LUN_OK)
        keep_cells(c, l, p);
    return s;
}

/* ---- a chain --------------------------------------------------------------------------------- */

static lun_status run_portions(const chain *c)
{
    const int64_t rows = c->n / c->line;
    lun_status s = LUN_OK;
    for (int64_t row = 0; s == LUN_OK && row < rows; row += c->rows) {
        portion p = {row, rows - row < c->rows ? rows - row : c->rows};
        for (int k = c->first; s == LUN_OK && k <= c->last; k++)
            s = run_step(c, &c->s->at[k], &p);
        if (s == LUN_OK)
            s = lun__stopped(c->e);
    }
    return s;
}

/* The results go to their nodes, but for those that only the chain needed. */
static void keep_results(chain *c)
{
    for (int i = 0; i < c->count; i++) {
        if (c->at[i].ring)
            continue;
        lun__node_become_leaf(c->e, c->at[i].node, c->at[i].storage, 0);
        c->at[i].storage = NULL;
    }
}

lun_status lun__chain_run(lun_engine *e, const lun_steps *s, int first, int last)
{
    const lun_step *head = &s->at[first];
    chain c = {
        .e = e, .s = s, .first = first, .last = last, .n = head->n, .line = head->lowered.line};
    int results = 1;
    c.rows = PORTION_BYTES / (c.line * (int64_t)sizeof(float)) / LUN_BLOCK * LUN_BLOCK;
    c.rows = c.rows < LUN_BLOCK ? LUN_BLOCK : c.rows;
    for (int k = first; k <= last; k++)
        if (s->at[k].lowered.ir.result_count > results)
            results = s->at[k].lowered.ir.result_count;
    c.cells = calloc((size_t)(c.rows * results), sizeof *c.cells);
    lun_status status = c.cells ? make_results(&c) : lun__nomem(e);
    if (status == LUN_OK)
        status = run_portions(&c);
    if (status == LUN_OK)
        keep_results(&c);
    for (int i = 0; i < c.count; i++)
        if (c.at[i].storage)
            lun__storage_release(e, c.at[i].storage);
    free(c.at);
    free(c.cells);
    return status;
}
