/* sweep_geometry.c - see sweep_geometry.h. */
#include "base/layout/sweep_geometry.h"

#include <stdlib.h>

enum {
    BLOCK = 64,       /* elements that may be touched at once */
    LINE = 64,        /* bytes of a line of cache */
    LEAST_LINE = 256, /* elements of a piece along the last axis, at least */
    LEAST_PIECE = 8,  /* and along others */
    DEPTH_MOST = 16,  /* stages together */
    WHOLE_TIMES = 4,  /* as many bytes of rings, where axes cannot be cut: in the next cache */
    FAR_BITS = 40,
    MEMORY_WEIGHT = 250 /* hundredths of a stage's time that a trip to memory takes, about */
};

static int64_t larger(int64_t x, int64_t y)
{
    return x > y ? x : y;
}

/* x + y; what is 2^FAR_BITS is too far for any plan, however many stages add to it. */
static int64_t sum(int64_t x, int64_t y)
{
    const int64_t far = (int64_t)1 << FAR_BITS;
    y = y > far ? far : y < -far ? -far : y;
    return x + y > far ? far : x + y;
}

static bool is_cut(const lun_sweep_box *b, const lun_sweep_plan *p, int axis)
{
    return axis == 0 || p->piece[axis] < b->extent[axis];
}

/* What the stage of a read computes, it needs of the array: that much and what the read adds. */
static void need_read(const lun_sweep_box *b, const lun_sweep_plan *p, const lun_sweep_read *r)
{
    const lun_sweep_part *stage = &p->stage[r->stage];
    lun_sweep_part *array = &p->array[r->array];
    for (int k = 0; k < b->rank; k++) {
        array->before[k] = larger(array->before[k], sum(stage->before[k], -r->by[k]));
        array->after[k] = larger(array->after[k], sum(stage->after[k], r->by[k]));
    }
}

/* A stage computes what is needed of all arrays that it makes, and these have room for it. */
static void need_stage(const lun_sweep_box *b, const lun_sweep_plan *p, int stage)
{
    lun_sweep_part *s = &p->stage[stage];
    for (int a = 0; a < b->arrays; a++)
        for (int k = 0; b->maker[a] == stage && k < b->rank; k++)
            if (is_cut(b, p, k)) {
                s->before[k] = larger(s->before[k], p->array[a].before[k]);
                s->after[k] = larger(s->after[k], p->array[a].after[k]);
            }
    for (int a = 0; a < b->arrays; a++)
        for (int k = 0; b->maker[a] == stage && k < b->rank; k++) {
            p->array[a].before[k] = larger(s->before[k], p->array[a].before[k]);
            p->array[a].after[k] = larger(s->after[k], p->array[a].after[k]);
        }
}

static void find_needs(const lun_sweep_box *b, const lun_sweep_plan *p, int stages)
{
    int r = b->reads - 1;
    while (r >= 0 && b->read[r].stage >= stages)
        r--;
    for (int s = stages - 1; s >= 0; s--) {
        need_stage(b, p, s);
        for (; r >= 0 && b->read[r].stage == s; r--)
            need_read(b, p, &b->read[r]);
    }
}

/* Units that a read looks ahead, and back. */
static int64_t ahead(const lun_sweep_read *r)
{
    return larger(sum(0, r->by[0]), 0);
}

static int64_t back(const lun_sweep_read *r)
{
    return larger(sum(0, -r->by[0]), 0);
}

/* Whether an array is in memory, side by side as its readers take it: all of them do by 0. */
static bool in_place(const lun_sweep_box *b, const lun_sweep_plan *p, int array)
{
    bool same = b->maker[array] < 0 && !(b->wraps[b->rank - 1] && is_cut(b, p, b->rank - 1));
    for (int r = 0; same && r < b->reads; r++)
        for (int k = 0; b->read[r].array == array && k < b->rank; k++)
            same = same && !b->read[r].by[k];
    return same;
}

/* A stage comes behind all that it reads; what is in memory is read as late as that lets it. */
static void find_lags(const lun_sweep_box *b, const lun_sweep_plan *p, int stages)
{
    for (int a = 0; a < b->arrays; a++)
        p->array[a].lag = -1;
    for (int r = 0; r < b->reads && b->read[r].stage < stages; r++) {
        int maker = b->maker[b->read[r].array];
        lun_sweep_part *s = &p->stage[b->read[r].stage];
        s->lag = larger(s->lag, (maker < 0 ? 0 : p->stage[maker].lag) + ahead(&b->read[r]));
    }
    for (int r = 0; r < b->reads && b->read[r].stage < stages; r++) {
        lun_sweep_part *a = &p->array[b->read[r].array];
        int maker = b->maker[b->read[r].array];
        int64_t lag = p->stage[b->read[r].stage].lag - ahead(&b->read[r]);
        if (maker >= 0)
            a->lag = p->stage[maker].lag;
        else if (a->lag < 0 || lag < a->lag)
            a->lag = lag;
    }
    for (int r = 0; r < b->reads && b->read[r].stage < stages; r++) {
        lun_sweep_part *a = &p->array[b->read[r].array];
        int64_t lag = p->stage[b->read[r].stage].lag + back(&b->read[r]);
        a->ring = larger(a->ring, lag - a->lag + 1);
    }
    for (int a = 0; a < b->arrays; a++)
        if (in_place(b, p, a))
            p->array[a].ring = 0;
}

