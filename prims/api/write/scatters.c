/* scatters.c - values assigned to elements by several threads: of many values each takes all that
 * go to a range of the elements, so all threads read all places; of several arrays each takes some.
 * How one value is assigned is scatter.c's. */
#include <unistd.h>

#include "api/write/scatter.h"

/* ---- several threads ------------------------------------------------------------------------- */

/* Several threads are worth it for many values that go far: next to a core, asking whether a value
 * is the thread's own takes longer than adding it, and threads would write to the same lines. */
enum {
    PART = 64,            /* of what is shared out: a part of the elements */
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

/* As many parts as threads may run: each reads all places. */
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
        return lun__scatter_here(s, bad);
    for (int k = 0; k < x.parts; k++)
        x.part[k].done = s->count;
    lun__share(e, (int64_t)x.parts * PART, (int64_t)x.parts * SHARE, &x, scatter_parts);
    *bad = 0;
    for (int k = 0; k < x.parts; k++)
        if (x.part[k].done < first) {
            first = x.part[k].done;
            *bad = x.part[k].bad;
        }
    return first;
}

/* ---- several with the same places ------------------------------------------------------------ */

enum { TOGETHER = 4, TOGETHER_SPAN = 1024 };

/* Whether b's sums can be made beside a's: in a table of a few elements, of f64. */
static bool is_beside(const lun_scatter *a, const lun_scatter *b)
{
    return a->place == b->place && a->count == b->count && a->low == b->low && a->span == b->span &&
           a->span <= TOGETHER_SPAN && b->how == LUN_COMBINING_ADD && !b->behind &&
           lun__dtype_is_double(b->dtype) && lun__dtype_is_double(b->from);
}

/* Sums of `count` columns, of at most `wide`, place by place: each element's order is its own. */
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
        const int64_t *place = s[0]->place, low = s[0]->low, n = s[0]->count;           \
        const uint64_t span = (uint64_t)s[0]->span;                                     \
        for (int j = 0; j < wide; j++) {                                                \
            const double *to = j < count ? (const double *)s[j]->elements + low : NULL; \
            from[j] = to ? s[j]->values : &nothing;                                     \
            step[j] = to ? s[j]->step : 0;                                              \
            for (uint64_t i = 0; i < span; i++)                                         \
                table[i][j] = to ? to[i] : 0;                                           \
        }                                                                               \
        for (int64_t k = 0; k < n; k++) {                                               \
            const uint64_t at = (uint64_t)(place[k] - low);                             \
            if (at >= span)                                                             \
                continue;                                                               \
            table[at] += (row_##wide){ROW_##wide};                                      \
        }                                                                               \
        for (int j = 0; j < count; j++)                                                 \
            for (uint64_t i = 0; i < span; i++)                                         \
                ((double *)s[j]->elements + low)[i] = table[i][j];                      \
    }
ADD(2)
ADD(4)
#undef ADD
#undef ROW_4
#undef ROW_2
#undef COLUMN

static void scatter_beside(const lun_scatter *const *s, int count)
{
    int64_t bad;
    if (count == 1)
        lun__scatter_here(s[0], &bad);
    else if (count == 2)
        add_2(s, count);
    else
        add_4(s, count);
}

/* Scatters that stay next to a core, in groups of those that are beside the first one: a thread
 * takes one after the other. */
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
    int near = 0, threads = threads_of(e);
    int64_t bad;
    for (int k = 0; k < count; k++)
        if (s[k]->count < WORTHWHILE || lun__scatter_parts(e, s[k]) > 1)
            lun__scatter(e, s[k], &bad);
        else
            g.s[near++] = s[k];
    int most = (near + threads - 1) / threads;
    make_groups(&g, near, most < TOGETHER ? most : TOGETHER);
    lun__share(e, (int64_t)g.count * PART, (int64_t)g.count * SHARE, &g, scatter_groups);
}
