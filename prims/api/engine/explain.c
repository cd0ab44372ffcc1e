/* explain.c - the plan of an evaluation, described without running it. */
#include <stdlib.h>
#include <string.h>

#include "api/write/merge_divergent.h"
#include "base/layout/space.h"
#include "eval/fast_path.h"
#include "graph/node.h"
#include "kernels/pairs_kernel.h"
#include "kernels/running_kernel.h"
#include "launch/kernels.h"
#include "launch/profile.h"
#include "lunarray_bind.h"
#include "plan/matmul_plan.h"
#include "schedule/chain.h"
#include "schedule/sweep.h"
#include "schedule/tiles.h"
#include "steps/algorithm_step.h"
#include "steps/product_step.h"
#include "table/skeleton.h"

struct lun_plan {
    char *graph, *text;
    lun_plan_kernel *kernels;
    int count;
    lun_told told; /* the moves, and which location runs what */
};

static char *text_of(lun_strbuf *s)
{
    char *t = s->failed ? NULL : strdup(lun__strbuf_text(s));
    lun__strbuf_free(s);
    return t;
}

/* Whether a kernel on host memory goes along lines of all that it reads. */
static bool goes_by_lines(const lun_engine *e, const lun_lowered *l)
{
    bool goes = !e->set_count && !e->backends[e->current]->backend->buffer_new && !l->segment &&
                !l->rows && lun__ir_any_index(&l->ir);
    for (int i = 0; goes && i < l->ir.slot_count; i++) {
        lun_layout at;
        if (l->ir.slots[i].role != LUN_SLOT_IN || !lun__plan_lowered_strides(l, i))
            continue;
        goes = !lun__node_made(l->slots[i].node) && lun__lowered_layout(l, i, &at);
        if (goes)
            at = lun__layout_simplified(&at);
        goes = goes && (lun__layout_is_dense(&at) || lun__layout_line(&at));
    }
    return goes;
}

/* Whether elements for a slot are copied into cache before a kernel reads them. */
static bool is_staged(const lun_lowered *l, int slot)
{
    const lun_slot_source *from = &l->slots[slot];
    int64_t step, along;
    lun_layout at;
    if (!(from->view || l->unrolled) || l->ir.slots[slot].role != LUN_SLOT_IN)
        return false;
    if (!lun__lowered_layout(l, slot, &at) || l->unrolled)
        return !lun__layout_is_dense(&at);
    return !(l->rows && !lun__node_made(l->slots[slot].node) &&
             lun__layout_segments(&at, l->segment, &step, &along) && along == 1);
}

/* Whether n, what step `at` makes, is in memory as a whole. */
static bool is_stored(const lun_steps *s, int at, const lun_node *n)
{
    return !s->at[at].chain || lun__chain_keeps(s, lun__chain_last(s, at), n);
}

/* Arrays and bytes of a reduction of all pairs of rows. */
static void count_pairs(const lun_steps *s, int at, lun_plan_kernel *k)
{
    const lun_pairs *p = s->at[at].pairs;
    const lun_node *n = p->result;
    for (int i = 0; i < p->kernel.ir.slot_count; i++)
        k->reads += p->kernel.ir.slots[i].role != LUN_SLOT_OUT;
    k->bytes_read = lun__pairs_kernel_reads(p);
    k->writes = 1;
    if (is_stored(s, at, n))
        k->bytes_written = n->n * lun__dtype_get((lun_dtype)n->dtype)->bytes;
}

static void count_slots(const lun_engine *e, const lun_steps *s, int at, lun_plan_kernel *k)
{
    const lun_lowered *l = &s->at[at].lowered;
    const bool lines = goes_by_lines(e, l);
    for (int i = 0; i < l->ir.slot_count; i++) {
        if (l->slots[i].copy > 0) /* of what its first slot has */
            continue;
        int64_t bytes = s->at[at].sweep ? lun__sweep_moves(s, at, i) : lun__chain_moves(s, at, i);
        if (l->ir.slots[i].role == LUN_SLOT_OUT) {
            k->writes++;
            k->bytes_written += bytes;
        } else {
            k->reads++;
            k->staged += !s->at[at].sweep && !lines && is_staged(l, i);
            k->bytes_read += bytes;
        }
    }
}

/* The source of what the backend makes of an IR. */
static lun_status source_of(lun_engine *e, const lun_backend_slot *b, const lun_ir *ir,
                            lun_strbuf *out)
{
    lun_ir made;
    lun_status s = lun__kernel_ir(e, &ir, &made);
    if (s == LUN_OK)
        s = b->backend->source(b->state, ir, out);
    lun__ir_free(&made);
    return s;
}

