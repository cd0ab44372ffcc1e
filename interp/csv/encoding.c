/* encoding.c - text of another encoding as UTF-8, by iconv: all of it, in memory. */
#include <errno.h>
#include <iconv.h>
#include <stdlib.h>
#include <string.h>

#include "csv/csv.h"

enum { SPARE = 64 }; /* bytes that one character and a shift can take */

/* "UTF-16" by the byte order mark that the text begins with, or NULL. */
static const char *by_mark(const lun__csv_services *s, lun__csv_fault *fault)
{
    char mark[2] = {0};
    if (s->size < 2)
        return NULL;
    fault->error = s->read(s->ctx, 0, 2, mark);
    if (fault->error)
        fault->what = LUN__CSV_UNREAD;
    else if (memcmp(mark, "\377\376", 2) == 0 || memcmp(mark, "\376\377", 2) == 0)
        return "UTF-16";
    return NULL;
}

static int64_t lines_of(const char *p, const char *end)
{
    int64_t n = 1;
    for (; p < end; p++)
        n += *p == '\n';
    return n;
}

/* Converts size bytes of `from`; *to is memory of the result, *length its bytes. */
static void convert(iconv_t by, char *from, size_t size, char **to, int64_t *length,
                    lun__csv_fault *fault)
{
    size_t room = size + size / 8 + SPARE, used = 0;
    bool ended = false;
    *to = malloc(room);
    while (*to && !ended) {
        char *out = *to + used;
        size_t left = room - used;
        ended = size == 0; /* what shift the encoding is in ends, too */
        errno = 0;
        size_t bad = iconv(by, ended ? NULL : &from, ended ? NULL : &size, &out, &left);
        used = (size_t)(out - *to);
        if (bad != (size_t)-1)
            continue;
        if (errno != E2BIG) {
            fault->what = LUN__CSV_RECODE;
            fault->line = lines_of(*to, out);
            fault->byte = size ? (unsigned char)*from : 0;
            return;
        }
        char *more = room < SIZE_MAX / 2 ? realloc(*to, room *= 2) : NULL;
        if (!more)
            free(*to);
        *to = more;
        ended = false;
    }
    *length = (int64_t)used;
    if (!*to)
        fault->what = LUN__CSV_MEMORY;
}

bool lun__csv_encoding_recode(const lun__csv_services *s, const char *encoding, char **text,
                              int64_t *length, lun__csv_fault *fault)
{
    *fault = (lun__csv_fault){.column = -1};
    *text = NULL;
    if (!encoding)
        encoding = by_mark(s, fault);
    if (!encoding || fault->what)
        return !fault->what;
    iconv_t by = iconv_open("UTF-8", encoding);
    if (by == (iconv_t)-1)
        return fault->what = LUN__CSV_NO_ENCODING, false;
    char *bytes = malloc((size_t)s->size + 1);
    if (!bytes)
        fault->what = LUN__CSV_MEMORY;
    else if ((fault->error = s->size ? s->read(s->ctx, 0, s->size, bytes) : 0))
        fault->what = LUN__CSV_UNREAD;
    else
        convert(by, bytes, (size_t)s->size, text, length, fault);
    free(bytes);
    iconv_close(by);
    if (!fault->what)
        return true;
    free(*text);
    *text = NULL;
    return false;
}
