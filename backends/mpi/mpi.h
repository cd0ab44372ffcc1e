/* mpi.h - the backend `mpi`, whose devices are ranks that serve this one. */
#ifndef LUN_MPI_H
#define LUN_MPI_H

#include "backend.h"

extern const lun_backend lun__backend_mpi;

/* As lun_remote.serve. */
lun_status lun__mpi_serve(const lun_services *services, const lun_backend *by, int device);

#endif
