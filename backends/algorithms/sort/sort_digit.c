/* sort_digit.c - digits of a long segment's records; see sort_digit.h. */
#include "algorithms/sort/sort_digit.h"

#include <string.h>

enum {
    BLOCK = 1 << 18,  /* records between questions whether to stop */
    ROUND = 1 << 30,  /* records that are counted in 32 bits */
    SAMPLE = 1 << 10, /* elements by which a digit is chosen */
    FEW_OF = 256,     /* of so many one may be far off */
    PART_LOG2 = 15    /* bytes of a part, about */
};

void lun__sort_digit_together(lun_sorter *x, void (*work)(void *ctx, int worker))
{
    if (x->workers > 1)
        x->l->team->parallel(x->l->team, x, x->workers, work);
    else
        work(x, 0);
}

int64_t lun__sort_digit_records(const lun_sorter *x, lun_sort_own *o, int64_t from, int64_t count,
                                const void **out, int64_t *nans)
{
    const lun_sort_segment *l = x->l;
    if (x->now.side >= 0) {
        *out = x->side[x->now.side] + (x->now.from + from) * x->radix->bytes;
        return lun__sort_digit_less(count, BLOCK);
    }
    count = lun__sort_digit_less(count, LUN_SORT_STAGE);
    *nans += lun__keys_read(&l->keys, (const char *)l->from + from * lun__sort_digit_bytes(l),
                            count, from, l->record, o->stage);
    *out = o->stage;
    return count;
}

/* Moves what was counted in 32 bits. */
static void add_parts(lun_sort_own *o, uint32_t mask)
{
    for (uint32_t d = 0; d <= mask; d++)
        o->counts[d] += (int64_t)o->part[0][d] + o->part[1][d];
    for (int k = 0; k < 2; k++)
        memset(o->part[k], 0, (mask + (size_t)1) * sizeof o->part[k][0]);
}

static void work_on_counts(void *ctx, int worker)
{
    lun_sorter *x = ctx;
    lun_sort_own *o = &x->own[worker];
    const void *records;
    const int64_t end = lun__sort_digit_share(x->now.count, worker + 1, x->workers);
    int64_t round = 0;
    memset(o->part, 0, sizeof o->part);
    memset(o->counts, 0, sizeof o->counts);
    o->seen = (lun_seen){0};
    o->nans = 0;
    for (int64_t i = lun__sort_digit_share(x->now.count, worker, x->workers), n;
         i < end && !lun__sort_digit_stopped(x); i += n) {
        n = lun__sort_digit_records(x, o, i, end - i, &records, &o->nans);
        x->radix->see(records, n, &o->seen);
        x->radix->count(records, n, x->digit, o->part);
        if ((round += n) >= ROUND) {
            add_parts(o, x->digit.mask);
            round = 0;
        }
    }
    add_parts(o, x->digit.mask);
}

static int log2_of(int64_t n)
{
    return 63 - __builtin_clzll((uint64_t)n);
}

static int bits_for(const lun_sorter *x)
{
    const int bits = log2_of(x->now.count * x->radix->bytes) - PART_LOG2;
    return bits < LUN_SORT_BITS_LEAST ? LUN_SORT_BITS_LEAST : bits > LUN_DIGIT ? LUN_DIGIT : bits;
}

/* The keys of some records of the range. */
static int sample(const lun_sorter *x, int64_t most, uint64_t *keys)
{
    const int64_t step = x->now.count / most + 1;
    int64_t nans = 0;
    int count = 0;
    const void *record;
    for (int64_t i = step / 2; i < x->now.count; i += step) {
        lun_seen seen = {0};
        lun__sort_digit_records(x, x->own, i, 1, &record, &nans);
        x->radix->see(record, 1, &seen);
        keys[count++] = seen.any;
    }
    return count;
}

/* The upper bits below `high`, which are those of `key` above that. */
static void take_upper(lun_sorter *x, int high, uint64_t key)
{
    const int bits = (int)lun__sort_digit_less(bits_for(x), high - x->low);
    x->digit.shift = high - bits;
    x->digit.mask = ((uint32_t)1 << bits) - 1;
    x->digit.base = (key >> x->digit.shift) & ~(uint64_t)x->digit.mask;
}

/* Of elements: the digit that separates most of them, by a sample in order.  Few that are far
 * from the others, as floats near 0 are, must not take the bits. */
static void choose_first(lun_sorter *x)
{
    uint64_t keys[SAMPLE];
    const int count = sample(x, lun__sort_digit_less(SAMPLE, x->now.count / FEW_OF + 2), keys);
    lun__radix[LUN_RECORD_KEY64].settle(keys, count, 64, x->own->cached, x->own->settle);
    const int top = lun__radix_top(keys[0] ^ keys[count - 1]);
    take_upper(x, top > x->low ? top : x->low + 1, keys[0]);
    const uint64_t first = keys[count / FEW_OF], last = keys[count - 1 - count / FEW_OF];
    const int bits = bits_for(x);
    const uint64_t most = ((uint64_t)1 << bits) - 1;
    int shift = lun__radix_top(last - first) - bits;
    for (shift = shift < x->low ? x->low : shift; (last >> shift) - (first >> shift) > most;)
        shift++;
    if (shift >= x->digit.shift)
        return;
    const uint64_t spare = (most - ((last >> shift) - (first >> shift))) / 2;
    x->digit.shift = shift;
    x->digit.mask = (uint32_t)most;
    x->digit.base = (first >> shift) - (spare < first >> shift ? spare : first >> shift);
}

uint64_t lun__sort_digit_varying(const lun_sorter *x, bool *descends)
{
    uint64_t any = 0, all = ~(uint64_t)0;
    *descends = false;
    for (int w = 0; w < x->workers; w++) {
        const lun_seen *seen = &x->own[w].seen;
        if (!seen->some)
            continue;
        any |= seen->any;
        all &= seen->all;
        *descends |= seen->descends;
    }
    return any ^ all;
}

bool lun__sort_digit_ascends(const lun_sorter *x)
{
    const void *records;
    int64_t nans = 0;
    for (int w = 1; w < x->workers; w++) {
        lun_seen seen = x->own[w - 1].seen;
        lun__sort_digit_records(x, x->own, lun__sort_digit_share(x->now.count, w, x->workers), 1,
                                &records, &nans);
        if (seen.some)
            x->radix->see(records, 1, &seen);
        if (seen.descends)
            return false;
    }
    return true;
}

/* Counts the range by a digit.  Of records that were scattered before, the upper bits that vary are
 * exact, so that each pass separates more of them. */
void lun__sort_digit_count(lun_sorter *x, lun_sort_range r)
{
    bool descends;
    uint64_t keys[2];
    x->now = r;
    if (r.side < 0) {
        choose_first(x);
        lun__sort_digit_together(x, work_on_counts);
        return;
    }
    sample(x, 2, keys);
    for (int high = lun__radix_top(keys[0] ^ keys[1]);;) {
        take_upper(x, high > x->low ? high : x->low + 1, keys[0]);
        lun__sort_digit_together(x, work_on_counts);
        const int top = lun__radix_top(lun__sort_digit_varying(x, &descends));
        if (lun__sort_digit_stopped(x) || top <= high)
            return;
        high = top;
    }
}
