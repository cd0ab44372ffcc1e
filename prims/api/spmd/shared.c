/* shared.c - elements that other ranks read, write and change while this one waits: an array on PE
 * 0 for all, or one on each. Knows no transport: requests go through ranks/. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/spmd/shared.h"
#include "base/strbuf.h"
#include "engine/state.h"
#include "ranks/ranks.h"

typedef enum shared_access { GET, PUT, UPDATE } shared_access;

/* What is asked; of a PUT the elements follow. */
typedef struct question {
    int64_t number, first, count;
    shared_access access;
    int which; /* of UPDATE: the operation */
    lun_value x;
} question;

/* What is answered; of a GET the elements follow, of a failure its text. */
typedef struct reply {
    lun_status status;
    lun_value old;
} reply;

/* ---- on the rank that has the elements ------------------------------------------------------- */

static const lun_shared *find(const lun_engine *e, int64_t number)
{
    const lun_shared *s = e->shared;
    while (s && s->number != number)
        s = s->next;
    return s;
}

/* Does what is asked; elements to and from `bytes`. */
static lun_status access_here(lun_engine *e, const question *q, void *bytes, lun_value *old)
{
    const lun_shared *s = find(e, q->number);
    if (!s || !s->own)
        return lun__fail(e, LUN_EFREED, "the shared array is not there any more");
    if (q->access == GET)
        return lun_read(e, s->own, bytes, q->first, q->count);
    if (q->access == PUT)
        return lun_write(e, s->own, bytes, q->first, q->count);
    return lun_atomic_apply(e, s->own, q->which, q->first, q->x, q->x, old);
}

/* The reply to another rank's question: its head, then the elements or the failure's text. */
static void reply_to(lun_engine *e, int from, reply head, const void *bytes, size_t count)
{
    lun_strbuf out = LUN_STRBUF_INIT;
    lun__strbuf_add(&out, (const char *)&head, sizeof head);
    if (count)
        lun__strbuf_add(&out, bytes, count);
    (void)lun_spmd_reply(e, from, out.text, out.failed ? 0 : (int64_t)out.length);
    lun__strbuf_free(&out);
}

static void answer(lun_engine *e, int from, const char *bytes, int64_t count)
{
    question q;
    reply head = {.status = LUN_ENOMEM};
    if (count < (int64_t)sizeof q) { /* no question of ours */
        (void)lun_spmd_reply(e, from, NULL, 0);
        return;
    }
    memcpy(&q, bytes, sizeof q);
    const lun_shared *s = find(e, q.number);
    int64_t moved = q.access == UPDATE ? 0 : q.count;
    size_t size = s ? (size_t)moved * (size_t)lun_dtype_size(s->dtype) : 0;
    char *elements = malloc(size + 1); /* aligned, which the bytes behind the question are not */
    if (elements && q.access == PUT && count == (int64_t)(sizeof q + size))
        memcpy(elements, bytes + sizeof q, size);
    if (elements)
        head.status = access_here(e, &q, elements, &head.old);
    if (head.status == LUN_OK)
        reply_to(e, from, head, elements, q.access == GET ? size : 0);
    else
        reply_to(e, from, head, lun__fail_error_text(e), strlen(lun__fail_error_text(e)));
    free(elements);
}

/* ---- on any rank ----------------------------------------------------------------------------- */

lun_status lun__shared_make(lun_engine *e, lun_shared like, const lun_shared_step *step,
                            lun_shared **out)
{
    lun_shared *s = malloc(sizeof *s);
    lun_status status = LUN_OK;
    if (!s)
        status = lun__fail_nomem(e);
    else if (like.own)
        status = lun_eval(e, &like.own, 1);
    if (status == LUN_OK) {
        *s = like;
        s->next = e->shared;
        s->engine = e;
        s->number = ++e->shared_made;
        lun__serve_elements(e, answer); /* before another rank can ask */
        e->shared = s;
        status = lun_spmd_step(e, step->doing, step->noun, step->options);
    }
    if (status == LUN_OK) {
        *out = s;
        return LUN_OK;
    }
    if (s && e->shared == s)
        e->shared = s->next;
    lun_release(like.own);
    free(s);
    return status;
}

static lun_status make(lun_engine *e, lun_dtype t, int64_t n, const void *first,
                       lun_shared_kind kind, lun_shared **out)
{
    const bool symmetric = kind == LUN_SHARED_SYMMETRIC;
    char doing[96];
    lun_shared like = {.dtype = t, .kind = kind, .n = n};
    lun_status status = LUN_OK;
    if (symmetric || lun_spmd_mype(e) == 0)
        status = first ? lun_vector(e, first, n, t, &like.own)
                       : lun_full(e, 1, &n, t, (lun_value){LUN_I64, {0}}, &like.own);
    if (status != LUN_OK)
        return status;
    snprintf(doing, sizeof doing, "%s %s[%lld]", symmetric ? "makes a symmetric" : "shares",
             lun_dtype_name(t), (long long)n);
    const lun_shared_step step = {doing, symmetric ? "a symmetric array" : "a shared array", NULL};
    return lun__shared_make(e, like, &step, out);
}

lun_status lun_spmd_shared(lun_engine *e, lun_dtype t, int64_t n, const void *first,
                           lun_shared **out)
{
    LUN_NEED(e, out && n >= 0);
    return make(e, t, n, first, LUN_SHARED_ONE, out);
}

lun_status lun_spmd_symmetric(lun_engine *e, lun_dtype t, int64_t n, const void *first,
                              lun_shared **out)
{
    LUN_NEED(e, out && n >= 0);
    return make(e, t, n, first, LUN_SHARED_SYMMETRIC, out);
}

