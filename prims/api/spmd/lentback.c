/* lentback.c - what the rounds of C text have changed of blocked arrays that were lent to them:
 * sent to the ranks that have the elements, and stored there.  Knows no loop and no text. */
#include <stdlib.h>
#include <string.h>

#include "api/spmd/lent.h"

enum { ALIKE = 64 }; /* elements that are compared at once */

/* Bytes for each rank, one after the other. */
typedef struct parcels {
    lun_strbuf bytes;
    int64_t *counts, most; /* of each rank; no rank has more */
} parcels;

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
    if (!lun__elements_common(&there, &x->need, &both))
        return true;
    const lun_layout now = lun__elements_inside(&both, &all),
                     was = lun__elements_inside(&both, &x->need),
                     home = lun__elements_inside(&both, &there);
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

/* What has changed of a PE's elements. */
static lun_status send_to(const lun_lending *l, int pe, lun_strbuf *to)
{
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
    return well && !to->failed ? LUN_OK : lun__fail_nomem(l->e);
}

/* The same for all; `own`: of this rank's elements. */
static lun_status send(const lun_lending *l, parcels *to, lun_strbuf *own)
{
    to->counts = calloc((size_t)l->npes, sizeof *to->counts);
    lun_status s = to->counts ? LUN_OK : lun__fail_nomem(l->e);
    for (int pe = 0; s == LUN_OK && pe < l->npes; pe++) {
        const size_t before = to->bytes.length;
        s = send_to(l, pe, pe == l->mype ? own : &to->bytes);
        to->counts[pe] = (int64_t)(to->bytes.length - before);
        to->most = to->counts[pe] > to->most ? to->counts[pe] : to->most;
    }
    return s;
}

/* Elements that a PE has changed, put into new parts; LUN_EARG: another one has changed one too. */
static lun_status put(const lun_lending *l, const char *at, int64_t count, char **parts,
                      uint8_t **seen)
{
    for (const char *end = at + count; at < end;) {
        int32_t k;
        int64_t n, place;
        memcpy(&k, at, sizeof k);
        memcpy(&n, at + sizeof k, sizeof n);
        at += sizeof k + sizeof n;
        for (const int size = l->lent[k].size; n > 0; n--, at += sizeof place + (size_t)size) {
            memcpy(&place, at, sizeof place);
            if (seen[k][place])
                return lun__fail(l->e, LUN_EARG,
                                 "argument " LUN_NTH ": rounds of two ranks change one element", k);
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
        s = parts[k] && seen[k] ? lun_read(l->e, x->of->own, parts[k], 0, n)
                                : lun__fail_nomem(l->e);
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

/* The changes of other ranks, which are put into the parts: *stored says whether they could be. */
static lun_status take(const lun_lending *l, const parcels *given, char **parts, uint8_t **seen,
                       lun_status *stored)
{
    int64_t *counts = NULL;
    void *got = NULL;
    const lun_status s = lun_spmd_exchange_bytes(l->e, lun__strbuf_text(&given->bytes),
                                                 given->counts, &counts, &got);
    const char *at = got;
    for (int pe = 0; s == LUN_OK && *stored == LUN_OK && pe < l->npes; at += counts[pe++])
        *stored = put(l, at, counts[pe], parts, seen);
    free(counts);
    free(got);
    return s;
}

lun_status lun__lent_back(lun_lending *l, lun_status ran)
{
    static const lun_said said = {sizeof said, "runs a shared loop", "a shared loop", NULL};
    char *parts[LUN_MAX_OPERANDS] = {NULL};
    uint8_t *seen[LUN_MAX_OPERANDS] = {NULL};
    lun_strbuf own = LUN_STRBUF_INIT;
    parcels given = {.bytes = LUN_STRBUF_INIT};
    int64_t none = 0;
    lun_status s = ran == LUN_OK ? look(l) : ran, stored = LUN_OK;
    if (s == LUN_OK)
        s = send(l, &given, &own);
    if (s == LUN_OK)
        s = copy_parts(l, parts, seen);
    if (s == LUN_OK)
        s = put(l, lun__strbuf_text(&own), (int64_t)own.length, parts, seen);
    s = lun__lent_agree(l, &said, s, &given.most);
    if (s == LUN_OK && given.most) {
        s = take(l, &given, parts, seen, &stored);
        s = s == LUN_OK ? lun__lent_agree(l, &said, stored, &none) : s;
    }
    if (s == LUN_OK)
        s = store(l, parts);
    for (int k = 0; k < l->count; k++) {
        free(parts[k]);
        free(seen[k]);
    }
    lun__strbuf_free(&given.bytes);
    lun__strbuf_free(&own);
    free(given.counts);
    return s;
}
