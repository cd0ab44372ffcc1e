/* prelude.h - the names that users' texts rely on, in OpenCL C. */
#ifndef LUN_RENDER_OPENCL_PRELUDE_H
#define LUN_RENDER_OPENCL_PRELUDE_H

#include "render/renderer.h"

/* lun_cdialect.prelude. */
void lun__cl_prelude(lun_crender *r, lun_strbuf *out);

#endif
