/* function_ref.c - users' functions as the graph keeps them: references, and what they captured. */
#include "graph/function_ref.h"

#include <stdlib.h>
#include <string.h>

#include "ctext/text_function.h"
#include "engine/state.h"

void lun_function_retain(lun_function *f)
{
    if (f)
        __atomic_add_fetch(&f->refs, 1, __ATOMIC_RELAXED);
}

void lun_function_release(lun_function *f)
{
    if (!f || __atomic_sub_fetch(&f->refs, 1, __ATOMIC_ACQ_REL))
        return;
    if (f->text)
        lun__cwrite_function_free(f->text);
    if (f->front.release)
        f->front.release(f->front.ctx);
    free(f->cells);
    lun_function *of = f->of;
    lun__account_give_late(f->account, (int64_t)sizeof *f);
    lun__account_drop(f->account);
    free(f);
    lun_function_release(of); /* which is made from none */
}

void lun__function_ref_number(lun_engine *e, lun_ir_function *body)
{
    if (body->used_by == e)
        return;
    body->used_by = e;
    body->number = ++e->functions_used;
}

bool lun__function_ref_same(const lun_function *a, const lun_function *b)
{
    if (a == b)
        return true;
    size_t captured = a ? (size_t)a->captured : 0, arrays = a ? (size_t)a->array_count : 0;
    return captured == (b ? (size_t)b->captured : 0) &&
           arrays == (b ? (size_t)b->array_count : 0) &&
           (!captured || !memcmp(a->cells, b->cells, captured * sizeof *a->cells)) &&
           (!arrays || !memcmp(a->arrays, b->arrays, arrays * sizeof *a->arrays));
}
