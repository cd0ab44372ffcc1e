/* choose.c - what the places of a set find out together of elements; see chosen.h.  Each place does
 * it for those that it has, at once; what they give are few elements in order, which the host
 * merges (chosen.c), or which meet at places (unique_dist.c). */
#include <stdlib.h>

#include "launch/launch_dist.h"
#include "launch/profile.h"
#include "sets/chosen.h"
#include "sets/shared_steps.h"
#include "steps/algorithm_step.h"

static void release(lun_engine *e, lun_storage **s)
{
    for (int i = 0; i < 2; i++)
        if (s[i])
            lun__storage_release(e, s[i]);
}

static lun_status choose(lun_choosing *c)
{
    lun_status s;
    for (int k = 0; k < c->w.places; k++)
        c->parts += lun__chosen_part(c, k).lo < lun__chosen_part(c, k).hi;
    s = (c->w.n->op == LUN_ALGORITHM_TOPK ? lun__choose_first : lun__choose_apart)(c);
    return s == LUN_OK ? lun__algorithm_settle(c->w.e, c->w.n, c->w.cut) : s;
}

/* The algorithm and its second result, `also`, have their elements. */
static void give(lun_choosing *c, lun_node *also, double transfer)
{
    lun_engine *e = c->w.e;
    lun_node *n = c->w.n;
    const int64_t read = n->more[0]->n * lun__ordering_size(&c->w);
    int64_t written = 0;
    for (int i = 0; i < 2; i++)
        written += c->to[i]->count * lun__dtype_get(lun__chosen_dtype(c, i))->bytes;
    e->stats.run_time += c->w.seconds;
    e->stats.algorithms += c->parts;
    e->stats.bytes_read += read;
    e->stats.bytes_written += written;
    if (e->profiling)
        lun__profile_algorithm(e, n, c->w.seconds, e->stats.transfer_time - transfer,
                               read + written);
    n->n = also->n = c->to[0]->count;
    lun__node_become_leaf(e, also, c->to[1], 0); /* before what it is a result of */
    lun__node_become_leaf(e, n, c->to[0], 0);
    c->to[0] = c->to[1] = NULL;
}

static lun_status choose_all(lun_choosing *c)
{
    lun_engine *e = c->w.e;
    const double transfer = e->stats.transfer_time;
    lun_node *also = NULL;
    lun_status s = lun__node_result(e, c->w.n, 1, &also); /* there is one already if it is asked */
    if (s == LUN_OK) {
        const size_t places = (size_t)(c->w.places = c->w.cut->places);
        c->w.runs = calloc(places, sizeof *c->w.runs);
        c->count = calloc(places, sizeof *c->count);
        c->found = calloc(places, sizeof *c->found);
        s = c->w.runs && c->count && c->found ? choose(c) : lun__nomem(e);
    }
    if (s == LUN_OK)
        give(c, also, transfer);
    lun__node_release(e, also);
    return s;
}

lun_status lun__choose_shared(lun_engine *e, lun_node *n, lun_spread *cut)
{
    const int current = e->current;
    if (lun__node_ready(n)) /* made with another result */
        return LUN_OK;
    lun_choosing *c = calloc(1, sizeof *c);
    if (!c)
        return lun__nomem(e);
    c->w.e = e;
    c->w.cut = cut;
    c->w.n = lun__node_retain(n->kind == LUN_NODE_RESULT ? n->in[0] : n);
    const lun_status s = choose_all(c);
    lun_storage **const all[] = {c->w.run, c->w.met, c->here, c->merged, c->out, c->to};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        release(e, all[i]);
    void *const lists[] = {c->w.runs, c->count, c->found};
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
        free(lists[i]);
    lun__scratch_free(e, &c->w.scratch);
    lun__node_release(e, c->w.n);
    free(c);
    e->current = current;
    return s;
}
