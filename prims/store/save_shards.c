/* save_shards.c - elements of a storage into a file: the locations whose machines see the file
 * write what they have, at once, and the host all else; see fetch.h.  Makes no file. */
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "store/fetch.h"
#include "store/pool.h"
#include "table/dtype.h"

enum { AT_ONCE = 16 << 20 }; /* bytes that the host writes between two looks at whether to stop */

typedef struct storing {
    lun_engine *e;
    lun_storage *s;
    const lun_store_to *to;
    int64_t size, lo;       /* of an element; the first element, which goes to byte to->at */
    lun_placed_move *moves; /* elements that the host has not, in order */
    bool *begun;
    int count, room, begun_room;
    int failure; /* of the file, an errno */
} storing;

static lun_status failed(storing *x, int failure)
{
    x->failure = failure;
    return lun__fail(x->e, LUN_EIO, "%s", strerror(failure));
}

static int64_t byte_of(const storing *x, int64_t element)
{
    return x->to->at + (element - x->lo) * x->size;
}

static lun_status note(void *ctx, const lun_placed_move *m)
{
    storing *x = ctx;
    if (!lun__grow(&x->moves, x->count, &x->room, sizeof *x->moves) ||
        !lun__grow(&x->begun, x->count, &x->begun_room, sizeof *x->begun))
        return lun__fail_nomem(x->e);
    x->begun[x->count] = false;
    x->moves[x->count++] = *m;
    return LUN_OK;
}

static const lun_piece *piece_of(const storing *x, const lun_placed_move *m)
{
    return lun__current_find(x->s->placed, m->from);
}

/* Elements lo .. hi - 1, which are in host memory. */
static lun_status write_memory(storing *x, int64_t lo, int64_t hi, const char *from)
{
    const int64_t bytes = (hi - lo) * x->size, at = byte_of(x, lo);
    lun_status status = LUN_OK;
    for (int64_t done = 0, some; status == LUN_OK && done < bytes; done += some) {
        some = bytes - done < AT_ONCE ? bytes - done : AT_ONCE;
        const int failure = lun__write_bytes_at(x->to->descriptor, at + done, from + done, some);
        status = failure ? failed(x, failure) : lun__watch_stopped(x->e);
    }
    return status;
}

/* Elements of a device's memory, NULL: of the storage's file, by way of the host. */
static lun_status write_through(storing *x, int64_t lo, int64_t hi, const lun_piece *from)
{
    const int64_t most = AT_ONCE / x->size;
    void *between;
    int64_t room;
    lun_status status = lun__pool_take(x->e->pool, AT_ONCE, &between, &room);
    if (status != LUN_OK)
        return lun__fail_nomem(x->e);
    for (int64_t next; status == LUN_OK && lo < hi; lo = next) {
        next = hi - lo < most ? hi : lo + most;
        status =
            from ? from->at->backend->read(from->at->state, from->buffer, (lo - from->lo) * x->size,
                                           between, (next - lo) * x->size, NULL)
                 : lun__file_backed_fetch_all(x->e, x->s, lo, next - lo, between);
        if (status == LUN_OK)
            status = write_memory(x, lo, next, between);
    }
    lun__pool_give(x->e->pool, between, room);
    return status;
}

/* Elements that the host has, or else the file that they are in. */
static lun_status write_host(storing *x, int64_t lo, int64_t hi)
{
    if (lo >= hi)
        return LUN_OK;
    return x->s->source ? write_through(x, lo, hi, NULL)
                        : write_memory(x, lo, hi, (const char *)x->s->data + lo * x->size);
}

/* Elements of a location whose machine does not write them. */
static lun_status write_location(storing *x, const lun_placed_move *m)
{
    const lun_piece *p = piece_of(x, m);
    if (p->data)
        return write_memory(x, m->lo, m->hi, (const char *)p->data + (m->lo - p->lo) * x->size);
    const lun_status status = write_through(x, m->lo, m->hi, p);
    if (status == LUN_OK)
        lun__fetch_count(x->e, m->from, NULL, (m->hi - m->lo) * x->size);
    return status;
}

/* Machines begin to write what they have. */
static lun_status begin(storing *x)
{
    lun_status status = LUN_OK;
    for (int i = 0; status == LUN_OK && x->to->out.path && i < x->count; i++) {
        const lun_placed_move *m = &x->moves[i];
        const lun_piece *p = piece_of(x, m);
        const lun_remote *r = p->at->backend->remote;
        if (p->data || !r)
            continue;
        status = r->store(p->at->state, p->buffer, (m->lo - p->lo) * x->size,
                          (m->hi - m->lo) * x->size, &x->to->out, byte_of(x, m->lo));
        x->begun[i] = status == LUN_OK;
    }
    return status;
}

/* Each has ended; of what fails the first is kept.  What was not written then is not begun. */
static lun_status end(storing *x, lun_status status)
{
    char *kept = NULL;
    for (int i = 0; i < x->count; i++) {
        const lun_backend_slot *at = x->moves[i].from;
        int failure;
        if (!x->begun[i])
            continue;
        if (status != LUN_OK && !kept)
            kept = strdup(lun__strbuf_text(&x->e->error));
        const lun_status s = at->backend->remote->stored(at->state, &x->begun[i], &failure);
        if (status == LUN_OK)
            status = s != LUN_OK ? s : failure ? failed(x, failure) : LUN_OK;
    }
    if (kept) {
        lun__strbuf_clear(&x->e->error);
        lun__strbuf_marked(&x->e->error, kept);
    }
    free(kept);
    return status;
}

static lun_status store(storing *x, int64_t hi)
{
    int64_t at = x->lo;
    lun_status status = begin(x);
    for (int i = 0; status == LUN_OK && i < x->count; at = x->moves[i++].hi)
        status = write_host(x, at, x->moves[i].lo);
    if (status == LUN_OK)
        status = write_host(x, at, hi);
    status = end(x, status);
    for (int i = 0; status == LUN_OK && i < x->count; i++)
        if (!x->begun[i])
            status = write_location(x, &x->moves[i]);
    return status;
}

lun_status lun__save_shards(lun_engine *e, lun_storage *s, int64_t lo, int64_t hi,
                            const lun_store_to *to, int *failure)
{
    storing x = {.e = e, .s = s, .to = to, .size = lun__dtype_get(s->dtype)->bytes, .lo = lo};
    lun_placed *p;
    lun_status status = s->stale ? lun__fetch_merge(e, s) : LUN_OK;
    if (status == LUN_OK)
        status = lun__fetch_open(e, s, &p);
    if (status == LUN_OK && s->source && to->out.path)
        status = lun__load_shard(e, s, 1, false);
    if (status == LUN_OK)
        status = lun__current_route(p, !s->stale, NULL, lo, hi, note, &x);
    if (status == LUN_OK)
        status = store(&x, hi);
    free(x.moves);
    free(x.begun);
    *failure = x.failure;
    return status;
}
