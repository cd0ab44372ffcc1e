/* text.h - names and lines of the generated text. */
#ifndef LUN_RENDER_TEXT_TEXT_H
#define LUN_RENDER_TEXT_TEXT_H

#include "render/renderer.h"

lun_cname lun_cname_of(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* True once for each name: the caller then writes what is called so. */
bool lun_cmake(lun_crender *r, const char *name);
/* Appends an indented line. */
void lun_cline(lun_csection *s, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
