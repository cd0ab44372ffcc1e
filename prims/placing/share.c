/* share.c - the rules by which the locations of a set share steps; see share.h.  Nothing moves
 * here, and nothing is stored: closed forms are those of placing.c, rows.c, ordered.c and
 * handing.c. */
#include "placing/share.h"

#include "base/grow.h"
#include "kernels/pairs_kernel.h"
#include "placing/handing.h"
#include "plan/matmul_plan.h"
#include "schedule/chain.h"
#include "schedule/sweep.h"

static const char changes[] = "distribution changes", indexes[] = "a function indexes it";

/* ---- launches -------------------------------------------------------------------------------- */

static bool slot_divides(const lun_lowered *l, int i)
{
    const int role = l->ir.slots[i].role;
    const bool pad = l->slots[i].node->kind == LUN_NODE_PAD;
    return role != LUN_SLOT_TARGET && !(role != LUN_SLOT_IN && (l->slots[i].view || pad)) &&
           !(pad && lun__placing_gathers(&l->ir, i));
}

/* A C function may do with a whole array what it likes. */
static bool hands_arrays_on(const lun_ir *ir)
{
    for (int k = 0; k < ir->operand_count; k++)
        if (ir->operands[k] < 0)
            return true;
    return false;
}

static bool divides(const lun_step *step)
{
    const lun_lowered *l = &step->lowered;
    if (step->kind != LUN_STEP_LAUNCH || step->n == 0 || step->chain || step->sweep ||
        step->across || step->pairs)
        return false;
    if (l->rows || hands_arrays_on(&l->ir) ||
        (l->ir.scan >= 0 && !l->segment && l->ir.result_count))
        return false;
    for (int i = 0; i < l->ir.slot_count; i++)
        if (!slot_divides(l, i))
            return false;
    return true;
}

static lun_status share_launch(lun_engine *e, const lun_step *step, lun_placing_look *look,
                               void *ctx, lun_spread **out)
{
    return divides(step) ? lun__placing_cut(e, &step->lowered, step->n, look, ctx, out) : LUN_OK;
}

static lun_interval work_launch(const lun_step *step, const lun_spread *cut, int k)
{
    return lun__placing_range(cut, &step->lowered, k);
}

/* Why slot i needs elements of other locations. */
static const char *reason(const lun_share_at *x, int i, bool counts)
{
    const lun_slot_source *from = &x->step->lowered.slots[i];
    const lun_node *n = from->node;
    const int64_t all = x->step->n;
    if (!counts)
        return from->view || n->kind == LUN_NODE_PAD ? "halo" : indexes;
    if (from->offset || n->n != all || (n->kind == LUN_NODE_LEAF && n->storage->count != all))
        return "halo";
    return x->part.lo != x->work.lo || x->part.hi != x->work.hi ? "a chunk crosses the boundary"
                                                                : changes;
}

static bool need_slot(const lun_share_at *x, int i, lun_need *out)
{
    const lun_lowered *l = &x->step->lowered;
    if (i >= l->ir.slot_count)
        return false;
    const int role = l->ir.slots[i].role;
    const lun_node *n = l->slots[i].node;
    out->of = NULL;
    if (role == LUN_SLOT_OUT || role == LUN_SLOT_TARGET)
        return true;
    const bool counts = lun__placing_counts(l, i);
    *out = (lun_need){.of = n->kind == LUN_NODE_PAD ? n->in[0] : n,
                      .at = x->at,
                      .indexed = role == LUN_SLOT_ARRAY,
                      .elements = lun__placing_need(l, i, x->work),
                      .why = reason(x, i, counts),
                      .becomes = counts && !l->slots[i].offset};
    return true;
}

/* All of them, at the first location that has indices, if there are totals. */
static lun_interval work_carries(const lun_step *step, const lun_spread *cut, int k)
{
    bool any = false;
    for (int i = 0; i < cut->places; i++) {
        const lun_interval part = lun__spread_part(cut, i), x = lun__placing_totals(step, cut, i);
        any |= x.lo < x.hi;
        if (i < k && part.lo < part.hi)
            return (lun_interval){0, 0};
    }
    const lun_interval part = lun__spread_part(cut, k);
    return (lun_interval){0, any && part.lo < part.hi ? cut->n : 0};
}

/* ---- chains ---------------------------------------------------------------------------------- */

/* The number of a step of a chain in its plan. */
static int number_of(const lun_step *step)
{
    return (int)(step - step->of->at);
}

