/* permuted.c - tiles of lines by lines; see permuted.h. */
#include "base/layout/permuted.h"

#include <string.h>
#ifdef __SSE2__
#include <emmintrin.h>
#endif

#include "base/layout/plane.h"

enum {
    LINE = 64,
    MOST = LINE * LINE, /* bytes of a tile of the smallest elements */
    LINES = 4,          /* of a row together */
    WINDOW = 64 << 10,  /* elements that strided.c is asked for at once */
    LEAST = 1 << 18     /* bytes: fewer are in the nearer caches */
};

static inline int64_t less(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static bool has(const lun_axis_run *r, int axis)
{
    bool some = false;
    for (int i = 0; i < r->count; i++)
        some |= r->axis[i] == axis;
    return some;
}

/* The axis whose neighbours are so many elements apart; -1: none. */
static int axis_of(const lun_layout *l, const int64_t *stride, int64_t apart)
{
    for (int k = 0; k < l->rank; k++)
        if (stride[k] == apart)
            return k;
    return -1;
}

/* Axes whose elements stand side by side by these strides and are not in `other`, until they are
 * `most`, as far as there are some.  False: they are no `line`. */
static bool find_run(const lun_layout *l, const int64_t *stride, const lun_axis_run *other,
                     int64_t line, int64_t most, lun_axis_run *out)
{
    *out = (lun_axis_run){.length = 1};
    while (out->length < most) {
        const int k = axis_of(l, stride, out->length);
        if (k < 0 || has(out, k) || has(other, k))
            break;
        out->axis[out->count++] = k;
        out->length *= l->extent[k];
    }
    return out->length >= line;
}

bool lun__permuted_plan(const lun_layout *l, int size, lun_permuted *out)
{
    lun_permuted p = {.l = lun__layout_simplified(l), .size = size};
    const int64_t line = LINE / size, count = lun__layout_count(&p.l);
    int64_t step = 1;
    if (p.l.rank < 2 || count < LEAST / size)
        return false;
    for (int k = p.l.rank - 1; k >= 0; k--) {
        p.to[k] = step;
        step *= p.l.extent[k];
    }
    if (!find_run(&p.l, p.to, &p.near, line, line, &p.flat) ||
        !find_run(&p.l, p.l.stride, &p.flat, line, LINES * line, &p.near))
        return false;
    if (p.to[p.near.axis[0]] * line <= WINDOW)
        return false;
    p.units = (p.near.length + LINES * line - 1) / (LINES * line);
    for (int k = 0; k < p.l.rank; k++)
        if (!has(&p.near, k) && !has(&p.flat, k)) {
            p.loop[p.loops++] = k;
            p.units *= p.l.extent[k];
        }
    *out = p;
    return true;
}

/* ---- a unit ---------------------------------------------------------------------------------- */

/* An element of a run on its way along it: its indices, and where it is by some strides. */
typedef struct runner {
    const lun_permuted *p;
    const lun_axis_run *run;
    const int64_t *stride;
    int64_t index[LUN_LAYOUT_RANK], at;
} runner;

static runner runner_at(const lun_permuted *p, const lun_axis_run *run, const int64_t *stride,
                        int64_t element)
{
    runner r = {.p = p, .run = run, .stride = stride};
    for (int i = 0; i < run->count; i++) {
        const int64_t extent = p->l.extent[run->axis[i]];
        r.index[i] = element % extent;
        element /= extent;
        r.at += r.index[i] * stride[run->axis[i]];
    }
    return r;
}

static void runner_on(runner *r)
{
    for (int i = 0; i < r->run->count; i++) {
        const int k = r->run->axis[i];
        r->at += r->stride[k];
        if (++r->index[i] < r->p->l.extent[k])
            return;
        r->index[i] = 0;
        r->at -= r->p->l.extent[k] * r->stride[k];
    }
}

/* A line, past the caches where it is one of them: nothing reads it soon. */
static inline void store_line(char *to, const char *from)
{
#ifdef __SSE2__
    if ((uintptr_t)to % LINE == 0) {
        for (int k = 0; k < LINE; k += 16)
            _mm_stream_si128((__m128i *)(void *)(to + k),
                             _mm_load_si128((const __m128i *)(const void *)(from + k)));
        return;
    }
#endif
    memcpy(to, from, LINE);
}

/* A tile: `rows` lines of n elements of memory, from element k of each on, to n lines of `rows`
 * elements, from element `at` of each on. */
static void tile(int size, int64_t rows, int64_t n, const char *const *from, int64_t k,
                 const char *const *to, int64_t at)
{
    const int64_t line = LINE / size;
    char in[MOST] __attribute__((aligned(LINE))), out[MOST] __attribute__((aligned(LINE)));
    const bool whole = rows == line && n == line;
    for (int64_t i = 0; i < rows; i++)
        memcpy(in + i * LINE, from[i] + k * size, whole ? LINE : (size_t)(n * size));
    if (whole) {
        (void)lun__transpose(size, line, line, out, line, in, line);
        for (int64_t i = 0; i < line; i++)
            store_line((char *)(uintptr_t)to[i] + at * size, out + i * LINE);
        return;
    }
    const lun_plane p = {.size = size, .rows = n, .n = rows, .row = 1, .step = line, .pitch = line};
    lun__plane_read(&p, out, in);
    for (int64_t i = 0; i < n; i++)
        memcpy((char *)(uintptr_t)to[i] + at * size, out + i * LINE, (size_t)(rows * size));
}

/* The next `count` elements of a run, from `base` on. */
static void take(runner *r, const char *base, int64_t count, const char **out)
{
    for (int64_t i = 0; i < count; i++, runner_on(r))
        out[i] = base + r->at * r->p->size;
}

/* Elements `first` .. first + n - 1 of the run along memory, by all of the run of flat order, from
 * where the loops are: lines of each row together, and those of the next rows fetched before. */
static void copy_unit(const lun_permuted *p, const char *from, char *to, int64_t first, int64_t n)
{
    const int64_t line = LINE / p->size, all = p->flat.length;
    const char *rows[2][LINE], *out[LINES * LINE];
    runner targets = runner_at(p, &p->near, p->to, first);
    runner sources = runner_at(p, &p->flat, p->l.stride, 0);
    take(&targets, to, n, out);
    from += runner_at(p, &p->near, p->l.stride, first).at * p->size;
    take(&sources, from, less(line, all), rows[0]);
    for (int64_t at = 0, turn = 0; at < all; at += line, turn = !turn) {
        const int64_t some = less(line, all - at), more = less(line, all - at - some);
        take(&sources, from, more, rows[!turn]);
        for (int64_t i = 0; i < more; i++)
            for (int64_t k = 0; k < n; k += line)
                __builtin_prefetch(rows[!turn][i] + k * p->size);
        for (int64_t k = 0; k < n; k += line)
            tile(p->size, some, less(line, n - k), rows[turn], k, out + k, at);
    }
}

void lun__permuted_read(const lun_permuted *p, const void *base, void *to, int64_t lo, int64_t hi)
{
    const int64_t each = LINES * (LINE / p->size), parts = (p->near.length + each - 1) / each;
    for (int64_t u = lo; u < hi; u++) {
        int64_t rest = u / parts, from = p->l.offset, at = 0;
        for (int i = p->loops - 1; i >= 0; i--) {
            const int k = p->loop[i];
            const int64_t index = rest % p->l.extent[k];
            rest /= p->l.extent[k];
            from += index * p->l.stride[k];
            at += index * p->to[k];
        }
        const int64_t first = u % parts * each;
        copy_unit(p, (const char *)base + from * p->size, (char *)to + at * p->size, first,
                  less(each, p->near.length - first));
    }
#ifdef __SSE2__
    _mm_sfence(); /* other threads see what was stored past the caches */
#endif
}
