/* agreement.c - before each step that all ranks take together they agree on what it is: the bitwise
 * and of {h, ~h} over all says in one round whether every h is the same, and of the bits above a
 * number how large the largest may be. Where they differ, the texts are gathered and every rank
 * fails with one message. A rank that has ended goes on agreeing, on its end, until all have.
 *
 * The words of an agreement, of which all ranks get the bitwise and:
 *
 *   offset  bytes
 *        0      8  h, the hash of what this rank does and of its options
 *        8      8  ~h
 *       16      8  value
 *       24      8  ~value
 *       32      8  bit k < 63: `most` is below 2^k; bit 63: yes
 *
 * and where they differ, of each rank, gathered:
 *
 *        0      8  h
 *        8      *  what it does, with its source line; a zero byte; its options; a zero byte;
 *                  the version of its bits; a zero byte
 *
 * h is of the version of the bits too: ranks of different ones find that at their first step. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ranks/ranks_state.h"

#include "base/sized.h"

/* ---- what is agreed on ----------------------------------------------------------------------- */

/* FNV-1a. */
static uint64_t hash(uint64_t h, const char *text)
{
    for (; *text; text++)
        h = (h ^ (unsigned char)*text) * UINT64_C(0x100000001b3);
    return h;
}

static uint64_t seed(const lun_engine *e)
{
    return hash(UINT64_C(0xcbf29ce484222325), e->services.bits);
}

/* What ended ranks agree on, and those that cannot take their step; no text has them. */
#define END    UINT64_C(0x1e17de9d1e17de9d)
#define UNABLE UINT64_C(0x5a1d0a7c5a1d0a7c)

static bool takes_part(uint64_t h)
{
    return h != END && h != UNABLE;
}

/* The last word of an agreement: the bits that the most of any rank may have are 0, and so is the
 * highest one where not all say yes. */
enum { HIGHEST = 63 };

static lun_status start_with(lun_engine *e, uint64_t h, const lun_agreed *a)
{
    enum { WORDS = sizeof e->ranks->words / sizeof e->ranks->words[0] };
    lun_ranks_state *r = e->ranks;
    const uint64_t value = (uint64_t)a->value, most = (uint64_t)a->most;
    const uint64_t above =
        most ? ~UINT64_C(0) << (HIGHEST + 1 - __builtin_clzll(most)) : ~UINT64_C(0);
    const uint64_t words[WORDS] = {h, ~h, value, ~value,
                                   a->yes ? above : above & ~(UINT64_C(1) << HIGHEST)};
    memcpy(r->words, words, sizeof words);
    return r->net->calls->iagree(r->net, r->words, WORDS, &r->agreeing) ? LUN_OK
                                                                        : lun__net_failed(e);
}

static lun_status start(lun_engine *e, uint64_t h)
{
    return start_with(e, h, &(lun_agreed){0});
}

/* What an agreement says besides. */
static void read_agreed(const lun_ranks_state *r, lun_agreed *a)
{
    const uint64_t value = (uint64_t)a->value, last = r->words[4];
    const uint64_t above = last | UINT64_C(1) << HIGHEST;
    a->same = r->words[2] == value && r->words[3] == ~value;
    a->yes = last >> HIGHEST;
    a->most = (int64_t)((UINT64_C(1) << __builtin_ctzll(above)) - 1);
}

/* ---- when they differ ------------------------------------------------------------------------ */

/* What a rank says that it does: its number for the agreement, then the text, then what must be the
 * same besides, then the version of its bits. */
typedef struct said {
    uint64_t hash;
    const char *text, *options, *bits;
} said;

/* The text in the plural: "is at" becomes "are at", "sums" becomes "sum". */
static void add_plural(lun_strbuf *out, const char *text)
{
    const char *space = strchr(text, ' ');
    size_t first = space ? (size_t)(space - text) : strlen(text);
    if (first == 2 && !strncmp(text, "is", 2))
        lun__strbuf_puts(out, "are");
    else if (first == 3 && !strncmp(text, "has", 3))
        lun__strbuf_puts(out, "have");
    else
        lun__strbuf_add(out, text, first && text[first - 1] == 's' ? first - 1 : first);
    lun__strbuf_puts(out, text + first);
}

