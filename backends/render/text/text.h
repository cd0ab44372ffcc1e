/* text.h - names, lines and words of the generated text. */
#ifndef LUN_RENDER_TEXT_TEXT_H
#define LUN_RENDER_TEXT_TEXT_H

#include "render/renderer.h"

/* Text by format; of 63 characters at most. */
lun_snippet lun__text_name(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* True once for each name: the caller then writes what is called so. */
bool lun__text_once(lun_renderer *r, const char *name);
/* Appends an indented line. */
void lun__text_line(lun_section *s, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* The word for memory of slots with a space behind it, or nothing. */
lun_snippet lun__text_global(const lun_renderer *r);
/* Before a slot's address, an argument of a user's function: a cast without such words where memory
 * is flat, else nothing. */
const char *lun__text_flat(const lun_renderer *r);
/* Appends as printf does, with each @name as words.def has it.  No text of a user's may pass
 * here. */
void lun__text_put(lun_renderer *r, lun_strbuf *out, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

#endif
