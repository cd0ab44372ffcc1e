/* overrides.c - the libraries that may do an algorithm in place of the engine; see backend.h.
 * A new one is a line here. */
#include "vendor/blas.h"
#include "vendor/fftw.h"
#include "vendor/lapack.h"

const lun_override_row lun__overrides_all[LUN_OVERRIDES] = {
    {"matmul", "blas", &lun__backend_blas},
    {"fft", "fftw", &lun__backend_fftw},
    {"linalg", "lapack", &lun__backend_lapack},
};
