/* buffer_pool.c - buffers for pieces of text, reused for the next ones; see buffer_pool.h. */
#include "csv/buffer_pool.h"

#include <sched.h>
#include <stdlib.h>
#include <string.h>

int lun__csv_buffer_take(lun__csv_pool *d)
{
    uint64_t taken = atomic_load(&d->taken);
    for (;;) {
        if (taken == ~UINT64_C(0)) { /* more threads than buffers: one will be released */
            sched_yield();
            taken = atomic_load(&d->taken);
            continue;
        }
        int free_one = __builtin_ctzll(~taken);
        if (atomic_compare_exchange_weak(&d->taken, &taken, taken | UINT64_C(1) << free_one))
            return free_one;
    }
}

void lun__csv_buffer_give(lun__csv_pool *d, int buffer)
{
    atomic_fetch_and(&d->taken, ~(UINT64_C(1) << buffer));
}

/* Room for `count` elements in a buffer's memory, which may move; its contents are lost. */
static bool grow(void **memory, int64_t *room, int64_t count, size_t size)
{
    if (count <= *room)
        return true;
    free(*memory);
    count += count / 8;
    *memory = (uint64_t)count <= SIZE_MAX / size ? malloc((size_t)count * size) : NULL;
    *room = *memory ? count : 0;
    return *memory != NULL;
}

/* Makes line feeds of carriage returns, and the reverse. */
static void exchange(char *p, int64_t length)
{
    for (int64_t i = 0; i < length; i++)
        p[i] = (char)(p[i] ^ (p[i] == '\n' || p[i] == '\r' ? '\n' ^ '\r' : 0));
}

lun__csv_what lun__csv_buffer_fetch(lun__csv_pool *d, int buffer, int64_t at, int64_t length,
                                    bool added, lun__csv_piece *p, lun__csv_fault *fault)
{
    lun__csv_buffer *q = &d->buffers[buffer];
    void *memory = q->memory, *ends = q->ends;
    *fault = (lun__csv_fault){.column = -1, .at = at};
    if (length >= LUN__CSV_ROW)
        return fault->what = LUN__CSV_LONG;
    int64_t fields = d->rules.ragged == LUN__CSV_FILL ? p->rows * p->width : 0;
    fields = (fields > length + added ? fields : length + added) + p->width;
    bool room = grow(&memory, &q->room, length + added + 2 * LUN__CSV_MARGIN, 1) &&
                (!p->ends || grow(&ends, &q->ends_room, fields + 1, sizeof *q->ends));
    q->memory = memory;
    q->ends = ends;
    if (!room)
        return fault->what = LUN__CSV_MEMORY;
    p->text = q->memory + LUN__CSV_MARGIN;
    p->length = length + added;
    p->added = added;
    p->separator = d->separator;
    p->rules = &d->rules;
    p->returns = d->returns;
    memset(q->memory, 0, LUN__CSV_MARGIN);
    fault->error = length ? d->services->read(d->services->ctx, at, length, p->text) : 0;
    if (fault->error)
        return fault->what = LUN__CSV_UNREAD;
    if (d->returns)
        exchange(p->text, length);
    if (added)
        p->text[length] = '\n';
    memset(p->text + p->length, 0, LUN__CSV_MARGIN);
    if (p->ends) {
        q->ends[0] = UINT32_MAX; /* a field begins after the one before: at 0 */
        p->ends = q->ends + 1;
    }
    return LUN__CSV_FINE;
}

void lun__csv_buffer_clear(lun__csv_pool *d)
{
    for (int i = 0; i < LUN__CSV_BUFFERS; i++) {
        free(d->buffers[i].memory);
        free(d->buffers[i].ends);
        d->buffers[i] = (lun__csv_buffer){0};
    }
}
