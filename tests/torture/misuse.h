/* misuse.h - calls of the C interface that must fail: a list of cases, each of which runs in a
 * child with engines and arrays of its own.  A call that fails must say so (a status, NULL, 0) and
 * leave the engine usable; nothing may crash. */
#ifndef MISUSE_H
#define MISUSE_H

#include "kit.h"

#include <sys/mman.h>

#include "lunarray_bind.h"

typedef struct world {
    lun_engine *e, *other;
    lun_array *a, *b, *foreign, *freed, *m, *s;
    lun_function *f;
    lun_plan *p;
} world;

static inline bool world_open(world *w)
{
    double x[4] = {1, 2, 3, 4};
    const int64_t shape[2] = {2, 2};
    lun_config c = {.size = sizeof c, .backend = "reference", .cache_dir = ""};
    return lun_open(&c, &w->e) == LUN_OK && lun_open(&c, &w->other) == LUN_OK &&
           lun_vector(w->e, x, 4, LUN_F64, &w->a) == LUN_OK &&
           lun_copy(w->e, w->a, &w->b) == LUN_OK &&
           lun_vector(w->other, x, 4, LUN_F64, &w->foreign) == LUN_OK &&
           lun_copy(w->e, w->a, &w->freed) == LUN_OK && lun_free(w->e, w->freed) == LUN_OK &&
           lun_tensor(w->e, x, 2, shape, LUN_F64, &w->m) == LUN_OK &&
           lun_total_lazy(w->e, LUN_SUM, w->a, 0, &w->s) == LUN_OK &&
           lun_function_op(w->e, LUN_OP_ADD, &w->f) == LUN_OK &&
           lun_explain(w->e, &w->a, 1, &w->p) == LUN_OK;
}

/* Case `which`: 0 it failed as it must, 1 it did not fail, -1 there are no more. */
typedef int misuse_fn(int which, world *w, const char **name);

/* In such a function, which counts its cases in n. */
#define CASE(call)                       \
    if (which == n++) {                  \
        *name = #call;                   \
        return (call) != LUN_OK ? 0 : 1; \
    }
#define QUIET(call)     \
    if (which == n++) { \
        *name = #call;  \
        (void)(call);   \
        return 0;       \
    }

typedef struct one_case {
    misuse_fn *misuse;
    int which;
    const char **name; /* of the case, written before it runs */
} one_case;

/* 0 good, 1 it did not fail, 2 no more cases, 3 the engine is unusable. */
static inline int run_case(void *arg)
{
    one_case *c = arg;
    world w = {0};
    lun_value v;
    if (!world_open(&w))
        return 4;
    int s = c->misuse(c->which, &w, c->name);
    if (s)
        return s < 0 ? 2 : 1;
    return lun_total(w.e, LUN_SUM, w.b, 0, &v) == LUN_OK && v.as.d == 10 ? 0 : 3;
}

/* All cases in turn; prints the report.  For main to return. */
static inline int misuse_all(misuse_fn *misuse, const char *title)
{
    int which = 0, bad = 0, s;
    /* in shared memory: the child may crash */
    const char **shared =
        mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (shared == MAP_FAILED)
        return 1;
    one_case c = {.misuse = misuse, .name = shared};
    for (;; which++) {
        c.which = which;
        s = kit_child(run_case, &c, 60);
        if (s == 2)
            break;
        if (s) {
            bad++;
            fprintf(stderr, "case %d: %d: %s\n", which, s, *shared);
        }
    }
    kit_report(bad == 0, title, "%d calls, %d crash or do not fail", which, bad);
    return 0;
}

#endif
