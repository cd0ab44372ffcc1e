/* cl_team.h - the kernel of teams whose threads are the work-items of a group. */
#ifndef LUN_CL_TEAM_H
#define LUN_CL_TEAM_H

#include "render/renderer.h"

/* ", __local lun_f64 *m3": memory of the team, as parameters of body, or as the kernel gives it; of
 * other kernels nothing. */
void lun__cl_team_arguments(lun_renderer *r, bool declared, lun_strbuf *out);
void lun__cl_team_kernel(lun_renderer *r, lun_strbuf *out);

#endif
