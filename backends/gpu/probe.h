/* probe.h - finds out in a child process whether an API's library can be asked for devices at all.
 *
 * A broken driver may crash, abort or hang in the first call, and that must not happen to the
 * host. */
#ifndef LUN_GPU_PROBE_H
#define LUN_GPU_PROBE_H

#include <stdbool.h>

#include "base/strbuf.h"

/* How an API is asked. */
typedef struct lun_gpu_question {
    void (*ask)(void);   /* the calls that load and start drivers; returns if they do no harm */
    const char *who;     /* "an OpenCL driver" */
    const char *timeout; /* the environment variable with the seconds that drivers may take */
    const char *hint;    /* where to look for what fails */
} lun_gpu_question;

/* True if a child asks without harm, or if no child can be made.  Else false, with the reason
 * appended to why.  One thread of the process at a time. */
bool lun__gpu_probe(const lun_gpu_question *question, lun_strbuf *why);

#endif
