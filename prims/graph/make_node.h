/* make_node.h - what making nodes (make_node.c, fold_nodes.c, view_nodes.c) needs of their
 * memory and their table (node.c), and the fields that nodes of all kinds have.  Private to the
 * four. */
#ifndef LUN_MAKE_NODE_H
#define LUN_MAKE_NODE_H

#include <string.h>

#include "engine/state.h"
#include "graph/node.h"

/* Adds spare nodes; false: out of memory. */
bool lun__nodes_more(lun_engine *e);

/* Frees a node that is in no table yet and holds no references to its operands. */
void lun__node_drop(lun_engine *e, lun_node *n);

/* *out: a reference to the node of the table that equals n, which is then freed, or else n itself,
 * which takes references to its operands.  On failure n is freed. */
lun_status lun__node_intern(lun_engine *e, lun_node *n, lun_node **out);

/* A node without operands yet; NULL: out of memory; the text is lun__fail_nomem's.  Field by
 * field: an unused node holds NULLs already, and clearing all of it would take longer than the
 * rest. */
static inline lun_node *lun__node_start(lun_engine *e, lun_node_kind kind, int32_t op, lun_dtype t)
{
    if (!lun__account_take_object(e->account, sizeof(lun_node)))
        return NULL;
    if (!e->spare && !lun__nodes_more(e)) {
        lun__account_give(e->account, sizeof(lun_node));
        return NULL;
    }
    lun_node *n = e->spare;
    e->spare = n->chain;
    e->stats.nodes++;
    /* one store, as the hash reads it by one load: loads of several stores wait for them */
    uint64_t nature = (uint32_t)op | (uint64_t)(uint8_t)kind << 32 | (uint64_t)(uint8_t)t << 40;
    memcpy(n, &nature, sizeof nature);
    n->refs = 1;
    n->rank = n->extended = 0;
    n->is = kind == LUN_NODE_LEAF ? 0 : LUN_IS_VIRTUAL | LUN_IS_UNBACKED;
    n->n = 0;
    n->offset = n->step = 0;
    n->cell = 0;
    n->where = 0;
    n->workgroup = 0;
    n->waits = LUN_WAITS_ARRAY;
    n->mark = n->lowered = 0;
    return n;
}

/* Sets n's rank, shape and number of elements.  LUN_ERANGE: more than an array can have. */
lun_status lun__node_set_shape(lun_engine *e, lun_node *n, int rank, const int64_t *shape);

/* The same of another node's. */
static inline lun_status lun__node_set_shape_like(lun_engine *e, lun_node *n, const lun_node *like)
{
    if (like->rank < 2) {
        n->rank = like->rank;
        n->n = like->n;
        return LUN_OK;
    }
    return lun__node_set_shape(e, n, like->rank, like->shape);
}

/* The shape of a VIEW or PAD, and as many other numbers behind it if the rank is 2 or more. */
lun_status lun__node_set_both(lun_engine *e, lun_node *n, int rank, const int64_t *shape,
                              const int64_t *other);

/* Gives n a list of operands, to which it holds no references yet. */
lun_status lun__node_set_operands(lun_engine *e, lun_node *n, lun_node *const *in, int count);

/* Interns n; after a failure s of setting its shape, drops it and returns s. */
lun_status lun__node_shaped(lun_engine *e, lun_node *n, lun_status s, lun_node **out);

#endif
