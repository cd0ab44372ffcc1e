/* interpret.h - a program of programs.h by the interpreter's loops, an operation at a time. */
#ifndef BITS_INTERPRET_H
#define BITS_INTERPRET_H

#include "programs.h"

typedef struct run {
    const lun_loops *loops;
    program p;
    _Alignas(64) uint64_t value[VALUES][ROOM]; /* operands, then results */
    _Alignas(64) uint64_t wide[4][ROOM];       /* f16 and bf16 in f32 */
} run;

static inline lun_loop_op loop_of(const lun_loops *loops, lun_dtype t, lun_op op)
{
    lun_loop_op sequence = lun__instruction_loops_math(loops, 0, op, t);
    return sequence ? sequence : loops->of[t]->op[op];
}

static inline void do_step(run *r, int k)
{
    const step *s = &r->p.step[k];
    void *d = r->value[r->p.operands + k];
    const lun_dtype from = r->p.of[s->at[s->arity - 1]], by = computed_in(from);
    const void *in[3] = {NULL, NULL, NULL};
    for (int i = 0; i < s->arity; i++) {
        in[i] = r->value[s->at[i]];
        if (r->p.of[s->at[i]] != LUN_BOOL && by != from) {
            r->loops->of[by]->cast[from](r->wide[i], in[i], ROOM);
            in[i] = r->wide[i];
        }
    }
    if (s->op == LUN_OP_NONE) {
        if (by == from)
            r->loops->of[s->out]->cast[from](d, in[0], ROOM);
        else
            memcpy(d, in[0], sizeof r->wide[0]);
    } else if (computed_in(s->out) != s->out) {
        loop_of(r->loops, by, s->op)(r->wide[3], in[0], in[1], in[2], ROOM);
        r->loops->of[s->out]->cast[by](d, r->wide[3], ROOM);
    } else {
        loop_of(r->loops, by, s->op)(d, in[0], in[1], in[2], ROOM);
    }
    canonical(d, s->out);
}

static inline void begin(run *r, int64_t number)
{
    make_program(&r->p, number);
    memcpy(r->value, r->p.data, sizeof r->p.data);
}

static inline uint64_t cell_of(const void *data, int i, int bytes)
{
    uint64_t x = 0;
    memcpy(&x, (const char *)data + i * bytes, (size_t)bytes);
    return x;
}

#endif
