/* strip.h - strip-mined loops; each for a STRIPPED loop only. */
#ifndef LUN_RENDER_BODY_STRIP_H
#define LUN_RENDER_BODY_STRIP_H

#include "render/renderer.h"

/* Around the statements of the loop: */
void lun__strip_declare(lun_section *s, int32_t loop); /* before the braces, masks are declared */
void lun__strip_open(lun_section *s, int32_t loop);    /* inside them */
void lun__strip_close(lun_section *s, int32_t loop);   /* before the closing brace */
void lun__strip_after(lun_section *s, int32_t loop);   /* after it */
/* An exit of the active lanes where value c holds. */
void lun__strip_leave(lun_section *s, int32_t c, int32_t loop);
/* Behind a SET of a TEMPORAL variable inside its loop: saves it for the active lanes. */
void lun__strip_set(lun_section *s, int32_t var);

#endif
