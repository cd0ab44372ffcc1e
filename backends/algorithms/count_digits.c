/* count_digits.c - the rows digits and narrow: quantiles of elements that stand apart, found from
 * the first bits of keys (keys.h) on.  Elements whose bits so far are those of a quantile are
 * candidates; digits counts how many have each value of the next bits, narrow takes the one that
 * the quantile has.
 *
 * Elements that are close to each other differ in late bits only.  So some elements are looked at
 * before all are counted: the first digit divides the range of keys that these have, its first and
 * last values stand for all keys beyond it as well.  A quantile that is there begins again with the
 * first bits of all keys.
 *
 * The state, of words: tables (0: the results are there), the bits of a key below the digit, those
 * below what candidates have in common, how many elements are no NaN, whether the next counts are
 * of some elements, the first digit's first value; of the two elements around each quantile how
 * many candidates come before it, and its table; by table the first bits that candidates have. */
#include <string.h>

#include "algorithms/parts/algorithm_functions.h"
#include "algorithms/parts/work_parts.h"
#include "algorithms/quantile_of.h"
#include "algorithms/sort/keys.h"

enum {
    BITS = LUN_DIGIT_BITS,
    VALUES = 1 << BITS,
    PART = 1 << 15, /* elements */
    NONE = 4,
    SKIP = 1,   /* of option 0: NaNs are left out */
    TABLES = 0, /* words of the state */
    BELOW = 1,
    ABOVE = 2,
    NUMBERS = 3,
    SOME = 4,
    LOW = 5,
    HEAD = 6,
    FEW = 1024, /* elements of a location that are looked at, */
    APART = 64, /* first digits, which divide elements enough */
    EDGE = 128  /* among which those of a part beyond 1 / EDGE are hardly */
};

typedef struct around {
    int64_t before, table;
} around;

static around *around_of(int64_t *state)
{
    return (around *)(void *)(state + HEAD);
}

static uint64_t *first_bits(int64_t *state, int64_t quantiles)
{
    return (uint64_t *)(void *)(state + HEAD + 4 * quantiles);
}

/* ---- digits ---------------------------------------------------------------------------------- */

typedef struct counting {
    const lun_algorithm_run *r;
    lun_keys keys;
    int64_t tables, room;                  /* room: candidates of a worker that fit */
    int below, digit, above;               /* bits of a key */
    uint64_t low;                          /* of the first digit */
    uint64_t raw[2 * LUN_DIGIT_QUANTILES]; /* what candidates of a table have in common */
} counting;

/* A worker's: counts of each table, NaNs, candidates, what is none, in turn, candidates that fit
 * and one more.  Whether an element is a candidate no branch can foresee. */
static int64_t words_of(const lun_algorithm_run *r)
{
    return r->out[0].n + 1 + NONE + r->out[1].n + 1;
}

static int64_t *own_of(const counting *v, int worker)
{
    return (int64_t *)v->r->scratch + worker * words_of(v->r);
}

static inline int64_t first_digit(uint64_t key, uint64_t low, int below)
{
    const uint64_t digit = (key > low ? key - low : 0) >> below;
    return digit < VALUES ? (int64_t)digit : VALUES - 1;
}

/* The first digit counts all elements and NaNs; others begin with what candidates have in common,
 * which is known by the elements' bits. */
