/* fetch.c - elements moved between locations as they are needed; see fetch.h.  What is where, and
 * from where it comes, is current.c's. */
#include "store/fetch.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ranks/ranks.h"
#include "store/pool.h"
#include "table/dtype.h"

static int64_t size_of(const lun_storage *s)
{
    return lun__dtype_get(s->dtype)->bytes;
}

/* ---- memory ---------------------------------------------------------------------------------- */

static int64_t padded(const lun_storage *s, int64_t count)
{
    return (count + 63) / 64 * 64 * size_of(s);
}

static lun_status take_memory(lun_engine *e, const lun_storage *s, lun_piece *x, int64_t lo,
                              int64_t hi)
{
    const int64_t bytes = padded(s, hi - lo);
    lun_status status = LUN_OK;
    if (x->at->away)
        ; /* its numbers alone are known here */
    else if (x->at->backend->buffer_new)
        status = x->at->backend->buffer_new(x->at->state, bytes, &x->buffer);
    else
        status = lun__pool_take(e->pool, bytes, &x->data, &x->bytes);
    if (status == LUN_OK) {
        x->lo = lo;
        x->hi = hi;
        if (x->data)
            lun__pool_pad(x->data, hi - lo, size_of(s));
        return LUN_OK;
    }
    if (x->at->backend->buffer_new)
        return status;
    return lun__fail(e, status, "%s: %lld bytes for elements of %s at place %s",
                     status == LUN_ELIMIT ? "memory limit reached" : "out of memory",
                     (long long)bytes, lun_dtype_name(s->dtype), x->at->name);
}

lun_status lun__fetch_copy(const lun_storage *s, const lun_piece *from, const lun_piece *to,
                           int64_t lo, int64_t hi)
{
    const int64_t size = size_of(s), count = hi - lo;
    if (from->at->away)
        return LUN_OK;
    if (from->data) {
        memcpy((char *)to->data + (lo - to->lo) * size,
               (const char *)from->data + (lo - from->lo) * size, (size_t)(count * size));
        return LUN_OK;
    }
    return lun__backend_move(to->at, to->buffer, lo - to->lo, from->buffer, lo - from->lo, count,
                             (int)size);
}

/* What is current of `from` into `to`, another memory of the same location. */
static lun_status keep(const lun_storage *s, const lun_piece *from, const lun_piece *to)
{
    lun_status status = LUN_OK;
    for (int i = 0; status == LUN_OK && i < from->fresh.count; i++)
        status = lun__fetch_copy(s, from, to, from->fresh.at[i].lo, from->fresh.at[i].hi);
    return status;
}

/* Memory for lo .. hi - 1 beside what the piece holds. */
static lun_status grow(lun_engine *e, const lun_storage *s, lun_piece *x, int64_t lo, int64_t hi)
{
    if (lo >= hi || (x->lo <= lo && hi <= x->hi))
        return LUN_OK;
    lun_piece more = {.at = x->at};
    if (x->lo < x->hi) {
        lo = x->lo < lo ? x->lo : lo;
        hi = x->hi > hi ? x->hi : hi;
    }
    lun_status status = take_memory(e, s, &more, lo, hi);
    if (status != LUN_OK)
        return status;
    status = keep(s, x, &more);
    if (status != LUN_OK) {
        lun__current_piece_empty(e, &more);
        return status;
    }
    lun__current_piece_empty(e, x);
    x->buffer = more.buffer;
    x->data = more.data;
    x->bytes = more.bytes;
    x->lo = lo;
    x->hi = hi;
    return LUN_OK;
}

/* ---- mirrors --------------------------------------------------------------------------------- */

/* Whether a piece has all of s. */
static bool has_all(const lun_storage *s, const lun_piece *x)
{
    bool in;
    const lun_interval all = lun__intervals_around(&x->fresh, 0, 0, s->count, &in);
    return x->buffer && x->lo == 0 && x->hi == s->count && in && all.hi == s->count;
}

/* A device's copy of all of s becomes its piece, unless that has all: a launch may be bound to
 * it. */
