/* listen.c - what ranks say to each other while they wait: questions, requests, ends, and that all
 * give up. Waits for nothing. */
#include <stdlib.h>
#include <string.h>

#include "ranks/ranks_state.h"

lun_status lun__give_up(lun_engine *e, const char *text)
{
    lun_ranks_state *r = e->ranks;
    if (!r->given_up) {
        lun__strbuf_clear(&r->over);
        lun__strbuf_puts(&r->over, text);
        for (int i = 0; i < r->net->size; i++)
            if (i != r->net->rank)
                (void)lun__post(e, i, LUN_TAG_CONTROL, LUN_SAYS_OVER, text, (int64_t)strlen(text));
        r->given_up = true;
        r->lingers = r->net->calls->abandon(r->net);
    }
    return lun__is_over(e);
}

lun_status lun__give_up_alone(lun_engine *e)
{
    lun_strbuf text = LUN_STRBUF_INIT;
    lun__strbuf_printf(&text, "rank %d: %s", e->ranks->net->rank, lun_error(e));
    const lun_status s = lun__give_up(e, lun__strbuf_text(&text));
    lun__strbuf_free(&text);
    return s;
}

/* A message that has been found; *bytes: to be freed, a zero byte behind it. */
lun_status lun__receive(lun_engine *e, lun_net_found found, int tag, char **bytes)
{
    lun_ranks_state *r = e->ranks;
    lun_net_request *request = NULL;
    lun_tally *tally = tag == LUN_TAG_CONTROL ? NULL : lun__tally(e, found.from, tag);
    char *to = tally || tag == LUN_TAG_CONTROL ? malloc((size_t)found.count + 1) : NULL;
    if (!to)
        return lun__fail_nomem(e);
    if (tally)
        tally->got++;
    to[found.count] = '\0';
    bool ok = r->net->calls->irecv(r->net, found.from, tag, to, (int)found.count, &request);
    while (ok && request)
        ok = r->net->calls->test(r->net, &request);
    if (ok) {
        lun__count_network(e);
        *bytes = to;
        return LUN_OK;
    }
    const lun_status s = lun__net_failed(e);
    if (!r->lingers)
        free(to);
    return s;
}

lun_status lun__answer(lun_engine *e, int from, const void *bytes, int64_t count)
{
    lun_ranks_state *r = e->ranks;
    if (!r->serve && !bytes)
        return LUN_OK;
    if (!r->serve)
        return lun__post(e, from, LUN_TAG_REPLY, 0, NULL, 0);
    r->serving = true;
    r->serve(r->serve_ctx, from, bytes, count);
    r->serving = false;
    return LUN_OK;
}

/* The same for the engine's own elements. */
static lun_status answer_element(lun_engine *e, int from, const char *bytes, int64_t count)
{
    lun_ranks_state *r = e->ranks;
    if (!r->elements)
        return lun__post(e, from, LUN_TAG_REPLY, 0, NULL, 0);
    r->serving = true;
    r->elements(e, from, bytes, count);
    r->serving = false;
    return LUN_OK;
}

/* A rank that serves is to end what it was asked for up to the message of that number. */
static void stop(lun_engine *e, const char *bytes, int64_t count)
{
    lun_ranks_state *r = e->ranks;
    if (!r->linked || count != (int64_t)sizeof r->stop)
        return;
    memcpy(&r->stop, bytes, sizeof r->stop);
    if (r->stop >= r->lines[0].asked)
        __atomic_store_n(&e->cancel, LUN_STOP_CANCEL, __ATOMIC_RELAXED);
}

/* A rank has ended: why, and behind the text how many messages of each tag it has sent. */
static lun_status hear_end(lun_engine *e, int from, const char *bytes, int64_t count)
{
    lun_ranks_state *r = e->ranks;
    int64_t row[2];
    const int64_t size = sizeof row;
    free(r->ended[from]);
    r->ended[from] = strdup(bytes);
    if (!r->ended[from])
        return lun__fail_nomem(e);
    for (int64_t at = (int64_t)strlen(bytes) + 1; at + size <= count; at += size) {
        memcpy(row, bytes + at, sizeof row);
        lun_tally *t = lun__tally(e, from, (int)row[0]);
        if (!t)
            return LUN_ENOMEM;
        t->comes = row[1];
    }
    return LUN_OK;
}

