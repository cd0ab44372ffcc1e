/* neighbour.c - elements around an index: a parameter of a stencil is called with their offsets,
 * which are known while the function is compiled. */
#include <string.h>

#include "luafn/ssa/build.h"

static const char *name_of(const lf_builder *b, const lf_value *f)
{
    const char *name = luafn_local_name(b->c->program->proto, (int)f->as.i, 0);
    return name ? name : "?";
}

/* The offsets of a call of f. */
static lun_neighbour offsets_of(lf_builder *b, const lf_value *f, const lf_list *args)
{
    const lun_front_param *p = &b->c->param[f->as.i];
    lun_neighbour at = {.param = (int)f->as.i, .dtype = p->dtype, .axes = p->rank};
    if (args->count != p->rank)
        luafn_stop(b, "%s(...) with %d offset%s: it takes %d, one for each axis", name_of(b, f),
                   args->count, args->count == 1 ? "" : "s", p->rank);
    for (int k = 0; k < args->count; k++) {
        if (!luafn_known_whole(b->c, args->at[k], &at.by[k]))
            luafn_stop(b,
                       "offset %d of %s(...) is not an integer constant: write out each element "
                       "that is read, or use loops with constant bounds, of at most 64 rounds",
                       k + 1, name_of(b, f));
    }
    return at;
}

lf_value *luafn_neighbour(lf_builder *b, const lf_value *f, const lf_list *args)
{
    lf_compile *c = b->c;
    const lun_neighbour at = offsets_of(b, f, args);
    for (int k = 0; k < c->neighbours; k++)
        if (c->neighbour[k].param == at.param && !memcmp(c->neighbour[k].by, at.by, sizeof at.by))
            return c->neighbour_value[k];
    if (c->neighbours == LF_NEIGHBOURS)
        luafn_stop(b, "more than %d elements around an index", LF_NEIGHBOURS);
    int k = c->neighbours++, number = c->params + k;
    lun_front_param *p = &c->param[number];
    *p = (lun_front_param){.dtype = c->param[at.param].dtype};
    lf_value *v = luafn_value(b->g, LF_PARAM, 0);
    v->as.i = number;
    v->type = (uint8_t)luafn_type_of(p->dtype);
    v->proto = b->f->proto;
    c->neighbour[k] = at;
    c->neighbour_value[k] = v;
    return v;
}
