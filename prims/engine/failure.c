/* failure.c - what went wrong: the text of the last failure, the operand and the source line that
 * it is about; and which thread is inside of the engine.
 *
 * Invariant: e->inside is 0, or the number of the thread inside of a call, which alone sets it
 * back. A thread that finds another one inside touches nothing but `refused`, and its own variable
 * of that name, so that lun_error can say so to it alone.  e->later is a stack of objects that were
 * released meanwhile: any thread pushes, the one inside takes all of it at the beginning and the
 * end of its call, and lun_close what is left. */
#include "engine/failure.h"

#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "base/fp_mode.h"
#include "base/sized.h"
#include "engine/state.h"
#include "lunarray_bind.h"

void lun__fail_clear(lun_engine *e)
{
    lun__strbuf_clear(&e->error);
    e->error.message = true;
    e->error_status = LUN_OK;
    e->error_call = e->call;
    e->error_where = NULL;
    e->error_operand = 0;
    e->error_is_index = false;
    e->out_of_memory = false;
}

lun_status lun__fail(lun_engine *e, lun_status s, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    lun__fail_clear(e);
    lun__strbuf_vprintf(&e->error, format, args);
    va_end(args);
    e->error_status = s;
    return s;
}

lun_status lun__fail_text(lun_engine *e, lun_status s, const char *text)
{
    lun__fail_clear(e);
    lun__strbuf_marked(&e->error, text);
    e->error_status = s;
    return s;
}

lun_status lun__fail_nomem(lun_engine *e)
{
    lun_account *a = e->account;
    if (__atomic_exchange_n(&a->refused, false, __ATOMIC_RELAXED))
        return lun__fail(e, LUN_ELIMIT, "memory limit reached: %lld of %lld bytes in use",
                         (long long)lun__account_used(a), (long long)a->limit);
    lun__fail_clear(e);
    e->out_of_memory = true;
    e->error_status = LUN_ENOMEM;
    return LUN_ENOMEM;
}

/* Why this thread's last lun_open failed: there is no engine that could keep it. */
static _Thread_local char open_error[512];

void lun__fail_open(const char *text)
{
    snprintf(open_error, sizeof open_error, "%s", text);
}

/* ---- one thread at a time -------------------------------------------------------------------- */

/* The engine that this thread has asked for last, if another thread was inside of it. */
static _Thread_local const lun_engine *refused;

/* A number that no other thread has now. */
static uintptr_t this_thread(void)
{
#if defined(__x86_64__) && __GNUC__ >= 11 && !defined(__clang__)
    return (uintptr_t)__builtin_thread_pointer(); /* the same without a call */
#else
    return (uintptr_t)pthread_self();
#endif
}

bool lun__enter_is_inside(const lun_engine *e)
{
    return __atomic_load_n(&e->inside, __ATOMIC_RELAXED) == this_thread();
}

void lun__enter_release_later(lun_engine *e)
{
    lun_later *it = __atomic_exchange_n(&e->later, NULL, __ATOMIC_ACQUIRE);
    while (it) {
        lun_later *next = it->next; /* which ends with the object */
        it->release(it->object);
        it = next;
    }
}

static inline bool is_later(const lun_engine *e)
{
    return __atomic_load_n(&e->later, __ATOMIC_RELAXED) != NULL;
}

/* Of a thread that is not inside.  False: another one is. */
static bool enter(lun_engine *e, lun_engine **taken)
{
    const uintptr_t me = this_thread();
    uintptr_t nobody = 0;
    if (!__atomic_compare_exchange_n(&e->inside, &nobody, me, false, __ATOMIC_ACQUIRE,
                                     __ATOMIC_RELAXED))
        return false;
    *taken = e;
    e->fp_mode = lun__fp_mode_enter();
    if (is_later(e))
        lun__enter_release_later(e);
    return true;
}

lun_status lun__enter(lun_engine *e, lun_engine **taken, const char *call)
{
    if (lun__enter_is_inside(e))
        return LUN_OK;
    if (!enter(e, taken)) {
        __atomic_store_n(&e->refused, true, __ATOMIC_RELAXED);
        refused = e;
        return LUN_EARG;
    }
    e->call = call;
    if (__atomic_load_n(&e->refused, __ATOMIC_RELAXED))
        refused = NULL;
    return LUN_OK;
}

void lun__enter_end(lun_engine **taken)
{
    if (is_later(*taken))
        lun__enter_release_later(*taken);
    const uint64_t mode = (*taken)->fp_mode;
    __atomic_store_n(&(*taken)->inside, 0, __ATOMIC_RELEASE);
    lun__fp_mode_leave(mode);
}

