/* ordered.c - how the locations of a set share segments that are put in order: each takes those
 * that it has; see placing.h. */
#include "placing/placing.h"

#include "table/dtype.h"

enum { SAMPLES = 64 /* of a place, about */ };

bool lun__placing_one_segment(const lun_node *n)
{
    return n->step == n->n;
}

int64_t lun__placing_apart(const lun_node *n, const lun_spread *cut)
{
    int parts = 0;
    for (int k = 0; k < cut->places && parts < 2; k++)
        parts += cut->bound[k] < cut->bound[k + 1];
    return lun__placing_one_segment(n) && cut->kind == LUN_SPREAD_BLOCK && parts > 1
               ? n->n / (cut->places * SAMPLES) + 1
               : 0;
}

lun_interval lun__placing_samples(const lun_step *step, const lun_spread *cut, int k)
{
    const lun_interval x = lun__spread_part(cut, k);
    const int64_t apart = lun__placing_apart(step->node, cut);
    return (lun_interval){x.lo, x.lo + (apart && x.lo < x.hi ? (x.hi - x.lo) / apart : 0)};
}

/* A cut is before `first` of n elements by so many at most, or behind.  Of each place as many as
 * its samples before it stand for are there, and less than one sample's more; where to cut is
 * rounded to samples. */
static int64_t amiss(const lun_node *n, const lun_spread *cut, int64_t first)
{
    const int64_t apart = lun__placing_apart(n, cut), most = cut->places * (apart - 1) + apart / 2;
    return first == 0 || first == n->n ? 0 : most < n->n ? most : n->n;
}

int64_t lun__placing_exchange(const lun_step *step, const lun_spread *cut, int k)
{
    const lun_node *n = step->node;
    const int64_t size = lun__dtype_get((lun_dtype)n->more[0]->dtype)->bytes;
    const int64_t gives = lun__dtype_get((lun_dtype)n->dtype)->bytes;
    const int64_t first = cut->bound[k], end = cut->bound[k + 1];
    const int64_t stood = n->op == LUN_ALGORITHM_ARGSORT ? gives : 0;
    return first == end || !lun__placing_apart(n, cut)
               ? 0
               : (end - first) * (size + stood) +
                     (amiss(n, cut, first) + amiss(n, cut, end)) * gives;
}

lun_status lun__placing_order(lun_engine *e, const lun_node *n, lun_placing_look *look, void *ctx,
                              lun_spread **out)
{
    int64_t shape[LUN_MAX_RANK];
    bool cuts = false; /* a segment */
    lun_status s = lun__placing_stream(e, n, look, ctx, out);
    for (int k = 0; s == LUN_OK && (*out)->kind == LUN_SPREAD_BLOCK && k < (*out)->places; k++)
        cuts |= (*out)->bound[k] % n->step != 0;
    if (s != LUN_OK || !cuts || lun__placing_one_segment(n))
        return s;
    lun__node_shape(n, shape);
    lun__spread_release(*out);
    *out = lun__placing_blocks(e, n->n, n->n / shape[0]);
    return *out ? LUN_OK : lun__fail_nomem(e);
}