lun_status lun_spmd_shared_free(lun_engine *e, lun_shared *s)
{
    LUN_NEED(e, true);
    if (!s)
        return LUN_OK;
    lun_status status = lun_spmd_step(e, "frees a shared array", "the end of a shared array", NULL);
    for (lun_shared **at = &e->shared; *at; at = &(*at)->next)
        if (*at == s) {
            *at = s->next;
            lun_release(s->own);
            free(s);
            break;
        }
    return status;
}

void lun__shared_close(lun_engine *e)
{
    while (e->shared) {
        lun_shared *s = e->shared;
        e->shared = s->next;
        lun_release(s->own);
        free(s);
    }
}

lun_array *lun_spmd_local(lun_shared *s)
{
    return s ? s->own : NULL;
}

lun_status lun__shared_check_pe(lun_engine *e, int pe)
{
    const int npes = lun_spmd_npes(e);
    if (pe >= 0 && pe < npes)
        return LUN_OK;
    return lun__fail(e, LUN_EARG, "there is no PE %d: they count from 0 to %d", pe, npes - 1);
}

int64_t lun__shared_size(const lun_shared *s, int pe)
{
    int64_t first[LUN_MAX_RANK], count[LUN_MAX_RANK], n = 1;
    if (s->kind != LUN_SHARED_BLOCKED)
        return s->kind == LUN_SHARED_ONE && pe ? 0 : s->n;
    lun_blocks_box(&s->blocks, pe, first, count);
    for (int d = 0; d < s->blocks.rank; d++)
        n *= count[d];
    return n;
}

/* The PE that has the elements of `pe`, with what must hold for a question to it. */
static lun_status check(lun_engine *e, const lun_shared *s, int *pe, int64_t first, int64_t count)
{
    LUN_NEED(e, s && s->engine == e && count >= 0);
    lun_status status = lun__shared_check_pe(e, *pe);
    if (status != LUN_OK)
        return status;
    *pe = s->kind == LUN_SHARED_ONE ? 0 : *pe;
    const int64_t n = lun__shared_size(s, *pe);
    if (first < 0 || count > n - first)
        return lun__fail(e, LUN_ERANGE,
                         "elements " LUN_NTH_LONG " to " LUN_NTH_LONG " of a shared array of %lld",
                         (long long)first, (long long)(first + count - 1), (long long)n);
    return LUN_OK;
}

/* Asks PE pe; elements of a PUT from and of a GET to `bytes`. */
static lun_status ask(lun_engine *e, const lun_shared *s, int pe, question q, void *bytes,
                      lun_value *old)
{
    size_t size = q.access == UPDATE ? 0 : (size_t)q.count * (size_t)lun_dtype_size(s->dtype);
    lun_strbuf text = LUN_STRBUF_INIT;
    void *got = NULL;
    int64_t count = 0;
    reply head;
    q.number = s->number;
    lun__strbuf_add(&text, (const char *)&q, sizeof q);
    if (q.access == PUT && size)
        lun__strbuf_add(&text, bytes, size);
    lun_status status =
        text.failed ? lun__fail_nomem(e)
                    : lun__ask_element(e, pe, text.text, (int64_t)text.length, &got, &count);
    lun__strbuf_free(&text);
    if (status == LUN_OK && count < (int64_t)sizeof head)
        status =
            lun__fail(e, LUN_ESCRIPT, "PE %d cannot answer: it has no memory, or has ended", pe);
    if (status == LUN_OK) {
        memcpy(&head, got, sizeof head);
        if (head.status != LUN_OK)
            status = lun__fail_text(e, head.status, (const char *)got + sizeof head);
        else if (q.access == GET && size)
            memcpy(bytes, (const char *)got + sizeof head, size);
        else if (old)
            *old = head.old;
    }
    free(got);
    return status;
}

/* On this rank at once, after others have been heard; else by a message. */
static lun_status access(lun_engine *e, const lun_shared *s, int pe, question q, void *bytes,
                         lun_value *old)
{
    lun_status status = check(e, s, &pe, q.first, q.count);
    if (status != LUN_OK)
        return status;
    if (pe != lun_spmd_mype(e)) {
        lun_spmd_count(e, q.access == GET ? q.count : 0, q.access == GET ? 0 : q.count);
        return ask(e, s, pe, q, bytes, old);
    }
    status = lun_spmd_listen(e);
    q.number = s->number;
    return status == LUN_OK ? access_here(e, &q, bytes, old) : status;
}

lun_status lun_spmd_get(lun_engine *e, lun_shared *s, int pe, int64_t first, int64_t count,
                        void *out)
{
    LUN_NEED(e, out || !count);
    return access(e, s, pe, (question){.first = first, .count = count, .access = GET}, out, NULL);
}

lun_status lun_spmd_put(lun_engine *e, lun_shared *s, int pe, int64_t first, int64_t count,
                        const void *elements)
{
    LUN_NEED(e, elements || !count);
    return access(e, s, pe, (question){.first = first, .count = count, .access = PUT},
                  (void *)(uintptr_t)elements, NULL);
}

lun_status lun_spmd_atomic(lun_engine *e, lun_shared *s, int pe, int64_t index, const char *op,
                           lun_value x, lun_value *old)
{
    LUN_NEED(e, op && old);
    int which = 0;
    while (lun_atomic_name(which) &&
           (strcmp(lun_atomic_name(which), op) != 0 || lun_atomic_expects(which)))
        which++;
    if (!lun_atomic_name(which))
        return lun__fail(e, LUN_EARG,
                         "'%s' is no atomic operation: add sub min max band bor bxor exchange", op);
    question q = {.first = index, .count = 1, .access = UPDATE, .which = which, .x = x};
    return access(e, s, pe, q, NULL, old);
}
