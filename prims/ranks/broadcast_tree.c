/* broadcast_tree.c - messages of rank 0 for many ranks, which pass them on down a binomial tree:
 * the first half of the ranks keeps its own, the first rank of the other half gets what that is to
 * have, and so on.  Of each message only what differs from the one before it travels.  What came
 * from rank 0 itself and what came down trees is handed over in the order in which rank 0 sent
 * it. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "ranks/ranks_state.h"

/* ---- what differs ---------------------------------------------------------------------------- */

/* Fewer bytes than this that are alike are sent: to leave them out would take as many. */
enum { ALIKE = 8 };

/* The bytes from `at` on up to those that are alike for a while. */
static int64_t differing(const char *a, const char *b, int64_t at, int64_t count)
{
    int64_t alike = 0, i = at;
    for (; i < count && alike < ALIKE; i++)
        alike = a[i] == b[i] ? alike + 1 : 0;
    return i - alike - at;
}

/* Bytes as what differs from those of another message: how many are alike, how many differ, these,
 * and so on; what is longer differs. */
static void put_differing(lun_strbuf *to, const lun_tree_part *x, const lun_tree_part *before)
{
    const int64_t common = before && before->count < x->count ? before->count
                           : before                           ? x->count
                                                              : 0;
    lun__bytes_put_i64(to, x->count);
    for (int64_t at = 0; at < x->count;) {
        int64_t alike = at, differ;
        while (alike < common && x->bytes[alike] == before->bytes[alike])
            alike++;
        differ = alike < common ? differing(x->bytes, before->bytes, alike, common) : 0;
        if (alike + differ == common)
            differ = x->count - alike;
        lun__bytes_put_i32(to, (int32_t)(alike - at));
        lun__bytes_put_bytes(to, x->bytes + alike, differ);
        at = alike + differ;
    }
}

/* Appends what stands at `from` in the text itself, which moves. */
static void add_again(lun_strbuf *all, size_t from, size_t count)
{
    char some[256];
    for (size_t n; count && !all->failed; from += n, count -= n) {
        n = count < sizeof some ? count : sizeof some;
        memcpy(some, all->text + from, n);
        lun__strbuf_add(all, some, n);
    }
}

/* The same back, behind what `all` has; the one before it is at `before` there. */
static void take_differing(lun_bytes *in, lun_strbuf *all, size_t before, int64_t before_count,
                           int64_t *count)
{
    int64_t done = 0;
    *count = lun__bytes_take_within(in, 0, LUN_NET_MOST);
    while (!in->bad && !all->failed && done < *count) {
        int64_t differ;
        const int64_t alike = lun__bytes_take_i32(in);
        const char *bytes = lun__bytes_take_bytes(in, &differ);
        in->bad |= alike < 0 || alike + differ > *count - done || alike + differ == 0 ||
                   (alike && alike > before_count - done);
        if (in->bad)
            return;
        add_again(all, before + (size_t)done, (size_t)alike);
        if (differ)
            lun__strbuf_add(all, bytes, (size_t)differ);
        done += alike + differ;
    }
}

/* ---- down ------------------------------------------------------------------------------------ */

/* To the first of them, for all of them. */
static lun_status pass(lun_engine *e, const lun_tree_part *parts, int count)
{
    lun_ranks_state *r = e->ranks;
    lun_strbuf out = LUN_STRBUF_INIT;
    lun_line *line = &r->lines[parts[0].to];
    lun__bytes_put_i64(&out, ++line->passed);
    lun__bytes_put_i32(&out, count);
    for (int i = 0; i < count; i++) {
        lun__bytes_put_i32(&out, parts[i].to);
        lun__bytes_put_i64(&out, parts[i].number);
        put_differing(&out, &parts[i], i ? &parts[i - 1] : NULL);
    }
    line->passes |= count > 1;
    e->stats.messages++;
    lun_status s = out.failed
                       ? lun__fail_nomem(e)
                       : lun__post(e, parts[0].to, LUN_TAG_TREE, 0, out.text, (int64_t)out.length);
    lun__strbuf_free(&out);
    return s;
}

lun_status lun__tree_send(lun_engine *e, const lun_tree_part *parts, int count)
{
    lun_status s = LUN_OK;
    for (int size = count + 1, half = 1; s == LUN_OK && size > 1; size = half) {
        for (half = 1; 2 * half < size;)
            half *= 2;
        s = pass(e, parts + half - 1, size - half);
    }
    return s;
}