/* The offsets of an array's elements in a unit, and its bytes.  False: too many to count. */
static bool lay_out(const lun_sweep_box *b, const lun_sweep_plan *p, int array, int64_t *bytes)
{
    lun_sweep_part *a = &p->array[array];
    const int last = b->rank - 1;
    const int64_t line = LINE / b->size[array];
    /* whole blocks are computed, which whole lines may be */
    const int64_t over = is_cut(b, p, last) || b->extent[last] % BLOCK ? 2 * BLOCK : 0;
    int64_t width = 1, all;
    a->lead = (line - a->before[last] % line) % line;
    for (int k = last; k >= 1; k--) {
        a->stride[k] = width;
        if (__builtin_add_overflow(p->piece[k], a->before[k] + a->after[k], &all))
            return false;
        if (k == last && __builtin_add_overflow(all, a->lead + over + line, &all))
            return false;
        if (k == last)
            all = all / line * line;
        if (__builtin_mul_overflow(width, all, &width))
            return false;
    }
    a->unit = width;
    return !__builtin_mul_overflow(width, a->ring * b->size[array], bytes);
}

/* The plan for pieces that are chosen. */
static bool plan_pieces(const lun_sweep_box *b, int stages, lun_sweep_plan *p)
{
    for (int i = 0; i < b->stages + b->arrays; i++)
        p->stage[i] = (lun_sweep_part){0};
    find_needs(b, p, stages);
    find_lags(b, p, stages);
    p->bytes = 0;
    for (int a = 0; a < b->arrays; a++) {
        int64_t bytes;
        if (!lay_out(b, p, a, &bytes) || __builtin_add_overflow(p->bytes, bytes, &p->bytes))
            return false;
    }
    return true;
}

/* Halves the piece along one axis; false: all are as small as they may be. */
static bool cut_more(const lun_sweep_box *b, lun_sweep_plan *p)
{
    const int last = b->rank - 1;
    for (int k = 1; k < last; k++)
        if (p->piece[k] >= 2 * LEAST_PIECE) {
            p->piece[k] = (p->piece[k] + 1) / 2;
            return true;
        }
    if (p->piece[last] < 2 * LEAST_LINE)
        return false;
    p->piece[last] = (p->piece[last] / 2 + BLOCK - 1) / BLOCK * BLOCK;
    return true;
}

bool lun__sweep_geometry_plan(const lun_sweep_box *b, int stages, int64_t cache_bytes,
                              lun_sweep_plan *out)
{
    *out = (lun_sweep_plan){0};
    out->stage = calloc((size_t)b->stages + (size_t)b->arrays, sizeof *out->stage);
    if (!out->stage)
        return false;
    out->array = out->stage + b->stages;
    for (int k = 0; k < b->rank; k++)
        out->piece[k] = b->extent[k];
    do {
        if (!plan_pieces(b, stages, out))
            return false;
    } while (out->bytes > cache_bytes && !(b->whole && stages == b->stages) && cut_more(b, out));
    return true;
}

void lun__sweep_geometry_free(lun_sweep_plan *p)
{
    free(p->stage);
    p->stage = p->array = NULL;
}

/* Hundredths of what the stages compute that they compute with pieces' overlaps. */
static double work_of(const lun_sweep_box *b, const lun_sweep_plan *p)
{
    double work = 100;
    for (int k = 0; k < b->rank; k++) {
        const lun_sweep_part *first = &p->stage[0]; /* on the average half of the first one's */
        if (k ? is_cut(b, p, k) : b->wraps[0])
            work *= 1 + (double)(first->before[k] + first->after[k]) / 2 / (double)p->piece[k];
    }
    return work;
}

int lun__sweep_geometry_depth(const lun_sweep_box *b, int64_t cache_bytes)
{
    int best = 0;
    double least = 0;
    for (int d = 1; d <= b->stages && d <= DEPTH_MOST; d++) {
        lun_sweep_plan p;
        double time = 0;
        const bool whole = b->whole && d == b->stages;
        bool fits = lun__sweep_geometry_plan(b, d, cache_bytes, &p) &&
                    p.bytes / (whole ? WHOLE_TIMES : 1) <= cache_bytes;
        if (fits)
            time = work_of(b, &p) + (double)MEMORY_WEIGHT / d;
        lun__sweep_geometry_free(&p);
        if (!fits)
            break;
        if (!best || time < least) {
            best = d;
            least = time;
        }
    }
    return best;
}

int64_t lun__sweep_geometry_chunks(const lun_sweep_box *b, int64_t chunk)
{
    int64_t unit = 1;
    for (int k = 1; k < b->rank; k++)
        unit = unit * (b->extent[k] % chunk) % chunk;
    int64_t common = chunk;
    for (int64_t rest = unit, next; rest; rest = next) { /* Euclid */
        next = common % rest;
        common = rest;
    }
    return chunk / common;
}
