/* lent.c - blocked arrays lent to C text on several ranks; see lent.h.  Knows no loop and no
 * text. */
#include "api/spmd/lent.h"

#include <stdlib.h>
#include <string.h>

/* ---- boxes ----------------------------------------------------------------------------------- */

lun_elements lun__elements_of(const lun_shared *s, int pe)
{
    lun_elements b = {.rank = s->blocks.rank};
    lun_blocks_box(&s->blocks, pe, b.first, b.count);
    return b;
}

int64_t lun__elements_count(const lun_elements *b)
{
    int64_t n = 1;
    for (int d = 0; d < b->rank; d++)
        n *= b->count[d];
    return n;
}

/* What a PE's rounds may use. */
static lun_elements need_of(const lun_lent *x, int pe)
{
    lun_elements b = lun__elements_of(x->of, pe);
    for (int d = 0; d < b.rank; d++) {
        const int64_t n = x->of->blocks.extent[d];
        int64_t low = 0, high = n;
        if (x->reach >= 0 && x->reach < n) {
            low = b.first[d] - x->reach;
            high = b.first[d] + b.count[d] + x->reach;
        }
        b.first[d] = low < 0 ? 0 : low;
        b.count[d] = (high > n ? n : high) - b.first[d];
    }
    return b;
}

bool lun__elements_common(const lun_elements *a, const lun_elements *b, lun_elements *out)
{
    *out = *a;
    for (int d = 0; d < a->rank; d++) {
        const int64_t end = a->first[d] + a->count[d], other = b->first[d] + b->count[d];
        out->first[d] = a->first[d] > b->first[d] ? a->first[d] : b->first[d];
        out->count[d] = (end < other ? end : other) - out->first[d];
        if (out->count[d] <= 0)
            return false;
    }
    return true;
}

lun_layout lun__elements_inside(const lun_elements *b, const lun_elements *in)
{
    lun_layout l = lun__layout_right(in->rank, in->count);
    for (int d = 0; d < b->rank; d++) {
        l.offset += l.stride[d] * (b->first[d] - in->first[d]);
        l.extent[d] = b->count[d];
    }
    return l;
}

lun_elements lun__elements_all(const lun_shared *s)
{
    lun_elements b = {.rank = s->blocks.rank};
    memcpy(b.count, s->blocks.extent, sizeof b.count);
    return b;
}

/* ---- copies ---------------------------------------------------------------------------------- */

static lun_status lend(const lun_lending *l, lun_lent *x)
{
    const lun_elements all = lun__elements_all(x->of);
    lun_blank *blank;
    void *memory;
    x->size = lun_dtype_size(x->of->dtype);
    x->need = need_of(x, l->mype);
    lun_status s = lun_blank_new(l->e, lun__elements_count(&all), x->size, &blank, &memory);
    if (s != LUN_OK)
        return s;
    x->elements = memory;
    s = lun_blank_vector(l->e, blank, x->of->dtype, &x->whole);
    if (s != LUN_OK)
        lun_blank_drop(l->e, blank);
    if (s == LUN_OK && x->written)
        x->before = malloc((size_t)(lun__elements_count(&x->need) * x->size) + 1);
    return s != LUN_OK || !x->written || x->before ? s : lun__fail_nomem(l->e);
}

lun_status lun__lend(lun_lending *l)
{
    lun_status s = LUN_OK;
    for (int k = 0; s == LUN_OK && k < l->count; k++)
        if (l->lent[k].of)
            s = lend(l, &l->lent[k]);
    return s;
}

void lun__lent_end(lun_lending *l)
{
    for (int k = 0; k < l->count; k++) {
        lun_release(l->lent[k].whole);
        free(l->lent[k].before);
    }
}

/* ---- bytes for each rank --------------------------------------------------------------------- */

lun_status lun__parcels_open(const lun_lending *l, lun_parcels *out)
{
    *out = (lun_parcels){.bytes = LUN_STRBUF_INIT};
    out->counts = calloc((size_t)l->npes, sizeof *out->counts);
    return out->counts ? LUN_OK : lun__fail_nomem(l->e);
}

void lun__parcels_end(lun_parcels *x, int pe, size_t before)
{
    x->counts[pe] = (int64_t)(x->bytes.length - before);
    x->most = x->counts[pe] > x->most ? x->counts[pe] : x->most;
}

void lun__parcels_free(lun_parcels *x)
{
    lun__strbuf_free(&x->bytes);
    free(x->counts);
}

/* ---- agreement ------------------------------------------------------------------------------- */

/* The text of a failure; nothing of LUN_OK. */
static void write_failure(lun_engine *e, lun_status s, lun_strbuf *to)
{
    if (s != LUN_OK)
        lun__strbuf_printf(to, "%c%s", (char)s, lun__fail_error_text(e));
}

/* Fails as a rank has, by what it has written. */
static lun_status failure_of(lun_engine *e, int pe, const char *written, size_t count)
{
    lun_strbuf text = LUN_STRBUF_INIT;
    lun__strbuf_printf(&text, "PE %d: ", pe);
    lun__strbuf_add(&text, written + 1, count - 1);
    const lun_status s =
        text.failed ? lun__fail_nomem(e) : lun__fail_text(e, (lun_status)*written, text.text);
    lun__strbuf_free(&text);
    return s;
}

