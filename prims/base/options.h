/* options.h - options of a call as text, a Lua table of constants: "{rows = 65536, text = 'utf8'}".
 * It is read, never run. */
#ifndef LUN_OPTIONS_H
#define LUN_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/strbuf.h"

/* An option that a call takes.  words: what its text may be, with a blank between; *to becomes the
 * number of the word from 1.  NULL: a whole number, from 1 on. */
typedef struct lun_option {
    const char *name, *words;
    int64_t *to;
} lun_option;

/* Sets *to of the options that the text has; text may be NULL.  False: what is wrong with it is
 * appended to why. */
bool lun__options_read(const char *text, const lun_option *known, int count, lun_strbuf *why);

#endif
