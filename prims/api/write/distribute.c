/* distribute.c - lun_distribute and lun_distribution_get: the distribution of an array asked for,
 * and its present state. Moves nothing: kernels do, as they need it (launch/launch_dist.c). */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "api/array/api.h"
#include "api/array/elements.h"
#include "api/fold/lazy.h"
#include "api/write/merge_divergent.h"
#include "base/sized.h"
#include "graph/function_ref.h"
#include "graph/node.h"
#include "store/fetch.h"

/* An array as slices along its slowest axis; unit 0: it is no whole array. */
typedef struct slices {
    int axis;
    int64_t n, count, unit; /* elements, slices, elements of one */
} slices;

/* The axis with the largest stride. */
static int slowest(const lun_layout *l)
{
    int axis = 0;
    for (int k = 1; k < l->rank; k++)
        if (l->extent[axis] == 1 || (l->extent[k] > 1 && l->stride[k] > l->stride[axis]))
            axis = k;
    return axis;
}

/* The elements of n that are one of a, the lanes of a complex number; l: a's elements as if it had
 * one. */
static int64_t lanes_of(const lun_array *a, lun_layout *l)
{
    if (!lun__array_is_complex(a) || !a->viewed || a->node != a->valid->node)
        return 1;
    for (int k = 0; k < l->rank; k++)
        l->stride[k] /= 2;
    return 2;
}

static slices slices_of(const lun_array *a, const lun_node *n)
{
    lun_layout l;
    lun__array_layout(a, &l);
    const int64_t lanes = lanes_of(a, &l);
    slices s = {.n = n->n};
    if (a->viewed && (!lun__layout_is_permutation(&l) || lun__layout_count(&l) != n->n / lanes))
        return s;
    s.axis = slowest(&l);
    s.count = n->n ? l.extent[s.axis] : 0;
    s.unit = s.count ? n->n / s.count : 1;
    return s;
}

/* ---- deciding -------------------------------------------------------------------------------- */

static lun_status find_kind(lun_engine *e, const char *name, lun_spread_kind *out)
{
    for (int k = 0; name && k < LUN_SPREAD_KINDS; k++)
        if (!strcmp(lun__spread_kind_name((lun_spread_kind)k), name)) {
            *out = (lun_spread_kind)k;
            return LUN_OK;
        }
    return lun__fail(e, LUN_EARG,
                     "unknown distribution '%s': none, single, block, overlap or copy expected",
                     name ? name : "(nil)");
}

static lun_status find_rule(lun_engine *e, const char *name, lun_spread_rule *out)
{
    for (int k = 0; k < LUN_SPREAD_WEIGHTS; k++)
        if (!name || !strcmp(lun__spread_rule_name((lun_spread_rule)k), name)) {
            *out = (lun_spread_rule)k;
            return LUN_OK;
        }
    return lun__fail(e, LUN_EARG, "unknown rule '%s': remainder, ceiling or balanced expected",
                     name);
}

static lun_status check_weights(lun_engine *e, const lun_distribution *d)
{
    char text[LUN_NUMBER_TEXT];
    double sum = 0;
    for (int k = 0; k < d->weight_count; k++) {
        if (!(d->weights[k] >= 0) || !isfinite(d->weights[k]))
            return lun__fail(e, LUN_EARG, "weight " LUN_NTH " is %s: numbers of 0 or more expected",
                             k, lun__strbuf_number(d->weights[k], text));
        sum += d->weights[k];
    }
    if (d->weight_count && d->weight_count != lun__state_places(e))
        return lun__fail(e, LUN_EARG, "%d weights for %d places", d->weight_count,
                         lun__state_places(e));
    if (d->weight_count && (sum == 0 || !isfinite(sum)))
        return lun__fail(e, LUN_EARG, "the sum of the weights is %s",
                         lun__strbuf_number(sum, text));
    return LUN_OK;
}

