/* loads.c - files that a rank which serves reads and writes itself, where it sees them as rank 0
 * does; see client.h.  Opens nothing here. */
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "mpi/client.h"

static const lun_mpi_file *find(const lun_mpi *m, int64_t number)
{
    for (int i = 0; i < m->file_count; i++)
        if (m->files[i].number == number)
            return &m->files[i];
    return NULL;
}

/* ---- who sees a file ------------------------------------------------------------------------- */

static void ask_for(lun_mpi *m, const lun_file *f)
{
    lun__mpi_ask(m, LUN_MPI_OPEN);
    lun__bytes_put_i64(&m->out, f->number);
    lun__bytes_put_text(&m->out, f->name);
    lun__bytes_put_text(&m->out, f->path);
    lun__bytes_put_i64(&m->out, f->is.size);
    lun__bytes_put_i64(&m->out, f->is.seconds);
    lun__bytes_put_i64(&m->out, f->is.nanoseconds);
    lun__bytes_put_i64(&m->out, (int64_t)f->is.inode);
    lun__bytes_put_i64(&m->out, (int64_t)f->is.ends);
    m->awaited = true;
}

static lun_status hear_whether(lun_mpi *m, const lun_file *f)
{
    lun_mpi_answer a;
    lun_status s = lun__mpi_hear_asked(m, &a);
    if (s != LUN_OK)
        return s;
    const bool seen = lun__bytes_take_u8(&a.rest) != 0;
    if (a.rest.bad)
        return lun__mpi_strange(m, &a);
    free(a.bytes);
    m->files[m->file_count++] = (lun_mpi_file){f->number, seen};
    return LUN_OK;
}

/* Asks all ranks at once, for a file that one reads is mostly read by all.  What fails for another
 * one is told when that is used. */
static lun_status ask_all(lun_mpi *m, const lun_file *f)
{
    lun_mpi *x = m;
    do {
        x->looks = x->rank > 0 && !find(x, f->number) &&
                   lun__grow(&x->files, x->file_count, &x->file_room, sizeof *x->files);
        if (x->looks)
            ask_for(x, f);
        x = x->next;
    } while (x != m);
    if (!m->looks)
        return lun__mpi_fail(m, LUN_ENOMEM, "out of memory");
    (void)lun__mpi_send(m); /* which may fail for another rank */
    for (x = m->next; x != m; x = x->next)
        if (x->looks)
            (void)hear_whether(x, f);
    return hear_whether(m, f);
}

/* Whether the rank sees the file, once that was asked. */
static lun_status look(lun_mpi *m, const lun_file *file, bool *seen)
{
    const lun_status s = find(m, file->number) ? LUN_OK : ask_all(m, file);
    *seen = s == LUN_OK && find(m, file->number)->seen;
    return s;
}

/* ---- elements -------------------------------------------------------------------------------- */

lun_status lun__mpi_load(void *state, lun_buffer *to, int64_t offset, const lun_file *file,
                         int64_t at, int64_t count, lun_infile_form form, bool *done)
{
    lun_mpi *m = state;
    const lun_status s = look(m, file, done);
    if (!*done)
        return s;
    lun__mpi_ask(m, LUN_MPI_LOAD);
    lun__bytes_put_i32(&m->out, to->number);
    lun__bytes_put_i64(&m->out, offset);
    lun__bytes_put_i64(&m->out, file->number);
    lun__bytes_put_i64(&m->out, at);
    lun__bytes_put_i64(&m->out, count);
    lun__bytes_put_u8(&m->out, (unsigned)form.bytes);
    lun__bytes_put_u8(&m->out, (unsigned)form.swapped | (unsigned)form.truth << 1);
    lun__bytes_put_i64(&m->out, form.step);
    m->loads = true;
    m->services->stats->bytes_to_device += count * form.bytes;
    return lun__mpi_asked(m);
}

