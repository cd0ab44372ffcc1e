/* progress_line.c - the line that a terminal shows during long evaluations.
 *
 * Invariant of a watch: `what` is the kernel of the last report; `older` and `newer` are two of its
 * reports, in that order, more than PACE seconds apart unless they are the same; a new kernel
 * resets both. */
#include "program/progress_line.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bind/host/bind.h"
#include "lunarray.h"

enum { ROOM = 100, NAME = 16 };
#define PACE 2.0 /* seconds */

/* A report: how much was done at which time. */
typedef struct mark {
    int64_t done;
    double seconds;
} mark;

/* The running kernel; of an evaluation only the whole time is shown. Its pace is that since
 * `older`, some seconds ago, since it may change: compiled code replaces the interpreter. */
typedef struct watch {
    char what[NAME]; /* empty: no report yet */
    int64_t total;
    mark older, newer;
} watch;

/* Appends the remaining time: ", 12 s left", minutes, hours or days. */
static void put_left(char *text, size_t room, double seconds)
{
    double minutes = seconds / 60, hours = minutes / 60;
    if (seconds < 99.5)
        snprintf(text, room, ", %.0f s left", seconds < 1 ? 1 : seconds);
    else if (minutes < 99.5)
        snprintf(text, room, ", %.0f min left", minutes);
    else if (hours < 99.5)
        snprintf(text, room, ", %.0f h left", hours);
    else
        snprintf(text, room, ", %.0f days left", hours / 24);
}

/* Records a report. */
static void look(watch *w, const lun_progress *p)
{
    mark now = {p->done, p->seconds};
    if (strncmp(w->what, p->what, NAME - 1) != 0 || w->total != p->total ||
        w->newer.done > p->done) {
        bool first = !w->what[0];
        snprintf(w->what, NAME, "%s", p->what);
        w->total = p->total;
        w->older = w->newer = first ? (mark){0} : now;
    } else if (p->seconds - w->newer.seconds > PACE) {
        w->older = w->newer;
        w->newer = now;
    }
}

/* Appends ", 34 % of 863 MB, 412 MB/s", or of so many elements or rows. */
static int put_share(char *text, size_t room, const lun_progress *p)
{
    static const char *const units[] = {"bytes", "kB", "MB", "GB", "TB"};
    const int percent = (int)((double)p->done / (double)p->total * 100);
    const double rate = p->seconds > 0 ? (double)p->done / p->seconds : 0;
    double size = (double)p->total;
    int unit = 0;
    if (!p->unit)
        return snprintf(text, room, ", %d %% of %lld elements", percent, (long long)p->total);
    if (strcmp(p->unit, "bytes") != 0)
        return snprintf(text, room, ", %d %% of %lld %s, %.0f a second", percent,
                        (long long)p->total, p->unit, rate);
    for (; size >= 1000 && unit < 4; unit++)
        size /= 1000;
    return snprintf(text, room, ", %d %% of %.0f %s, %.0f MB a second", percent, size, units[unit],
                    rate / 1e6);
}

/* Formats the line. w: the earlier reports. */
static void put_line(char text[ROOM], watch *w, const lun_progress *p)
{
    long long tenths = (long long)(p->seconds * 10 + 0.5); /* with a point in every locale */
    int n = snprintf(text, ROOM, "%s %lld.%lld s", p->what, tenths / 10, tenths % 10);
    look(w, p);
    if (p->total <= 0 || p->done >= p->total || n < 0 || n >= ROOM)
        return; /* the time behind a kernel that has ended is not known */
    n += put_share(text + n, ROOM - (size_t)n, p);
    double gained = (double)(p->done - w->older.done), took = p->seconds - w->older.seconds;
    if (gained > 0 && took > 0 && n < ROOM)
        put_left(text + n, ROOM - (size_t)n, took * (double)(p->total - p->done) / gained);
}

/* Shows the progress at the cursor, and leaves the cursor there, so that the next output overwrites
 * it; NULL: erases it. */
static void show(void *ctx, const lun_progress *p)
{
    char text[ROOM];
    watch *w = ctx;
    fflush(stdout);
    if (!p) {
        *w = (watch){0};
        fputs("\033[K", stderr);
    } else {
        put_line(text, w, p);
        /* save the cursor, no wrapping; restore */
        fprintf(stderr, "\0337\033[?7l%s\033[K\033[?7h\0338", text);
    }
    fflush(stderr);
}

void lun__progress_line_watch(lua_State *L)
{
    const char *term = getenv("TERM"), *wanted = getenv("LUNARRAY_PROGRESS");
    lun_engine *e = lun__host_engine(L);
    if (!e || !isatty(STDERR_FILENO) || !isatty(STDOUT_FILENO) || !term || !*term ||
        strcmp(term, "dumb") == 0 || (wanted && strcmp(wanted, "0") == 0))
        return;
    watch *w = lua_newuserdatauv(L, sizeof *w, 0);
    *w = (watch){0};
    lua_rawsetp(L, LUA_REGISTRYINDEX, (void *)show); /* it lives as long as the engine can call */
    lun_on_progress(e, show, w);
}
