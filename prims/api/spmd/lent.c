/* lent.c - blocked arrays lent to C text on several ranks; see lent.h.  Knows no loop and no
 * text. */
#include "api/spmd/lent.h"

#include <stdlib.h>
#include <string.h>

#include "ranks/ranks.h"

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
    s = lun_data(l->e, x->of->own, (const void **)&x->own);
    if (s == LUN_OK)
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
    for (int i = 0; i < l->carried_count; i++)
        free(l->carried[i].bytes);
    free(l->carried);
}

/* ---- agreement ------------------------------------------------------------------------------- */

lun_status lun__lent_agree(const lun_lending *l, const lun_said *said, lun_status s, int64_t *most)
{
    lun_agreed a = {.size = sizeof a, .most = s == LUN_OK ? *most : 0, .yes = s == LUN_OK};
    char *text = lun__rank_text(l->e, s);
    lun_status told = lun_spmd_agree(l->e, said->doing, said->noun, said->options, &a);
    if (told == LUN_OK && !a.yes)
        told = lun__rank_failure(l->e, s, text);
    *most = a.most;
    free(text);
    return told;
}

/* ---- what is fetched ------------------------------------------------------------------------- */

static lun_status carry(lun_lending *l, const lun_lent *x, int pe, bool gives,
                        const lun_elements *box)
{
    const int64_t n = lun__elements_count(box);
    lun_carried *c = &l->carried[l->carried_count++];
    *c = (lun_carried){x, pe, gives, *box, malloc((size_t)(n * x->size))};
    if (!c->bytes)
        return lun__fail_nomem(l->e);
    const lun_elements mine = lun__elements_of(x->of, l->mype);
    const lun_layout from = lun__elements_inside(box, &mine);
    if (gives)
        lun__strided_read(&from, x->own, x->size, 0, n, c->bytes);
    return LUN_OK;
}

lun_status lun__lent_give(lun_lending *l)
{
    lun_status s = LUN_OK;
    l->carried = calloc(2 * (size_t)(l->npes * l->count) + 1, sizeof *l->carried);
    if (!l->carried)
        return lun__fail_nomem(l->e);
    for (int pe = 0; pe < l->npes; pe++)
        for (int k = 0; pe != l->mype && k < l->count; k++) {
            const lun_lent *x = &l->lent[k];
            if (!x->of)
                continue;
            const lun_elements mine = lun__elements_of(x->of, l->mype),
                               there = lun__elements_of(x->of, pe), need = need_of(x, pe);
            lun_elements both;
            if (s == LUN_OK && lun__elements_common(&need, &mine, &both))
                s = carry(l, x, pe, true, &both);
            if (s == LUN_OK && lun__elements_common(&there, &x->need, &both))
                s = carry(l, x, pe, false, &both);
        }
    return s;
}

/* Elements of a box, as they are at `from`, to the copy. */
static void keep(const lun_lent *x, const lun_elements *box, const char *from)
{
    const lun_elements all = lun__elements_all(x->of);
    const lun_layout to = lun__elements_inside(box, &all);
    lun__strided_write(&to, x->elements, x->size, 0, lun__elements_count(box), from);
}

lun_status lun__lent_fetch(const lun_lending *l)
{
    lun_status s = LUN_OK;
    for (const lun_carried *c = l->carried; s == LUN_OK && c < l->carried + l->carried_count; c++)
        s = lun__rank_move(l->e, c->gives ? l->mype : c->pe, c->gives ? c->pe : l->mype, c->bytes,
                           lun__elements_count(&c->box) * c->x->size);
    s = lun__rank_moves_end(l->e, s);
    for (const lun_carried *c = l->carried; s == LUN_OK && c < l->carried + l->carried_count; c++)
        if (!c->gives)
            keep(c->x, &c->box, c->bytes);
    for (int k = 0; s == LUN_OK && k < l->count; k++) {
        const lun_lent *x = &l->lent[k];
        if (!x->of)
            continue;
        const lun_elements mine = lun__elements_of(x->of, l->mype), all = lun__elements_all(x->of);
        const lun_layout from = lun__elements_inside(&x->need, &all);
        keep(x, &mine, x->own);
        if (x->written)
            lun__strided_read(&from, x->elements, x->size, 0, lun__elements_count(&x->need),
                              x->before);
    }
    return s;
}
