/* scatter.c - values assigned to elements at given indices: the order at each element is that of a
 * serial loop, and so are the bits. With several threads each takes a range of the elements and
 * reads all indices; of several arrays each takes some. Knows no arrays. */
#include "api/write/scatter.h"

#include <string.h>
#include <unistd.h>

/* The elements that a thread writes. */
typedef struct range {
    int64_t low;
    uint64_t span;
} range;

static inline bool within(const range *r, int64_t index)
{
    return (uint64_t)(index - r->low) < r->span;
}

/* ---- replacing ------------------------------------------------------------------------------- */

#define REPLACE(bytes, T)                                             \
    static void replace_##bytes(const lun_scatter *s, const range *r) \
    {                                                                 \
        T *to = s->elements;                                          \
        const T *x = s->values;                                       \
        for (int64_t k = 0; k < s->count; k++)                        \
            if (within(r, s->index[k]))                               \
                to[s->index[k]] = x[k * s->step];                     \
    }
REPLACE(1, uint8_t)
REPLACE(2, uint16_t)
REPLACE(4, uint32_t)
REPLACE(8, uint64_t)
#undef REPLACE

static void replace(const lun_scatter *s, const range *r)
{
    switch (lun__dtype_get(s->dtype)->bytes) {
    case 1:
        replace_1(s, r);
        break;
    case 2:
        replace_2(s, r);
        break;
    case 4:
        replace_4(s, r);
        break;
    default:
        replace_8(s, r);
    }
}

/* ---- combining ------------------------------------------------------------------------------- */

#define ALWAYS static inline __attribute__((always_inline))

/* What is computed, with one NaN; of integers all. */
ALWAYS float one_float(float x)
{
    return x == x ? x : __builtin_nanf("");
}
ALWAYS double one_double(double x)
{
    return x == x ? x : __builtin_nan("");
}
#define one_int64_t(x)  (x)
#define one_uint64_t(x) (x)

/* `how` is a constant wherever these are called, so that each loop is one operation. */
#define COMBINE(T, BITWISE)                           \
    ALWAYS T combine_##T(lun_combining how, T a, T b) \
    {                                                 \
        switch (how) {                                \
        case LUN_COMBINING_ADD:                       \
            return one_##T(a + b);                    \
        case LUN_COMBINING_MUL:                       \
            return one_##T(a * b);                    \
        case LUN_COMBINING_MIN:                       \
            return b < a ? b : a;                     \
        case LUN_COMBINING_MAX:                       \
            return a < b ? b : a;                     \
        case LUN_COMBINING_LEAST:                     \
            return a < b || a != a ? a : b;           \
        case LUN_COMBINING_MOST:                      \
            return a > b || a != a ? a : b;           \
            BITWISE                                   \
        default:                                      \
            return b;                                 \
        }                                             \
    }
#define BITWISE              \
    case LUN_COMBINING_BAND: \
        return a & b;        \
    case LUN_COMBINING_BOR:  \
        return a | b;        \
    case LUN_COMBINING_BXOR: \
        return a ^ b;
COMBINE(float, )
COMBINE(double, )
COMBINE(int64_t, BITWISE)
COMBINE(uint64_t, BITWISE)
#undef BITWISE
#undef COMBINE

typedef int64_t loop(const lun_scatter *s, const range *r, int64_t *bad);