#define WIDTH(WIDE)                                                                         \
    static void count_all_##WIDE(const counting *v, int64_t from, int64_t to, int64_t *own) \
    {                                                                                       \
        const lun_keys keys = v->keys;                                                      \
        const uint64_t nan = keys.infinity ? lun__key_nan(&keys) : 0;                       \
        const uint##WIDE##_t *x = v->r->in[0].data;                                         \
        const uint64_t low = v->low << v->below;                                            \
        const int below = v->below;                                                         \
        const bool plain = !low && keys.bits <= below + BITS;                               \
        int64_t nans = 0;                                                                   \
        for (int64_t i = from; plain && i < to; i++) {                                      \
            const uint64_t key = lun__key(&keys, x[i]);                                     \
            nans += nan && key == nan;                                                      \
            own[key >> below]++;                                                            \
        }                                                                                   \
        for (int64_t i = from; !plain && i < to; i++) {                                     \
            const uint64_t key = lun__key(&keys, x[i]);                                     \
            nans += nan && key == nan;                                                      \
            own[first_digit(key, low, below)]++;                                            \
        }                                                                                   \
        own[first_digit(nan, low, below)] -= nans;                                          \
        own[VALUES] += nans;                                                                \
        own[VALUES + 1] += to - from - nans;                                                \
    }                                                                                       \
    static void count_##WIDE(const counting *v, int64_t from, int64_t to, int64_t *own)     \
    {                                                                                       \
        const lun_keys keys = v->keys;                                                      \
        const uint64_t mask = ((uint64_t)1 << v->digit) - 1, one = v->raw[0],               \
                       nan = keys.infinity ? lun__key_nan(&keys) : 0;                       \
        const uint##WIDE##_t *x = v->r->in[0].data;                                         \
        const int below = v->below, above = v->above;                                       \
        const int64_t room = v->room, tables = v->tables;                                   \
        int64_t *end = own + v->tables * VALUES, found = end[1];                            \
        uint##WIDE##_t *fit = (void *)(end + 2 + NONE);                                     \
        for (int64_t i = from; tables == 1 && i < to; i++) {                                \
            const uint64_t raw = (uint64_t)x[i] >> above, key = lun__key(&keys, x[i]);      \
            const uint64_t is = (raw == one) & (!nan | (key != nan));                       \
            const uint64_t none = (uint64_t)(VALUES + 2 + i % NONE),                        \
                           to_bits = key >> below & mask;                                   \
            own[none ^ ((to_bits ^ none) & -is)]++;                                         \
            fit[found < room ? found : room] = x[i];                                        \
            found += (int64_t)is;                                                           \
        }                                                                                   \
        for (int64_t i = from; tables > 1 && i < to; i++) {                                 \
            const uint64_t raw = (uint64_t)x[i] >> above;                                   \
            int64_t t = 0;                                                                  \
            while (t < tables && raw != v->raw[t])                                          \
                t++;                                                                        \
            const uint64_t key = lun__key(&keys, x[i]);                                     \
            if (t == tables || (nan && key == nan))                                         \
                continue;                                                                   \
            own[t * VALUES + (int64_t)(key >> below & mask)]++;                             \
            fit[found < room ? found : room] = x[i];                                        \
            found++;                                                                        \
        }                                                                                   \
        end[1] = found;                                                                     \
    }
WIDTH(8)
WIDTH(16)
WIDTH(32)
WIDTH(64)

static void count_part(void *ctx, int64_t part, int worker)
{
    const counting *v = ctx;
    const int64_t from = part * PART, n = v->r->in[0].n, to = n - from < PART ? n : from + PART;
    int64_t *own = own_of(v, worker);
    const bool all = v->above == v->keys.bits;
    switch (v->keys.bits) {
    case 8:
        (all ? count_all_8 : count_8)(v, from, to, own);
        return;
    case 16:
        (all ? count_all_16 : count_16)(v, from, to, own);
        return;
    case 32:
        (all ? count_all_32 : count_32)(v, from, to, own);
        return;
    default:
        (all ? count_all_64 : count_64)(v, from, to, own);
    }
}

int64_t lun__digits_room(const lun_algorithm_run *r, int threads)
{
    return threads * words_of(r) * (int64_t)sizeof(int64_t);
}

/* The digits of some elements, evenly apart. */
static void count_some(const counting *v, lun_algorithm_run *r)
{
    const int64_t n = r->in[0].n, some = n < FEW ? n : FEW, size = v->keys.bits / 8;
    const uint64_t nan = v->keys.infinity ? lun__key_nan(&v->keys) : 0, low = v->low << v->below;
    int64_t *to = r->out[0].data;
    memset(to, 0, (size_t)r->out[0].n * sizeof *to);
    for (int64_t k = 0; k < some; k++) {
        uint64_t raw = 0;
        memcpy(&raw, (const char *)r->in[0].data + k * (n / some) * size, (size_t)size);
        const uint64_t key = lun__key(&v->keys, raw);
        to[nan && key == nan ? VALUES : first_digit(key, low, v->below)]++;
    }
    r->out[1].n = 0;
}

