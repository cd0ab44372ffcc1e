/* time_texts.c - dates, timestamps and durations to texts. */
#include <string.h>

#include "api/text/text_array.h"
#include "api/time/time_array.h"

/* The text of an element, by the writer's format if it has one. */
static void write_one(const lun__text_writer *by, const void *x, lun_strbuf *to)
{
    char text[LUN__TIME_TEXT];
    int64_t element;
    memcpy(&element, x, sizeof element);
    if (by->format)
        lun__time_write_as(by->t, by->format, element, to);
    else
        lun__strbuf_add(to, text, (size_t)lun__time_write(by->t, element, text));
}

lun_status lun__time_texts(lun_engine *e, lun_array *a, const char *format, lun_array **out)
{
    const lun__text_writer by = {write_one, lun__array_logical(a), format, sizeof(int64_t), true};
    lun_array *x = NULL;
    lun_status s = lun__time_text_format(e, by.t, format, true);
    if (s == LUN_OK)
        s = lun__time_array_numbers(e, a, false, &x);
    if (s == LUN_OK)
        s = lun__text_written(e, x, &by, out);
    lun_release(x);
    return s;
}

lun_status lun_time_texts(lun_engine *e, lun_array *a, const char *format, lun_array **out)
{
    LUN_NEED(e, a && out);
    lun_status s = lun__time_array_check(e, a, ~0U, "dates, timestamps or durations");
    return s == LUN_OK ? lun__time_texts(e, a, format, out) : s;
}

int lun_time_write(lun_dtype t, int64_t x, char text[LUN_TIME_TEXT])
{
    return lun_dtype_kind(t) == LUN_KIND_TIME ? lun__time_write(t, x, text) : 0;
}