/* Whether other ranks say the same, and yet do something else. */
static bool has_twin(const said *all, int size, int i)
{
    for (int k = 0; k < size; k++)
        if (all[k].hash != all[i].hash && !strcmp(all[k].text, all[i].text))
            return true;
    return false;
}

/* "ranks 1-3, 5 are at a barrier (a.lua:15)": those that say what rank i says. */
static void add_group(lun_strbuf *out, const said *all, int size, int i)
{
    int count = 0;
    for (int k = i; k < size; k++)
        count += all[k].hash == all[i].hash && !strcmp(all[k].text, all[i].text);
    lun__strbuf_printf(out, "%srank%s ", out->length ? "; " : "", count > 1 ? "s" : "");
    const char *comma = "";
    for (int k = i; k < size; k++) {
        int last = k;
        while (last < size && all[last].hash == all[i].hash && !strcmp(all[last].text, all[i].text))
            last++;
        if (last == k)
            continue;
        lun__strbuf_printf(out, last - k > 1 ? "%s%d-%d" : "%s%d", comma, k, last - 1);
        comma = ", ";
        k = last;
    }
    lun__strbuf_puts(out, " ");
    if (count > 1)
        add_plural(out, all[i].text);
    else
        lun__strbuf_puts(out, all[i].text);
    if (takes_part(all[i].hash) && has_twin(all, size, i))
        lun__strbuf_printf(out, " [%s]", all[i].options);
}

/* A version of the bits that is not the first rank's; NULL: there is one alone. */
static const char *other_bits(const said *all, int size)
{
    for (int i = 1; i < size; i++)
        if (strcmp(all[i].bits, all[0].bits))
            return all[i].bits;
    return NULL;
}

/* One message of what all have said. Ranks that take no part are told alone where the others
 * agree. */
static void tell(lun_engine *e, const said *all, int size)
{
    lun_strbuf text = LUN_STRBUF_INIT;
    uint64_t one = END;
    bool differ = false;
    const char *other = other_bits(all, size);
    if (other) {
        lun__fail(e, LUN_ESCRIPT, "ranks differ: bits %s and %s", all[0].bits, other);
        return;
    }
    for (int i = 0; i < size; i++) {
        differ = differ || (one != END && takes_part(all[i].hash) && all[i].hash != one);
        one = takes_part(all[i].hash) ? all[i].hash : one;
    }
    for (int i = 0; i < size; i++) {
        bool first = differ || !takes_part(all[i].hash);
        for (int k = 0; k < i && first; k++)
            first = all[k].hash != all[i].hash || strcmp(all[k].text, all[i].text) != 0;
        if (first)
            add_group(&text, all, size, i);
    }
    lun__fail(e, LUN_ESCRIPT, "%s%s", differ ? "ranks differ: " : "", lun__strbuf_text(&text));
    lun__strbuf_free(&text);
}

/* Gathers what each says and makes the failure of it. */
static lun_status compare(lun_engine *e, uint64_t h)
{
    lun_ranks_state *r = e->ranks;
    lun_strbuf own = LUN_STRBUF_INIT;
    int64_t *counts = NULL;
    char *bytes = NULL;
    said *all = calloc((size_t)r->net->size, sizeof *all);
    lun__strbuf_add(&own, (const char *)&h, sizeof h);
    lun__strbuf_puts(&own, lun__strbuf_text(&r->doing));
    lun__strbuf_add(&own, "", 1);
    lun__strbuf_puts(&own, lun__strbuf_text(&r->options));
    lun__strbuf_add(&own, "", 1);
    lun__strbuf_puts(&own, e->services.bits);
    lun__strbuf_add(&own, "", 1);
    lun_status s = all && !own.failed
                       ? lun__gather(e, own.text, (int64_t)own.length, &counts, &bytes)
                       : lun__fail_nomem(e);
    if (s == LUN_OK) {
        const char *at = bytes;
        for (int i = 0; i < r->net->size; at += counts[i++]) {
            memcpy(&all[i].hash, at, sizeof all[i].hash);
            all[i].text = at + sizeof all[i].hash;
            all[i].options = all[i].text + strlen(all[i].text) + 1;
            all[i].bits = all[i].options + strlen(all[i].options) + 1;
        }
        tell(e, all, r->net->size);
        s = LUN_ESCRIPT;
    }
    lun__strbuf_free(&own);
    free(all);
    free(counts);
    free(bytes);
    return s;
}

