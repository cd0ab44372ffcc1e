/* fault.c - see fault.h. */
#include "duckdb/fault.h"

#include <stdarg.h>
#include <stdio.h>

bool lun__duckdb_fault_of(lun__duckdb_fault *f, const char *code, const char *format, ...)
{
    va_list arguments;
    f->status = LUN_OK;
    f->code = code;
    va_start(arguments, format);
    vsnprintf(f->text, sizeof f->text, format, arguments);
    va_end(arguments);
    return false;
}

bool lun__duckdb_fault_engine(lun__duckdb_fault *f, lun_status s)
{
    f->status = s;
    f->code = NULL;
    f->text[0] = '\0';
    return false;
}
