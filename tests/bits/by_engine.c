/* by_engine.c - the programs of the digest by an engine, as expressions, compared with the loops'
 * results.  What computes is chosen by the environment, as for every program of the engine
 * (LUNARRAY_BACKEND, LUNARRAY_JIT, LUNARRAY_THREADS, ...).
 *
 *   by_engine FIRST COUNT [TOGETHER]   TOGETHER programs are evaluated at once, 1 by default
 *
 * The first difference is named: program, operation, element and both values; the exit status is 1
 * then. */
#include <stdio.h>
#include <stdlib.h>

#include "interpret.h"
#include "lunarray.h"

typedef struct held {
    run *r;
    lun_array *value[VALUES];
} held;

static lun_engine *engine;

static void check(lun_status s, int64_t number)
{
    if (s == LUN_OK)
        return;
    fprintf(stderr, "program %lld: %s\n", (long long)number, lun_error(engine));
    exit(2);
}

/* The program as expressions, of which nothing has run. */
static void build(held *h)
{
    const program *p = &h->r->p;
    for (int k = 0; k < p->operands; k++)
        check(lun_wrap(engine, h->r->value[k], N, p->dtype, NULL, NULL, &h->value[k]), p->number);
    for (int k = 0; k < p->steps; k++) {
        const step *s = &p->step[k];
        lun_array **out = &h->value[p->operands + k], *in[3] = {NULL};
        for (int i = 0; i < s->arity; i++)
            in[i] = h->value[s->at[i]];
        check(s->op == LUN_OP_NONE ? lun_cast(engine, in[0], s->out, out)
                                   : lun_apply(engine, s->op, in, s->arity, out),
              p->number);
    }
}

/* Compares all results; false: one differs, which is named. */
static bool compare(held *h)
{
    static _Alignas(64) uint64_t got[ROOM];
    run *r = h->r;
    for (int k = 0; k < r->p.steps; k++) {
        const step *s = &r->p.step[k];
        const int bytes = lun__dtype_get(s->out)->bytes;
        do_step(r, k);
        check(lun_read(engine, h->value[r->p.operands + k], got, 0, N), r->p.number);
        for (int i = 0; i < N; i++) {
            const uint64_t want = cell_of(r->value[r->p.operands + k], i, bytes);
            if (cell_of(got, i, bytes) == want)
                continue;
            printf("program %lld, operation %d (%s of %s), element %d: 0x%llx by the engine, "
                   "0x%llx by the loops\n",
                   (long long)r->p.number, k + 1, step_name(s), lun__dtype_get(r->p.dtype)->name, i,
                   (unsigned long long)cell_of(got, i, bytes), (unsigned long long)want);
            return false;
        }
    }
    return true;
}

/* Programs first .. first + count - 1 in one evaluation; the number of those that differ. */
static int64_t do_some(held *all, int64_t first, int count)
{
    lun_array **results = calloc((size_t)count * STEPS, sizeof *results);
    int made = 0;
    int64_t bad = 0;
    if (!results)
        exit(2);
    for (int i = 0; i < count; i++) {
        begin(all[i].r, first + i);
        build(&all[i]);
        for (int k = 0; k < all[i].r->p.steps; k++)
            results[made++] = all[i].value[all[i].r->p.operands + k];
    }
    check(lun_eval(engine, results, made), first);
    for (int i = 0; i < count; i++) {
        bad += !compare(&all[i]);
        for (int v = 0; v < all[i].r->p.operands + all[i].r->p.steps; v++)
            lun_release(all[i].value[v]);
    }
    free(results);
    return bad;
}

int main(int argc, char **argv)
{
    const int64_t first = argc > 2 ? atoll(argv[1]) : 0, count = argc > 2 ? atoll(argv[2]) : 1;
    const int together = argc > 3 ? atoi(argv[3]) : 1;
    held *all = calloc((size_t)together, sizeof *all);
    int64_t bad = 0;
    for (int i = 0; all && i < together; i++) {
        all[i].r = aligned_alloc(64, sizeof(run));
        if (!all[i].r)
            return 2;
        all[i].r->loops = &lun__loops_base;
    }
    if (!all || lun_open(NULL, &engine) != LUN_OK) {
        fprintf(stderr, "%s\n", lun_error(NULL));
        return 2;
    }
    for (int64_t at = first; at < first + count; at += together) {
        const int64_t left = first + count - at;
        bad += do_some(all, at, left < together ? (int)left : together);
    }
    printf("%lld programs by %s, %lld differ\n", (long long)count, lun_backend_name(engine),
           (long long)bad);
    lun_close(engine);
    for (int i = 0; i < together; i++)
        free(all[i].r);
    free(all);
    return bad != 0;
}