static lun_status describe_kernel(lun_engine *e, const lun_steps *s, int at, lun_plan_kernel *k)
{
    const lun_pairs *pairs = s->at[at].pairs;
    const lun_lowered *l = pairs ? &pairs->kernel : &s->at[at].lowered;
    lun_backend_slot *b;
    lun_strbuf ir = LUN_STRBUF_INIT, source = LUN_STRBUF_INIT;
    k->ops = l->ops;
    k->name = s->at[at].blocks
                  ? lun__skeleton_rows[LUN_SKELETON_ALLPAIRS].name
                  : lun__skeleton_kernel_name(l->ir.scan >= 0, l->ir.result_count || l->unrolled);
    if (pairs)
        count_pairs(s, at, k);
    else
        count_slots(e, s, at, k);
    lun_status status = lun__backend(e, &b);
    if (status == LUN_OK)
        status = lun__print_ir(&l->ir, &ir);
    if (status == LUN_OK)
        status = source_of(e, b, &l->ir, &source);
    k->ir = text_of(&ir);
    k->types = strdup(lun__strbuf_text(&l->types));
    k->source = text_of(&source);
    if (status == LUN_ENOMEM || (status == LUN_OK && (!k->ir || !k->source || !k->types)))
        status = lun__fail_nomem(e);
    return status;
}

/* " x f32[512, 256]" and "from left layout" for an operand of a matrix product. */
static void print_operand(lun_strbuf *out, const lun_node *n, const lun_matrix *m, const char *sign)
{
    int64_t shape[LUN_MAX_RANK];
    char text[96];
    lun__node_shape(n, shape);
    lun_array a = {
        .viewed = true, .node = (lun_node *)(uintptr_t)n, .at = lun__layout_right(n->rank, shape)};
    lun__strbuf_printf(out, "%s%s", sign, lun__array_describe(&a, text));
    if (m->column != 1 && n->kind != LUN_NODE_NUMBER)
        lun__strbuf_puts(out, " strided");
}

/* A library that does it in place of the engine; NULL: none does. */
static void describe_instead(const lun_engine *e, const lun_backend_slot *by, lun_strbuf *out)
{
    lun_device library = {0};
    if (!by)
        return;
    (void)by->backend->devices(&e->services, by->state, &library, 1);
    lun__strbuf_printf(out, ", by %s, whose bits are its own", library.name);
}

/* What does an algorithm n instead, which it need not be asked but for the lengths. */
static const lun_backend_slot *algorithm_instead(lun_engine *e, const lun_node *n)
{
    int64_t scratch;
    lun_algorithm_run r = {.which = (lun_algorithm)n->op,
                           .segment = n->step,
                           .option = {n->cell, (uint64_t)n->offset}};
    for (int k = 0; k < lun__algorithm_rows[n->op].operands; k++)
        r.in[k] = lun__work_column(NULL, (lun_dtype)n->more[k]->dtype, n->more[k]->n);
    r.out[0] = lun__work_column(NULL, (lun_dtype)n->dtype, n->n);
    return lun__backend_instead(e, &(lun_work){.kind = LUN_WORK_ALGORITHM, .is.algorithm = &r},
                                &scratch);
}

/* A matrix product: its operands and the backend that computes it. */
static lun_status describe_product(lun_engine *e, const lun_steps *s, int at, lun_plan_kernel *k)
{
    const lun_node *n = s->at[at].node;
    const bool stored = is_stored(s, at, n);
    const lun_product p = lun__matmul_plan_of(n);
    lun_strbuf types = LUN_STRBUF_INIT;
    print_operand(&types, n->in[0], &p.a, "");
    print_operand(&types, n->in[1], &p.b, " x ");
    lun_backend_slot *b;
    lun_status status = lun__backend(e, &b);
    if (status == LUN_OK && lun__matmul_plan_elsewhere(e, &p))
        lun__strbuf_puts(&types, ", on the host: operands and result are copied");
    if (status == LUN_OK)
        describe_instead(e, lun__matmul_plan_instead(e, n), &types);
    k->types = text_of(&types);
    status = k->types ? status : lun__fail_nomem(e);
    k->name = "matmul";
    k->ops = 1;
    k->reads = 2;
    k->writes = 1;
    k->bytes_written = stored ? n->n * lun__dtype_get((lun_dtype)n->dtype)->bytes : 0;
    k->bytes_read = lun__product_step_reads(n);
    if (lun__tiles_makes(s, at, n->in[0]))
        k->bytes_read -= n->in[0]->n * lun__dtype_get((lun_dtype)n->in[0]->dtype)->bytes;
    return status;
}