bool lun__enter_or_later(lun_engine *e, lun_engine **taken, lun_later *it,
                         void (*release)(void *object), void *object)
{
    if (lun__enter_is_inside(e) || enter(e, taken))
        return true;
    *it = (lun_later){__atomic_load_n(&e->later, __ATOMIC_RELAXED), release, object};
    while (!__atomic_compare_exchange_n(&e->later, &it->next, it, true, __ATOMIC_RELEASE,
                                        __ATOMIC_RELAXED))
        ;
    return false;
}

lun_status lun_thread_enter(lun_engine *e, lun_engine **taken)
{
    *taken = NULL;
    return e ? lun__enter(e, taken, "") : LUN_EARG;
}

void lun_thread_leave(lun_engine **taken)
{
    lun__leave(taken);
}

/* ---- what was wrong -------------------------------------------------------------------------- */

const char *lun__fail_error_text(const lun_engine *e)
{
    if (e->error.length)
        return e->error.text;
    return e->out_of_memory || e->error.failed ? "out of memory" : "";
}

const char *lun_error_from(const lun_engine *e, int first)
{
    if (!e)
        return open_error;
    if (__atomic_load_n(&e->refused, __ATOMIC_RELAXED) && refused == e)
        return "engine in use by another thread: one thread at a time may call it";
    const char *text = lun__fail_error_text(e);
    if (!strstr(text, LUN_NTH_MARK))
        return text;
    lun_strbuf *told = (lun_strbuf *)(uintptr_t)&e->error_plain;
    lun__strbuf_clear(told);
    lun__strbuf_count_from(told, text, first);
    return told->failed ? "out of memory" : told->text;
}

const char *lun_error(const lun_engine *e)
{
    return lun_error_from(e, 0);
}

int lun_error_operand(const lun_engine *e)
{
    const bool other = e && __atomic_load_n(&e->refused, __ATOMIC_RELAXED) && refused == e;
    return e && !other ? e->error_operand : 0;
}

const char *lun_error_where(const lun_engine *e)
{
    const bool other = e && __atomic_load_n(&e->refused, __ATOMIC_RELAXED) && refused == e;
    return e && !other && e->error_where ? e->error_where : "";
}

/* The number behind the last ':', 0: there is none. */
static int line_of(const char *where)
{
    const char *colon = strrchr(where, ':');
    int line = 0;
    for (const char *p = colon ? colon + 1 : ""; *p >= '0' && *p <= '9' && line < INT_MAX / 10; p++)
        line = 10 * line + (*p - '0');
    return line;
}

lun_status lun_error_get(const lun_engine *e, lun_error_info *out)
{
    static const char mark[] = "\nstack traceback:\n";
    const bool other = e && __atomic_load_n(&e->refused, __ATOMIC_RELAXED) && refused == e;
    if (!e || !out)
        return LUN_EARG;
    const char *text = lun_error(e), *trace = other ? NULL : strstr(text, mark);
    lun_error_info info = {.status = other ? LUN_EARG : e->error_status,
                           .message = text,
                           .where = lun_error_where(e),
                           .traceback = trace ? trace + sizeof mark - 1 : "",
                           .call = !other && e->error_call ? e->error_call : ""};
    info.line = line_of(info.where);
    if (trace) {
        lun_strbuf *message = (lun_strbuf *)(uintptr_t)&e->error_message;
        lun__strbuf_clear(message);
        lun__strbuf_printf(message, "%.*s", (int)(trace - text), text);
        info.message = message->failed ? "out of memory" : lun__strbuf_text(message);
    }
    return lun__sized_give(out, &info, sizeof info) ? LUN_OK : LUN_EARG;
}

lun_status lun_fail(lun_engine *e, lun_status s, const char *text)
{
    LUN_NEED_OR(e, e ? LUN_EARG : s);
    return lun__fail(e, s, "%s", text ? text : "");
}

lun_status lun_fail_at(lun_engine *e, lun_status s, const char *text, const char *where)
{
    LUN_NEED_OR(e, e ? LUN_EARG : s);
    lun_fail(e, s, text);
    if (where && where[0]) {
        snprintf(e->error_line, sizeof e->error_line, "%s", where);
        e->error_where = e->error_line;
    }
    return s;
}

lun_status lun__fail_missing(lun_engine *e)
{
    return e ? lun__fail(e, LUN_EARG,
                         "an argument is missing (NULL), a struct is without its size, or a count "
                         "is negative")
             : LUN_EARG;
}

lun_status lun__fail_check_value(lun_engine *e, lun_value v)
{
    const lun_dtype_row *d = (unsigned)v.dtype < LUN_DTYPE_COUNT ? lun__dtype_get(v.dtype) : NULL;
    if (d && (d->kind == LUN_KIND_BOOL || d->bytes == sizeof v.as))
        return LUN_OK;
    return lun__fail(e, LUN_EDTYPE, "a lun_value must be bool, i64, u64 or f64, not dtype %d",
                     (int)v.dtype);
}