/* Sums of what workers have counted; candidates, unless they did not fit. */
static void gather(const counting *v, int workers, lun_algorithm_run *r)
{
    const int64_t size = v->keys.bits / 8, n = v->tables * VALUES;
    int64_t *to = r->out[0].data, found = 0;
    bool fit = true;
    memset(to, 0, (size_t)r->out[0].n * sizeof *to);
    for (int w = 0; w < workers; w++) {
        const int64_t *own = own_of(v, w), some = own[n + 1];
        for (int64_t i = 0; i <= n; i++)
            to[i] += own[i];
        fit = fit && some <= v->room && found + some <= r->out[1].n;
        if (fit && some)
            memcpy((char *)r->out[1].data + found * size, own + n + 2 + NONE,
                   (size_t)(some * size));
        found += some;
    }
    r->out[1].n = fit ? found : 0;
}

lun_status lun__digits_run(const lun_services *services, const lun_team *team, lun_algorithm_run *r)
{
    int64_t *state = r->in[1].data;
    counting v = {.r = r,
                  .keys = lun__keys(r->in[0].dtype, false),
                  .tables = state[TABLES],
                  .room = state[ABOVE] < lun__keys(r->in[0].dtype, false).bits ? r->out[1].n : -1,
                  .below = (int)state[BELOW],
                  .digit = (int)(state[ABOVE] - state[BELOW]),
                  .above = (int)state[ABOVE],
                  .low = (uint64_t)state[LOW]};
    if (state[SOME]) {
        count_some(&v, r);
        return LUN_OK;
    }
    const uint64_t *first = first_bits(state, lun__algorithm_digit_quants(r->in[1].n));
    for (int64_t t = 0; v.above < v.keys.bits && t < v.tables; t++)
        v.raw[t] = lun__key_raw(&v.keys, first[t] << v.above) >> v.above;
    for (int w = 0; w < team->threads; w++)
        memset(own_of(&v, w), 0, (size_t)(v.tables * VALUES + 2 + NONE) * sizeof(int64_t));
    if (!lun__work_parts(services, team, (r->in[0].n + PART - 1) / PART, &v, count_part))
        return LUN_ECANCEL;
    gather(&v, team->threads, r);
    return LUN_OK;
}

/* ---- narrow ---------------------------------------------------------------------------------- */

static void store(const lun_algorithm_run *r, int64_t k, double x)
{
    const int64_t bytes = lun__dtype_get(r->out[0].dtype)->bytes;
    uint64_t cell;
    memcpy(&cell, &x, sizeof cell);
    cell = lun__dtype_cell_cast(r->out[0].dtype, LUN_F64, cell);
    memcpy((char *)r->out[0].data + k * bytes, &cell, (size_t)bytes);
}

static void begin(const lun_algorithm_run *r, int64_t *state, int bits, bool some)
{
    const double *q = r->in[1].data, edge = 1. / EDGE;
    memset(state, 0, (size_t)r->out[1].n * sizeof *state);
    for (int64_t k = 0; k < r->in[1].n; k++)
        some = some && q[k] > edge && q[k] < 1 - edge;
    state[SOME] = some && bits > BITS;
    state[TABLES] = 1;
    state[ABOVE] = bits;
    state[BELOW] = bits > BITS ? bits - BITS : 0;
}

/* The digits of some elements: the next ones divide the range of these, until they fill it. */
static void take_some(const lun_algorithm_run *r, int64_t *state, int bits)
{
    const int64_t *counts = r->in[0].data;
    int64_t low = 0, high = VALUES;
    int finer = 0;
    while (low < VALUES && !counts[low])
        low++;
    while (high > low && !counts[high - 1])
        high--;
    if (low == VALUES ||
        (state[BELOW] == bits - BITS && high - low > APART)) { /* NaNs; all apart */
        begin(r, state, bits, false);
        return;
    }
    while (finer < state[BELOW] && (high - low) << (finer + 1) <= VALUES - 2)
        finer++;
    state[SOME] = finer > 0 && finer < state[BELOW];
    state[BELOW] -= finer;
    if (!finer)
        return;
    state[LOW] = (state[LOW] + low) << finer;
    state[LOW] -= state[LOW] > 0; /* what comes before */
}

/* Whether keys beyond the range of a first digit are clamped to it. */
static bool beyond(const int64_t *state, uint64_t digit, int bits)
{
    const uint64_t last = UINT64_MAX >> (64 - bits) >> state[BELOW], low = (uint64_t)state[LOW];
    return (digit == 0 && low > 0) || (digit == VALUES - 1 && last - low > digit);
}