static lun_status adopt(lun_engine *e, lun_storage *s, lun_mirror *m)
{
    lun_piece *x = lun__current_piece(s->placed, m->at);
    if (!x)
        return lun__fail_nomem(e);
    if (has_all(s, x)) {
        m->at->backend->buffer_free(m->at->state, m->buffer);
        return LUN_OK;
    }
    lun__intervals_clear(&x->fresh);
    if (m->current && !lun__intervals_add(&x->fresh, 0, s->count))
        return lun__fail_nomem(e);
    lun__current_piece_empty(e, x);
    x->buffer = m->buffer;
    x->hi = s->count;
    return LUN_OK;
}

lun_status lun__fetch_open(lun_engine *e, lun_storage *s, lun_placed **out)
{
    if (!s->placed && (s->placed = e->spare_placed)) {
        e->spare_placed = s->placed->next;
        s->placed->next = NULL;
    } else if (!s->placed && !(s->placed = calloc(1, sizeof *s->placed)))
        return lun__fail_nomem(e);
    for (lun_mirror *m; (m = s->mirrors);) {
        lun_status status = adopt(e, s, m);
        if (status != LUN_OK)
            return status;
        s->mirrors = m->next;
        free(m);
    }
    *out = s->placed;
    return LUN_OK;
}

lun_status lun__fetch_whole(lun_engine *e, lun_storage *s, lun_backend_slot *at)
{
    lun_piece *x;
    lun_mirror *m = calloc(1, sizeof *m);
    lun_status status = m ? lun__fetch_ensure(e, s, at, 0, s->count, &x) : lun__fail_nomem(e);
    if (status == LUN_OK && !x->buffer)
        status = take_memory(e, s, x, 0, s->count);
    const lun_status settled = lun__backend_settle(at);
    status = status == LUN_OK ? settled : status;
    if (status != LUN_OK) {
        free(m);
        return status;
    }
    *m = (lun_mirror){.next = s->mirrors, .at = at, .buffer = x->buffer, .current = true};
    s->mirrors = m;
    x->buffer = NULL;
    x->lo = x->hi = 0;
    lun__intervals_clear(&x->fresh);
    return LUN_OK;
}

/* ---- moving ---------------------------------------------------------------------------------- */

typedef struct mover {
    lun_engine *e;
    lun_storage *s;
    lun_piece *to; /* NULL: the host, */
    char *host;    /* where element `first` is here */
    int64_t first;
} mover;

void lun__fetch_count(lun_engine *e, const lun_backend_slot *from_at, const lun_backend_slot *to_at,
                      int64_t bytes)
{
    lun_stats *all = &e->stats;
    lun_place_stats *to = to_at ? to_at->counted : NULL, *from = from_at ? from_at->counted : NULL;
    const bool up = !from_at, down = !to_at;
    all->moves++;
    all->bytes_moved += up || down ? 0 : bytes;
    /* devices count their transfers themselves */
    all->bytes_to_device += up && !to_at->backend->buffer_new ? bytes : 0;
    all->bytes_to_host += down && !from_at->backend->buffer_new ? bytes : 0;
    if (to) {
        to->moves++;
        to->bytes_moved += up ? 0 : bytes;
        to->bytes_to_device += up ? bytes : 0;
    }
    if (from)
        from->bytes_to_host += down ? bytes : 0;
}

/* From one device to another, by way of the host where they have no memory in common. */
static lun_status across(lun_engine *e, const lun_piece *from, int64_t from_at, const lun_piece *to,
                         int64_t to_at, int64_t bytes)
{
    void *between;
    int64_t room;
    lun_backend_slot *a = from->at, *b = to->at;
    bool done = false;
    lun_status s = LUN_OK;
    if (a->backend == b->backend)
        s = b->backend->copy(b->state, to->buffer, to_at, a->state, from->buffer, from_at, bytes,
                             &done);
    if (s != LUN_OK || done)
        return s;
    s = lun__pool_take(e->pool, bytes, &between, &room);
    if (s != LUN_OK)
        return lun__fail_nomem(e);
    s = a->backend->read(a->state, from->buffer, from_at, between, bytes, NULL);
    if (s == LUN_OK)
        s = b->backend->write(b->state, to->buffer, to_at, between, bytes, NULL);
    lun__pool_give(e->pool, between, room);
    return s;
}

/* From one rank to another, or where `to` is NULL to the host memory of each: it moves when what
 * comes from other locations is settled. */
