/* vector_memory.h - GNU vectors: loads and stores. */
#ifndef LUN_VECTOR_MEMORY_H
#define LUN_VECTOR_MEMORY_H

#include "render/vector/vector.h"

/* Names of functions: load (address, index) and store (address, index, value, and u->t or the
 * number of elements left), in memory of a slot or, with `own`, of the function. */
lun_snippet lun__vector_memory_load(lun_renderer *r, lun_rep rep, bool own);
lun_snippet lun__vector_memory_store(lun_renderer *r, lun_rep rep, bool own);

#endif