/* The agreement that was started with h: LUN_OK where all say the same. */
static lun_status finish(lun_engine *e, uint64_t h, const char *noun)
{
    lun_ranks_state *r = e->ranks;
    lun_wait w = lun__wait_new(noun, LUN_NET_ANY);
    lun_status s = lun__wait_for(e, &r->agreeing, &w);
    if (s != LUN_OK || (r->words[0] == h && r->words[1] == ~h))
        return s;
    return compare(e, h);
}

/* ---- steps ----------------------------------------------------------------------------------- */

/* What this rank does, with its source line. */
static uint64_t say(lun_engine *e, const char *doing, const char *options)
{
    lun_ranks_state *r = e->ranks;
    lun__strbuf_clear(&r->doing);
    lun__strbuf_puts(&r->doing, doing);
    lun__add_source_line(e, &r->doing);
    lun__strbuf_clear(&r->options);
    lun__strbuf_puts(&r->options, options ? options : "");
    return hash(hash(hash(seed(e), doing), "\n"), options ? options : "");
}

static lun_status outside_regions(lun_engine *e, const char *noun)
{
    const lun_ranks_state *r = e->ranks;
    if (!r || !r->inside)
        return LUN_OK;
    return lun__fail(e, LUN_EARG, "%s inside %s would wait for ranks that wait for its end", noun,
                     r->inside);
}

/* Why no step can be taken here, LUN_OK if one can. */
static lun_status may_step(lun_engine *e, const char *noun)
{
    lun_ranks_state *r = e->ranks;
    if (r->given_up)
        return lun__is_over(e);
    if (r->serving)
        return lun__fail(e, LUN_EARG, "%s while another rank's request is answered", noun);
    if (r->ending)
        return lun__fail(e, LUN_EARG, "%s after the end of this rank", noun);
    return outside_regions(e, noun);
}

/* The hash of a barrier, which may have begun earlier. */
static uint64_t barrier_hash(const lun_engine *e)
{
    return hash(hash(seed(e), "is at a barrier"), "\n");
}

static lun_status finish_split(lun_engine *e)
{
    e->ranks->split = false;
    return finish(e, barrier_hash(e), "a barrier");
}

/* A barrier that has begun is over before another step, which its end finds so. */
static lun_status pass_split(lun_engine *e)
{
    lun_ranks_state *r = e->ranks;
    if (!r->split)
        return LUN_OK;
    lun_status s = finish_split(e);
    r->passed = s == LUN_OK;
    return s;
}

lun_status lun_spmd_agree(lun_engine *e, const char *doing, const char *noun, const char *options,
                          lun_agreed *io)
{
    LUN_NEED(e, doing && noun && LUN_HAS(io, same) && io->most >= 0);
    io->same = true;
    if (lun__alone(e))
        return outside_regions(e, noun);
    lun_status s = may_step(e, noun);
    if (s == LUN_OK)
        s = pass_split(e);
    if (s != LUN_OK)
        return s;
    uint64_t h = say(e, doing, options);
    s = start_with(e, h, io);
    if (s == LUN_OK)
        s = finish(e, h, noun);
    if (s == LUN_OK)
        read_agreed(e->ranks, io);
    return s;
}

lun_status lun_spmd_step(lun_engine *e, const char *doing, const char *noun, const char *options)
{
    return lun_spmd_agree(e, doing, noun, options, &(lun_agreed){.size = sizeof(lun_agreed)});
}

lun_status lun_spmd_unable(lun_engine *e, const char *why)
{
    LUN_NEED(e, why);
    lun_ranks_state *r = e->ranks;
    if (lun__alone(e) || r->serving || r->inside || r->ending)
        return LUN_OK;
    lun_status s = r->given_up ? lun__is_over(e) : pass_split(e);
    if (s != LUN_OK)
        return s;
    const char *line = lun__source_mark_text(e, e->source_line);
    const bool told = !*line || !strncmp(why, line, strlen(line)); /* where it happened */
    lun__strbuf_clear(&r->doing);
    lun__strbuf_printf(&r->doing, "cannot take its step (%s%s%s)", told ? "" : line,
                       told ? "" : ": ", why);
    s = start(e, UNABLE);
    return s == LUN_OK ? finish(e, UNABLE, "a step of all ranks") : s;
}

lun_status lun_spmd_barrier(lun_engine *e)
{
    return lun_spmd_step(e, "is at a barrier", "a barrier", NULL);
}