/* An algorithm: its operands, its results, the backend that runs it. */
static lun_status describe_algorithm(lun_engine *e, const lun_steps *s, int at, lun_plan_kernel *k)
{
    const lun_step *step = &s->at[at];
    const lun_node *n = step->node->kind == LUN_NODE_RESULT ? step->node->in[0] : step->node;
    const lun_algorithm_row *row = &lun__algorithm_rows[n->op];
    lun_strbuf types = LUN_STRBUF_INIT;
    lun_backend_slot *b;
    lun_status status = lun__backend(e, &b);
    lun__strbuf_puts(&types, row->doc);
    if (status == LUN_OK && b->backend->buffer_new)
        lun__strbuf_puts(&types, ", on the host: operands are copied");
    if (status == LUN_OK)
        describe_instead(e, algorithm_instead(e, n), &types);
    k->types = text_of(&types);
    status = k->types ? status : lun__fail_nomem(e);
    k->name = row->name;
    k->ops = 1;
    k->reads = row->operands;
    k->writes = row->results;
    k->bytes_written = n->n * lun__dtype_get((lun_dtype)n->dtype)->bytes +
                       (row->results - 1) * n->n * lun__dtype_get(row->also)->bytes;
    for (int i = 0; i < row->operands; i++)
        if (!lun__tiles_makes(s, at, n->more[i]) && !lun__tiles_has_taken(s, at, n->more[i]))
            k->bytes_read += n->more[i]->n * lun__dtype_get((lun_dtype)n->more[i]->dtype)->bytes;
    return status;
}

/* A function that runs along segments. */
static lun_status describe_running(lun_engine *e, const lun_steps *s, int at, lun_plan_kernel *k)
{
    lun_node *n = (lun_node *)(uintptr_t)lun__node_first_result(s->at[at].node);
    lun_strbuf ir = LUN_STRBUF_INIT, source = LUN_STRBUF_INIT;
    lun_backend_slot *b;
    lun_lowered l;
    lun_status status = lun__running_kernel_lower(e, n, n->more, &l);
    if (status != LUN_OK)
        return status;
    status = lun__backend(e, &b);
    if (status == LUN_OK)
        status = lun__print_ir(&l.ir, &ir);
    if (status == LUN_OK)
        status = source_of(e, b, &l.ir, &source);
    k->ir = text_of(&ir);
    k->source = text_of(&source);
    k->types = strdup(lun__strbuf_text(&l.types));
    k->name = "running";
    k->ops = 1;
    k->n = lun__running_kernel_segments(n);
    for (int i = 0; i < l.ir.slot_count; i++) {
        const bool out = l.ir.slots[i].role == LUN_SLOT_TARGET;
        const int64_t count = out ? n->n : l.slots[i].node->n;
        const int64_t bytes = count * lun__dtype_get((lun_dtype)l.ir.slots[i].dtype)->bytes;
        *(out ? &k->writes : &k->reads) += 1;
        *(out ? &k->bytes_written : &k->bytes_read) += bytes;
    }
    lun__lowered_free(&l);
    return status == LUN_OK && !(k->ir && k->source && k->types) ? lun__fail_nomem(e) : status;
}

/* The labels of the arrays of a step, in the order in which it has them. */
static char *labels_of(const lun_engine *e, const lun_step *step)
{
    char list[LUN_PROFILE_LABELS] = "";
    const lun_node *n = step->node;
    const lun_lowered *l = step->pairs ? &step->pairs->kernel : &step->lowered;
    if (!e->labels)
        return strdup(list);
    if (step->kind == LUN_STEP_LAUNCH) {
        for (int i = 0; i < l->ir.slot_count; i++)
            lun__profile_label(e, l->slots[i].node, list);
    } else if (n) {
        const lun_node *of = n->kind == LUN_NODE_RESULT ? n->in[0] : n, *in;
        for (int k = 0; (in = lun__node_operand(of, k)); k++)
            lun__profile_label(e, in, list);
        lun__profile_label(e, n, list);
    }
    return strdup(list);
}

