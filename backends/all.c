/* all.c - the backends of this build, best first; see backend.h. A new backend is a line here. */
#include <stddef.h>

#include "mpi/mpi.h"
#include "opencl/opencl.h"
#include "openmp/openmp.h"
#include "reference/reference.h"

const lun_backend *const lun__backends_all[] = {
    &lun__backend_openmp, &lun__backend_opencl, &lun__backend_reference, &lun__backend_mpi, NULL,
};
