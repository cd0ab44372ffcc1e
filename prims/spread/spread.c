/* spread.c - rules by which arrays are divided among places; see spread.h. */
#include "spread/spread.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static int64_t least(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static double sum(const double *weights, int count)
{
    double total = 0;
    for (int i = 0; i < count; i++)
        total += weights[i];
    return total;
}

/* Slices before part k, 0 < k < places. */
static int64_t bound_of(lun_spread_rule rule, const double *weights, int64_t n, int places, int k)
{
    const int64_t each = n / places, rest = n % places;
    if (rule == LUN_SPREAD_CEILING) {
        int64_t most = each + (rest != 0);
        return most && k > n / most ? n : least(k * most, n);
    }
    if (rule == LUN_SPREAD_BALANCED)
        return k * each + least(k, rest);
    if (rule == LUN_SPREAD_WEIGHTS) {
        double part = floor((double)n * sum(weights, k) / sum(weights, places));
        return part < (double)n ? (int64_t)part : n;
    }
    return k * each;
}

void lun__spread_cut(lun_spread_rule rule, const double *weights, int64_t n, int places,
                     int64_t *bound)
{
    bound[0] = 0;
    for (int k = 1; k < places; k++)
        bound[k] = bound_of(rule, weights, n, places, k);
    bound[places] = n;
}

int64_t lun__spread_bound(lun_spread_rule rule, int64_t n, int places, int k)
{
    return k == 0 ? 0 : k == places ? n : bound_of(rule, NULL, n, places, k);
}

lun_interval lun__spread_part(const lun_spread *s, int k)
{
    if (s->kind == LUN_SPREAD_COPY || (s->kind == LUN_SPREAD_SINGLE && s->device == k))
        return (lun_interval){0, s->n};
    if (s->kind != LUN_SPREAD_BLOCK && s->kind != LUN_SPREAD_OVERLAP)
        return (lun_interval){0, 0};
    lun_interval x = {s->bound[k], s->bound[k + 1]};
    if (s->kind == LUN_SPREAD_OVERLAP && x.lo < x.hi) {
        const int64_t slices = s->unit ? s->n / s->unit : 0;
        const int64_t halo = least(s->halo, slices) * s->unit;
        x.lo = x.lo > halo ? x.lo - halo : 0;
        x.hi = s->n - x.hi > halo ? x.hi + halo : s->n;
    }
    return x;
}

int lun__spread_owner(const lun_spread *s, int64_t element)
{
    int low = 0, high = s->places - 1;
    while (low < high) { /* the first part that ends behind it */
        int middle = low + (high - low) / 2;
        if (s->bound[middle + 1] <= element)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

bool lun__spread_same(const lun_spread *a, const lun_spread *b)
{
    const bool blocks = a->kind == LUN_SPREAD_BLOCK || a->kind == LUN_SPREAD_OVERLAP;
    if (a == b || a->n != b->n || a->places != b->places)
        return a == b;
    if (blocks ? b->kind != LUN_SPREAD_BLOCK && b->kind != LUN_SPREAD_OVERLAP : a->kind != b->kind)
        return false;
    if (a->kind == LUN_SPREAD_SINGLE && a->device != b->device)
        return false;
    for (int k = 0; k < a->places; k++)
        if (a->place[k] != b->place[k] || (blocks && a->bound[k] != b->bound[k]))
            return false;
    return true;
}

lun_spread *lun__spread_new(int places)
{
    const size_t p = (size_t)places; /* LUN_MAX_PLACES at most */
    lun_spread *s = calloc(1, sizeof *s + (p + 1) * sizeof *s->bound + p * sizeof *s->place);
    if (!s)
        return NULL;
    s->refs = 1;
    s->places = places;
    s->place = (const void **)(void *)(s->bound + p + 1);
    return s;
}

lun_spread *lun__spread_copy(const lun_spread *s)
{
    lun_spread *to = lun__spread_new(s->places);
    if (!to)
        return NULL;
    const void **place = to->place;
    *to = *s;
    to->refs = 1;
    to->place = place;
    memcpy(to->bound, s->bound, ((size_t)s->places + 1) * sizeof *s->bound);
    memcpy(to->place, s->place, (size_t)s->places * sizeof *s->place);
    return to;
}

lun_spread *lun__spread_retain(const lun_spread *s)
{
    lun_spread *counted = (lun_spread *)(uintptr_t)s;
    counted->refs++;
    return counted;
}

void lun__spread_release(lun_spread *s)
{
    if (s && !--s->refs)
        free(s);
}

const char *lun__spread_kind_name(lun_spread_kind kind)
{
    static const char *const names[LUN_SPREAD_KINDS] = {"none", "single", "block", "overlap",
                                                        "copy"};
    return names[kind];
}

const char *lun__spread_rule_name(lun_spread_rule rule)
{
    static const char *const names[LUN_SPREAD_RULES] = {"remainder", "ceiling", "balanced",
                                                        "weights", NULL};
    return names[rule];
}