static int first_of(const lun_step *step)
{
    int first = number_of(step);
    while (first > 0 && step->of->at[first - 1].chain == step->chain)
        first--;
    return first;
}

static lun_status share_chain(lun_engine *e, const lun_step *step, lun_placing_look *look,
                              void *ctx, lun_spread **out)
{
    const lun_step *head = step->of ? &step->of->at[first_of(step)] : NULL;
    lun_spread *cut;
    if (!head)
        return LUN_OK;
    lun_status s = lun__placing_cut(e, &head->lowered, head->n, look, ctx, &cut);
    *out = s == LUN_OK && step->n != head->n
               ? lun__placing_of_segments(cut, lun__chain_segment(head))
               : cut;
    if (s == LUN_OK && *out != cut)
        lun__spread_release(cut);
    return s == LUN_OK && !*out ? lun__fail_nomem(e) : s;
}

/* As of a launch, without what the chain makes; sweeps read an array as far around each part as all
 * of them do. */
static bool need_chain(const lun_share_at *x, int i, lun_need *out)
{
    const lun_step *step = x->step;
    if (!need_slot(x, i, out))
        return false;
    if (!out->of || lun__chain_makes(step->of, first_of(step), number_of(step), out->of))
        out->of = NULL;
    else if (step->sweep)
        out->elements = lun__placing_widened(x->cut, x->k, step->halo);
    return true;
}

/* ---- rows ------------------------------------------------------------------------------------ */

static lun_interval work_rows(const lun_step *step, const lun_spread *rows, int k)
{
    const lun_interval part = lun__spread_part(rows, k);
    const int64_t columns = step->pairs    ? step->pairs->extent[1]
                            : step->across ? lun__outer_axis_sizes(step->across).segments
                                           : lun__matmul_plan_of(step->node).columns;
    return (lun_interval){part.lo * columns, part.hi * columns};
}

/* ---- all pairs of rows, matrix products ------------------------------------------------------ */

static bool pairs(const lun_step *step)
{
    const lun_lowered *l = step->pairs ? &step->pairs->kernel : NULL;
    if (!l || step->chain || step->sweep || step->lowered.needed || !step->n)
        return false;
    for (int i = 0; i < l->ir.slot_count; i++) {
        const int role = l->ir.slots[i].role;
        if (role == LUN_SLOT_IN || role == LUN_SLOT_TARGET ||
            (role == LUN_SLOT_UNIFORM && l->slots[i].view))
            return false;
    }
    return true;
}

static lun_status share_pairs(lun_engine *e, const lun_step *step, lun_placing_look *look,
                              void *ctx, lun_spread **out)
{
    return pairs(step) ? lun__placing_pairs_rows(e, step->pairs, look, ctx, out) : LUN_OK;
}

static bool need_pairs(const lun_share_at *x, int i, lun_need *out)
{
    const lun_pairs *p = x->step->pairs;
    bool all;
    if (!lun__placing_packs(x->at)) {
        lun_share_at elements = *x;
        elements.part = x->work;
        return need_slot(&elements, i, out);
    }
    if (i >= p->kernel.ir.slot_count)
        return false;
    const bool made = p->kernel.ir.slots[i].role == LUN_SLOT_OUT;
    *out = (lun_need){.of = made ? NULL : p->kernel.slots[i].node,
                      .at = x->at,
                      .elements = lun__placing_pairs_need(p, i, x->part, &all)};
    out->why = all ? indexes : changes;
    return true;
}

static bool multiplies(lun_engine *e, const lun_step *step)
{
    const lun_node *n = step->node;
    if (step->kind != LUN_STEP_PRODUCT || step->chain || !n->n)
        return false;
    const lun_product p = lun__matmul_plan_of(n);
    const lun_work work = {.kind = LUN_WORK_PRODUCT, .is.product = &p};
    int64_t scratch;
    if (!lun__matmul_plan_is_list(&p))
        return false;
    for (int k = 0; k < lun__state_places(e); k++) {
        const lun_backend_slot *b = lun__state_computes_at(lun__set_at(e, k));
        if (!p.inner || !b->backend->takes(b->state, &work, &scratch))
            return false;
    }
    return true;
}

static lun_status share_product(lun_engine *e, const lun_step *step, lun_placing_look *look,
                                void *ctx, lun_spread **out)
{
    return multiplies(e, step) ? lun__placing_rows(e, step->node, look, ctx, out) : LUN_OK;
}

