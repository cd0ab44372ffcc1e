/* use.h - what an engine starts with of what use.c chooses. */
#ifndef LUN_USE_H
#define LUN_USE_H

#include "engine/state.h"

/* The version of the bits by LUNARRAY_BITS, else the library's. */
lun_status lun__use_bits_wanted(lun_engine *e, const char **out);
/* The lun_bind of LUNARRAY_BIND. */
lun_status lun__use_bind_wanted(lun_engine *e, int *out);

enum { LUN_MAX_THREADS = 1024 };

#endif
