/* blas.h - matrix products by a BLAS of the system, in place of the engine's own; see backend.h and
 * lun_override. */
#ifndef LUN_BLAS_H
#define LUN_BLAS_H

#include "backend.h"

extern const lun_backend lun__backend_blas;

#endif
