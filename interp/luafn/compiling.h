/* compiling.h - one compilation of a Lua function for the parameters of a call, or for those of a
 * call that is yet to come. */
#ifndef LUAFN_COMPILING_H
#define LUAFN_COMPILING_H

#include "luafn/function_cache.h"

/* What is asked for, and what must be released however it ends. */
typedef struct lf_job {
    lf_program *program;
    const lun_front_param *param;
    int params;
    lun_front_result *out;
    lun_strbuf *error;
    lun_status status;
    lf_compile *c;
    lf_cached *made;
} lf_job;

/* Fills out with the function for these parameters, one that is kept or a new one, which then is
 * kept.  The Lua function is at the viewer's base.  May raise an error of Lua; luafn_job_end
 * follows in every case. */
lun_status luafn_compile(lf_job *j, const lf_viewer *v);
/* Whether the code shows, before there are arrays, that a stencil's function cannot be called: what
 * its parameters are called with.  Whatever else is wrong is left to a call.  Leaves out alone. */
lun_status luafn_foresee(lf_job *j, const lf_viewer *v);
void luafn_job_end(lf_job *j);

#endif
