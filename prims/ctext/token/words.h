/* words.h - words of OpenCL C that the other backends do not have. */
#ifndef LUN_CWORDS_H
#define LUN_CWORDS_H

#include "ctext/token/names.h"
#include "ctext/token/source_text.h"

/* LUN_EARG with the place, the word and what to write instead in error for a text that uses such a
 * word without defining it, or a static variable in a function, which OpenCL lacks: functions given
 * as C text run on every backend. */
lun_status lun__cwords_check(const lun_csource *s, const lun_cunits *units, const lun_cnames *names,
                             lun_strbuf *error);

#endif
