/* operation.h - GNU vectors: operations of table/ops.def. */
#ifndef LUN_RENDER_VECTOR_OPERATION_H
#define LUN_RENDER_VECTOR_OPERATION_H

#include "render/vector/vector.h"

lun_snippet lun__operation_vector(lun_renderer *r, lun_op op, lun_rep rep);

#endif
