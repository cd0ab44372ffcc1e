/* point_to_point.c - messages between two ranks, for a host or within a step, and requests that
 * another rank's host answers. */
#include <stdlib.h>
#include <string.h>

#include "ranks/ranks_state.h"

/* Waits for the first message with that tag from a rank; one that has ended may have sent it. */
static lun_status probe(lun_engine *e, int from, int tag, lun_wait *w, lun_net_found *found)
{
    lun_ranks_state *r = e->ranks;
    while (true) {
        if (!r->net->calls->probe(r->net, from, tag, found))
            return lun__net_failed(e);
        if (found->count >= 0)
            return LUN_OK;
        if (r->ended[from] && tag != LUN_TAG_REPLY && !lun__still_comes(r, from, tag))
            return lun__fail(e, LUN_ESCRIPT, "rank %d has ended%s", from, r->ended[from]);
        lun_status s = lun__wait_poll(e, w);
        if (s != LUN_OK)
            return s;
    }
}

static lun_status await_message(lun_engine *e, int from, int tag, lun_wait *w, lun_net_found *found)
{
    lun__wait_event(e, true, "receive", w->noun, 0);
    const lun_status s = probe(e, from, tag, w, found);
    lun__wait_event(e, false, "receive", w->noun, s == LUN_OK ? found->count : 0);
    return s;
}

lun_status lun__take_message(lun_engine *e, int from, int tag, lun_wait *w, void **bytes,
                             int64_t *count)
{
    lun_net_found found;
    const lun_status s = await_message(e, from, tag, w, &found);
    if (s != LUN_OK)
        return s;
    *count = found.count;
    return lun__receive(e, found, tag, (char **)bytes);
}

/* ---- a host's messages ----------------------------------------------------------------------- */

enum { MOST_TAG = 30000 };

/* What must hold for a message to or from a rank. */
static lun_status check(lun_engine *e, int pe, int tag, const char *what)
{
    lun_ranks_state *r = e->ranks;
    int size = lun_spmd_npes(e);
    if (pe < 0 || pe >= size)
        return lun__fail(e, LUN_EARG, "there is no PE %d: they count from 0 to %d", pe, size - 1);
    if (tag < 0 || tag > MOST_TAG)
        return lun__fail(e, LUN_EARG, "a tag must be from 0 to %d, not %d", MOST_TAG, tag);
    if (lun__alone(e))
        return lun__fail(e, LUN_EARG, "%s needs another rank: there is one alone", what);
    if (pe == r->net->rank)
        return lun__fail(e, LUN_EARG, "%s of a PE and itself: rank %d is this one", what, pe);
    if (r->serving)
        return lun__fail(e, LUN_EARG, "%s while another rank's request is answered", what);
    return r->given_up ? lun__is_over(e) : LUN_OK;
}

/* What a rank sends to itself stays here until it asks for it. */
static bool is_own(const lun_engine *e, int pe, int tag)
{
    return e->ranks && pe == (lun__alone(e) ? 0 : e->ranks->net->rank) && tag >= 0 &&
           tag <= MOST_TAG;
}

/* Where the messages with a tag are, or would be. */
static lun_self_tag **find_own(const lun_engine *e, int tag)
{
    lun_self_tag **at = &e->ranks->own[tag % LUN_SELF_TAGS];
    while (*at && (*at)->tag != tag)
        at = &(*at)->next;
    return at;
}

static lun_status keep_own(lun_engine *e, int tag, const void *bytes, int64_t count)
{
    lun_self_tag **at = find_own(e, tag), *t = *at;
    lun_self_message *k = lun__account_object_new(e->account, sizeof *k + (size_t)count);
    if (k && !t)
        t = lun__account_object_new(e->account, sizeof *t);
    if (!k || !t) {
        lun__account_object_free(e->account, k);
        return lun__fail_nomem(e);
    }
    if (!*at) {
        *t = (lun_self_tag){.tag = tag, .end = &t->first};
        *at = t;
    }
    k->count = count;
    if (count)
        memcpy(k->bytes, bytes, (size_t)count);
    *t->end = k;
    t->end = &k->next;
    return LUN_OK;
}

