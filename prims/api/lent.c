/* lent.c - blocked arrays lent to C text on several ranks; see lent.h.  Knows no loop and no
 * text. */
#include "api/lent.h"

#include <stdlib.h>
#include <string.h>

enum { ALIKE = 64 }; /* elements that are compared at once */

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

/* What both have; false: nothing. */
static bool common(const lun_elements *a, const lun_elements *b, lun_elements *out)
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

/* Where elements of b stand among those of `in`. */
static lun_layout inside(const lun_elements *b, const lun_elements *in)
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
    return s != LUN_OK || !x->written || x->before ? s : lun__nomem(l->e);
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

/* ---- agreement ------------------------------------------------------------------------------- */

lun_status lun__lent_settle(const lun_lending *l, lun_status s)
{
    lun_engine *e = l->e;
    lun_strbuf own = LUN_STRBUF_INIT;
    int64_t *counts = NULL;
    void *all = NULL;
    if (s != LUN_OK)
        lun__strbuf_printf(&own, "%c%s", (char)s, lun_error(e));
    lun_status told = own.failed ? lun__nomem(e)
                                 : lun_spmd_gather_bytes(e, lun__strbuf_text(&own),
                                                         (int64_t)own.length, &counts, &all);
    lun__strbuf_free(&own);
    if (told != LUN_OK)
        return told;
    const char *at = all;
    for (int pe = 0; told == LUN_OK && pe < l->npes; at += counts[pe++])
        if (counts[pe])
            told = lun__fail(e, (lun_status)*at, "PE %d: %.*s", pe, (int)counts[pe] - 1, at + 1);
    free(counts);
    free(all);
    return told;
}

/* ---- what is fetched ------------------------------------------------------------------------- */

/* Elements of b, of those of `in` that stand at `from`. */
static bool append(lun_strbuf *to, const lun_elements *b, const lun_elements *in, const char *from,
                   int size)
{
    const lun_layout l = inside(b, in);
    const int64_t n = lun__elements_count(b);
    char *some = malloc((size_t)(n * size) + 1);
    if (some) {
        lun__layout_read(&l, from, size, 0, n, some);
        lun__strbuf_add(to, some, (size_t)(n * size));
    }
    free(some);
    return some && !to->failed;
}

/* What other ranks may use of this rank's elements, by PE. */
static lun_status give(const lun_lending *l, lun_strbuf *to, int64_t *counts)
{
    lun_status s = LUN_OK;
    for (int pe = 0; s == LUN_OK && pe < l->npes; pe++) {
        const size_t before = to->length;
        for (int k = 0; s == LUN_OK && k < l->count && pe != l->mype; k++) {
            const lun_lent *x = &l->lent[k];
            const void *own;
            lun_elements mine, need, both;
            if (!x->of)
                continue;
            mine = lun__elements_of(x->of, l->mype);
            need = need_of(x, pe);
            if (!common(&need, &mine, &both))
                continue;
            s = lun_data(l->e, x->of->own, &own);
            if (s == LUN_OK && !append(to, &both, &mine, own, x->size))
                s = lun__nomem(l->e);
        }
        counts[pe] = (int64_t)(to->length - before);
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
            if (!common(&there, &x->need, &both))
                continue;
            lun_status s = pe == l->mype ? lun_data(l->e, x->of->own, &own) : LUN_OK;
            if (s != LUN_OK)
                return s;
            const lun_layout to = inside(&both, &all);
            lun__layout_write(&to, x->elements, x->size, 0, lun__elements_count(&both),
                              own ? own : at);
            at += own ? 0 : lun__elements_count(&both) * x->size;
        }
    for (int k = 0; k < l->count; k++) {
        const lun_lent *x = &l->lent[k];
        if (!x->of || !x->written)
            continue;
        const lun_elements all = lun__elements_all(x->of);
        const lun_layout from = inside(&x->need, &all);
        lun__layout_read(&from, x->elements, x->size, 0, lun__elements_count(&x->need), x->before);
    }
    return LUN_OK;
}

/* An exchange of such bytes; *got: to be freed. */
static lun_status exchange(const lun_lending *l, const lun_strbuf *given, const int64_t *counts,
                           int64_t **got_counts, void **got)
{
    *got_counts = NULL;
    *got = NULL;
    return lun_spmd_exchange_bytes(l->e, lun__strbuf_text(given), counts, got_counts, got);
}

lun_status lun__lent_fetch(const lun_lending *l)
{
    lun_strbuf given = LUN_STRBUF_INIT;
    int64_t *counts = calloc((size_t)l->npes, sizeof *counts), *got_counts = NULL;
    void *got = NULL;
    lun_status s = lun__lent_settle(l, counts ? give(l, &given, counts) : lun__nomem(l->e));
    if (s == LUN_OK)
        s = exchange(l, &given, counts, &got_counts, &got);
    if (s == LUN_OK)
        s = take(l, got);
    free(counts);
    free(got_counts);
    free(got);
    lun__strbuf_free(&given);
    return s;
}

/* ---- what has changed ------------------------------------------------------------------------ */

/* The number, among those of a box, of element k of a layout in it. */
static int64_t place_of(const lun_layout *l, int64_t k)
{
    int64_t place = l->offset;
    for (int d = l->rank - 1; d >= 0; d--) {
        place += l->stride[d] * (k % l->extent[d]);
        k /= l->extent[d];
    }
    return place;
}

