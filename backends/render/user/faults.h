/* faults.h - what may fail in users' C texts, and how it gets from there into the frame; what stops
 * their loops, and how it gets there. */
#ifndef LUN_RENDER_USER_FAULTS_H
#define LUN_RENDER_USER_FAULTS_H

#include "render/renderer.h"

/* The macros that such texts rely on (prims/ctext/checks.h, stop_checks.h); nothing where none
 * does. */
void lun__faults_write(lun_renderer *r, lun_strbuf *out);

/* True if calls of f need the frame `f`. */
bool lun__faults_handed(const lun_renderer *r, const lun_ir_function *f);
/* The text around these calls for instruction v, else all "": statements before, the first
 * argument with its comma, statements behind. */
lun_snippet lun__faults_before(const lun_renderer *r, const lun_ir_function *f, int32_t v);
lun_snippet lun__faults_argument(const lun_renderer *r, const lun_ir_function *f, int32_t v);
void lun__faults_behind(const lun_renderer *r, const lun_ir_function *f, int32_t v,
                        lun_strbuf *out);

#endif
