/* trace_json.c - a trace as Chrome's trace events: an object with "traceEvents", of which each
 * slice is a complete event (ph "X") and each lane a thread, named by a metadata event (ph "M").
 * Times are in microseconds with three digits, from whole nanoseconds, so that slices nest as they
 * did. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "text/texts.h"
#include "trace/trace.h"

enum { AT_ONCE = 60000 }; /* bytes that are written at once, about */

static const char *const categories[LUN_TOOL_KINDS] = {
    [LUN_TOOL_KERNEL] = "kernel",       [LUN_TOOL_PRODUCT] = "product",
    [LUN_TOOL_ALGORITHM] = "algorithm", [LUN_TOOL_COPY] = "move",
    [LUN_TOOL_ALLOCATION] = "move",     [LUN_TOOL_COMPILE] = "compile",
    [LUN_TOOL_MESSAGE] = "message",     [LUN_TOOL_PLAN] = "plan",
    [LUN_TOOL_TASK] = "task",           [LUN_TOOL_FILE] = "file",
    [LUN_TOOL_DOOR] = "door",           [LUN_TOOL_SCRIPT] = "script",
    [LUN_TOOL_REGION] = "script"};

typedef struct writer {
    const lun_tracing *t;
    int rank;
    lun_replacing_file file;
    lun_strbuf text; /* not in the file yet */
} writer;

static void write_out(writer *w, size_t least)
{
    if (w->text.failed && !w->file.error)
        w->file.error = ENOMEM;
    if (w->text.length < least)
        return;
    lun__replacing_file_write(&w->file, lun__strbuf_text(&w->text), w->text.length);
    lun__strbuf_clear(&w->text);
}

/* A JSON string; what is no UTF-8 becomes U+FFFD. */
static void put_string(lun_strbuf *to, const char *s)
{
    lun__strbuf_add(to, "\"", 1);
    for (size_t left = strlen(s); left;) {
        size_t some = (uint8_t)*s < 0x80 ? 1 : 2;
        while (some < left && some < 4 && some > 1 && !lun__utf8_valid(s, (int64_t)some))
            some++;
        const bool valid = some <= left && lun__utf8_valid(s, (int64_t)some);
        if (!valid)
            lun__strbuf_puts(to, "\\ufffd");
        else if (*s == '"' || *s == '\\')
            lun__strbuf_printf(to, "\\%c", *s);
        else if ((uint8_t)*s < 0x20)
            lun__strbuf_printf(to, "\\u%04x", (unsigned)*s);
        else
            lun__strbuf_add(to, s, some);
        some = valid ? some : 1;
        s += some;
        left -= some;
    }
    lun__strbuf_add(to, "\"", 1);
}

static void put_member(lun_strbuf *to, const char *name, const char *text)
{
    if (!*text)
        return;
    lun__strbuf_printf(to, ",\"%s\":", name);
    put_string(to, text);
}

static void put_count(lun_strbuf *to, const char *name, int64_t count)
{
    if (count)
        lun__strbuf_printf(to, ",\"%s\":%lld", name, (long long)count);
}

/* Thousandths, as nanoseconds of microseconds are. */
static void put_thousandths(lun_strbuf *to, const char *name, int64_t n)
{
    lun__strbuf_printf(to, ",\"%s\":%lld.%03d", name, (long long)(n / 1000), (int)(n % 1000));
}

static bool is_run(int kind)
{
    return kind == LUN_TOOL_KERNEL || kind == LUN_TOOL_PRODUCT || kind == LUN_TOOL_ALGORITHM;
}

static const char *label_of(int kind)
{
    return kind == LUN_TOOL_FILE ? "path" : is_run(kind) ? "operations" : "label";
}

static void put_slice(writer *w, int tid, const lun_trace_slice *s)
{
    lun_strbuf *to = &w->text;
    char *const *text = w->t->text;
    const int64_t start = llround(fmax(s->begin - w->t->start, 0) * 1e9);
    const int64_t end = llround(fmax(s->end - w->t->start, 0) * 1e9);
    lun__strbuf_puts(to, ",\n{\"ph\":\"X\",\"name\":");
    put_string(to, text[s->name]);
    lun__strbuf_printf(to, ",\"cat\":\"%s\",\"pid\":%d,\"tid\":%d", categories[s->kind], w->rank,
                       tid);
    put_thousandths(to, "ts", start);
    put_thousandths(to, "dur", end - start);
    const size_t before = to->length;
    lun__strbuf_puts(to, ",\"args\":{");
    const size_t first = to->length;
    put_member(to, label_of(s->kind), text[s->label]);
    put_count(to, "count", s->operations);
    put_count(to, "elements", s->elements);
    put_count(to, "bytes", s->bytes);
    if (s->bytes > 0 && end > start)
        put_thousandths(to, "GB/s", llround(1000.0 * (double)s->bytes / (double)(end - start)));
    put_member(to, "where", text[s->where]);
    put_member(to, "device", text[s->place]);
    if (is_run(s->kind))
        put_member(to, "tier", s->interpreted ? "interpreted" : "compiled");
    if (to->failed)
        return;
    if (to->length == first) {
        to->length = before;
        lun__strbuf_puts(to, "}");
        return;
    }
    memmove(to->text + first, to->text + first + 1, to->length - first - 1); /* the first comma */
    to->length--;
    lun__strbuf_puts(to, "}}");
}

static void put_lane(writer *w, int tid, const lun_trace_lane *x)
{
    const int64_t kept = x->count < x->room ? x->count : x->room, lost = x->count - kept + x->lost;
    lun__strbuf_printf(&w->text, ",\n{\"ph\":\"M\",\"name\":\"thread_name\",\"pid\":%d,\"tid\":%d",
                       w->rank, tid);
    lun__strbuf_puts(&w->text, ",\"args\":{\"name\":");
    put_string(&w->text, x->name);
    lun__strbuf_puts(&w->text, "}}");
    if (lost)
        lun__strbuf_printf(&w->text,
                           ",\n{\"ph\":\"X\",\"name\":\"%lld events lost\",\"cat\":\"script\","
                           "\"pid\":%d,\"tid\":%d,\"ts\":0,\"dur\":0,\"args\":{\"lost\":%lld}}",
                           (long long)lost, w->rank, tid, (long long)lost);
    for (int64_t i = x->count - kept; i < x->count; i++) {
        put_slice(w, tid, &x->at[i % x->room]);
        write_out(w, AT_ONCE);
    }
}

int lun__trace_json(const lun_tracing *t, int rank, const char *path)
{
    writer w = {.t = t, .rank = rank};
    lun__replacing_file_open(&w.file, path);
    lun__strbuf_printf(&w.text,
                       "{\"displayTimeUnit\":\"ms\",\"traceEvents\":[\n"
                       "{\"ph\":\"M\",\"name\":\"process_name\",\"pid\":%d,\"tid\":0,"
                       "\"args\":{\"name\":\"rank %d\"}}",
                       rank, rank);
    for (int i = 0; i < t->lane_count; i++)
        put_lane(&w, i + 1, t->lanes[i]);
    lun__strbuf_puts(&w.text, "\n]}\n");
    write_out(&w, 0);
    lun__strbuf_free(&w.text);
    return lun__replacing_file_end(&w.file, true);
}
