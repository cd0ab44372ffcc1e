/* walk.c - over a graph without recursion; see walk.h. */
#include "graph/walk.h"

#include <stdlib.h>

#include "engine/state.h"

void lun__walk(lun_engine *e, lun_node *top, bool (*visit)(void *ctx, const lun_node *n), void *ctx)
{
    int room = 64, depth = 0;
    lun_node *in, **stack = malloc((size_t)room * sizeof *stack);
    if (!stack)
        return;
    uint64_t walk = ++e->walk;
    stack[depth++] = top;
    top->mark = walk;
    while (depth) {
        lun_node *n = stack[--depth];
        if (!visit(ctx, n))
            break;
        for (int k = 0; (in = lun_node_operand(n, k)); k++) {
            if (in->mark == walk)
                continue;
            in->mark = walk;
            if (depth == room) {
                lun_node **more = realloc(stack, 2 * (size_t)room * sizeof *stack);
                if (!more) {
                    free(stack);
                    return;
                }
                stack = more;
                room *= 2;
            }
            stack[depth++] = in;
        }
    }
    free(stack);
}