/* ---- arrived --------------------------------------------------------------------------------- */

lun_status lun__tree_hold(lun_engine *e, lun_held held)
{
    lun_held **last = &e->ranks->held, *h = malloc(sizeof *h);
    if (!h) {
        free(held.bytes);
        return lun__fail_nomem(e);
    }
    while (*last)
        last = &(*last)->next;
    *h = held;
    h->next = NULL;
    *last = h;
    return LUN_OK;
}

char *lun__tree_next(lun_engine *e, int64_t *count)
{
    lun_ranks_state *r = e->ranks;
    lun_held **at = &r->held;
    while (*at && (*at)->number != r->lines[0].asked + 1)
        at = &(*at)->next;
    lun_held *h = *at;
    if (!h)
        return NULL;
    char *bytes = h->bytes;
    *count = h->count;
    *at = h->next;
    lun__clock_reaches(e, h->at);
    free(h);
    if (++r->lines[0].asked > r->stop)
        __atomic_store_n(&e->cancel, LUN_STOP_NONE, __ATOMIC_RELAXED);
    return bytes;
}

/* The parts of a message, which are malloc'd, and their bytes behind each other in `all`. */
static lun_tree_part *read_parts(lun_bytes *in, int *count, lun_strbuf *all)
{
    size_t before = 0, at = 0;
    const int each = 20; /* bytes of a part, at least */
    *count = lun__bytes_take_count(in, each);
    lun_tree_part *parts = in->bad ? NULL : calloc((size_t)*count + 1, sizeof *parts);
    for (int i = 0; parts && !in->bad && i < *count; i++) {
        parts[i].to = lun__bytes_take_i32(in);
        parts[i].number = lun__bytes_take_i64(in);
        take_differing(in, all, before, i ? parts[i - 1].count : 0, &parts[i].count);
        before = at;
        at = all->length;
    }
    at = 0;
    for (int i = 0; parts && i < *count; at += (size_t)parts[i++].count)
        parts[i].bytes = lun__strbuf_text(all) + at;
    return parts;
}

/* A message: the first part is this rank's, the others go on. */
static lun_status hear(lun_engine *e, int from, lun_bytes in)
{
    lun_ranks_state *r = e->ranks;
    const double at = r->net->clock.now;
    lun_strbuf all = LUN_STRBUF_INIT;
    int count = 0;
    const bool next = lun__bytes_take_i64(&in) == ++r->lines[from].came;
    lun_tree_part *parts = next ? read_parts(&in, &count, &all) : NULL;
    lun_status s = LUN_OK;
    for (int i = 0; parts && !in.bad && i < count; i++)
        in.bad = parts[i].to < (i ? 1 : r->net->rank) || parts[i].to >= r->net->size ||
                 (i > 0) == (parts[i].to == r->net->rank);
    if (!next || in.bad || in.left || !count) {
        char text[96];
        snprintf(text, sizeof text, "a message from rank %d to rank %d was lost", from,
                 r->net->rank);
        s = lun__give_up(e, text);
    } else if (!parts || all.failed) {
        s = lun__fail_nomem(e);
    }
    if (s == LUN_OK)
        s = lun__tree_send(e, parts + 1, count - 1);
    char *own = s == LUN_OK ? malloc((size_t)parts[0].count + 1) : NULL;
    if (own) {
        if (parts[0].count)
            memcpy(own, parts[0].bytes, (size_t)parts[0].count);
        s = lun__tree_hold(e, (lun_held){NULL, parts[0].number, parts[0].count, at, own});
    } else if (s == LUN_OK) {
        s = lun__fail_nomem(e);
    }
    free(parts);
    lun__strbuf_free(&all);
    return s;
}

lun_status lun__tree_listen(lun_engine *e)
{
    lun_ranks_state *r = e->ranks;
    lun_status s = LUN_OK;
    while (s == LUN_OK && !r->given_up) {
        lun_net_found found;
        char *bytes = NULL;
        if (!r->net->calls->probe(r->net, LUN_NET_ANY, LUN_TAG_TREE, &found))
            return lun__net_failed(e);
        if (found.count < 0)
            break;
        const double now = lun__clock_aside(e);
        s = lun__receive(e, found, LUN_TAG_TREE, &bytes);
        if (s == LUN_OK)
            s = hear(e, found.from, (lun_bytes){bytes, found.count, false});
        lun__clock_back(e, now);
        free(bytes);
    }
    return s;
}
