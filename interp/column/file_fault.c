/* file_fault.c - see file_fault.h. */
#include "column/file_fault.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

bool lun__file_fault(lun_file_fault *f, const char *code, const char *format, ...)
{
    va_list list;
    if (f->code || f->status != LUN_OK || f->reason)
        return false;
    f->code = code;
    va_start(list, format);
    vsnprintf(f->text, sizeof f->text, format, list);
    va_end(list);
    return false;
}

bool lun__file_fault_of(lun_file_fault *f, lun_status s)
{
    if (!f->code && !f->reason && f->status == LUN_OK)
        f->status = s;
    return false;
}

bool lun__file_fault_read(lun_file_fault *f, int reason)
{
    if (reason < 0)
        return lun__file_fault(f, "short", "the file was truncated while it was read");
    if (reason && !f->code && f->status == LUN_OK) {
        f->reason = reason;
        snprintf(f->text, sizeof f->text, "%s", strerror(reason));
    }
    return !reason;
}