/* Options that the kind does not have. */
static lun_status check_options(lun_engine *e, const lun_distribution *d, lun_spread_kind kind)
{
    const bool parts = kind == LUN_SPREAD_BLOCK || kind == LUN_SPREAD_OVERLAP;
    const char *wrong = NULL;
    if (!parts && d->rule)
        wrong = "rule";
    if (!parts && d->weight_count)
        wrong = "weights";
    if (kind != LUN_SPREAD_OVERLAP && d->halo)
        wrong = "halo";
    if (kind != LUN_SPREAD_SINGLE && d->device)
        wrong = "device";
    if (wrong)
        return lun__fail(e, LUN_EARG, "a distribution '%s' has no option '%s'", d->kind, wrong);
    if (d->rule && d->weight_count)
        return lun__fail(e, LUN_EARG, "a rule and weights exclude each other");
    if (d->halo < 0)
        return lun__fail(e, LUN_EARG, "a halo of %lld: 0 or more expected", (long long)d->halo);
    if (d->device < 0 || d->device >= lun__state_places(e))
        return lun__fail(e, LUN_EARG, "there is no place " LUN_NTH ": %d %s in use", d->device,
                         lun__state_places(e), lun__state_places(e) == 1 ? "is" : "are");
    return check_weights(e, d);
}

/* The distribution asked for, of an array of so many slices; *made: a reference, NULL after a
 * failure. */
static lun_status make_spread(lun_engine *e, const lun_distribution *d, const slices *of,
                              lun_spread **made)
{
    lun_spread_kind kind = LUN_SPREAD_NONE;
    lun_spread_rule rule = LUN_SPREAD_REMAINDER;
    *made = NULL;
    lun_status s = find_kind(e, d->kind, &kind);
    if (s == LUN_OK)
        s = check_options(e, d, kind);
    if (s == LUN_OK)
        s = find_rule(e, d->rule, &rule);
    if (s != LUN_OK)
        return s;
    lun_spread *out = *made = lun__spread_new(lun__state_places(e));
    if (!out)
        return lun__fail_nomem(e);
    out->kind = kind;
    out->rule = d->weight_count ? LUN_SPREAD_WEIGHTS : rule;
    out->n = of->n;
    out->unit = of->unit;
    out->halo = d->halo;
    out->device = d->device;
    for (int k = 0; k < out->places; k++)
        out->place[k] = lun__set_at(e, k);
    lun__spread_cut(out->rule, d->weights, of->count, out->places, out->bound);
    for (int k = 0; k <= out->places; k++)
        out->bound[k] *= of->unit;
    return LUN_OK;
}

static lun_status check_array(lun_engine *e, const lun_array *a)
{
    lun_status s = lun__array_present(e, a);
    e->error_where = NULL;
    if (s == LUN_OK && (a->weak || (a->node && !a->node->rank && !a->viewed)))
        return lun__fail(e, LUN_EARG, "a single number is not distributed");
    if (s == LUN_OK && a->parent)
        return lun__fail(e, LUN_EARG,
                         "a window lives where its array does: distribute the array itself");
    return s;
}

/* Sets the distribution of n (NULL: unchanged) and the function that merges its copies: in its
 * storage if it has one, else in the node for the storage it will have. */
static lun_status decide(lun_engine *e, lun_node *n, lun_spread *wanted, lun_combine *combine)
{
    lun_status status = LUN_OK;
    if (n->kind != LUN_NODE_LEAF)
        return lun__node_wish(e, n, wanted, combine);
    if (combine)
        status = lun__placement_combine(e, n->storage, combine);
    if (status == LUN_OK && wanted)
        status = lun__placement_decide(e, n->storage, wanted);
    return status;
}

/* f as arrays hold it. */
static lun_status combine_by(lun_engine *e, lun_function *f, lun_combine **out)
{
    lun_combine *c = *out = malloc(sizeof *c);
    if (!c)
        return lun__fail_nomem(e);
    *c = (lun_combine){1, f, lun_function_release};
    lun_function_retain(f);
    return LUN_OK;
}

static const lun_spread *spread_of(lun_engine *e, const lun_node *n)
{
    if (n->kind == LUN_NODE_LEAF)
        return lun__placement_spread(e, n->storage);
    return n->extended && n->wish ? n->wish->spread : NULL;
}

