/* flow.h - the basic blocks of one Lua function and its loops.
 *
 * Where Lua's instructions jump and which registers they write; no values. */
#ifndef LUAFN_FLOW_H
#define LUAFN_FLOW_H

#include "luafn/bytecode/debug_info.h"

typedef struct lf_span {
    int first, last; /* instructions */
    int succ[2];     /* blocks: of two the one for a true condition first; -1: none */
    int *pred;
    int preds;
    int idom, leap,
        deep; /* in the dominator tree: the parent, an ancestor, the depth; 0 for the entry */
    bool header;
    /* of the loop that a header begins, with the loops inside */
    uint64_t written[4]; /* registers that it writes */
    uint64_t shared[4];  /* registers that closures made in it may assign */
    bool calls;          /* it calls something or assigns upvalues, so closures may write too */
    int closes;          /* the lowest register that it closes, 256 if none */
    int latches;         /* back edges */
} lf_span;

typedef struct lf_flow {
    lf_span *span; /* reachable blocks in reverse postorder */
    int spans;
    int *at;              /* by instruction: the block that begins there, or -1 */
    uint64_t shared[4];   /* registers that closures made here may assign */
    uint64_t assigned[4]; /* upvalues that this function, or one inside it, assigns */
    int bad;              /* an instruction that jumps into a loop from outside, or -1 */
} lf_flow;

/* Finds the blocks of p and keeps them in p->flow. */
void luafn_flow(lf_unit *u, lf_proto *p);

/* Does p, or a function inside it, assign this upvalue? */
bool luafn_flow_assigns(const lf_proto *p, int upvalue);
/* Registers that an instruction writes: first and count (0: none). */
int luafn_flow_writes(uint32_t w, int *first);
/* The target of the jump that follows a test at pc. */
int luafn_flow_jump_target(const lf_proto *p, int pc);

#endif
