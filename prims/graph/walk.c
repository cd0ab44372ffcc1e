/* walk.c - the walk over a graph with a stack of its own; see walk.h. */
#include "graph/walk.h"

#include <stdlib.h>

#include "base/grow.h"

typedef struct frame {
    lun_node *node;
    int next; /* operand */
} frame;

/* Whether the walk has seen n before; it has now. */
static inline bool seen(const lun_visitor *v, lun_node *n, uint64_t walk)
{
    uint64_t *mark = (uint64_t *)((char *)n + v->mark);
    bool before = *mark == walk;
    *mark = walk;
    return before;
}

bool lun__walk(uint64_t walk, lun_node *top, const lun_visitor *v)
{
    frame *stack = NULL;
    int depth = 0, room = 0;
    if (seen(v, top, walk))
        return true;
    bool ok = lun__grow(&stack, depth, &room, sizeof *stack);
    if (ok)
        stack[depth++] = (frame){top, 0};
    while (ok && depth) {
        frame *f = &stack[depth - 1];
        lun_node *in = lun__node_operand(f->node, f->next);
        if (!in) {
            ok = v->visit(v->ctx, f->node, depth > 1 ? f[-1].node : NULL);
            depth--;
            continue;
        }
        int k = f->next++;
        if ((v->enter && !v->enter(v->ctx, f->node, k, in)) || seen(v, in, walk))
            continue;
        ok = lun__grow(&stack, depth, &room, sizeof *stack);
        if (ok)
            stack[depth++] = (frame){in, 0};
    }
    free(stack);
    return ok;
}