static bool need_product(const lun_share_at *x, int i, lun_need *out)
{
    const lun_node *n = x->step->node;
    if (i >= 2)
        return false;
    *out = (lun_need){.of = n->in[i],
                      .at = x->at,
                      .elements = lun__placing_rows_need(n, i, x->part),
                      .why = i ? indexes : changes};
    return true;
}

/* ---- algorithms ------------------------------------------------------------------------------ */

static lun_interval work_part(const lun_step *step, const lun_spread *cut, int k)
{
    (void)step;
    return lun__spread_part(cut, k);
}

/* The algorithm that a step runs on elements, NULL: none. */
static const lun_node *algorithm_of(const lun_step *step)
{
    const lun_node *n = step->node ? lun__node_first_result(step->node) : NULL;
    return step->kind == LUN_STEP_ALGORITHM && !step->chain && n->kind == LUN_NODE_ALGORITHM && n->n
               ? n
               : NULL;
}

static lun_status share_stream(lun_engine *e, const lun_step *step, lun_placing_look *look,
                               void *ctx, lun_spread **out)
{
    const lun_node *n = algorithm_of(step);
    return n && n == step->node && lun__algorithm_rows[n->op].taken == LUN_TAKEN_PIECES
               ? lun__placing_stream(e, n, look, ctx, out)
               : LUN_OK;
}

static bool need_stream(const lun_share_at *x, int i, lun_need *out)
{
    const lun_node *n = x->step->node;
    const bool away = x->at->backend->buffer_new && !lun__placing_takes(x->at, n);
    if (i >= n->count)
        return false;
    *out = (lun_need){.of = n->more[i],
                      .at = away ? NULL : x->at,
                      .elements = x->part,
                      .why = away ? "a step runs on the host" : changes,
                      .becomes = true};
    return true;
}

/* Whether n is one of two algorithms, of an array, and each device takes it. */
static bool all_take(lun_engine *e, const lun_node *n, lun_algorithm one, lun_algorithm other)
{
    bool all = n && ((lun_algorithm)n->op == one || (lun_algorithm)n->op == other) &&
               n->more[0]->kind != LUN_NODE_NUMBER;
    for (int k = 0; all && k < lun__state_places(e); k++) {
        const lun_backend_slot *at = lun__set_at(e, k);
        all = !at->backend->buffer_new || lun__placing_takes(at, n);
    }
    return all;
}

static lun_status share_order(lun_engine *e, const lun_step *step, lun_placing_look *look,
                              void *ctx, lun_spread **out)
{
    const lun_node *n = algorithm_of(step);
    return all_take(e, n, LUN_ALGORITHM_SORT, LUN_ALGORITHM_ARGSORT)
               ? lun__placing_order(e, n, look, ctx, out)
               : LUN_OK;
}

/* Whether what locations find out is less than the elements: of a quantile of all elements a table
 * of digits each. */
static bool is_less(const lun_engine *e, const lun_node *n)
{
    const int64_t places = lun__state_places(e), all = n ? n->more[0]->n : 0;
    if (n && n->op == LUN_ALGORITHM_QUANTILE)
        return n->step == all && n->n <= LUN_DIGIT_QUANTILES &&
               (lun__state_of_ranks(e) ? 2 : places) * (2 << LUN_DIGIT_BITS) < all;
    return n && (n->op != LUN_ALGORITHM_HISTOGRAM || n->n * places < all);
}

static lun_status share_choose(lun_engine *e, const lun_step *step, lun_placing_look *look,
                               void *ctx, lun_spread **out)
{
    const lun_node *n = algorithm_of(step);
    return (all_take(e, n, LUN_ALGORITHM_TOPK, LUN_ALGORITHM_UNIQUE) ||
            all_take(e, n, LUN_ALGORITHM_HISTOGRAM, LUN_ALGORITHM_QUANTILE)) &&
                   is_less(e, n)
               ? lun__placing_stream(e, n, look, ctx, out)
               : LUN_OK;
}

static lun_interval work_choose(const lun_step *step, const lun_spread *cut, int k)
{
    const bool again = cut->kind == LUN_SPREAD_COPY && k > 0; /* the first location has it all */
    return again ? (lun_interval){0, 0} : work_part(step, cut, k);
}