/* The first counts say which elements in order are asked for; false: there are none. */
static bool place(const lun_algorithm_run *r, int64_t *state)
{
    const double *q = r->in[1].data;
    const int64_t n = r->in[2].n - ((const int64_t *)r->in[0].data)[r->in[0].n - 1];
    around *x = around_of(state);
    double part;
    state[NUMBERS] = n;
    for (int64_t k = 0; n && k < r->in[1].n; k++) {
        x[2 * k].before = lun__quantile_of_place(q[k], n, &part);
        x[2 * k + 1].before = x[2 * k].before + (x[2 * k].before + 1 < n);
    }
    return n && (n == r->in[2].n || r->option[0] & SKIP);
}

/* One digit more of each, in as few tables as there are different ones; false: a first one that is
 * not known. */
static bool take_digits(const lun_algorithm_run *r, int64_t *state, int bits)
{
    const bool is_first = state[ABOVE] == bits;
    uint64_t *first = first_bits(state, r->in[1].n), next[2 * LUN_DIGIT_QUANTILES];
    around *x = around_of(state);
    int64_t tables = 0;
    for (int64_t i = 0; i < 2 * r->in[1].n; i++) {
        const int64_t *counts = (const int64_t *)r->in[0].data + x[i].table * VALUES;
        uint64_t digit = 0;
        int64_t t = 0;
        for (; x[i].before >= counts[digit]; digit++)
            x[i].before -= counts[digit];
        if (is_first && beyond(state, digit, bits))
            return false;
        digit = is_first ? (uint64_t)state[LOW] + digit
                         : digit | first[x[i].table] << (state[ABOVE] - state[BELOW]);
        while (t < tables && next[t] != digit)
            t++;
        next[t] = digit;
        tables += t == tables;
        x[i].table = t;
    }
    memcpy(first, next, (size_t)tables * sizeof *next);
    state[TABLES] = tables;
    state[ABOVE] = state[BELOW];
    state[BELOW] = state[BELOW] > BITS ? state[BELOW] - BITS : 0;
    return true;
}

static double element(const lun_algorithm_run *r, const lun_keys *keys, uint64_t key)
{
    double x;
    const uint64_t cell = lun__dtype_cell_cast(LUN_F64, r->in[2].dtype, lun__key_raw(keys, key));
    memcpy(&x, &cell, sizeof x);
    return x;
}

static void finish(const lun_algorithm_run *r, int64_t *state, const lun_keys *keys)
{
    const double *q = r->in[1].data;
    const uint64_t *first = first_bits(state, r->in[1].n);
    const around *x = around_of(state);
    for (int64_t k = 0; k < r->in[1].n; k++) {
        double part;
        const int64_t below = lun__quantile_of_place(q[k], state[NUMBERS], &part);
        const double a = element(r, keys, first[x[2 * k].table]);
        const double b = element(r, keys, first[x[2 * k + 1].table]);
        store(r, k,
              below == state[NUMBERS] - 1 || part == 0 ? a : lun__quantile_of_between(a, b, part));
    }
    state[TABLES] = 0;
}

int64_t lun__narrow_room(const lun_algorithm_run *r, int threads)
{
    (void)r, (void)threads;
    return 0;
}

lun_status lun__narrow_run(const lun_services *services, const lun_team *team, lun_algorithm_run *r)
{
    const lun_keys keys = lun__keys(r->in[2].dtype, false);
    int64_t *state = r->out[1].data;
    (void)services, (void)team;
    if (!r->in[0].n) {
        begin(r, state, keys.bits, true);
        return LUN_OK;
    }
    if (state[SOME]) {
        take_some(r, state, keys.bits);
        return LUN_OK;
    }
    if (state[ABOVE] == keys.bits && !place(r, state)) {
        for (int64_t k = 0; k < r->in[1].n; k++)
            store(r, k, __builtin_nan(""));
        state[TABLES] = 0;
        return LUN_OK;
    }
    if (!take_digits(r, state, keys.bits))
        begin(r, state, keys.bits, false);
    else if (!state[ABOVE])
        finish(r, state, &keys);
    return LUN_OK;
}
