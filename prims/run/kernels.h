/* kernels.h - kernels of the backend in use, by their IR.  Private to prims/. */
#ifndef LUN_KERNELS_H
#define LUN_KERNELS_H

#include "engine/state.h"
#include "ir/ir.h"

struct lun_kernel_entry {
    lun_kernel_entry *next;
    uint64_t hash;
    char *key; /* IR without functions: its slots and instructions as bytes; else its text */
    size_t length;
    lun_kernel *kernel;
};
lun_status lun_kernel_get(lun_engine *e, const lun_ir *ir, lun_kernel_entry **out);

/* Releases all of them, and the recipes, which refer to them. */
void lun__kernels_flush(lun_engine *e);

#endif