/* All fail with the first failure in rank order. */
static lun_status tell_failures(const lun_lending *l, const lun_strbuf *own)
{
    int64_t *counts = NULL;
    void *all = NULL;
    lun_status told = own->failed ? lun__fail_nomem(l->e)
                                  : lun_spmd_gather_bytes(l->e, lun__strbuf_text(own),
                                                          (int64_t)own->length, &counts, &all);
    const char *at = all;
    for (int pe = 0; told == LUN_OK && pe < l->npes; at += counts[pe++])
        if (counts[pe])
            told = failure_of(l->e, pe, at, (size_t)counts[pe]);
    free(counts);
    free(all);
    return told;
}

lun_status lun__lent_agree(const lun_lending *l, const lun_said *said, lun_status s, int64_t *most)
{
    lun_strbuf own = LUN_STRBUF_INIT;
    lun_agreed a = {.size = sizeof a, .most = s == LUN_OK ? *most : 0, .yes = s == LUN_OK};
    write_failure(l->e, s, &own);
    lun_status told = lun_spmd_agree(l->e, said->doing, said->noun, said->options, &a);
    if (told == LUN_OK && !a.yes)
        told = tell_failures(l, &own);
    *most = a.most;
    lun__strbuf_free(&own);
    return told;
}

/* ---- what is fetched ------------------------------------------------------------------------- */

/* Elements of b, of those of `in` that stand at `from`. */
static bool append(lun_strbuf *to, const lun_elements *b, const lun_elements *in, const char *from,
                   int size)
{
    const lun_layout l = lun__elements_inside(b, in);
    const int64_t n = lun__elements_count(b);
    char *some = malloc((size_t)(n * size) + 1);
    if (some) {
        lun__strided_read(&l, from, size, 0, n, some);
        lun__strbuf_add(to, some, (size_t)(n * size));
    }
    free(some);
    return some && !to->failed;
}

/* What PE pe may use of this rank's elements. */
static lun_status give_to(const lun_lending *l, int pe, lun_strbuf *to)
{
    lun_status s = LUN_OK;
    for (int k = 0; s == LUN_OK && k < l->count; k++) {
        const lun_lent *x = &l->lent[k];
        const void *own;
        lun_elements mine, need, both;
        if (!x->of)
            continue;
        mine = lun__elements_of(x->of, l->mype);
        need = need_of(x, pe);
        if (!lun__elements_common(&need, &mine, &both))
            continue;
        s = lun_data(l->e, x->of->own, &own);
        if (s == LUN_OK && !append(to, &both, &mine, own, x->size))
            s = lun__fail_nomem(l->e);
    }
    return s;
}

lun_status lun__lent_give(const lun_lending *l, lun_parcels *out)
{
    lun_status s = lun__parcels_open(l, out);
    for (int pe = 0; s == LUN_OK && pe < l->npes; pe++) {
        const size_t before = out->bytes.length;
        if (pe != l->mype)
            s = give_to(l, pe, &out->bytes);
        lun__parcels_end(out, pe, before);
    }
    return s;
}

/* What this rank's rounds may use, from what each PE has given. */
static lun_status take(const lun_lending *l, const char *at)
{
    for (int pe = 0; pe < l->npes; pe++)
        for (int k = 0; k < l->count; k++) {
            const lun_lent *x = &l->lent[k];
            const void *own = NULL;
            lun_elements there, both, all;
            if (!x->of)
                continue;
            there = lun__elements_of(x->of, pe);
            all = lun__elements_all(x->of);
            if (!lun__elements_common(&there, &x->need, &both))
                continue;
            lun_status s = pe == l->mype ? lun_data(l->e, x->of->own, &own) : LUN_OK;
            if (s != LUN_OK)
                return s;
            const lun_layout to = lun__elements_inside(&both, &all);
            lun__strided_write(&to, x->elements, x->size, 0, lun__elements_count(&both),
                               own ? own : at);
            at += own ? 0 : lun__elements_count(&both) * x->size;
        }
    for (int k = 0; k < l->count; k++) {
        const lun_lent *x = &l->lent[k];
        if (!x->of || !x->written)
            continue;
        const lun_elements all = lun__elements_all(x->of);
        const lun_layout from = lun__elements_inside(&x->need, &all);
        lun__strided_read(&from, x->elements, x->size, 0, lun__elements_count(&x->need), x->before);
    }
    return LUN_OK;
}

/* How many bytes this rank gets of each PE. */
static void count_got(const lun_lending *l, int64_t *counts)
{
    for (int pe = 0; pe < l->npes; pe++) {
        counts[pe] = 0;
        for (int k = 0; k < l->count && pe != l->mype; k++) {
            const lun_lent *x = &l->lent[k];
            const lun_elements there = x->of ? lun__elements_of(x->of, pe) : (lun_elements){0};
            lun_elements both;
            if (x->of && lun__elements_common(&there, &x->need, &both))
                counts[pe] += lun__elements_count(&both) * x->size;
        }
    }
}

lun_status lun__lent_fetch(const lun_lending *l, const lun_parcels *given, int64_t most,
                           lun_status *taken)
{
    int64_t *counts = malloc((size_t)l->npes * sizeof *counts);
    void *got = NULL;
    lun_status s = counts ? LUN_OK : lun__fail_nomem(l->e);
    if (s == LUN_OK)
        count_got(l, counts);
    if (s == LUN_OK && most)
        s = lun_spmd_exchange_known(l->e, lun__strbuf_text(&given->bytes), given->counts, counts,
                                    most, &got);
    if (s == LUN_OK)
        *taken = take(l, got);
    free(counts);
    free(got);
    return s;
}
