/* faults.h - what may fail in users' C texts, and how it gets from there into the frame. */
#ifndef LUN_RENDER_USER_FAULTS_H
#define LUN_RENDER_USER_FAULTS_H

#include "render/renderer.h"

/* The macros that such a text relies on (prims/ctext/checks.h); nothing where no text may fail. */
void lun__faults_write(lun_renderer *r, lun_strbuf *out);

/* What stands around calls of f for instruction v, all "" where f cannot fail: statements before,
 * the first argument with its comma, statements behind, which need the frame `f`. */
lun_snippet lun__faults_before(const lun_renderer *r, const lun_ir_function *f, int32_t v);
lun_snippet lun__faults_argument(const lun_renderer *r, const lun_ir_function *f, int32_t v);
void lun__faults_behind(const lun_renderer *r, const lun_ir_function *f, int32_t v,
                        lun_strbuf *out);

#endif
