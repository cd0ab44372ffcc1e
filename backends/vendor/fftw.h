/* fftw.h - Fourier transforms by FFTW, in place of the engine's own; see backend.h and
 * lun_override. */
#ifndef LUN_FFTW_H
#define LUN_FFTW_H

#include "backend.h"

extern const lun_backend lun__backend_fftw;

#endif
