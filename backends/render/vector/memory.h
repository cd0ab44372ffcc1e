/* memory.h - GNU vectors: loads and stores. */
#ifndef LUN_RENDER_VECTOR_MEMORY_H
#define LUN_RENDER_VECTOR_MEMORY_H

#include "render/vector/vector.h"

/* Of memory of a slot or, with `own`, of the function. */
lun_cname lun__memory_load(lun_crender *r, lun_crep rep, bool own);
lun_cname lun__memory_store(lun_crender *r, lun_crep rep, bool own);

#endif
