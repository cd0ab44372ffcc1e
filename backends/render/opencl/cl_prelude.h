/* cl_prelude.h - the names that users' texts rely on, in OpenCL C. */
#ifndef LUN_CL_PRELUDE_H
#define LUN_CL_PRELUDE_H

#include "render/renderer.h"

/* lun_dialect.prelude. */
void lun__cl_prelude(lun_renderer *r, lun_strbuf *out);

#endif