/* A step without a kernel: n elements are copied, or filled with a number. */
static void describe_move(const lun_step *step, lun_plan_kernel *k)
{
    const lun_node *n = step->node;
    bool copy = step->kind == LUN_STEP_COPY;
    k->name = copy ? "copy" : "fill";
    k->ops = copy;
    k->reads = copy ? n->count : 0;
    k->writes = 1;
    k->bytes_written = n->n * lun__dtype_get((lun_dtype)n->dtype)->bytes;
    k->bytes_read = copy ? k->bytes_written : 0;
}

/* The axes of a kernel over n indices: its segments, and those of the arrays that it reads. */
static void add_kernel(lun_space *space, const lun_lowered *l)
{
    lun__space_cut(space, l->unrolled ? l->unrolled : l->segment);
    for (int i = 0; i < l->ir.slot_count; i++) {
        const lun_slot_source *from = &l->slots[i];
        lun_layout at;
        lun_padding pad;
        if (from->view && from->view->n == space->n) {
            lun__node_layout(from->view, &at);
            lun__space_of_layout(space, &at);
        } else if (l->ir.slots[i].role == LUN_SLOT_IN && from->node->kind == LUN_NODE_PAD) {
            lun__node_padding(from->node, &pad);
            lun__space_of_padding(space, &pad);
        }
    }
}

/* "60 x 80", the space of a step over n indices; NULL: no memory. */
static char *space_of(const lun_step *step, int64_t n)
{
    lun_space space = {.n = n};
    int64_t extent[LUN_SPACE_AXES];
    int count = 0;
    if (step->kind == LUN_STEP_PRODUCT) {
        const lun_product p = lun__matmul_plan_of(step->node);
        if (p.count > 1)
            extent[count++] = p.count;
        extent[count++] = p.rows;
        extent[count++] = p.columns;
        extent[count++] = p.inner;
    } else if (step->kind == LUN_STEP_LAUNCH && step->pairs) {
        memcpy(extent, step->pairs->extent, sizeof step->pairs->extent);
        count = 3;
    } else {
        if (step->kind == LUN_STEP_LAUNCH)
            add_kernel(&space, &step->lowered);
        else if (step->kind == LUN_STEP_ALGORITHM)
            lun__space_cut(&space, step->node->step);
        count = lun__space_extents(&space, extent);
    }
    lun_strbuf text = LUN_STRBUF_INIT;
    for (int k = 0; k < count; k++)
        lun__strbuf_printf(&text, "%s%lld", k ? " x " : "", (long long)extent[k]);
    return text_of(&text);
}

static lun_status describe(lun_engine *e, const lun_steps *s, lun_plan *p)
{
    p->kernels = calloc((size_t)s->count + 1, sizeof *p->kernels);
    lun_status status = p->kernels ? LUN_OK : lun__fail_nomem(e);
    for (int i = 0; status == LUN_OK && i < s->count; i++) {
        const lun_step *step = &s->at[i];
        lun_plan_kernel *k = &p->kernels[p->count++];
        *k = (lun_plan_kernel){.size = sizeof *k,
                               .n = lun__plan_lowered_elements(&step->lowered, step->n),
                               .cut = step->cut,
                               .kept = step->kept,
                               .chain = step->chain,
                               .sweep = step->sweep};
        if (step->kind == LUN_STEP_LAUNCH)
            status = describe_kernel(e, s, i, k);
        else if (step->kind == LUN_STEP_PRODUCT)
            status = describe_product(e, s, i, k);
        else if (step->kind == LUN_STEP_ALGORITHM)
            status = describe_algorithm(e, s, i, k);
        else if (step->kind == LUN_STEP_RUNNING)
            status = describe_running(e, s, i, k);
        else
            describe_move(step, k);
        k->space = space_of(step, k->n);
        k->labels = labels_of(e, step);
        k->ir = k->ir ? k->ir : strdup("");
        k->source = k->source ? k->source : strdup("");
        k->types = k->types ? k->types : strdup("");
        if (status == LUN_OK && !(k->space && k->labels && k->ir && k->source && k->types))
            status = lun__fail_nomem(e);
        if (status == LUN_OK)
            status = lun__watch_stopped(e);
    }
    return status;
}

