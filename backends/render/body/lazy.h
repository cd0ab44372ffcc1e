/* lazy.h - loops that test rarely whether any lane is left; only for a LAZY loop. */
#ifndef LUN_RENDER_BODY_LAZY_H
#define LUN_RENDER_BODY_LAZY_H

#include "render/renderer.h"

void lun_clazy_open(lun_csection *s, int32_t loop);   /* before the braces, masks are declared */
void lun_clazy_rounds(lun_csection *s, int32_t loop); /* inside them */
void lun_clazy_close(lun_csection *s, int32_t loop);  /* before the closing brace */
void lun_clazy_behind(lun_csection *s, int32_t loop); /* after it */
void lun_clazy_leave(lun_csection *s, int32_t c, int32_t loop);
void lun_clazy_set(lun_csection *s, int32_t var);

#endif