/* Sets the distribution of the array and the function that merges its copies, NULL: unchanged. */
static lun_status distribute(lun_engine *e, lun_array *a, lun_spread *spread, lun_function *f)
{
    const bool none = spread->kind == LUN_SPREAD_NONE;
    lun_combine *combine = NULL;
    lun_status s = LUN_OK;
    if (none && spread_of(e, a->node))
        return lun__fail(e, LUN_EARG, "a distribution, once set, cannot be taken back to 'none'");
    if (none && !f)
        return LUN_OK;
    if (lun__node_is(a->node, LUN_IS_VIRTUAL)) /* becomes an ordinary array */
        s = lun__copy_on_write(e, a);
    if (s == LUN_OK && a->node->kind == LUN_NODE_LEAF &&
        (a->node->offset || a->node->n != a->node->storage->count))
        return lun__fail(e, LUN_EARG, "only whole arrays are distributed, not parts of others");
    if (s == LUN_OK && f)
        s = combine_by(e, f, &combine);
    if (s == LUN_OK)
        s = decide(e, a->node, none ? NULL : spread, combine);
    lun__current_combine_release(combine);
    return s;
}

/* The slots of a, or what stands beside them. */
static lun_status distribute_part(lun_engine *e, lun_array *a, const lun_distribution *d)
{
    lun_spread *spread;
    slices of = slices_of(a, a->node);
    if (!of.unit)
        return lun__fail(e, LUN_EARG, "only whole arrays are distributed, not parts of others");
    lun_status s = make_spread(e, d, &of, &spread);
    if (s == LUN_OK)
        s = distribute(e, a, spread, d->combine);
    lun__spread_release(spread);
    return s;
}

lun_status lun_distribute(lun_engine *e, lun_array *a, const lun_distribution *wanted)
{
    LUN_NEED(e, wanted);
    lun_distribution d = {.size = 0};
    lun__sized_take(&d, wanted, sizeof d);
    lun_status s = check_array(e, a);
    if (s == LUN_OK && d.combine)
        s = lun__array_usable(e, a);
    if (s == LUN_OK && d.combine)
        s = lun__fold_check(e, d.combine, lun_dtype_of(a));
    if (s == LUN_OK)
        s = distribute_part(e, a, &d);
    if (s == LUN_OK && a->valid && a->valid->node != a->node)
        s = distribute_part(e, a->valid, &d);
    return s;
}

lun_status lun_touched(lun_engine *e, lun_array *a)
{
    LUN_NEED(e, true);
    const lun_writing how = lun__merge_writing_plain();
    lun_status s = lun__array_usable(e, a);
    if (s == LUN_OK)
        s = check_array(e, a);
    if (s == LUN_OK)
        s = lun__write_hold(e, a);
    const lun_spread *x = s == LUN_OK ? spread_of(e, a->node) : NULL;
    if (s == LUN_OK && (!x || x->kind != LUN_SPREAD_COPY))
        return lun__fail(e, LUN_EARG,
                         "only copies can differ: the array is not distributed as "
                         "'copy' over the places in use");
    return s == LUN_OK && e->set_count ? lun__divergent_open(e, a->node->storage, &how) : s;
}

/* ---- the state ------------------------------------------------------------------------------- */

/* The lists of a state, of which the engine keeps the memory. */
typedef struct lists {
    const char **device;
    int64_t *count, *start;
    bool *fresh;
} lists;

static lun_status open_lists(lun_engine *e, int places, lists *to)
{
    const size_t p = (size_t)places; /* LUN_MAX_PLACES at most */
    void *all = calloc(p, sizeof *to->device + 2 * sizeof *to->count + sizeof *to->fresh);
    if (!all)
        return lun__fail_nomem(e);
    free(e->told);
    e->told = all;
    to->device = all;
    to->count = (int64_t *)(void *)(to->device + p);
    to->start = to->count + p;
    to->fresh = (bool *)(void *)(to->start + p);
    return LUN_OK;
}

