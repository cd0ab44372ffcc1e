/* failure.h - how a failure is told: status, text, operand, place.  Private to prims/. */
#ifndef LUN_FAILURE_H
#define LUN_FAILURE_H

#include <stdint.h>

#include "lunarray.h"

/* Forgets the last failure; the caller may then write its text into e->error. */
void lun__clear(lun_engine *e);
/* An argument that must be given is NULL, or a count makes no sense: for LUN_NEED. */
lun_status lun__missing(lun_engine *e);
/* The first line of functions of the interface: what they cannot do without. */
#define LUN_NEED(e, condition)      \
    do {                            \
        if (!(e) || !(condition))   \
            return lun__missing(e); \
    } while (0)
/* Fails unless v's dtype is one that a lun_value can have. */
lun_status lun__value_check(lun_engine *e, lun_value v);
/* Writes the text of a failure, whose place is not known, and returns s. */
lun_status lun__fail(lun_engine *e, lun_status s, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* The failure LUN_ENOMEM, which allocates no text. */
lun_status lun__nomem(lun_engine *e);
/* The text that lun_error(NULL) gives: why this thread's last lun_open failed, "" if it did not. */
void lun__open_failed(const char *text);
/* The place with that number ("script:12"), "" for 0. */
const char *lun__place(const lun_engine *e, uint32_t where);

#endif
