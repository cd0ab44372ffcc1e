/* lapack.h - factors of matrices by a LAPACK of the system, in place of the engine's own; see
 * backend.h and lun_override. */
#ifndef LUN_LAPACK_H
#define LUN_LAPACK_H

#include "backend.h"

extern const lun_backend lun__backend_lapack;

#endif
