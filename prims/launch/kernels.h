/* kernels.h - kernels, by backend, math mode and IR.  Of more than e->kernels_most, or
 * e->kernel_bytes_most bytes, those that were not used for longest go.  Private to prims/. */
#ifndef LUN_KERNELS_H
#define LUN_KERNELS_H

#include "engine/state.h"
#include "ir/ir.h"
#include "plan/plan.h"

/* A pointer to a kernel that becomes NULL when the kernel goes. */
typedef struct lun_kernel_ref lun_kernel_ref;
struct lun_kernel_ref {
    lun_kernel_entry *kernel;
    lun_kernel_ref *next, **link; /* of the same kernel */
};

struct lun_kernel_entry {
    lun_recent_link recent;
    lun_kernel_entry *next; /* in its bucket */
    lun_kernel_ref *refs;
    lun_backend_slot *asked; /* the backend that was in use, */
    lun_backend_slot *at;    /* that built it: the same, or the native one for it */
    int math;                /* lun_math that it was built for */
    uint64_t hash;           /* of the key */
    char *key; /* IR without functions: its slots and instructions as bytes; else its text */
    size_t length;
    lun_kernel *kernel;
};

/* The kernel of the backend in use for that IR, built if there is none yet, or of the native
 * backend, which is in use then, on host memory; a refusal is explained.  It stays until the next
 * call, and longer while e->kernels_held. */
lun_status lun__kernel_of(lun_engine *e, const lun_lowered *l, lun_kernel_entry **out);

/* *ir becomes what backends make kernels of (kernels/canonical_nan.h): itself or *made, which is
 * to be freed in every case. */
lun_status lun__kernel_ir(lun_engine *e, const lun_ir **ir, lun_ir *made);

/* Whether k is a kernel for the backend and the math mode in use. */
static inline bool lun__kernel_fits(const lun_engine *e, const lun_kernel_entry *k)
{
    return k->asked == e->backends[e->current] && k->math == e->math;
}

/* k is used now, without a look-up; what built it is the backend in use, until the step's end. */
static inline void lun__kernel_used(lun_engine *e, lun_kernel_entry *k)
{
    lun__recent_use(&e->kernels_used, &k->recent);
    e->current = k->at->number;
}

/* Points a ref, at first all zero, at k; NULL: at none, before it goes away itself. */
void lun__kernel_ref(lun_kernel_ref *ref, lun_kernel_entry *k);

/* Releases all of them. */
void lun__kernels_flush(lun_engine *e);

#endif