static bool is_fresh(const lun_storage *s, const lun_backend_slot *at, lun_interval part)
{
    const lun_piece *x = s->placed ? lun__current_find(s->placed, at) : NULL;
    if (x)
        return lun__intervals_cover(&x->fresh, part.lo, part.hi);
    const lun_mirror *m = s->mirrors;
    while (m && m->at != at)
        m = m->next;
    return m ? m->current : part.lo >= part.hi;
}

/* Which locations have their shards current. */
static void state_fresh(lun_engine *e, const lun_storage *s, const lun_spread *x,
                        lun_distribution_state *to, bool *fresh)
{
    to->fresh_host =
        !s->stale || (s->placed && lun__intervals_cover(&s->placed->host, 0, s->count));
    for (int k = 0; k < to->places; k++) {
        const lun_backend_slot *at = lun__set_at(e, k);
        const lun_interval all = {0, s->count};
        if (!e->set_count && !at->backend->buffer_new)
            fresh[k] = to->fresh_host; /* host memory is the only location */
        else
            fresh[k] = is_fresh(s, at, x ? lun__spread_part(x, k) : all);
    }
}

/* Shards in slices, or in elements if some shard ends within one. */
static void state_shards(const lun_spread *x, slices of, lun_distribution_state *to,
                         const lists *each)
{
    for (int k = 0; k < x->places; k++)
        if (x->bound[k] % of.unit)
            of.unit = 1;
    to->axis = of.axis;
    to->halo = x->halo * x->unit / of.unit;
    for (int k = 0; k < x->places; k++) {
        lun_interval part = lun__spread_part(x, k);
        if (x->kind == LUN_SPREAD_OVERLAP)
            part = (lun_interval){x->bound[k], x->bound[k + 1]};
        each->count[k] = (part.hi - part.lo) / of.unit;
        each->start[k] = part.lo / of.unit;
    }
}

/* Whether copies differ, and the function that merges them. */
static void state_combining(const lun_node *n, lun_distribution_state *to)
{
    const lun_placed *p = n->kind == LUN_NODE_LEAF ? n->storage->placed
                          : n->extended            ? n->wish
                                                   : NULL;
    to->function = p && p->combine ? p->combine->f : NULL;
    to->diverged = p && p->versions;
    if (!to->function)
        return;
    const lun_op_row *row = to->function->op < LUN_OP_COUNT ? lun__op_get(to->function->op) : NULL;
    to->combine = !row ? "function" : row->symbol[0] ? row->symbol : row->name;
}

lun_status lun_distribution_get(lun_engine *e, lun_array *a, lun_distribution_state *out)
{
    LUN_NEED(e, out);
    lun_distribution_state to = {.size = sizeof to, .kind = "none"};
    lists each = {0};
    to.places = lun__state_places(e);
    lun_status s = lun__array_present(e, a);
    if (s == LUN_OK)
        s = open_lists(e, to.places, &each);
    if (s != LUN_OK)
        return s;
    const lun_array *top = lun__array_top(a);
    const lun_node *n = top->node;
    to.device = each.device;
    to.count = each.count;
    to.start = each.start;
    to.fresh = each.fresh;
    for (int k = 0; k < to.places; k++)
        each.device[k] = lun__set_at(e, k)->name;
    const lun_spread *x = n && !a->weak ? spread_of(e, n) : NULL;
    if (x) {
        to.kind = lun__spread_kind_name(x->kind);
        if (x->kind == LUN_SPREAD_BLOCK || x->kind == LUN_SPREAD_OVERLAP)
            to.rule = lun__spread_rule_name(x->rule);
        slices of = slices_of(top, n);
        state_shards(x, of.unit ? of : (slices){.unit = 1}, &to, &each);
    }
    if (n && n->kind == LUN_NODE_LEAF)
        state_fresh(e, n->storage, x, &to, each.fresh);
    if (n && !a->weak)
        state_combining(n, &to);
    lun__sized_give(out, &to, sizeof to);
    return LUN_OK;
}