static lun_status take_own(lun_engine *e, int tag, void **bytes, int64_t *count)
{
    lun_self_tag **at = find_own(e, tag), *t = *at;
    if (!t)
        return lun__fail(e, LUN_EARG, "recv of PE %d from itself, which has sent nothing%s",
                         lun_spmd_mype(e), tag ? " with that tag" : "");
    lun_self_message *k = t->first;
    char *all = malloc((size_t)k->count + 1);
    if (!all)
        return lun__fail_nomem(e);
    memcpy(all, k->bytes, (size_t)k->count);
    all[k->count] = '\0';
    *bytes = all;
    *count = k->count;
    t->first = k->next;
    lun__account_object_free(e->account, k);
    if (!t->first) {
        *at = t->next;
        lun__account_object_free(e->account, t);
    }
    return LUN_OK;
}

/* A message travels in pieces; the first byte of each says whether another one follows. */
static lun_status send(lun_engine *e, int pe, int tag, const void *bytes, int64_t count)
{
    const int64_t most = e->ranks->most;
    const int64_t all = count;
    lun_status s;
    e->stats.messages++;
    e->stats.bytes_sent += count;
    lun__wait_event(e, true, "send", NULL, all);
    do {
        int64_t part = count < most ? count : most;
        s = lun__post(e, pe, tag, part < count ? 'm' : 'l', bytes, part);
        bytes = (const char *)bytes + part;
        count -= part;
    } while (s == LUN_OK && count > 0);
    lun__wait_event(e, false, "send", NULL, all);
    return s;
}

static lun_status receive(lun_engine *e, int pe, int tag, void **bytes, int64_t *count)
{
    char *all = NULL, kind = 'm';
    int64_t length = 0;
    lun_status s = LUN_OK;
    lun_wait w = lun__wait_new("recv", pe);
    while (s == LUN_OK && kind == 'm') {
        void *part = NULL;
        int64_t n = 0;
        s = lun__take_message(e, pe, tag, &w, &part, &n);
        if (s != LUN_OK)
            break;
        char *more = realloc(all, (size_t)(length + n));
        if (more) {
            all = more;
            kind = *(char *)part;
            memcpy(all + length, (char *)part + 1, (size_t)n - 1);
            all[length + n - 1] = '\0';
            length += n - 1;
        } else {
            s = lun__fail_nomem(e);
        }
        free(part);
    }
    if (s != LUN_OK) {
        free(all);
        return s;
    }
    *bytes = all;
    *count = length;
    return LUN_OK;
}

lun_status lun_spmd_send(lun_engine *e, int pe, int tag, const void *bytes, int64_t count)
{
    LUN_NEED(e, count >= 0 && (bytes || !count));
    if (is_own(e, pe, tag))
        return keep_own(e, tag, bytes, count);
    const lun_status s = check(e, pe, tag, "a message");
    return s == LUN_OK ? send(e, pe, LUN_TAG_USER + tag, bytes, count) : s;
}

lun_status lun_spmd_receive(lun_engine *e, int pe, int tag, void **bytes, int64_t *count)
{
    LUN_NEED(e, bytes && count);
    if (is_own(e, pe, tag))
        return take_own(e, tag, bytes, count);
    const lun_status s = check(e, pe, tag, "a message");
    return s == LUN_OK ? receive(e, pe, LUN_TAG_USER + tag, bytes, count) : s;
}

