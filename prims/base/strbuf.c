/* strbuf.c - a growing string. */
#include "base/strbuf.h"

#include <locale.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void lun__strbuf_free(lun_strbuf *s)
{
    free(s->text);
    *s = (lun_strbuf){.message = s->message};
}

void lun__strbuf_clear(lun_strbuf *s)
{
    s->length = 0;
    s->failed = false;
    if (s->text)
        s->text[0] = '\0';
}

/* Room for `more` bytes and the NUL. */
static bool reserve(lun_strbuf *s, size_t more)
{
    if (s->failed || more > SIZE_MAX / 4 || s->length > SIZE_MAX / 4) {
        s->failed = true;
        return false;
    }
    size_t need = s->length + more + 1;
    if (need <= s->room)
        return true;
    size_t room = s->room ? s->room : 64;
    while (room < need)
        room *= 2;
    char *text = realloc(s->text, room);
    if (!text) {
        s->failed = true;
        return false;
    }
    s->text = text;
    s->room = room;
    return true;
}

/* Writes '?' for the marks from s->text[before] on; like: but for those that this text, which is
 * equal in all else, does not have. */
static void drop_marks(lun_strbuf *s, size_t before, const char *like)
{
    for (size_t at = before; at < s->length; at++)
        if (s->text[at] == *LUN_NTH_MARK && (!like || like[at - before] == *LUN_NTH_MARK))
            s->text[at] = '?';
}

/* As drop_marks, of n bytes that were printed by this format: its own marks stay, which are the
 * bytes that differ where it is printed with another byte for them. */
static void keep_own_marks(lun_strbuf *s, size_t before, size_t n, const char *format, va_list args)
{
    char *other = strdup(format), *like = malloc(n + 1);
    if (other && like) {
        for (char *p = other; (p = strpbrk(p, LUN_NTH_MARK)); p++)
            *p = ' ';
        vsnprintf(like, n + 1, other, args);
        drop_marks(s, before, like);
    }
    s->failed = !other || !like;
    free(other);
    free(like);
}

void lun__strbuf_add(lun_strbuf *s, const char *bytes, size_t length)
{
    if (!reserve(s, length))
        return;
    const size_t before = s->length;
    if (length)
        memcpy(s->text + before, bytes, length);
    s->length += length;
    s->text[s->length] = '\0';
    if (s->message)
        drop_marks(s, before, NULL);
}

void lun__strbuf_marked(lun_strbuf *s, const char *text)
{
    const bool message = s->message;
    s->message = false;
    lun__strbuf_puts(s, text);
    s->message = message;
}

void lun__strbuf_puts(lun_strbuf *s, const char *text)
{
    lun__strbuf_add(s, text, strlen(text));
}

void lun__strbuf_vprintf(lun_strbuf *s, const char *format, va_list args)
{
    va_list again, last;
    va_copy(again, args);
    va_copy(last, args);
    const size_t before = s->length;
    int n = vsnprintf(NULL, 0, format, args);
    if (n < 0)
        s->failed = true;
    if (n >= 0 && reserve(s, (size_t)n)) {
        vsnprintf(s->text + before, (size_t)n + 1, format, again);
        s->length += (size_t)n;
        if (s->message && memchr(s->text + before, *LUN_NTH_MARK, (size_t)n))
            keep_own_marks(s, before, (size_t)n, format, last);
    }
    va_end(last);
    va_end(again);
}

void lun__strbuf_printf(lun_strbuf *s, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    lun__strbuf_vprintf(s, format, args);
    va_end(args);
}

void lun__strbuf_count_from(lun_strbuf *s, const char *text, int first)
{
    for (;;) {
        const size_t length = strcspn(text, LUN_NTH_MARK);
        char *end = NULL;
        lun__strbuf_add(s, text, length);
        if (!text[length])
            return;
        text += length + 1;
        const long long number = strtoll(text, &end, 10);
        if (end != text)
            lun__strbuf_printf(s, "%lld", (long long)((uint64_t)number + (uint64_t)first));
        text = end;
    }
}

const char *lun__strbuf_text(const lun_strbuf *s)
{
    return s->text ? s->text : "";
}

const char *lun__strbuf_number(double x, char text[LUN_NUMBER_TEXT])
{
    snprintf(text, LUN_NUMBER_TEXT, "%.14g", x);
    const char *point = localeconv()->decimal_point;
    char *at = strstr(text, point);
    size_t length = strlen(point);
    if (at && length) {
        *at = '.';
        memmove(at + 1, at + length, strlen(at + length) + 1);
    }
    return text;
}