/* Operands of ORDER and CHOOSE: the elements, and what all locations read. */
static bool need_elements(const lun_share_at *x, int i, lun_need *out)
{
    const lun_node *n = lun__node_first_result(x->step->node);
    if (i >= n->count)
        return false;
    *out = (lun_need){.of = n->more[i],
                      .at = i ? NULL : x->at,
                      .elements = x->part,
                      .whole = i > 0,
                      .becomes = !i,
                      .why = i ? "all places read it" : changes};
    return true;
}

/* ---- one location ---------------------------------------------------------------------------- */

static lun_interval work_alone(const lun_step *step, const lun_spread *cut, int k)
{
    (void)cut;
    return (lun_interval){0, k ? 0 : step->n};
}

/* Array number i that a step reads; NULL past the last. */
static const lun_node *operand(const lun_step *step, int i)
{
    const lun_lowered *l = &step->lowered;
    if (step->kind == LUN_STEP_LAUNCH)
        return i < l->ir.slot_count ? l->slots[i].node : NULL;
    return step->node ? lun__node_operand(lun__node_first_result(step->node), i) : NULL;
}

static bool need_alone(const lun_share_at *x, int i, lun_need *out)
{
    *out = (lun_need){.of = operand(x->step, i),
                      .at = lun__placing_on_device(x->e, x->step) ? x->e->backends[x->e->current]
                                                                  : NULL,
                      .whole = true,
                      .why = "a step runs on one place"};
    return out->of != NULL;
}

/* ---- rows whose accumulators go from location to location ------------------------------------ */

static bool need_rows(const lun_share_at *x, int i, lun_need *out)
{
    const lun_outer_axis *a = x->step->across;
    if (i >= lun__handing_slots(a))
        return false;
    *out = (lun_need){.of = a->accumulate[1].slots[i].node,
                      .at = x->at,
                      .elements = lun__handing_need(a, i, x->part),
                      .why = changes};
    return true;
}

/* ---- stages ---------------------------------------------------------------------------------- */

const lun_share_stage_row lun__share_stages[] = {
    [LUN_STAGE_OF_TOTALS] = {"CELLS totals", "totals", lun__placing_totals, NULL},
    [LUN_STAGE_OF_CARRIES] = {"JOIN totals in a chain", "carries", work_carries, NULL},
    [LUN_STAGE_OF_WORK] = {NULL, "", NULL, NULL},
    [LUN_STAGE_OF_ROWS] = {NULL, "", NULL, NULL},
    [LUN_STAGE_OF_SAMPLES] = {"JOIN samples", "samples", lun__placing_samples, NULL},
    [LUN_STAGE_OF_EXCHANGE] = {"EXCHANGE runs by splitters", NULL, NULL, lun__placing_exchange},
    [LUN_STAGE_OF_PAIRS] = {"JOIN cells by pairs", NULL, NULL, NULL},
    [LUN_STAGE_OF_FOUND] = {"JOIN what each found", NULL, NULL, NULL}};

static const lun_share_stage *stages_of(const lun_share *x)
{
    static const lun_share_stage one[] = {LUN_STAGE_OF_WORK, LUN_STAGES_END},
                                 rows[] = {LUN_STAGE_OF_ROWS, LUN_STAGE_OF_PAIRS, LUN_STAGES_END},
                                 cells[] = {LUN_STAGE_OF_WORK, LUN_STAGE_OF_PAIRS, LUN_STAGES_END},
                                 found[] = {LUN_STAGE_OF_WORK, LUN_STAGE_OF_FOUND, LUN_STAGES_END},
                                 scan[] = {LUN_STAGE_OF_TOTALS, LUN_STAGE_OF_CARRIES,
                                           LUN_STAGE_OF_WORK, LUN_STAGES_END},
                                 runs[] = {LUN_STAGE_OF_WORK, LUN_STAGE_OF_SAMPLES,
                                           LUN_STAGE_OF_EXCHANGE, LUN_STAGES_END};
    const lun_lowered *l = &x->step->lowered;
    const lun_share_kind kind = x->rule->kind;
    if (kind == LUN_SHARE_LAUNCH && !l->segment)
        return l->ir.result_count ? cells : l->ir.scan >= 0 ? scan : one;
    if (kind == LUN_SHARE_ORDER)
        return lun__placing_one_segment(x->step->node) ? runs : one;
    return kind == LUN_SHARE_ROWS ? rows : kind == LUN_SHARE_CHOOSE ? found : one;
}