void lun__mpi_unload(void *state, int64_t number)
{
    lun_mpi *m = state;
    const lun_mpi_file *f = find(m, number);
    if (!f)
        return;
    if (f->seen) {
        lun__mpi_ask(m, LUN_MPI_CLOSE);
        lun__bytes_put_i64(&m->out, number);
        (void)lun__mpi_asked(m);
    }
    m->files[f - m->files] = m->files[--m->file_count];
}

lun_status lun__mpi_loaded(void *state)
{
    lun_mpi *m = state, *x = m;
    lun_status first = LUN_OK;
    char *kept = NULL; /* the first failure's text */
    do {               /* all read at once */
        x->looks = x->rank > 0 && x->loads;
        x->loads = false;
        if (x->looks) {
            lun__mpi_ask(x, LUN_MPI_READ);
            x->awaited = true;
        }
        x = x->next;
    } while (x != m);
    (void)lun__mpi_send(m); /* which may fail for another rank */
    do {
        lun_mpi_answer a = {.bytes = NULL};
        const lun_status s = x->looks ? lun__mpi_hear_asked(x, &a) : LUN_OK;
        free(a.bytes);
        if (s != LUN_OK && first == LUN_OK) {
            first = s;
            kept = strdup(lun__strbuf_text(m->services->error));
        }
        x = x->next;
    } while (x != m);
    if (kept)
        (void)lun__mpi_fail(m, first, kept);
    free(kept);
    return first;
}

lun_status lun__mpi_crc(void *state, const lun_file *file, int64_t at, int64_t bytes, bool *begun)
{
    lun_mpi *m = state;
    const lun_status s = look(m, file, begun);
    if (!*begun)
        return s;
    lun__mpi_ask(m, LUN_MPI_CRC);
    lun__bytes_put_i64(&m->out, file->number);
    lun__bytes_put_i64(&m->out, at);
    lun__bytes_put_i64(&m->out, bytes);
    m->awaited = true;
    return LUN_OK;
}

lun_status lun__mpi_crc_found(void *state, uint32_t *crc)
{
    lun_mpi *m = state;
    lun_mpi_answer a;
    (void)lun__mpi_send(m); /* which may fail for another rank */
    const lun_status s = lun__mpi_hear_asked(m, &a);
    if (s != LUN_OK)
        return s;
    *crc = (uint32_t)lun__bytes_take_i64(&a.rest);
    if (a.rest.bad)
        return lun__mpi_strange(m, &a);
    free(a.bytes);
    return LUN_OK;
}

/* ---- files that are written ------------------------------------------------------------------ */

lun_status lun__mpi_store(void *state, lun_buffer *from, int64_t offset, int64_t bytes,
                          const lun_outfile *to, int64_t at)
{
    lun_mpi *m = state;
    lun__mpi_ask(m, LUN_MPI_STORE);
    lun__bytes_put_i32(&m->out, from->number);
    lun__bytes_put_i64(&m->out, offset);
    lun__bytes_put_i64(&m->out, bytes);
    lun__bytes_put_text(&m->out, to->path);
    lun__bytes_put_i64(&m->out, to->mark_at);
    lun__bytes_put_bytes(&m->out, to->mark, to->mark_bytes);
    lun__bytes_put_i64(&m->out, at);
    m->awaited = true;
    return LUN_OK;
}

lun_status lun__mpi_stored(void *state, bool *done, int *failure)
{
    lun_mpi *m = state;
    lun_mpi_answer a;
    *done = false;
    *failure = 0;
    (void)lun__mpi_send(m); /* which may fail for another rank */
    lun_status s = lun__mpi_hear_asked(m, &a);
    if (s != LUN_OK)
        return s;
    *done = lun__bytes_take_u8(&a.rest) != 0;
    *failure = lun__bytes_take_i32(&a.rest);
    if (a.rest.bad)
        return lun__mpi_strange(m, &a);
    free(a.bytes);
    return LUN_OK;
}
