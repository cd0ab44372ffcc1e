/* strbuf.h - a growing string.  A failed allocation is remembered: append freely, check once. */
#ifndef LUN_STRBUF_H
#define LUN_STRBUF_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>

typedef struct lun_strbuf {
    char *text; /* NUL-terminated, or NULL while empty */
    size_t length, room;
    bool failed;
    bool message; /* see LUN_NTH */
} lun_strbuf;

#define LUN_STRBUF_INIT       \
    {                         \
        0, 0, 0, false, false \
    }
#define LUN_STRBUF_MESSAGE   \
    {                        \
        0, 0, 0, false, true \
    }

/* Frees the text: an empty one, which has not failed, remains. */
void lun__strbuf_free(lun_strbuf *s);
/* Empties it and keeps its memory; a failure is forgotten. */
void lun__strbuf_clear(lun_strbuf *s);
/* Each appends: so many bytes, a text, or as printf does.  Nothing once one has failed. */
void lun__strbuf_add(lun_strbuf *s, const char *bytes, size_t length);
void lun__strbuf_puts(lun_strbuf *s, const char *text);
void lun__strbuf_printf(lun_strbuf *s, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
void lun__strbuf_vprintf(lun_strbuf *s, const char *format, va_list args)
    __attribute__((format(printf, 2, 0)));
/* A number in at most 14 digits, in every locale with a point; in `text`, which it gives. */
enum { LUN_NUMBER_TEXT = 40 };
const char *lun__strbuf_number(double x, char text[LUN_NUMBER_TEXT]);
/* In a format the number of an axis, an element or an argument, from 0, behind a mark: who reads
 * the text says from where numbers count.  A negative one is only that of nothing.
 *
 * Of a message the only marks are those of formats: bytes of a script's text that look like one
 * become '?', so that they move no number. */
#define LUN_NTH_MARK "\2"
#define LUN_NTH      LUN_NTH_MARK "%d"
#define LUN_NTH_LONG LUN_NTH_MARK "%lld"
/* Appends the text of a message, with its marks. */
void lun__strbuf_marked(lun_strbuf *s, const char *text);
/* Appends such a text without marks, with numbers that count from `first`. */
void lun__strbuf_count_from(lun_strbuf *s, const char *text, int first);
/* The text, "" when empty. */
const char *lun__strbuf_text(const lun_strbuf *s);

#endif