/* ---- the table ------------------------------------------------------------------------------- */

static const lun_share_rule rules[] = {
    {.kind = LUN_SHARE_CHAIN,
     .share = share_chain,
     .need = need_chain,
     .work = work_launch,
     .gives = LUN_GIVES_PARTS},
    {.kind = LUN_SHARE_LAUNCH,
     .devices_first = true,
     .share = share_launch,
     .need = need_slot,
     .work = work_launch,
     .gives = LUN_GIVES_PARTS},
    {.kind = LUN_SHARE_PAIRS,
     .devices_first = true,
     .share = share_pairs,
     .need = need_pairs,
     .work = work_rows,
     .gives = LUN_GIVES_PARTS},
    {.kind = LUN_SHARE_ROWS,
     .share = lun__handing_rows,
     .need = need_rows,
     .work = work_rows,
     .gives = LUN_GIVES_WHOLE},
    {.kind = LUN_SHARE_STREAM, .share = share_stream, .need = need_stream, .work = work_part},
    {.kind = LUN_SHARE_ORDER,
     .share = share_order,
     .need = need_elements,
     .work = work_part,
     .gives = LUN_GIVES_PARTS},
    {.kind = LUN_SHARE_CHOOSE,
     .once = true,
     .share = share_choose,
     .need = need_elements,
     .work = work_choose,
     .gives = LUN_GIVES_WHOLE},
    {.kind = LUN_SHARE_PRODUCT,
     .devices_first = true,
     .share = share_product,
     .need = need_product,
     .work = work_rows,
     .gives = LUN_GIVES_PARTS},
};

static const lun_share_rule alone = {
    .kind = LUN_SHARE_ALONE, .need = need_alone, .work = work_alone, .gives = LUN_GIVES_WHOLE};

/* Whether every location runs the kernel of a step that has one. */
static bool all_run(lun_engine *e, const lun_step *step)
{
    const lun_ir *ir = step->pairs ? &step->pairs->kernel.ir : &step->lowered.ir;
    bool all = true;
    for (int k = 0; step->kind == LUN_STEP_LAUNCH && all && k < lun__state_places(e); k++)
        all = lun__backend_runs(lun__state_computes_at(lun__set_at(e, k)), ir);
    return all;
}

const lun_spread *lun__share_look(void *x, const lun_node *n, int64_t *offset)
{
    const lun_share *share = x;
    const lun_storage *s = share->act->array(share->ctx, n);
    *offset = n->kind == LUN_NODE_LEAF ? n->offset : 0;
    return s ? lun__placement_spread(share->e, s) : NULL;
}

/* The rule of a step, and how the locations share it then. */
static lun_status find_rule(lun_share *x)
{
    const size_t count = all_run(x->e, x->step) ? sizeof rules / sizeof *rules : 0;
    for (size_t i = 0; i < count; i++) {
        const lun_status s = rules[i].share(x->e, x->step, lun__share_look, x, &x->cut);
        if (s == LUN_OK && !x->cut)
            continue;
        x->rule = &rules[i];
        return s;
    }
    return LUN_OK;
}

/* ---- steps ----------------------------------------------------------------------------------- */

lun_status lun__share_open(lun_engine *e, const lun_step *step, const lun_share_actions *act,
                           void *ctx, lun_share *out)
{
    *out = (lun_share){.e = e, .step = step, .rule = &alone, .act = act, .ctx = ctx};
    const lun_status s = e->set_count ? find_rule(out) : LUN_OK;
    out->stages = stages_of(out);
    return s;
}

lun_status lun__share_kernel(lun_engine *e, const lun_lowered *l, int64_t n,
                             const lun_share_actions *act, void *ctx, lun_step *step,
                             lun_share *out)
{
    *step = (lun_step){.kind = LUN_STEP_LAUNCH, .n = n, .lowered = *l};
    *out = (lun_share){e, step, &rules[LUN_SHARE_LAUNCH], NULL, NULL, act, ctx};
    out->stages = stages_of(out);
    return lun__placing_cut(e, l, n, lun__share_look, out, &out->cut);
}

void lun__share_close(lun_share *x)
{
    lun__spread_release(x->cut);
    x->cut = NULL;
}