/* Bytes whose number the receiver knows travel as they are, in the longest pieces. */
static lun_status send_lent(lun_engine *e, int pe, int tag, const void *bytes, int64_t count,
                            void (*release)(void *held), void *held)
{
    lun_status s = check(e, pe, 0, "a message");
    const int64_t most = s == LUN_OK ? e->ranks->most : 1;
    lun_lent_bytes *lent = s == LUN_OK ? malloc(sizeof *lent) : NULL;
    if (!lent) {
        release(held);
        return s == LUN_OK ? lun__fail_nomem(e) : s;
    }
    *lent = (lun_lent_bytes){1 + (count + most - 1) / most, release, held}; /* 1: this call */
    e->stats.bytes_sent += count;
    int64_t done = 0;
    for (; s == LUN_OK && done < count; done += most)
        s = lun__post_lent(e, pe, tag, (const char *)bytes + done,
                           count - done < most ? count - done : most, lent);
    lent->pieces -= done < count ? (count - done + most - 1) / most : 0; /* not begun */
    if (--lent->pieces == 0) {
        release(held);
        free(lent);
    }
    return s;
}

/* The next piece of these, found. */
static lun_status receive_piece(lun_engine *e, lun_net_found found, int tag, void *to, lun_wait *w)
{
    enum { MANY = 64 << 10 };
    lun_ranks_state *r = e->ranks;
    lun_net_request *request = NULL;
    lun_tally *tally = lun__tally(e, found.from, tag);
    if (!tally)
        return LUN_ENOMEM;
    tally->got++;
    w->moves = found.count >= MANY;
    if (!r->net->calls->irecv(r->net, found.from, tag, to, (int)found.count, &request))
        return lun__net_failed(e);
    const lun_status s = lun__wait_for(e, &request, w);
    w->moves = false;
    return s;
}

static lun_status receive_into(lun_engine *e, int pe, int tag, void *bytes, int64_t count)
{
    lun_status s = check(e, pe, 0, "a message");
    lun_wait w = lun__wait_new("recv", pe);
    for (int64_t done = 0; s == LUN_OK && done < count; done += e->ranks->most) {
        const int64_t left = count - done, part = left < e->ranks->most ? left : e->ranks->most;
        lun_net_found found;
        s = await_message(e, pe, tag, &w, &found);
        if (s == LUN_OK && found.count != part)
            s = lun__fail(e, LUN_EARG, "recv got %lld bytes of PE %d where %lld of an array follow",
                          (long long)found.count, pe, (long long)part);
        if (s == LUN_OK)
            s = receive_piece(e, found, tag, (char *)bytes + done, &w);
    }
    return s;
}

lun_status lun_spmd_send_lent(lun_engine *e, int pe, int tag, const void *bytes, int64_t count,
                              void (*release)(void *held), void *held)
{
    LUN_NEED(e, count > 0 && bytes && release);
    const lun_status s = check(e, pe, tag, "a message");
    if (s == LUN_OK)
        return send_lent(e, pe, LUN_TAG_USER + tag, bytes, count, release, held);
    release(held);
    return s;
}

lun_status lun_spmd_receive_into(lun_engine *e, int pe, int tag, void *bytes, int64_t count)
{
    LUN_NEED(e, count > 0 && bytes);
    const lun_status s = check(e, pe, tag, "a message");
    return s == LUN_OK ? receive_into(e, pe, LUN_TAG_USER + tag, bytes, count) : s;
}

/* ---- within a step --------------------------------------------------------------------------- */

static void has_gone(void *ranks)
{
    ((lun_ranks_state *)ranks)->moving--;
}

lun_status lun_spmd_move(lun_engine *e, const int *pes, void *const *bytes, const int64_t *counts,
                         int given, int got)
{
    LUN_NEED(e, given >= 0 && got >= 0 && ((pes && bytes && counts) || !(given || got)));
    if (!given && !got)
        return LUN_OK;
    lun_status s = LUN_OK;
    for (int i = 0; s == LUN_OK && i < given + got; i++)
        s = counts[i] < 0 ? lun__fail(e, LUN_EARG, "a message of %lld bytes", (long long)counts[i])
                          : check(e, pes[i], 0, "an exchange");
    if (s != LUN_OK)
        return s;
    lun_ranks_state *r = e->ranks;
    lun_wait w = lun__wait_new("an exchange", LUN_NET_ANY);
    for (int i = 0; s == LUN_OK && i < given; i++) {
        r->moving++;
        e->stats.messages++;
        s = send_lent(e, pes[i], LUN_TAG_PARTS, bytes[i], counts[i], has_gone, r);
    }
    for (int i = given; s == LUN_OK && i < given + got; i++)
        s = receive_into(e, pes[i], LUN_TAG_PARTS, bytes[i], counts[i]);
    w.moves = true;
    while (s == LUN_OK && r->moving)
        s = lun__wait_poll(e, &w);
    return s == LUN_OK || r->given_up ? s : lun__give_up_alone(e); /* others wait for the rest */
}

