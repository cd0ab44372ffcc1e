/* failure.h - how a failure is reported: status, text, operand, source line.  Private to prims/. */
#ifndef LUN_FAILURE_H
#define LUN_FAILURE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/strbuf.h"
#include "lunarray.h"

/* Forgets the last failure; the caller may then write its text into e->error. */
void lun__fail_clear(lun_engine *e);
/* An argument that must be given is NULL, or a count makes no sense: for LUN_NEED. */
lun_status lun__fail_missing(lun_engine *e);
/* Takes the engine for this thread: *taken is then to be given to lun__leave, NULL where the thread
 * is inside of a call already.  LUN_EARG where another thread is, without touching the engine.
 * call: the function of the interface, "" unless it is one. */
lun_status lun__enter(lun_engine *e, lun_engine **taken, const char *call);
/* Gives it back. */
void lun__enter_end(lun_engine **taken);
static inline void lun__leave(lun_engine **taken)
{
    if (*taken)
        lun__enter_end(taken);
}
/* The first line of functions of the interface: what they cannot do without.  The engine is this
 * thread's until they return. */
#define LUN_NEED(e, condition)                                                  \
    __attribute__((cleanup(lun__leave))) lun_engine *lun__taken = NULL;         \
    if (!(e) || lun__enter(e, &lun__taken, __func__) != LUN_OK || !(condition)) \
    return (e) && !lun__enter_is_inside(e) ? LUN_EARG : lun__fail_missing(e)
/* The same of functions that have no status: `otherwise` where the engine is missing or another
 * thread is inside of it, which lun_error says. */
#define LUN_NEED_OR(e, otherwise)                                                          \
    __attribute__((cleanup(lun__leave))) lun_engine *lun__taken = NULL;                    \
    if (!(e) || lun__enter((lun_engine *)(uintptr_t)(e), &lun__taken, __func__) != LUN_OK) \
    return otherwise
/* What is released while another thread is inside of the engine, which does it then: at the end of
 * its call, or when the next one begins. */
typedef struct lun_later {
    struct lun_later *next;
    void (*release)(void *object);
    void *object;
} lun_later;
/* Takes the engine for this thread, as lun__enter does; false: *it, a member of the object, says
 * now that the object is to be released, and it must not be touched any more. */
bool lun__enter_or_later(lun_engine *e, lun_engine **taken, lun_later *it,
                         void (*release)(void *object), void *object);
/* The first line of functions that release an object: they end here where it is released later. */
#define LUN_RELEASES(e, it, release, object)                            \
    __attribute__((cleanup(lun__leave))) lun_engine *lun__taken = NULL; \
    if (!lun__enter_or_later(e, &lun__taken, it, release, object))      \
    return
/* Releases what is left of these: where the engine ends. */
void lun__enter_release_later(lun_engine *e);
/* Whether this thread is inside of a call. */
bool lun__enter_is_inside(const lun_engine *e);
/* Fails unless v's dtype is one that a lun_value can have. */
lun_status lun__fail_check_value(lun_engine *e, lun_value v);
/* Writes the text of a failure, whose source line is not known, and returns s. */
lun_status lun__fail(lun_engine *e, lun_status s, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* The text of the last failure with the marks of LUN_NTH, to be passed on to another one. */
const char *lun__fail_error_text(const lun_engine *e);
/* lun__fail with such a text, or with that of another message. */
lun_status lun__fail_text(lun_engine *e, lun_status s, const char *text);
/* The failure LUN_ENOMEM, which allocates no text; LUN_ELIMIT where the memory limit has refused an
 * object. */
lun_status lun__fail_nomem(lun_engine *e);
/* The text that lun_error(NULL) gives: why this thread's last lun_open failed, "" if it did not. */
void lun__fail_open(const char *text);
/* The source line with that number ("script:12"), "" for 0. */
const char *lun__source_mark_text(const lun_engine *e, uint32_t where);

#endif
