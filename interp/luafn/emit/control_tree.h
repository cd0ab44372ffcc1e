/* control_tree.h - structured control flow: nested lists of blocks, branches, loops and jumps out
 * of them.
 *
 * Made from the dominator tree (Ramsey, Beyond Relooper, 2022), with the code behind a loop's
 * exits put behind the loop. */
#ifndef LUAFN_CONTROL_TREE_H
#define LUAFN_CONTROL_TREE_H

#include "luafn/graph/compile.h"

typedef enum lf_item_kind {
    LF_OPS,   /* the values of block */
    LF_EDGE,  /* the moves into phis on edge `way` of block */
    LF_IF,    /* cond (negated if flip): body[0], else body[1] */
    LF_LOOP,  /* body[0] again and again; block: its header */
    LF_GROUP, /* body[0] once; block: what follows it */
    LF_BREAK,
    LF_CONTINUE
} lf_item_kind;

typedef struct lf_item lf_item;

typedef struct lf_scope {
    struct lf_scope *parent;
    lf_item *owner; /* item of the parent; NULL for the outermost */
    int depth;
    lf_list items;
} lf_scope;

struct lf_item {
    lf_item_kind kind;
    lf_block *block; /* BREAK, CONTINUE: the target */
    int way;
    bool flip; /* the condition is negated */
    lf_value *cond;
    lf_scope *scope, *body[2];
    lf_item *target; /* BREAK, CONTINUE: the LOOP or GROUP that it leaves or repeats */
    int refs;        /* LOOP, GROUP: jumps that have it as target */
    int order;       /* emit.c: position in the text */
    lf_list vars;    /* emit.c: variables declared before it */
};

/* The tree of the graph; its end is the end of the function. */
lf_scope *luafn_control_tree(lf_compile *c);
/* Drops jumps to the next item, else branches behind jumps, groups without jumps. */
void luafn_simplify_tree(lf_compile *c, lf_scope *root);

static inline lf_item *lf_item_at(const lf_scope *s, int i)
{
    return s->items.at[i];
}

static inline bool lf_within(const lf_scope *s, const lf_scope *around)
{
    while (s->depth > around->depth)
        s = s->parent;
    return s == around;
}

#endif
