/* all.c - the backends of this build, best first; see backend.h. A new backend is a line here. */
#include <stddef.h>

#include "opencl/opencl.h"
#include "openmp/openmp.h"
#include "reference/reference.h"

const lun_backend *const lun_backends_all[] = {
    &lun_backend_openmp,
    &lun_backend_opencl,
    &lun_backend_reference,
    NULL,
};