/* A PE's elements of x that have changed: how many, and of each its number there and itself. */
static bool add_changed(const lun_lent *x, int pe, lun_strbuf *to, int64_t *changed)
{
    const lun_elements there = lun__elements_of(x->of, pe), all = lun__elements_all(x->of);
    lun_elements both;
    *changed = 0;
    if (!common(&there, &x->need, &both))
        return true;
    const lun_layout now = inside(&both, &all), was = inside(&both, &x->need),
                     home = inside(&both, &there);
    const int64_t row = both.count[both.rank - 1];
    for (int64_t k = 0, n = lun__elements_count(&both), some; k < n; k += some) {
        some = row - k % row < ALIKE ? row - k % row : ALIKE; /* neighbours everywhere */
        const char *element = x->elements + place_of(&now, k) * x->size,
                   *old = x->before + place_of(&was, k) * x->size;
        if (!memcmp(element, old, (size_t)(some * x->size)))
            continue;
        for (int64_t i = 0, place = place_of(&home, k); i < some; i++, place++) {
            if (!memcmp(element + i * x->size, old + i * x->size, (size_t)x->size))
                continue;
            lun__strbuf_add(to, (const char *)&place, sizeof place);
            lun__strbuf_add(to, element + i * x->size, (size_t)x->size);
            ++*changed;
        }
    }
    return !to->failed;
}

static lun_status send(const lun_lending *l, lun_strbuf *to, int64_t *counts)
{
    for (int pe = 0; pe < l->npes; pe++) {
        const size_t before = to->length;
        lun_strbuf some = LUN_STRBUF_INIT;
        bool well = true;
        for (int32_t k = 0; well && k < l->count; k++) {
            int64_t changed;
            if (!l->lent[k].of || !l->lent[k].written)
                continue;
            some.length = 0;
            well = add_changed(&l->lent[k], pe, &some, &changed);
            if (!changed)
                continue;
            lun__strbuf_add(to, (const char *)&k, sizeof k);
            lun__strbuf_add(to, (const char *)&changed, sizeof changed);
            lun__strbuf_add(to, lun__strbuf_text(&some), some.length);
            if (pe != l->mype)
                lun_spmd_count(l->e, 0, changed);
        }
        lun__strbuf_free(&some);
        counts[pe] = (int64_t)(to->length - before);
        if (!well || to->failed)
            return lun__nomem(l->e);
    }
    return LUN_OK;
}

/* Elements that PEs have changed, put into new parts; LUN_EARG: two have changed one. */
static lun_status put(const lun_lending *l, const char *at, const int64_t *counts, char **parts,
                      uint8_t **seen)
{
    for (int pe = 0; pe < l->npes; pe++)
        for (const char *end = at + counts[pe]; at < end;) {
            int32_t k;
            int64_t n, place;
            memcpy(&k, at, sizeof k);
            memcpy(&n, at + sizeof k, sizeof n);
            at += sizeof k + sizeof n;
            for (const int size = l->lent[k].size; n > 0; n--, at += sizeof place + (size_t)size) {
                memcpy(&place, at, sizeof place);
                if (seen[k][place])
                    return lun__fail(l->e, LUN_EARG,
                                     "argument %d: rounds of two ranks change one element", k + 1);
                seen[k][place] = 1;
                memcpy(parts[k] + place * size, at + sizeof place, (size_t)size);
            }
        }
    return LUN_OK;
}

/* This rank's parts of what is written, as they are, and a mark for each element. */
static lun_status copy_parts(const lun_lending *l, char **parts, uint8_t **seen)
{
    lun_status s = LUN_OK;
    for (int k = 0; s == LUN_OK && k < l->count; k++) {
        const lun_lent *x = &l->lent[k];
        if (!x->of || !x->written)
            continue;
        const int64_t n = lun_size(x->of->own);
        parts[k] = malloc((size_t)(n * x->size) + 1);
        seen[k] = calloc(1, (size_t)n + 1);
        s = parts[k] && seen[k] ? lun_read(l->e, x->of->own, parts[k], 0, n) : lun__nomem(l->e);
    }
    return s;
}

static lun_status store(const lun_lending *l, char *const *parts)
{
    lun_status s = LUN_OK;
    for (int k = 0; s == LUN_OK && k < l->count; k++)
        if (parts[k])
            s = lun_write(l->e, l->lent[k].of->own, parts[k], 0, lun_size(l->lent[k].of->own));
    return s;
}

/* The copies' memory, which a device may have had meanwhile. */
static lun_status look(lun_lending *l)
{
    lun_status s = LUN_OK;
    for (int k = 0; s == LUN_OK && k < l->count; k++) {
        const void *data = NULL;
        if (l->lent[k].of && l->lent[k].written)
            s = lun_data(l->e, l->lent[k].whole, &data);
        l->lent[k].elements = (char *)(uintptr_t)data;
    }
    return s;
}

lun_status lun__lent_back(lun_lending *l)
{
    char *parts[LUN_MAX_OPERANDS] = {NULL};
    uint8_t *seen[LUN_MAX_OPERANDS] = {NULL};
    lun_strbuf given = LUN_STRBUF_INIT;
    int64_t *counts = calloc((size_t)l->npes, sizeof *counts), *got_counts = NULL;
    void *got = NULL;
    lun_status s = counts ? look(l) : lun__nomem(l->e);
    if (s == LUN_OK)
        s = send(l, &given, counts);
    if (s == LUN_OK)
        s = copy_parts(l, parts, seen);
    s = lun__lent_settle(l, s);
    if (s == LUN_OK)
        s = exchange(l, &given, counts, &got_counts, &got);
    if (s == LUN_OK)
        s = lun__lent_settle(l, put(l, got, got_counts, parts, seen));
    if (s == LUN_OK)
        s = store(l, parts);
    for (int k = 0; k < l->count; k++) {
        free(parts[k]);
        free(seen[k]);
    }
    free(counts);
    free(got_counts);
    free(got);
    lun__strbuf_free(&given);
    return s;
}
