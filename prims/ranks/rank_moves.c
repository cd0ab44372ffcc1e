/* rank_moves.c - what the ranks of a step give each other: noted by all of them in one order, then
 * moved at once.  What goes from one rank to another is one message, in the order in which it was
 * noted; what goes to all is one step, in which each rank also says whether it has failed.
 *
 * Between a rank's first note and lun__rank_moves_end nothing else is sent. Knows no array. */
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "ranks/ranks_state.h"

lun_status lun__rank_move(lun_engine *e, int from, int to, void *bytes, int64_t count)
{
    lun_ranks_state *r = e->ranks;
    const int own = r->net->rank;
    if (!count || from == to || (to >= 0 && from != own && to != own))
        return LUN_OK;
    if (!lun__grow(&r->parts, r->part_count, &r->part_room, sizeof *r->parts))
        return lun__fail_nomem(e);
    r->parts[r->part_count++] = (lun_rank_part){from, to, bytes, count};
    return LUN_OK;
}

/* ---- from rank to rank ----------------------------------------------------------------------- */

/* A message: the parts between this rank and another, in one direction. */
typedef struct mail {
    int parts;
    char *at, *next; /* the one part, or memory for all; of that what is packed next */
    int64_t count;
} mail;

/* Of all messages, first those that go, by rank; NULL: the part goes to all. */
static mail *mail_of(const lun_ranks_state *r, mail *all, const lun_rank_part *p)
{
    if (p->to < 0)
        return NULL;
    return p->from == r->net->rank ? &all[p->to] : &all[r->net->size + p->from];
}

/* Parts to or from the memory that their messages have for several. */
static void pack(const lun_ranks_state *r, mail *all, bool gives)
{
    for (int i = 0; i < r->part_count; i++) {
        const lun_rank_part *p = &r->parts[i];
        mail *m = mail_of(r, all, p);
        if (!m || m->parts == 1 || (p->from == r->net->rank) != gives)
            continue;
        memcpy(gives ? m->next : p->bytes, gives ? p->bytes : m->next, (size_t)p->count);
        m->next += p->count;
    }
}

static lun_status move(lun_engine *e)
{
    const lun_ranks_state *r = e->ranks;
    const int size = r->net->size, own = r->net->rank, most = 2 * size;
    int count = 0, given = 0;
    /* one piece of memory: messages, and of each where it is, its bytes and its rank */
    mail *all = calloc((size_t)most, sizeof *all + sizeof(void *) + sizeof(int64_t) + sizeof(int));
    if (!all)
        return lun__fail_nomem(e);
    void **at = (void **)(void *)(all + most);
    int64_t *counts = (int64_t *)(void *)(at + most);
    int *pes = (int *)(void *)(counts + most);
    bool room = true;
    for (int i = 0; i < r->part_count; i++) {
        mail *m = mail_of(r, all, &r->parts[i]);
        if (!m)
            continue;
        m->count += r->parts[i].count;
        m->at = m->parts++ ? NULL : r->parts[i].bytes;
    }
    for (int k = 0; room && k < most; k++) { /* the nearest first, so that all are at work */
        const int pe = (k < size ? own + k : own + most - k) % size;
        mail *m = &all[k < size ? pe : size + pe];
        if (m->parts > 1)
            room = (m->at = m->next = malloc((size_t)m->count)) != NULL;
        if (!m->parts)
            continue;
        pes[count] = pe;
        at[count] = m->at;
        counts[count++] = m->count;
        given += k < size;
    }
    if (room)
        pack(r, all, true);
    const lun_status s =
        room ? lun_spmd_move(e, pes, at, counts, given, count - given) : lun__fail_nomem(e);
    if (s == LUN_OK)
        pack(r, all, false);
    for (int k = 0; k < most && !r->lingers; k++)
        if (all[k].parts > 1)
            free(all[k].at);
    free(all);
    return s;
}

/* ---- to all ---------------------------------------------------------------------------------- */

static bool is_to_all(const lun_rank_part *p)
{
    return p->to < 0;
}

/* Seven bits of a number in a byte, the lowest first, and a bit that says whether more follow;
 * zeros as a zero and how many more there are. */
static void put_number(lun_strbuf *to, uint64_t x)
{
    char byte;
    do {
        byte = (char)((x & 127) | (x > 127 ? 128 : 0));
        lun__strbuf_add(to, &byte, 1);
        x >>= 7;
    } while (x);
}

static const char *take_number(const char *from, uint64_t *x)
{
    int shift = 0;
    *x = 0;
    do
        *x |= (uint64_t)(*from & 127) << shift, shift += 7;
    while (*from++ & 128);
    return from;
}

static void put_counts(lun_strbuf *to, const int64_t *x, int64_t count)
{
    for (int64_t i = 0, zeros; i < count; i += zeros + 1) {
        for (zeros = 0; i + zeros + 1 < count && !x[i] && !x[i + zeros + 1];)
            zeros++;
        put_number(to, (uint64_t)x[i]);
        if (!x[i])
            put_number(to, (uint64_t)zeros);
    }
}

