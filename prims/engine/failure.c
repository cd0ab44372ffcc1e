/* failure.c - what went wrong: the text of the last failure, the operand and the place
 * that it is about. */
#include "engine/failure.h"

#include <stdio.h>

#include "engine/state.h"
#include "lunarray_bind.h"

void lun__clear(lun_engine *e)
{
    lun__strbuf_clear(&e->error);
    e->error_where = NULL;
    e->error_operand = 0;
    e->error_taking = false;
    e->out_of_memory = false;
}

lun_status lun__fail(lun_engine *e, lun_status s, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    lun__clear(e);
    lun__strbuf_vprintf(&e->error, format, args);
    va_end(args);
    return s;
}

lun_status lun__nomem(lun_engine *e)
{
    lun__clear(e);
    e->out_of_memory = true;
    return LUN_ENOMEM;
}

/* Why this thread's last lun_open failed: there is no engine that could keep it. */
static _Thread_local char open_error[512];

void lun__open_failed(const char *text)
{
    snprintf(open_error, sizeof open_error, "%s", text);
}

const char *lun_error(const lun_engine *e)
{
    if (!e)
        return open_error;
    if (e->error.length)
        return e->error.text;
    return e->out_of_memory || e->error.failed ? "out of memory" : "";
}

int lun_error_operand(const lun_engine *e)
{
    return e ? e->error_operand : 0;
}

const char *lun_error_where(const lun_engine *e)
{
    return e && e->error_where ? e->error_where : "";
}

lun_status lun_fail(lun_engine *e, lun_status s, const char *text)
{
    return e ? lun__fail(e, s, "%s", text ? text : "") : s;
}

lun_status lun__missing(lun_engine *e)
{
    return e ? lun__fail(e, LUN_EARG, "an argument is missing (NULL), or a count is negative")
             : LUN_EARG;
}

lun_status lun__value_check(lun_engine *e, lun_value v)
{
    const lun_dtype_row *d = (unsigned)v.dtype < LUN_DTYPE_COUNT ? lun__dtype_get(v.dtype) : NULL;
    if (d && (d->kind == LUN_KIND_BOOL || d->bytes == sizeof v.as))
        return LUN_OK;
    return lun__fail(e, LUN_EDTYPE, "a lun_value must be bool, i64, u64 or f64, not dtype %d",
                     (int)v.dtype);
}