/* Elements of C type S combined with values as T; with `exact`, the sum has to be one of S. */
#define LOOP(name, S, T, exact)                                                       \
    ALWAYS int64_t name##_by(const lun_scatter *s, const range *r, lun_combining how, \
                             int64_t *bad)                                            \
    {                                                                                 \
        S *to = s->elements;                                                          \
        const T *x = s->values;                                                       \
        bool first = !s->behind;                                                      \
        for (int64_t k = 0; k < s->count; k++) {                                      \
            int64_t at = s->index[k];                                                 \
            if (!within(r, at))                                                       \
                continue;                                                             \
            T old = (T)to[at], y = x[k * s->step];                                    \
            T a = first ? old : y, b = first ? y : old;                               \
            T sum = combine_##T(how, a, b);                                           \
            if (exact && sum != (T)(S)sum) {                                          \
                *bad = (int64_t)sum;                                                  \
                return k;                                                             \
            }                                                                         \
            to[at] = (S)(sizeof(S) == sizeof(T) ? sum : one_##T(sum));                \
        }                                                                             \
        return s->count;                                                              \
    }                                                                                 \
    static int64_t name(const lun_scatter *s, const range *r, int64_t *bad)           \
    {                                                                                 \
        switch (s->how) {                                                             \
        case LUN_COMBINING_ADD:                                                       \
            return name##_by(s, r, LUN_COMBINING_ADD, bad);                           \
        case LUN_COMBINING_MUL:                                                       \
            return name##_by(s, r, LUN_COMBINING_MUL, bad);                           \
        case LUN_COMBINING_BAND:                                                      \
            return name##_by(s, r, LUN_COMBINING_BAND, bad);                          \
        case LUN_COMBINING_BOR:                                                       \
            return name##_by(s, r, LUN_COMBINING_BOR, bad);                           \
        case LUN_COMBINING_BXOR:                                                      \
            return name##_by(s, r, LUN_COMBINING_BXOR, bad);                          \
        case LUN_COMBINING_MIN:                                                       \
            return name##_by(s, r, LUN_COMBINING_MIN, bad);                           \
        case LUN_COMBINING_LEAST:                                                     \
            return name##_by(s, r, LUN_COMBINING_LEAST, bad);                         \
        case LUN_COMBINING_MOST:                                                      \
            return name##_by(s, r, LUN_COMBINING_MOST, bad);                          \
        default:                                                                      \
            return name##_by(s, r, LUN_COMBINING_MAX, bad);                           \
        }                                                                             \
    }

/* By dtype: loops on values of i64, f64; of a float's own dtype where C computes with it, and of
 * u64 for unsigned integers; none where C knows the bits alone. */
#define SIGNED(ID, S)                       \
    LOOP(wide_##ID, S, int64_t, (s->exact)) \
    static loop *const own_##ID = NULL;
#define UNSIGNED(ID, S)                     \
    LOOP(wide_##ID, S, int64_t, (s->exact)) \
    LOOP(own_loop_##ID, S, uint64_t, false) \
    static loop *const own_##ID = own_loop_##ID;
#define FLOATS(ID, S)                 \
    LOOP(wide_##ID, S, double, false) \
    LOOP(own_loop_##ID, S, S, false)  \
    static loop *const own_##ID = own_loop_##ID;
#define NO_LOOPS(ID)                static loop *const wide_##ID = NULL, *const own_##ID = NULL;
#define LOOPS_BOOL_PLAIN(ID, S)     NO_LOOPS(ID)
#define LOOPS_SIGNED_PLAIN(ID, S)   SIGNED(ID, S)
#define LOOPS_UNSIGNED_PLAIN(ID, S) UNSIGNED(ID, S)
#define LOOPS_FLOAT_PLAIN(ID, S)    FLOATS(ID, S)
#define LOOPS_FLOAT_STORED(ID, S)   NO_LOOPS(ID)
#define LUN_DTYPE(ID, name, ctype, utype, bytes, kind, rank, exponent, mantissa, form, compute, \
                  sum, suffix, npy, doc)                                                        \
    LOOPS_##kind##_##form(ID, ctype)
#include "table/dtypes.def"
#undef LUN_DTYPE

static const struct loops {
    loop *own, *wide;
} loops[LUN_DTYPE_COUNT] = {
#define LUN_DTYPE(ID, name, ctype, utype, bytes, kind, rank, exponent, mantissa, form, compute, \
                  sum, suffix, npy, doc)                                                        \
    {own_##ID, wide_##ID},
#include "table/dtypes.def"
#undef LUN_DTYPE
};

/* Elements of which C knows the bits alone. */
static void stored_floats(const lun_scatter *s, const range *r)
{
    uint16_t *to = s->elements;
    bool wide = lun__dtype_is_double(s->from);
    for (int64_t k = 0; k < s->count; k++) {
        if (!within(r, s->index[k]))
            continue;
        double old = lun__dtype_cell_to_value(s->dtype, to[s->index[k]]).as.d;
        int64_t i = k * s->step;
        double x = wide ? ((const double *)s->values)[i] : (double)((const float *)s->values)[i];
        double a = s->behind ? x : old, b = s->behind ? old : x;
        double sum =
            wide ? combine_double(s->how, a, b) : (double)combine_float(s->how, (float)a, (float)b);
        to[s->index[k]] =
            (uint16_t)lun__dtype_cell_from_value(s->dtype, (lun_value){LUN_F64, {.d = sum}});
    }
}

int64_t lun__scatter_serial(const lun_scatter *s, int64_t *bad)
{
    const range of = {s->low, (uint64_t)s->span}, *r = &of;
    const struct loops *l = &loops[lun__dtype_is_bool(s->dtype) ? LUN_U8 : s->dtype];
    bool own = l->own && s->from == (lun__dtype_is_unsigned(s->dtype) ? LUN_U64 : s->dtype);
    loop *f = own ? l->own : l->wide;
    *bad = 0;
    if (s->how != LUN_COMBINING_NONE && f)
        return f(s, r, bad);
    if (s->how == LUN_COMBINING_NONE)
        replace(s, r);
    else
        stored_floats(s, r);
    return s->count;
}

/* ---- some of many ---------------------------------------------------------------------------- */

enum { BLOCK = 512 };

/* Compacts a block: the values that go to a range, with their indices. Which do cannot be
 * predicted, so every value is written, over the last one if that was not kept. */
#define PICK(bytes, T)                                                                            \
    static int64_t pick_##bytes(const lun_scatter *s, const range *r, int64_t first, int64_t end, \
                                int64_t *index, void *values)                                     \
    {                                                                                             \
        const T *x = s->values;                                                                   \
        T *to = values;                                                                           \
        int64_t count = 0;                                                                        \
        for (int64_t k = first; k < end; k++) {                                                   \
            index[count] = s->index[k];                                                           \
            to[count] = x[k * s->step];                                                           \
            count += within(r, s->index[k]);                                                      \
        }                                                                                         \
        return count;                                                                             \
    }
PICK(1, uint8_t)
PICK(2, uint16_t)
PICK(4, uint32_t)
PICK(8, uint64_t)
#undef PICK

typedef int64_t pick_fn(const lun_scatter *s, const range *r, int64_t first, int64_t end,
                        int64_t *index, void *values);

static pick_fn *pick_for(int bytes)
{
    return bytes == 1 ? pick_1 : bytes == 2 ? pick_2 : bytes == 4 ? pick_4 : pick_8;
}

int64_t lun__scatter_range(const lun_scatter *s, int64_t *bad)
{
    const range r = {s->low, (uint64_t)s->span};
    pick_fn *pick = pick_for(lun__dtype_get(s->from)->bytes);
    int64_t index[BLOCK];
    uint64_t values[BLOCK];
    lun_scatter some = *s;
    some.index = index;
    some.values = values;
    some.step = 1;
    *bad = 0;
    for (int64_t k = 0, end; k < s->count; k = end) {
        end = s->count - k < BLOCK ? s->count : k + BLOCK;
        some.count = pick(s, &r, k, end, index, values);
        int64_t left = lun__scatter_serial(&some, bad);
        if (left == some.count)
            continue;
        while (!within(&r, s->index[k]) || left-- > 0)
            k++;
        return k;
    }
    return s->count;
}

/* ---- several threads ------------------------------------------------------------------------- */

/* Several threads pay for many values scattered over much memory: in a core's cache, testing
 * whether a value is in the thread's range takes longer than adding it, and threads would write to
 * the same cache lines. */
enum {
    PART = 64,            /* indices of the shared loop that count as one task */
    WORTHWHILE = 1 << 16, /* values */
    FAR = 1 << 20         /* bytes of elements */
};

typedef struct shared {
    const lun_scatter *s;
    int parts;
    struct {
        int64_t done, bad;
    } part[LUN_SCATTER_PARTS];
} shared;

static void scatter_parts(void *ctx, int64_t from, int64_t to)
{
    shared *x = ctx;
    const lun_scatter *s = x->s;
    int first = (int)(from / PART), last = (int)((to + PART - 1) / PART);
    int64_t part = s->span / x->parts + 1;
    int64_t end = last == x->parts ? s->span : last * part;
    if (first * part >= s->span)
        return;
    lun_scatter some = *s;
    some.low = s->low + first * part;
    some.span = (end < s->span ? end : s->span) - first * part;
    x->part[first].done = lun__scatter_range(&some, &x->part[first].bad);
}

static int threads_of(const lun_engine *e)
{
    long n = e->services.threads > 0 ? e->services.threads : sysconf(_SC_NPROCESSORS_ONLN);
    return n < 1 ? 1 : n > LUN_SCATTER_PARTS ? LUN_SCATTER_PARTS : (int)n;
}

/* As many tasks as threads may run: each reads all indices. */
int lun__scatter_parts(const lun_engine *e, const lun_scatter *s)
{
    if (s->count < WORTHWHILE || s->span < FAR / lun__dtype_get(s->dtype)->bytes)
        return 1;
    return threads_of(e);
}

int64_t lun__scatter(lun_engine *e, const lun_scatter *s, int64_t *bad)
{
    enum { SHARE = 1 << 20 }; /* bytes by which each part is a range of its own */
    shared x = {.s = s, .parts = lun__scatter_parts(e, s)};
    int64_t first = s->count;
    if (x.parts < 2)
        return lun__scatter_serial(s, bad);
    for (int k = 0; k < x.parts; k++)
        x.part[k].done = s->count;
    lun__backend_share_range(e, (int64_t)x.parts * PART, (int64_t)x.parts * SHARE, &x,
                             scatter_parts);
    *bad = 0;
    for (int k = 0; k < x.parts; k++)
        if (x.part[k].done < first) {
            first = x.part[k].done;
            *bad = x.part[k].bad;
        }
    return first;
}

/* ---- several with the same indices ----------------------------------------------------------- */

enum { TOGETHER = 4, TOGETHER_SPAN = 1024 };

/* Whether b's sums can be made beside a's: in a table of a few elements, of f64. */
static bool is_beside(const lun_scatter *a, const lun_scatter *b)
{
    return a->index == b->index && a->count == b->count && a->low == b->low && a->span == b->span &&
           a->span <= TOGETHER_SPAN && b->how == LUN_COMBINING_ADD && !b->behind &&
           lun__dtype_is_double(b->dtype) && lun__dtype_is_double(b->from);
}

/* Sums of `count` columns, of at most `wide`, row by row, so the order at each element stays. */
#define COLUMN(j) from[j][k * step[j]]
#define ROW_2     COLUMN(0), COLUMN(1)
#define ROW_4     ROW_2, COLUMN(2), COLUMN(3)
#define ADD(wide)                                                                       \
    typedef double row_##wide __attribute__((vector_size(wide * sizeof(double))));      \
    static void add_##wide(const lun_scatter *const *s, int count)                      \
    {                                                                                   \
        static const double nothing = 0;                                                \
        row_##wide table[TOGETHER_SPAN];                                                \
        const double *from[wide];                                                       \
        int64_t step[wide];                                                             \
        const int64_t *index = s[0]->index, low = s[0]->low, n = s[0]->count;           \
        const uint64_t span = (uint64_t)s[0]->span;                                     \
        for (int j = 0; j < wide; j++) {                                                \
            const double *to = j < count ? (const double *)s[j]->elements + low : NULL; \
            from[j] = to ? s[j]->values : &nothing;                                     \
            step[j] = to ? s[j]->step : 0;                                              \
            for (uint64_t i = 0; i < span; i++)                                         \
                table[i][j] = to ? to[i] : 0;                                           \
        }                                                                               \
        for (int64_t k = 0; k < n; k++) {                                               \
            const uint64_t at = (uint64_t)(index[k] - low);                             \
            if (at >= span)                                                             \
                continue;                                                               \
            table[at] += (row_##wide){ROW_##wide};                                      \
        }                                                                               \
        for (int j = 0; j < count; j++)                                                 \
            for (uint64_t i = 0; i < span; i++)                                         \
                ((double *)s[j]->elements + low)[i] = one_double(table[i][j]);          \
    }
ADD(2)
ADD(4)
#undef ADD
#undef ROW_4
#undef ROW_2
#undef COLUMN

/* Whether an element is NaN before: it keeps its bits if nothing is added to it. */
static bool has_nan(const lun_scatter *s)
{
    const double *to = (const double *)s->elements + s->low;
    for (int64_t i = 0; i < s->span; i++)
        if (to[i] != to[i])
            return true;
    return false;
}

static void scatter_beside(const lun_scatter *const *s, int count)
{
    int64_t bad;
    bool each = count == 1;
    for (int j = 0; !each && j < count; j++)
        each = has_nan(s[j]);
    for (int j = 0; each && j < count; j++)
        lun__scatter_serial(s[j], &bad);
    if (each)
        return;
    if (count == 2)
        add_2(s, count);
    else
        add_4(s, count);
}

/* Scatters into a core's cache, in groups that can be made beside their first one: a task each. */
typedef struct groups {
    const lun_scatter *s[LUN_MAX_OUTPUTS];
    int first[LUN_MAX_OUTPUTS + 1]; /* of each group, and behind the last one */
    int count;
} groups;

static void scatter_groups(void *ctx, int64_t from, int64_t to)
{
    const groups *g = ctx;
    for (int64_t k = (from + PART - 1) / PART; k * PART < to; k++)
        scatter_beside(g->s + g->first[k], g->first[k + 1] - g->first[k]);
}

/* Groups of at most `most`. */
static void make_groups(groups *g, int scatters, int most)
{
    for (int k = 0; k < scatters; k++) {
        const int first = g->count ? g->first[g->count - 1] : 0;
        if (g->count && k - first < most && is_beside(g->s[k], g->s[first]) &&
            is_beside(g->s[first], g->s[k]))
            continue;
        g->first[g->count++] = k;
    }
    g->first[g->count] = scatters;
}

void lun__scatter_all(lun_engine *e, lun_scatter *const *s, int count)
{
    enum { SHARE = 1 << 20 }; /* bytes by which each is a range of its own */
    groups g = {.count = 0};
    int small = 0, threads = threads_of(e);
    int64_t bad;
    for (int k = 0; k < count; k++)
        if (s[k]->count < WORTHWHILE || lun__scatter_parts(e, s[k]) > 1)
            lun__scatter(e, s[k], &bad);
        else
            g.s[small++] = s[k];
    int most = (small + threads - 1) / threads;
    make_groups(&g, small, most < TOGETHER ? most : TOGETHER);
    lun__backend_share_range(e, (int64_t)g.count * PART, (int64_t)g.count * SHARE, &g,
                             scatter_groups);
}