static lun_status between_ranks(lun_engine *e, const lun_piece *from, int64_t from_at,
                                const lun_piece *to, void *host, int64_t bytes)
{
    char *a = from->at->away ? NULL : (char *)from->data + from_at;
    if (!to && a)
        memcpy(host, a, (size_t)bytes);
    return lun__rank_move(e, from->at->rank - 1, to ? to->at->rank - 1 : LUN_ALL_RANKS,
                          to && a ? a : host, bytes);
}

/* From host memory; stays: until it is settled, as a piece's does not, which may grow. */
static lun_status send(const lun_piece *to, int64_t at, const char *from, int64_t bytes, bool stays)
{
    lun_backend_slot *b = to->at;
    return b->backend->write(b->state, to->buffer, at, from, bytes, stays ? &b->last : NULL);
}

lun_status lun__fetch_carry(lun_engine *e, const lun_piece *from, int64_t from_at,
                            const lun_piece *to, int64_t to_at, int64_t bytes)
{
    lun_backend_slot *a = from->at;
    if (a != to->at && a->rank)
        return between_ranks(e, from, from_at, to, to->at->away ? NULL : (char *)to->data + to_at,
                             bytes);
    if (a->away)
        return LUN_OK;
    if (from->data && to->data)
        memcpy((char *)to->data + to_at, (const char *)from->data + from_at, (size_t)bytes);
    else if (from->data)
        return send(to, to_at, (const char *)from->data + from_at, bytes, false);
    else if (to->data)
        return a->backend->read(a->state, from->buffer, from_at, (char *)to->data + to_at, bytes,
                                &a->last);
    else if (from->at == to->at)
        return lun__backend_move(a, to->buffer, to_at, from->buffer, from_at, bytes, 1);
    else
        return across(e, from, from_at, to, to_at, bytes);
    return LUN_OK;
}

lun_status lun__fetch_settled(lun_engine *e, lun_status s)
{
    char *kept = NULL; /* the text of the first failure; others replace the engine's */
    for (int k = 0; k < lun__state_places(e); k++) {
        lun_backend_slot *at = lun__set_at(e, k);
        if (!at->last)
            continue;
        if (s != LUN_OK && !kept)
            kept = strdup(lun__strbuf_text(&e->error));
        const lun_status t = lun__backend_settle(at);
        s = s == LUN_OK ? t : s;
    }
    if (kept) {
        lun__fail_clear(e);
        lun__strbuf_marked(&e->error, kept);
    }
    free(kept);
    return lun__rank_moves_end(e, s);
}

/* From the file that has them, of which nothing else is kept: read by the location's machine, where
 * it can. */
static lun_status load(const mover *v, const lun_placed_move *m, int64_t to_at, int64_t bytes)
{
    const int64_t count = m->hi - m->lo;
    void *between;
    int64_t room;
    bool done;
    if (v->to->data)
        return lun__file_backed_fetch_all(v->e, v->s, m->lo, count, (char *)v->to->data + to_at);
    lun_status s =
        lun__file_backed_load(v->e, v->s, m->lo, count, v->to->at, v->to->buffer, to_at, &done);
    if (s != LUN_OK || done)
        return s;
    s = lun__pool_take(v->e->pool, bytes, &between, &room);
    if (s != LUN_OK)
        return lun__fail_nomem(v->e);
    s = lun__file_backed_fetch_all(v->e, v->s, m->lo, count, between);
    if (s == LUN_OK)
        s = send(v->to, to_at, between, bytes, false);
    lun__pool_give(v->e->pool, between, room);
    return s;
}

/* Tools see it. */
static void move_event(const mover *v, bool begins, const lun_placed_move *m)
{
    char label[80];
    if (!lun__tools_watch(v->e->tools))
        return;
    snprintf(label, sizeof label, "from %s to %s", m->from ? m->from->name : "host",
             m->to ? m->to->name : "host");
    lun__tools_call(v->e->tools, begins,
                    &(lun_tool_event){.kind = LUN_TOOL_COPY,
                                      .name = "move",
                                      .label = label,
                                      .place = m->to ? m->to->name : "host",
                                      .elements = m->hi - m->lo,
                                      .bytes = (m->hi - m->lo) * size_of(v->s)});
}

