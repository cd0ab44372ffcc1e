/* neighbour.c - elements around an index: a parameter of a stencil is called with their offsets. An
 * offset known while the function is compiled names one element; any other offset, whose radius is
 * known, selects among all elements within it. */
#include <string.h>

#include "luafn/ssa/build.h"

static const char *name_of(const lf_builder *b, const lf_value *f)
{
    const char *name = luafn_debug_local_name(b->c->program->proto, (int)f->as.i, 0);
    return name ? name : "?";
}

/* The element around an index as a parameter of the body. */
static lf_value *element(lf_builder *b, const lun_neighbour *at)
{
    lf_compile *c = b->c;
    for (int k = 0; k < c->neighbours; k++)
        if (c->neighbour[k].param == at->param &&
            !memcmp(c->neighbour[k].by, at->by, sizeof at->by))
            return c->neighbour_value[k];
    if (c->neighbours == LF_ASKED)
        luafn_builder_stop(b, "more than %d elements around an index", LF_ASKED);
    int k = c->neighbours++, number = c->params + k;
    lun_front_param *p = &c->param[number];
    *p = (lun_front_param){.dtype = c->param[at->param].dtype};
    lf_value *v = luafn_graph_value(b->g, LF_PARAM, 0);
    v->as.i = number;
    v->type = (uint8_t)luafn_graph_type_of(p->dtype);
    v->proto = b->f->proto;
    c->neighbour[k] = *at;
    c->neighbour_value[k] = v;
    return v;
}

/* ---- offsets that are known when the kernel runs --------------------------------------------- */

/* An offset along `axis` that is checked against the radius. */
static lf_value *within(lf_builder *b, const lf_value *f, lf_value *v, int axis)
{
    const int64_t radius = b->c->param[f->as.i].shape[axis];
    if (radius < 0)
        luafn_builder_stop(
            b,
            "offset %d of %s(...) is not an integer constant: write out each element that "
            "is read, use loops with constant bounds, of at most 64 rounds, or give the "
            "option radius",
            axis + 1, name_of(b, f));
    luafn_builder_need_number(b, v, -1, "an offset");
    lf_value *w = luafn_builder_emit1(b, LF_WITHIN, (unsigned)axis, v);
    w->as.i = radius;
    return w;
}

/* All elements that these offsets may name become parameters of the body. */
static void check_count(lf_builder *b, const lf_value *f, lf_value *const *free, int rank)
{
    int64_t n = 1;
    for (int k = 0; k < rank; k++) {
        if (free[k] && free[k]->as.i >= LF_NEIGHBOURS)
            n = LF_NEIGHBOURS + 1;
        else if (free[k] && n <= LF_NEIGHBOURS)
            n *= 2 * free[k]->as.i + 1;
    }
    if (n > LF_NEIGHBOURS)
        luafn_builder_stop(
            b,
            "%s(...) with offsets that are not constants may read more than %d elements: "
            "give a smaller radius, or write out each element that is read",
            name_of(b, f), LF_NEIGHBOURS);
}

/* The element at `at`, whose offsets from `axis` on may be free: chosen among all within the
 * radius.  Calls itself for the next axis. */
static lf_value *choose(lf_builder *b, lun_neighbour *at, lf_value *const *free, int axis)
{
    while (axis < at->axes && !free[axis])
        axis++;
    if (axis == at->axes)
        return element(b, at);
    const int64_t radius = free[axis]->as.i;
    lf_value *chosen = NULL;
    for (int64_t by = -radius; by <= radius; by++) {
        at->by[axis] = by;
        lf_value *x = choose(b, at, free, axis + 1);
        if (chosen) {
            lf_value *here =
                luafn_builder_emit2(b, LF_COMPARE, LF_EQ, free[axis], luafn_graph_int(b->g, by));
            lf_value *v = luafn_builder_new_op(b, LF_APPLY, LUN_OP_WHERE, 3);
            v->arg[0] = here;
            v->arg[1] = x;
            v->arg[2] = chosen;
            x = v;
        }
        chosen = x;
    }
    return chosen;
}

/* ---- faults of offsets ----------------------------------------------------------------------- */

/* A mistake here fails every call of the stencil, if it is in the function itself: called functions
 * may be replaced before a call. */
static void note_certain(lf_builder *b)
{
    b->c->certain = b->c->prechecked && b->f == b->c->root;
}

/* The arrays have as many axes as the first offsets say. */
static void settle_rank(lf_builder *b, const lf_value *f, int rank)
{
    lf_compile *c = b->c;
    if (b->f != c->root)
        luafn_builder_stop(b, "the number of axes is not known yet");
    note_certain(b);
    if (rank < 1 || rank > LUN_MAX_RANK)
        luafn_builder_stop(b, "%s(...) with %d offsets: it takes one for each axis, 1 to %d",
                           name_of(b, f), rank, LUN_MAX_RANK);
    c->certain = false;
    c->settled = true;
    for (int i = 0; i < c->params; i++)
        if (c->param[i].index == LUN_FRONT_AROUND)
            c->param[i].rank = rank;
}

static void check_offsets(lf_builder *b, const lf_value *f, int count)
{
    const int rank = b->c->param[f->as.i].rank;
    if (!rank)
        settle_rank(b, f, count);
    else if (count != rank) {
        note_certain(b);
        luafn_builder_stop(b, "%s(...) with %d offset%s%s: it takes %d, one for each axis%s",
                           name_of(b, f), count, count == 1 ? "" : "s",
                           b->c->settled ? ", but with another number before" : "", rank,
                           b->c->certain && !b->c->settled ? " that the options list" : "");
    }
}

static void check_radius(lf_builder *b, const lf_value *f, int axis, int64_t by)
{
    const int64_t radius = b->c->param[f->as.i].shape[axis];
    if (radius < 0 || (by <= radius && by >= -radius))
        return;
    note_certain(b);
    luafn_builder_stop(b, "offset %lld of %s(...) is beyond the radius of axis %d, which is %lld",
                       (long long)by, name_of(b, f), axis + 1, (long long)radius);
}

lf_value *luafn_neighbour(lf_builder *b, const lf_value *f, const lf_list *args)
{
    const lun_front_param *p = &b->c->param[f->as.i];
    lf_value *free[LUN_MAX_RANK] = {NULL};
    check_offsets(b, f, args->count);
    lun_neighbour at = {.param = (int)f->as.i, .dtype = p->dtype, .axes = p->rank};
    for (int k = 0; k < args->count; k++)
        if (luafn_known_integer(b->c, args->at[k], &at.by[k]))
            check_radius(b, f, k, at.by[k]);
        else
            free[k] = within(b, f, args->at[k], k);
    check_count(b, f, free, p->rank);
    return choose(b, &at, free, 0);
}