lun_status lun_spmd_barrier_begin(lun_engine *e)
{
    LUN_NEED(e, true);
    lun_ranks_state *r = e->ranks;
    if (r && (r->split || r->passed))
        return lun__fail(e, LUN_EARG, "a barrier has begun already and has not ended");
    lun_status s = lun__alone(e) ? outside_regions(e, "a barrier") : may_step(e, "a barrier");
    if (s == LUN_OK && !lun__alone(e))
        s = start(e, say(e, "is at a barrier", NULL));
    if (r)
        r->split = s == LUN_OK;
    return s;
}

lun_status lun_spmd_barrier_end(lun_engine *e)
{
    LUN_NEED(e, true);
    lun_ranks_state *r = e->ranks;
    if (r && r->passed) {
        r->passed = false;
        return r->given_up ? lun__is_over(e) : LUN_OK;
    }
    if (!r || !r->split)
        return r && r->given_up ? lun__is_over(e) : lun__fail(e, LUN_EARG, "no barrier has begun");
    if (!lun__alone(e))
        return r->given_up ? lun__is_over(e) : finish_split(e);
    r->split = false;
    return LUN_OK;
}

void lun_spmd_inside(lun_engine *e, const char *region)
{
    LUN_NEED_OR(e, );
    if (e->ranks)
        e->ranks->inside = region;
}

/* ---- the end --------------------------------------------------------------------------------- */

/* All have ended; what they said of it is received, so that no message is left behind. */
static lun_status hear_ends(lun_engine *e)
{
    lun_ranks_state *r = e->ranks;
    lun_wait w = lun__wait_new("the end of the script", LUN_NET_ANY);
    for (int i = 0; i < r->net->size; i++)
        while (i != r->net->rank && !r->ended[i]) {
            lun_status s = lun__wait_poll(e, &w);
            if (s != LUN_OK)
                return s;
        }
    return LUN_OK;
}

/* Tells a rank why this one has ended, and how many messages it has sent to that one, since they
 * may come later than this: tags and numbers behind the text. */
static lun_status say_end(lun_engine *e, int to)
{
    const lun_ranks_state *r = e->ranks;
    lun_strbuf all = LUN_STRBUF_INIT;
    lun__strbuf_puts(&all, lun__strbuf_text(&r->doing) + strlen("has ended"));
    lun__strbuf_add(&all, "", 1);
    for (const lun_tally *t = r->tallies[to]; t; t = t->next) {
        const int64_t row[2] = {t->tag, t->sent};
        lun__strbuf_add(&all, (const char *)row, sizeof row);
    }
    lun_status s =
        all.failed ? lun__fail_nomem(e)
                   : lun__post(e, to, LUN_TAG_CONTROL, LUN_SAYS_END, all.text, (int64_t)all.length);
    lun__strbuf_free(&all);
    return s;
}

/* Tells all, and agrees on the end until every rank does. */
static lun_status end_together(lun_engine *e)
{
    lun_ranks_state *r = e->ranks;
    for (int i = 0; i < r->net->size; i++) {
        lun_status s = i == r->net->rank ? LUN_OK : say_end(e, i);
        if (s != LUN_OK)
            return s;
    }
    (void)lun__answer(e, r->net->rank, NULL, 0);
    while (true) {
        lun_status s = start(e, END);
        if (s == LUN_OK)
            s = finish(e, END, "the end of the script");
        if (s != LUN_ESCRIPT) /* other ranks take a step, and fail; this one waits for their ends */
            return s == LUN_OK ? hear_ends(e) : s;
    }
}

lun_status lun_spmd_end(lun_engine *e, const char *why)
{
    LUN_NEED(e, true);
    lun_ranks_state *r = e->ranks;
    if (!r || !r->net || r->ending)
        return LUN_OK;
    if (r->given_up)
        return lun__is_over(e);
    lun_status s = r->split ? finish_split(e) : LUN_OK;
    r->ending = true;
    r->inside = NULL;
    if (r->given_up)
        return s;
    lun__strbuf_clear(&r->doing);
    lun__strbuf_puts(&r->doing, "has ended");
    if (why && *why)
        lun__strbuf_printf(&r->doing, " (%s)", why);
    s = end_together(e);
    if (r->net->calls->leave)
        r->net->calls->leave(r->net);
    return s;
}
