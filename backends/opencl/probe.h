/* probe.h - finds out in a child process whether the OpenCL library can be asked for devices at all.
 *
 * A broken driver may crash, abort or hang in the first call, and that must not happen to the host.
 * Knows only the two calls that make the loader load its drivers. */
#ifndef LUN_OPENCL_PROBE_H
#define LUN_OPENCL_PROBE_H

#include <stdbool.h>

#include "base/strbuf.h"

/* True if a child lists platforms and devices without harm.  Else false, with the reason appended to why.
 * A process in which the library is loaded has passed this before, or its host uses OpenCL itself:
 * then nothing is done. */
bool lun_cl_probe(lun_strbuf *why);

#endif
