/* compiling.h - one compilation of a Lua function, for the parameters of a call, or before there is
 * one. */
#ifndef LUAFN_COMPILING_H
#define LUAFN_COMPILING_H

#include "luafn/function_cache.h"

/* The request, the result, and what must be released in every case. */
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

/* Fills out with the function for these parameters: a cached one, or a new one, which is cached.
 * The Lua function is at the viewer's base.  May raise an error of Lua; luafn_compile_job_end
 * follows in every case. */
lun_status luafn_compile(lf_job *j, const lf_capture_context *v);
/* Finds, before there are arrays, failures of every call of a stencil's function: those by the
 * offsets of its parameters. Other failures are left to calls. Does not touch out. */
lun_status luafn_compile_precheck(lf_job *j, const lf_capture_context *v);
void luafn_compile_job_end(lf_job *j);

#endif