static lun_status hear(lun_engine *e, int from, const char *bytes, int64_t count)
{
    lun_ranks_state *r = e->ranks;
    lun_status s;
    switch (bytes[0]) {
    case LUN_SAYS_ASK:
        return lun__post(e, from, LUN_TAG_CONTROL, LUN_SAYS_HERE, NULL, 0);
    case LUN_SAYS_HERE:
        r->here[from] = true;
        return LUN_OK;
    case LUN_SAYS_PROPOSE:
        return lun__give_up(e, bytes + 1);
    case LUN_SAYS_OVER:
        lun__strbuf_clear(&r->over);
        lun__strbuf_puts(&r->over, bytes + 1);
        r->given_up = true;
        r->lingers = r->net->calls->abandon(r->net);
        return lun__is_over(e);
    case LUN_SAYS_END:
        s = hear_end(e, from, bytes + 1, count - 1);
        if (s != LUN_OK)
            return s;
        lun__tree_ended(e, from);
        s = lun__lock_forget(e, from);
        return s == LUN_OK && !r->linked ? lun__answer(e, from, NULL, 0) : s;
    case LUN_SAYS_LOCK:
        return lun__lock_asked(e, from);
    case LUN_SAYS_UNLOCK:
        return lun__lock_returned(e, from);
    case LUN_SAYS_ELEMENT:
        return answer_element(e, from, bytes + 1, count - 1);
    case LUN_SAYS_STOP:
        stop(e, bytes + 1, count - 1);
        return LUN_OK;
    default:
        return lun__answer(e, from, bytes + 1, count - 1);
    }
}

/* ---- questions that wait --------------------------------------------------------------------- */

static bool is_question(char kind)
{
    return kind == LUN_SAYS_REQUEST || kind == LUN_SAYS_ELEMENT;
}

static lun_status put_off(lun_engine *e, int from, const char *bytes, int64_t count)
{
    lun_question **at = &e->ranks->questions;
    lun_question *q = malloc(sizeof *q + (size_t)count + 1);
    if (!q)
        return lun__fail_nomem(e);
    q->next = NULL;
    q->from = from;
    q->count = count;
    memcpy(q->bytes, bytes, (size_t)count + 1);
    while (*at)
        at = &(*at)->next;
    *at = q;
    return LUN_OK;
}

void lun__drop_questions(lun_ranks_state *r)
{
    while (r->questions) {
        lun_question *q = r->questions;
        r->questions = q->next;
        free(q);
    }
}

lun_status lun_spmd_hold(lun_engine *e, bool on)
{
    LUN_NEED(e, true);
    lun_ranks_state *r = e->ranks;
    lun_status s = LUN_OK;
    if (lun__alone(e))
        return LUN_OK;
    lun_strbuf before = e->error; /* answers that fail leave it */
    e->error = (lun_strbuf)LUN_STRBUF_MESSAGE;
    r->holds = on;
    while (s == LUN_OK && !on && !r->given_up && r->questions) {
        lun_question *q = r->questions;
        r->questions = q->next;
        s = hear(e, q->from, q->bytes, q->count);
        free(q);
    }
    lun__strbuf_free(s == LUN_OK ? &e->error : &before);
    if (s == LUN_OK)
        e->error = before;
    return s;
}

/* ---- all of it ------------------------------------------------------------------------------- */

lun_status lun__listen(lun_engine *e)
{
    lun_ranks_state *r = e->ranks;
    lun_status s = r->sending ? lun__let_go(e) : LUN_OK;
    while (s == LUN_OK && !r->serving && !r->given_up) {
        lun_net_found found;
        char *bytes = NULL;
        if (!r->net->calls->probe(r->net, LUN_NET_ANY, LUN_TAG_CONTROL, &found))
            return lun__net_failed(e);
        if (found.count < 0)
            break;
        s = lun__receive(e, found, LUN_TAG_CONTROL, &bytes);
        if (s == LUN_OK)
            s = r->holds && is_question(bytes[0]) ? put_off(e, found.from, bytes, found.count)
                                                  : hear(e, found.from, bytes, found.count);
        free(bytes);
    }
    return s;
}
