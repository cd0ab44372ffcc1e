/* openmp.h - the backend that runs kernels on the host's cores; see backend.h. */
#ifndef LUN_OPENMP_H
#define LUN_OPENMP_H

#include "backend.h"

extern const lun_backend lun__backend_openmp;

#endif