/* The text of the plan for the roots, before the machine is looked at. */
static lun_status write_text(lun_engine *e, lun_node *const *roots, int count, lun_plan *p)
{
    lun_steps s;
    lun_told told;
    lun_strbuf text = LUN_STRBUF_INIT;
    lun_status status = lun__steps_make(e, roots, count, LUN_STEPS_PLAIN, &s);
    if (status != LUN_OK)
        return status;
    if (e->set_count)
        lun__strbuf_printf(&text, "set of %d\n", e->set_count);
    status = lun__moves_tell(e, NULL, 0, &s, &text, &told);
    lun__moves_free(&told);
    lun__steps_free(e, &s);
    p->text = text_of(&text);
    return status == LUN_OK && !p->text ? lun__fail_nomem(e) : status;
}

static lun_status plan_of(lun_engine *e, lun_node *const *roots, int count, lun_plan **out)
{
    lun_steps s;
    lun_strbuf graph = LUN_STRBUF_INIT;
    lun_plan *p = calloc(1, sizeof *p);
    if (!p)
        return lun__fail_nomem(e);
    lun_node *few[LUN_FAST_ROOTS], *const *bases = lun__fast_bases(roots, count, few);
    lun_node *cones[LUN_FAST_ROOTS];
    bool printed = lun__print_graph(e, roots, count, &graph), less = false;
    p->graph = text_of(&graph);
    lun_status status =
        printed && p->graph ? lun__fast_cones(e, bases, count, cones, &less) : lun__fail_nomem(e);
    bases = less ? cones : bases;
    if (status == LUN_OK)
        status = write_text(e, bases, count, p);
    if (status == LUN_OK)
        status = lun__steps_make(e, bases, count, LUN_STEPS_KEEP, &s);
    if (status == LUN_OK) {
        lun_merges m;
        status = describe(e, &s, p);
        if (status == LUN_OK) {
            status = lun__merge_make(e, bases, count, &m);
            if (status == LUN_OK)
                status = lun__moves_tell(e, m.at, m.count, &s, NULL, &p->told);
            lun__merge_free(e, &m);
        }
        lun__steps_free(e, &s);
    }
    for (int i = 0; less && i < count; i++)
        lun__node_release(e, cones[i]);
    if (status == LUN_OK)
        *out = p;
    else
        lun_plan_release(p);
    return status;
}

lun_status lun_explain(lun_engine *e, lun_array *const *arrays, int count, lun_plan **out)
{
    LUN_NEED(e, out && count >= 0 && (count == 0 || arrays));
    lun_node **roots = calloc(2 * (size_t)count + 1, sizeof *roots);
    lun_status s = roots ? LUN_OK : lun__fail_nomem(e);
    int n = 0;
    e->error_where = NULL;
    for (int k = 0; s == LUN_OK && k < count; k++) {
        s = lun__array_root(e, arrays[k], &roots[n]);
        n += s == LUN_OK;
        if (s != LUN_OK || !lun__array_is_complex(arrays[k]))
            continue;
        s = lun__array_root(e, lun__array_base(arrays[k])->valid, &roots[n]); /* imaginary parts */
        n += s == LUN_OK;
    }
    lun_host_begin(e);
    if (s == LUN_OK)
        s = plan_of(e, roots, n, out);
    lun_host_end(e);
    while (n)
        lun__node_release(e, roots[--n]);
    free(roots);
    return s;
}

int lun_plan_count(const lun_plan *p)
{
    return p ? p->count : 0;
}

const char *lun_plan_graph(const lun_plan *p)
{
    return p ? p->graph : "";
}

const char *lun_plan_text(const lun_plan *p)
{
    return p ? p->text : "";
}

const lun_plan_move *lun_plan_move_at(const lun_plan *p, int index)
{
    return p && index >= 0 && index < p->told.move_count ? &p->told.moves[index] : NULL;
}

const lun_plan_place *lun_plan_place_at(const lun_plan *p, int index)
{
    return p && index >= 0 && index < p->told.place_count ? &p->told.places[index] : NULL;
}

const lun_plan_kernel *lun_plan_at(const lun_plan *p, int index)
{
    return p && index >= 0 && index < p->count ? &p->kernels[index] : NULL;
}

void lun_plan_release(lun_plan *p)
{
    if (!p)
        return;
    for (int i = 0; p->kernels && i < p->count; i++) {
        free((char *)(uintptr_t)p->kernels[i].ir);
        free((char *)(uintptr_t)p->kernels[i].source);
        free((char *)(uintptr_t)p->kernels[i].types);
        free((char *)(uintptr_t)p->kernels[i].space);
        free((char *)(uintptr_t)p->kernels[i].labels);
    }
    free(p->kernels);
    lun__moves_free(&p->told);
    free(p->graph);
    free(p->text);
    free(p);
}
