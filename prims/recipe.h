/* recipe.h - what recipe.c remembers of one shape of graph. Private to prims/. */
#ifndef LUN_RECIPE_H
#define LUN_RECIPE_H

#include "plan.h"

struct lun_recipe {
    lun_recipe *next;
    uint8_t *text; /* the shape */
    int length;
    uint64_t hash;
    lun_lowered lowered;     /* its nodes are those of the last run: replaced before use */
    int32_t *slots;          /* numbers of nodes in the shape's order, by slot; one block with */
    int32_t *args, *results; /* by argument (-1: fixed), by result */
    lun_kernel_entry *kernel;
};

#endif