static lun_status move(void *ctx, const lun_placed_move *m)
{
    const mover *v = ctx;
    const lun_piece *from = m->from ? lun__current_find(v->s->placed, m->from) : NULL;
    const int64_t size = size_of(v->s), bytes = (m->hi - m->lo) * size;
    const int64_t from_at = from ? (m->lo - from->lo) * size : m->lo * size;
    const int64_t to_at = v->to ? (m->lo - v->to->lo) * size : (m->lo - v->first) * size;
    const char *a = from ? from->data : v->s->data;
    char *b = v->to ? v->to->data : v->host;
    lun_status s = LUN_OK;
    move_event(v, true, m);
    if (from && from->at->rank)
        s = between_ranks(v->e, from, from_at, v->to, b ? b + to_at : NULL, bytes);
    else if (v->to && v->to->at->away)
        ; /* each has what is on the host */
    else if (!from && v->s->source)
        s = load(v, m, to_at, bytes);
    else if (a && b)
        memcpy(b + to_at, a + from_at, (size_t)bytes);
    else if (a)
        s = send(v->to, to_at, a + from_at, bytes, !from);
    else if (b)
        s = from->at->backend->read(from->at->state, from->buffer, from_at, b + to_at, bytes, NULL);
    else
        s = across(v->e, from, from_at, v->to, to_at, bytes);
    move_event(v, false, m);
    if (s == LUN_OK)
        lun__fetch_count(v->e, m->from, m->to, bytes);
    return s;
}

lun_status lun__fetch_room(lun_engine *e, lun_storage *s, lun_backend_slot *at, int64_t lo,
                           int64_t hi, lun_piece **out)
{
    lun_placed *p;
    lun_status status = lun__fetch_open(e, s, &p);
    if (status != LUN_OK)
        return status;
    *out = lun__current_piece(p, at);
    return *out ? grow(e, s, *out, lo, hi) : lun__fail_nomem(e);
}

lun_status lun__fetch_ensure(lun_engine *e, lun_storage *s, lun_backend_slot *at, int64_t lo,
                             int64_t hi, lun_piece **out)
{
    lun_status status = lun__fetch_room(e, s, at, lo, hi, out);
    mover v = {e, s, status == LUN_OK ? *out : NULL, NULL, 0};
    if (status == LUN_OK)
        status = lun__current_route(s->placed, !s->stale || s->source, at, lo, hi, move, &v);
    if (status == LUN_OK && !lun__intervals_add(&(*out)->fresh, lo, hi))
        status = lun__fail_nomem(e);
    return status;
}

lun_status lun__fetch_result(lun_engine *e, lun_storage *s, lun_backend_slot *at, int64_t lo,
                             int64_t hi, lun_piece **out)
{
    const lun_status status = lun__fetch_room(e, s, at, lo, hi, out);
    return status != LUN_OK || lun__intervals_add(&(*out)->fresh, lo, hi) ? status
                                                                          : lun__fail_nomem(e);
}

lun_status lun__fetch_missing(lun_engine *e, lun_storage *s, int64_t lo, int64_t hi)
{
    lun_status status =
        lun__current_route(s->placed, false, NULL, lo, hi, move, &(mover){e, s, NULL, s->data, 0});
    status = lun__rank_moves_end(e, status);
    if (status == LUN_OK && !lun__intervals_add(&s->placed->host, lo, hi))
        status = lun__fail_nomem(e);
    return status;
}

lun_status lun__fetch_read(lun_engine *e, lun_storage *s, int64_t lo, int64_t hi, void *host)
{
    const int64_t size = size_of(s);
    for (int i = 0; i < s->placed->host.count; i++) {
        const lun_interval *x = &s->placed->host.at[i];
        const int64_t from = x->lo > lo ? x->lo : lo, to = x->hi < hi ? x->hi : hi;
        if (from < to)
            memcpy((char *)host + (from - lo) * size, (const char *)s->data + from * size,
                   (size_t)((to - from) * size));
    }
    return lun__rank_moves_end(e, lun__current_route(s->placed, false, NULL, lo, hi, move,
                                                     &(mover){e, s, NULL, host, lo}));
}
