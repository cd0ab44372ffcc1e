/* text.c - names, lines and words of the generated text: the lowest helpers of all rooms. */
#include "render/text/text.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

lun_snippet lun__text_name(const char *format, ...)
{
    lun_snippet c;
    va_list args;
    va_start(args, format);
    vsnprintf(c.s, sizeof c.s, format, args);
    va_end(args);
    return c;
}

bool lun__text_once(lun_renderer *r, const char *name)
{
    lun_snippet key = lun__text_name("\n%s\n", name);
    if (strstr(lun__strbuf_text(&r->made), key.s))
        return false;
    lun__strbuf_puts(&r->made, key.s);
    return true;
}

void lun__text_line(lun_section *s, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    lun__strbuf_printf(s->out, "%*s", 4 * (s->depth + 1), "");
    lun__strbuf_vprintf(s->out, format, args);
    lun__strbuf_puts(s->out, "\n");
    va_end(args);
}

/* The word of n characters, NULL: there is none. */
static const char *word(const lun_renderer *r, const char *name, size_t n)
{
    for (const lun_word *w = r->dialect->words; w && w->name; w++)
        if (strlen(w->name) == n && !strncmp(w->name, name, n))
            return w->text;
    return NULL;
}

lun_snippet lun__text_global(const lun_renderer *r)
{
    const char *global = word(r, "global", strlen("global"));
    return global ? lun__text_name("%s ", global) : lun__text_name("%s", "");
}

const char *lun__text_flat(const lun_renderer *r)
{
    return r->dialect->flat ? "(const void *)(lun_u64)" : "";
}

void lun__text_put(lun_renderer *r, lun_strbuf *out, const char *format, ...)
{
    lun_strbuf text = LUN_STRBUF_INIT;
    va_list args;
    va_start(args, format);
    lun__strbuf_vprintf(&text, format, args);
    va_end(args);
    for (const char *p = lun__strbuf_text(&text); *p;) {
        size_t plain = strcspn(p, "@"), n = 0;
        lun__strbuf_add(out, p, plain);
        p += plain;
        if (!*p)
            break;
        while (islower((unsigned char)p[n + 1]) || isdigit((unsigned char)p[n + 1]) ||
               p[n + 1] == '_')
            n++;
        const char *found = word(r, p + 1, n);
        lun__strbuf_puts(found ? out : &r->problem, found ? found : "a word that words.def lacks");
        p += n + 1;
    }
    if (text.failed)
        out->failed = true;
    lun__strbuf_free(&text);
}
