/* common.h - the functions that users' texts have in every language. */
#ifndef LUN_RENDER_USER_COMMON_H
#define LUN_RENDER_USER_COMMON_H

#include "render/renderer.h"

/* What the macros that a text mentions rely on, to be written beside them. */
enum {
    LUN_COMMON_REAL = 1 << 0, /* LUN_REAL(x): the float type in which functions of floats take x */
    LUN_COMMON_INTEGER = 1 << 1, /* LUN_UNSIGNED(x): the unsigned type as wide as x, an integer;
                                    lun__common_functions */
    LUN_COMMON_RANDOM = 1 << 2   /* lun__common_functions */
};

/* Calls write for each macro that a text mentions, with the text behind "#define NAME": the same in
 * every language, whose own may be of one type only or give other bits.  Returns LUN_COMMON_.... */
unsigned lun__common_each(lun_renderer *r, lun_strbuf *out,
                          void (*write)(lun_renderer *r, lun_strbuf *out, const char *name,
                                        const char *text));

/* True if one of them calls LUN_F_<name>(...), a function of floats for any numbers. */
bool lun__common_calls(const lun_renderer *r, const char *name);

/* The functions that macros which rely on these call. */
void lun__common_functions(lun_strbuf *out, unsigned relies, const char *inlined);

#endif
