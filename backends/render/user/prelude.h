/* prelude.h - the names that users' texts rely on. */
#ifndef LUN_RENDER_USER_PRELUDE_H
#define LUN_RENDER_USER_PRELUDE_H

#include "render/renderer.h"

void lun_cprelude(lun_crender *r, lun_strbuf *out);
void lun_cprelude_opencl(lun_crender *r, lun_strbuf *out);

#endif
