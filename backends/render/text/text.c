/* text.c - names and lines of the generated text: the lowest helpers of all rooms. */
#include "render/text/text.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

lun_cname lun__text_name(const char *format, ...)
{
    lun_cname c;
    va_list args;
    va_start(args, format);
    vsnprintf(c.s, sizeof c.s, format, args);
    va_end(args);
    return c;
}

bool lun__text_once(lun_crender *r, const char *name)
{
    lun_cname key = lun__text_name("\n%s\n", name);
    if (strstr(lun_strbuf_text(&r->made), key.s))
        return false;
    lun_strbuf_puts(&r->made, key.s);
    return true;
}

void lun__text_line(lun_csection *s, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    lun_strbuf_printf(s->out, "%*s", 4 * (s->depth + 1), "");
    lun_strbuf_vprintf(s->out, format, args);
    lun_strbuf_puts(s->out, "\n");
    va_end(args);
}