lun_status lun_spmd_recv(lun_engine *e, int pe, int tag, void *bytes, int64_t room, int64_t *count)
{
    LUN_NEED(e, room >= 0 && (bytes || !room) && count);
    void *got = NULL;
    int64_t length = 0;
    lun_status s = lun_spmd_receive(e, pe, tag, &got, &length);
    if (s != LUN_OK)
        return s;
    if (length > room)
        s = lun__fail(e, LUN_ERANGE, "a message of %lld bytes came; there is room for %lld",
                      (long long)length, (long long)room);
    else
        *count = length;
    if (s == LUN_OK && length)
        memcpy(bytes, got, (size_t)length);
    free(got);
    return s;
}

/* ---- requests -------------------------------------------------------------------------------- */

void lun_spmd_serve(lun_engine *e,
                    void (*serve)(void *ctx, int from, const void *bytes, int64_t count), void *ctx)
{
    LUN_NEED_OR(e, );
    if (!e->ranks)
        return;
    e->ranks->serve = serve;
    e->ranks->serve_ctx = ctx;
}

lun_status lun_spmd_listen(lun_engine *e)
{
    LUN_NEED(e, true);
    if (lun__alone(e) || e->ranks->serving)
        return LUN_OK;
    return e->ranks->given_up ? lun__is_over(e) : lun__listen(e);
}

lun_status lun_spmd_reply(lun_engine *e, int pe, const void *bytes, int64_t count)
{
    LUN_NEED(e, !lun__alone(e) && pe >= 0 && pe < e->ranks->net->size && count >= 0);
    return e->ranks->given_up ? lun__is_over(e) : lun__post(e, pe, LUN_TAG_REPLY, 0, bytes, count);
}

lun_status lun_spmd_request(lun_engine *e, int pe, const void *bytes, int64_t count, void **reply,
                            int64_t *reply_count)
{
    LUN_NEED(e, bytes && count >= 0 && reply && reply_count);
    return lun__ask(e, pe, LUN_SAYS_REQUEST, bytes, count, reply, reply_count);
}

lun_status lun__ask(lun_engine *e, int pe, char kind, const void *bytes, int64_t count,
                    void **reply, int64_t *reply_count)
{
    lun_status s = pe == lun_spmd_mype(e) && !lun__alone(e) && !e->ranks->serving
                       ? LUN_OK
                       : check(e, pe, 0, "a request");
    if (s == LUN_OK && e->ranks->given_up)
        s = lun__is_over(e);
    if (s == LUN_OK)
        s = lun__post(e, pe, LUN_TAG_CONTROL, kind, bytes, count);
    lun_wait w = lun__wait_new("a remote access", LUN_NET_ANY); /* the answer may wait for others */
    return s == LUN_OK ? lun__take_message(e, pe, LUN_TAG_REPLY, &w, reply, reply_count) : s;
}

void lun__serve_elements(lun_engine *e, lun_serve_elements *serve)
{
    if (e->ranks)
        e->ranks->elements = serve;
}

lun_status lun__ask_element(lun_engine *e, int pe, const void *bytes, int64_t count, void **reply,
                            int64_t *reply_count)
{
    return lun__ask(e, pe, LUN_SAYS_ELEMENT, bytes, count, reply, reply_count);
}