static const char *take_counts(const char *from, int64_t *x, int64_t count)
{
    uint64_t one, zeros;
    for (int64_t i = 0; i < count;) {
        from = take_number(from, &one);
        x[i++] = (int64_t)one;
        if (one)
            continue;
        for (from = take_number(from, &zeros); zeros && i < count; zeros--)
            x[i++] = 0;
    }
    return from;
}

/* What rank k has told, from `from` on; what comes behind. */
static const char *take_all(const lun_ranks_state *r, int k, const char *from)
{
    for (int i = 0; i < r->part_count; i++) {
        const lun_rank_part *p = &r->parts[i];
        if (!is_to_all(p) || p->from != k)
            continue;
        if (p->to == LUN_COUNTS_TO_ALL) {
            from = take_counts(from, p->bytes, p->count / (int64_t)sizeof(int64_t));
            continue;
        }
        memcpy(p->bytes, from, (size_t)p->count);
        from += p->count;
    }
    return from;
}

/* What goes to all goes, behind a byte that says whether this rank has failed; *failed: one has.
 * How many bytes each rank has all know, unless there are counts. */
static lun_status tell(lun_engine *e, bool bad, bool *failed)
{
    const lun_ranks_state *r = e->ranks;
    const int size = r->net->size, own = r->net->rank;
    int64_t *counts = calloc(2 * (size_t)size, sizeof *counts);
    bool known = true;
    char *all = NULL;
    lun_strbuf mine = LUN_STRBUF_INIT;
    lun__strbuf_add(&mine, bad ? "n" : "y", 1);
    for (int k = 0; counts && k < size; k++)
        counts[k] = 1;
    for (int i = 0; counts && i < r->part_count; i++) {
        const lun_rank_part *p = &r->parts[i];
        known &= p->to != LUN_COUNTS_TO_ALL;
        counts[p->from] += is_to_all(p) ? p->count : 0;
        if (p->to == LUN_COUNTS_TO_ALL && p->from == own)
            put_counts(&mine, p->bytes, p->count / (int64_t)sizeof(int64_t));
        else if (is_to_all(p) && p->from == own)
            lun__strbuf_add(&mine, p->bytes, (size_t)p->count);
    }
    const int64_t bytes = (int64_t)mine.length;
    lun_status s = counts && !mine.failed ? LUN_OK : lun__fail_nomem(e);
    if (s == LUN_OK && known)
        s = lun__gather_known(e, mine.text, counts, &all);
    else if (s == LUN_OK) {
        free(counts);
        s = lun__gather(e, mine.text, bytes, &counts, &all);
    }
    const char *from = all;
    for (int k = 0; s == LUN_OK && k < size; k++) {
        *failed |= *from == 'n';
        from = take_all(r, k, from + 1);
    }
    if (s == LUN_OK)
        lun__count_step(e, bytes);
    if (!r->lingers) {
        lun__strbuf_free(&mine);
        free(counts);
    }
    free(all);
    return s;
}

char *lun__rank_text(const lun_engine *e, lun_status s)
{
    lun_strbuf text = LUN_STRBUF_INIT;
    const char *where = lun_error_where(e);
    if (s != LUN_OK)
        lun__strbuf_printf(&text, "%s%s%s", where, *where ? ": " : "", lun__fail_error_text(e));
    return text.text;
}

lun_status lun__rank_failure(lun_engine *e, lun_status own, const char *text)
{
    lun_strbuf said = LUN_STRBUF_INIT;
    int64_t *counts = NULL;
    void *all = NULL;
    const char how = (char)(own == LUN_EBOUNDS ? LUN_ERANGE : own); /* it is explained */
    lun__strbuf_add(&said, &how, 1);
    lun__strbuf_puts(&said, text ? text : "");
    lun_status s = said.failed
                       ? lun__fail_nomem(e)
                       : lun_spmd_gather_bytes(e, said.text, (int64_t)said.length, &counts, &all);
    const char *from = all;
    e->ranks->told = s == LUN_OK;
    for (int k = 0; s == LUN_OK && k < lun_spmd_npes(e); from += counts[k++]) {
        if (*from == LUN_OK)
            continue;
        lun__strbuf_clear(&said);
        lun__strbuf_printf(&said, "PE %d: ", k);
        lun__strbuf_add(&said, from + 1, (size_t)counts[k] - 1);
        s = lun__fail_text(e, (lun_status)*from, lun__strbuf_text(&said));
    }
    lun__strbuf_free(&said);
    free(counts);
    free(all);
    return s;
}

lun_status lun__rank_moves_end(lun_engine *e, lun_status s)
{
    lun_ranks_state *r = e->ranks;
    if (!r || !r->part_count)
        return s;
    bool all = false, failed = false;
    char *text = lun__rank_text(e, s);
    lun_status moved = move(e);
    for (int i = 0; i < r->part_count; i++)
        all |= is_to_all(&r->parts[i]);
    if (moved == LUN_OK && all)
        moved = tell(e, s != LUN_OK, &failed);
    r->part_count = 0;
    if (moved == LUN_OK && failed)
        s = lun__rank_failure(e, s, text);
    free(text);
    return moved == LUN_OK ? s : moved;
}
