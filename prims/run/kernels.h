/* kernels.h - kernels, by backend, math mode and IR.  Private to prims/. */
#ifndef LUN_KERNELS_H
#define LUN_KERNELS_H

#include "engine/state.h"
#include "ir/ir.h"

struct lun_kernel_entry {
    lun_kernel_entry *next;
    lun_backend_slot *at; /* that built it */
    int math;             /* lun_math that it was built for */
    uint64_t hash;        /* of the key */
    char *key; /* IR without functions: its slots and instructions as bytes; else its text */
    size_t length;
    lun_kernel *kernel;
};
/* The kernel of the backend in use for that IR, built if there is none yet. */
lun_status lun__kernel_get(lun_engine *e, const lun_ir *ir, lun_kernel_entry **out);

/* Whether k is a kernel of the backend and the math mode in use. */
static inline bool lun__kernel_fits(const lun_engine *e, const lun_kernel_entry *k)
{
    return k->at == &e->backends[e->current] && k->math == e->math;
}

/* Releases all of them; recipes, which refer to them, are forgotten before. */
void lun__kernels_flush(lun_engine *e);

#endif