/* The step at location k, which computes so much; NULL cut: at the first one. */
static lun_share_at at_location(const lun_share *x, int k, lun_interval work)
{
    return (lun_share_at){.e = x->e,
                          .step = x->step,
                          .cut = x->cut,
                          .at = lun__set_at(x->e, k),
                          .k = k,
                          .part = x->cut ? lun__spread_part(x->cut, k) : work,
                          .work = work};
}

/* What each of `count` steps needs at location k. */
static lun_status each_need(const lun_share *x, int count, int k,
                            lun_status (*act)(void *ctx, const lun_need *need))
{
    lun_status s = LUN_OK;
    lun_need need;
    for (const lun_share *y = x; y < x + count; y++) {
        const lun_share_at at = at_location(y, k, y->rule->work(y->step, y->cut, k));
        const bool works = at.work.lo < at.work.hi;
        for (int i = 0; s == LUN_OK && works && y->rule->need(&at, i, &need); i++)
            if (need.of)
                s = act(y->ctx, &need);
    }
    return s;
}

static lun_status bring(const lun_share *x, int count, int k)
{
    if (x->act->has && each_need(x, count, k, x->act->has) == LUN_OK)
        return LUN_OK;
    const lun_status s = x->act->room ? each_need(x, count, k, x->act->room) : LUN_OK;
    return s == LUN_OK ? each_need(x, count, k, x->act->move) : s;
}

/* Ranks move at the end what others have noted of a piece's memory, which must not grow then. */
static lun_status make_room(const lun_share *x, int count, int places)
{
    lun_status s = LUN_OK;
    for (int k = 0; s == LUN_OK && k < places && lun__state_of_ranks(x->e) && x->act->room; k++)
        s = each_need(x, count, k, x->act->room);
    return s;
}

lun_status lun__share_bring_at(const lun_share *x, int k)
{
    return bring(x, 1, k);
}

lun_status lun__share_bring(const lun_share *x, int count)
{
    const int places = x->cut ? x->cut->places : 1;
    lun_status s = make_room(x, count, places);
    for (int i = 0; s == LUN_OK && i < places; i++)
        s = bring(x, count, x->rule->devices_first ? lun__placing_turn(x->e, places, i) : i);
    return s;
}

bool lun__share_gives(const lun_step *step, int i, const lun_node **out, bool *folds)
{
    const lun_lowered *l = &step->lowered;
    const int slots = l->ir.slot_count, all = slots + l->ir.result_count;
    const lun_node *first = step->node ? lun__node_first_result(step->node) : NULL;
    *folds = i >= slots && i < all;
    const bool again = *folds && i > slots && l->results[i - slots] == l->results[i - slots - 1];
    if (i < all)
        *out = again                                 ? NULL
               : *folds                              ? l->results[i - slots]
               : l->ir.slots[i].role == LUN_SLOT_OUT ? l->slots[i].node
                                                     : NULL;
    else
        *out = i == all ? first : step->node;
    if (*out && (step->chain || step->sweep) && step->of) {
        const int at = number_of(step), last = lun__chain_last(step->of, at);
        const bool kept = step->sweep ? lun__sweep_keeps(step->of, at, last, *out)
                                      : lun__chain_keeps(step->of, last, *out);
        *out = kept ? *out : NULL;
    }
    return i < all + (first != NULL) + (first != step->node);
}

bool lun__share_need(const lun_share *x, int i, lun_need *out)
{
    const lun_share_at at = at_location(x, 0, (lun_interval){0, 0});
    return x->rule->need(&at, i, out);
}

/* Whether distributions that divide alike are also described alike. */
static bool is_alike(const lun_spread *a, const lun_spread *b)
{
    return a->kind == b->kind && a->rule == b->rule && a->halo == b->halo && a->unit == b->unit;
}

lun_status lun__share_settle(const lun_share *x)
{
    lun_status s = LUN_OK;
    lun_need need;
    for (int i = 0; s == LUN_OK && x->cut && lun__share_need(x, i, &need); i++) {
        const bool becomes = need.of && need.becomes;
        lun_storage *to = becomes ? x->act->array(x->ctx, need.of) : NULL;
        int64_t offset = 0;
        if (!to || to->count != x->cut->n || (to->placed && to->placed->spread == x->cut))
            continue;
        const lun_spread *was = lun__share_look((void *)(uintptr_t)x, need.of, &offset);
        if (!offset && (!was || !lun__spread_same(was, x->cut) || is_alike(was, x->cut)))
            s = lun__placement_decide(x->e, to, x->cut); /* of equal ones all keep one */
    }
    return s;
}
