/* aggregate_groups.c - what becomes of the rows of each group (table/aggregate.h).  Operands:
 * codes, i32, below the number of groups; elements, a segment for each row; means of DEVIATIONS,
 * else not read.  A group's rows are taken in their order, in parts of all rows, whose results are
 * taken in order: of 65,536 rows, with more than 8192 groups of the least power of two that is at
 * least 8 times their number.
 *
 * Several parts: a table for each, some of which are filled at a time by different threads and then
 * folded, in order, into the result.  One part of many groups: a thread owns a range of them and
 * reads all codes, so rows come in their order without a table of its own.
 *
 * Runs beside each other that have tables take the rows in turn, some at a time, which are in the
 * cache then. */
#include <string.h>

#include "algorithms/aggregate_steps.h"
#include "algorithms/load_element.h"
#include "algorithms/parts/algorithm_functions.h"
#include "algorithms/parts/work_parts.h"
#include "ir/combine_order.h"
#include "table/dtype.h"

enum {
    PART = LUN_ORDER_PART,             /* rows of a part, at least, and */
    FEW = 8192,                        /* groups up to which they are so many, and */
    MANY_ROWS = 8,                     /* for each group of more: all are part of what a sum is */
    COLUMNS = LUN_LOAD_BLOCK,          /* taken at a time, at most, */
    MANY_COLUMNS = 8,                  /* of many groups */
    TABLE = 1 << 17,                   /* elements of a part's table, about, at most */
    SLOTS_BYTES = 1 << 20,             /* of the tables of parts, about */
    FOLDED = 4096,                     /* elements that a thread folds at a time, about */
    OWNER = 32768,                     /* elements for which a thread is woken */
    TOGETHER = 16,                     /* runs, at most, and */
    NEAR = 1 << 16,                    /* rows that they take in turn */
    WORKER_BYTES = LUN_LOAD_BLOCK * 20 /* values, those that are owned, their codes */
};

typedef struct run {
    const lun_services *services;
    const lun_team *team;
    const lun_algorithm_run *r;
    const lun_steps *steps;
    lun_aggregate which;
    bool skipnan, direct; /* direct: elements are read without a copy */
    const int32_t *codes;
    int64_t n, groups, segment; /* rows; columns of all */
    int64_t column, columns;    /* those that are taken now */
    int64_t part;               /* rows of a part */
    int64_t first, slot_count;  /* parts, of which first .. are filled now */
    int64_t together;           /* runs: this one and those behind it, which have as many slots */
    int64_t owners;
    char *table; /* the result: groups x segment, of 8 bytes each */
    char *slots, *workers;
} run;

static int64_t less(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static int64_t more(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

static int64_t parts(int64_t n, int64_t of)
{
    return (n + of - 1) / of;
}

/* ---- sizes ----------------------------------------------------------------------------------- */

static int64_t part_of(int64_t groups)
{
    int64_t part = PART;
    while (groups > FEW && part < MANY_ROWS * groups)
        part *= 2;
    return part;
}

static run run_of(const lun_algorithm_run *r, int threads)
{
    run x = {.r = r,
             .which = (lun_aggregate)(r->option[0] & 255),
             .skipnan = (r->option[0] & LUN_AGGREGATE_SKIPNAN) != 0,
             .n = r->in[0].n,
             .groups = (int64_t)r->option[1],
             .segment = r->segment ? r->segment : 1};
    x.skipnan = x.skipnan && lun__dtype_is_float(r->in[1].dtype);
    x.steps = lun__aggregate_steps(x.which, x.skipnan, r->in[1].dtype, r->out[0].dtype);
    x.columns = less(x.segment, COLUMNS);
    x.part = part_of(x.groups);
    x.slot_count = 0;
    if (x.groups <= FEW) {
        x.columns = less(x.columns, more(1, TABLE / more(x.groups, 1)));
        int64_t slots = SLOTS_BYTES / (8 * more(x.groups * x.columns, 1));
        slots = less(more(slots, 2 * threads), 16 * threads);
        x.slot_count = threads == 1 ? 1 : less(slots, parts(x.n, x.part));
    } else if (x.n > x.part) {
        x.columns = less(x.columns, MANY_COLUMNS);
        x.slot_count = less(threads, parts(x.n, x.part));
    }
    return x;
}

/* Whether the result's elements are not those of the table. */
static bool is_converted(const run *x)
{
    return lun__dtype_get(x->r->out[0].dtype)->bytes != 8;
}

int64_t lun__aggregate_room(const lun_algorithm_run *r, int threads)
{
    const run x = run_of(r, threads);
    int64_t bytes = threads * (int64_t)WORKER_BYTES + x.slot_count * x.groups * x.columns * 8;
    return bytes + (is_converted(&x) ? x.groups * x.segment * 8 : 0);
}

/* ---- elements -------------------------------------------------------------------------------- */

static void set_bits(void *to, uint64_t bits, int64_t n)
{
    uint64_t *t = to;
    for (int64_t i = 0; i < n; i++)
        t[i] = bits;
}

/* Row numbers, or where a float is NaN the identity. */
static void load_rows(const run *x, int64_t from, int64_t n, int64_t *to)
{
    double given[LUN_LOAD_BLOCK];
    if (x->skipnan)
        lun__load_values(&x->r->in[1], from, n, true, given);
    for (int64_t i = 0; i < n; i++)
        to[i] = x->skipnan && given[i] != given[i] ? (int64_t)x->steps->identity : from + i + 1;
}

/* Ones, or zeros where a float is NaN. */
static void load_counts(const run *x, int64_t from, int64_t n, uint64_t *to)
{
    double given[LUN_LOAD_BLOCK];
    if (x->skipnan)
        lun__load_values(&x->r->in[1], from, n, true, given);
    for (int64_t i = 0; i < n; i++)
        to[i] = !x->skipnan || given[i] == given[i];
}

/* Squares of what elements of one row differ from those of its group. */
static void deviate(const run *x, int64_t row, double *to)
{
    const double *m = (const double *)x->r->in[2].data + x->codes[row] * x->segment + x->column;
    for (int64_t j = 0; j < x->columns; j++) {
        double d = to[j] - m[j];
        to[j] = x->skipnan && to[j] != to[j] ? 0 : d * d;
    }
}

static void load_elements(const run *x, int64_t from, int64_t n, void *to)
{
    double *f = to;
    const bool floats = x->steps->floats;
    lun__load_values(&x->r->in[1], from, n, floats, to);
    if (!x->skipnan || (x->which != LUN_AGGREGATE_SUM && x->which != LUN_AGGREGATE_PROD))
        return;
    const double nothing = x->which == LUN_AGGREGATE_SUM ? 0 : 1;
    for (int64_t i = 0; i < n; i++)
        f[i] = f[i] == f[i] ? f[i] : nothing;
}

/* n elements from element `from` on. */
static void load(const run *x, int64_t from, int64_t n, void *to)
{
    switch (x->which) {
    case LUN_AGGREGATE_COUNT:
        load_counts(x, from, n, to);
        break;
    case LUN_AGGREGATE_FIRST:
    case LUN_AGGREGATE_LAST:
        load_rows(x, from, n, to);
        break;
    default:
        load_elements(x, from, n, to);
    }
}

/* The columns of rows from .. from + n - 1, in `buffer` or where they stand. */
static const void *elements(const run *x, int64_t from, int64_t n, char *buffer)
{
    if (x->direct)
        return (const char *)x->r->in[1].data + from * 8;
    if (x->columns == x->segment)
        load(x, from * x->segment, n * x->segment, buffer);
    else
        for (int64_t i = 0; i < n; i++)
            load(x, (from + i) * x->segment + x->column, x->columns, buffer + i * x->columns * 8);
    if (x->which == LUN_AGGREGATE_DEVIATIONS)
        for (int64_t i = 0; i < n; i++)
            deviate(x, from + i, (double *)(void *)buffer + i * x->columns);
    return buffer;
}

/* Elements that are in memory as the steps take them. */
static bool is_direct(const run *x)
{
    const bool plain = x->which == LUN_AGGREGATE_SUM || x->which == LUN_AGGREGATE_PROD;
    const bool order = x->which == LUN_AGGREGATE_MIN || x->which == LUN_AGGREGATE_MAX;
    const lun_dtype t = x->r->in[1].dtype;
    return x->segment == 1 && ((plain && !x->skipnan) || order) && lun__dtype_get(t)->bytes == 8 &&
           lun__dtype_is_float(t) == x->steps->floats;
}

/* ---- several parts --------------------------------------------------------------------------- */

static char *slot(const run *x, int64_t number)
{
    return x->slots + number * x->groups * x->columns * 8;
}

static char *worker_memory(const run *x, int worker)
{
    return x->workers + (int64_t)worker * WORKER_BYTES;
}

/* Rows from .. to - 1, of part `number` of those that are filled now. */
static void fill_rows(const run *x, int64_t number, int64_t from, int64_t to, int worker)
{
    const int64_t rows = more(1, LUN_LOAD_BLOCK / x->columns);
    for (int64_t i = from; i < to; i += rows) {
        const int64_t n = less(rows, to - i);
        const void *values = elements(x, i, n, worker_memory(x, worker));
        x->steps->rows(slot(x, number), x->columns, x->codes + i, values, n, x->columns);
    }
}

static void fill_slots(void *ctx, int64_t number, int worker)
{
    const run *x = ctx;
    const int64_t from = (x->first + number) * x->part, to = less(from + x->part, x->n);
    for (int64_t k = 0; k < x->together; k++)
        set_bits(slot(x + k, number), x[k].steps->identity, x->groups * x->columns);
    for (int64_t i = from; i < to; i += NEAR)
        for (int64_t k = 0; k < x->together; k++)
            fill_rows(x + k, number, i, less(i + NEAR, to), worker);
}

/* Folds the slots' groups of one range. */
static void fold_range(const run *x, int64_t range)
{
    const int64_t width = more(1, FOLDED / x->columns), from = range * width;
    const int64_t to = less(from + width, x->groups);
    const int64_t slots = less(x->slot_count, parts(x->n, x->part) - x->first);
    const bool whole = x->columns == x->segment;
    for (int64_t k = 0; k < slots; k++)
        if (whole)
            x->steps->fold(x->table + from * x->segment * 8, slot(x, k) + from * x->columns * 8,
                           (to - from) * x->segment);
        else
            for (int64_t g = from; g < to; g++)
                x->steps->fold(x->table + (g * x->segment + x->column) * 8,
                               slot(x, k) + g * x->columns * 8, x->columns);
}

/* Range after range, of one run after the other. */
static void fold_ranges(void *ctx, int64_t number, int worker)
{
    const run *x = ctx;
    (void)worker;
    fold_range(x + number % x->together, number / x->together);
}

/* The columns from x->column on, x->columns of them. */
static bool run_parts(run *x)
{
    const int64_t count = parts(x->n, x->part);
    const int64_t ranges = parts(x->groups, more(1, FOLDED / x->columns)) * x->together;
    for (int64_t first = 0; first < count; first += x->slot_count) {
        const int64_t slots = less(x->slot_count, count - first);
        for (int64_t k = 0; k < x->together; k++)
            x[k].first = first;
        if (!lun__work_parts(x->services, x->team, slots, x, fill_slots) ||
            !lun__work_parts(x->services, x->team, ranges, x, fold_ranges))
            return false;
    }
    return true;
}

/* ---- one part of many groups ----------------------------------------------------------------- */

/* The rows of groups low .. low + width - 1 to the front; how many they are. */
static int64_t pick(const run *x, int64_t from, int64_t n, int32_t low, uint32_t width,
                    const uint64_t *values, int32_t *codes, uint64_t *to)
{
    const int64_t columns = x->columns;
    int64_t k = 0;
    if (columns == 1) {
        for (int64_t i = 0; i < n; i++) {
            const int32_t c = x->codes[from + i] - low;
            codes[k] = c;
            to[k] = values[i];
            k += (uint32_t)c < width;
        }
        return k;
    }
    for (int64_t i = 0; i < n; i++) {
        const int32_t c = x->codes[from + i] - low;
        if ((uint32_t)c >= width)
            continue;
        codes[k] = c;
        memcpy(to + k++ * columns, values + i * columns, (size_t)(8 * columns));
    }
    return k;
}

static void own(void *ctx, int64_t owner, int worker)
{
    const run *x = ctx;
    const int64_t low = x->groups * owner / x->owners, high = x->groups * (owner + 1) / x->owners;
    const int64_t rows = more(1, LUN_LOAD_BLOCK / x->columns);
    char *memory = worker_memory(x, worker);
    uint64_t *picked = (uint64_t *)(void *)(memory + LUN_LOAD_BLOCK * 8);
    int32_t *codes = (int32_t *)(void *)(memory + LUN_LOAD_BLOCK * 16);
    char *table = x->table + (low * x->segment + x->column) * 8;
    for (int64_t i = 0; i < x->n && !lun__backend_stop_requested(x->services); i += rows) {
        int64_t n = less(rows, x->n - i);
        const void *values = elements(x, i, n, memory);
        if (x->owners == 1) {
            x->steps->rows(table, x->segment, x->codes + i, values, n, x->columns);
            continue;
        }
        n = pick(x, i, n, (int32_t)low, (uint32_t)(high - low), values, codes, picked);
        x->steps->rows(table, x->segment, codes, picked, n, x->columns);
    }
}

/* ---- runs ------------------------------------------------------------------------------------ */

static void finish(const run *x)
{
    int64_t *rows = (int64_t *)(void *)x->table;
    for (int64_t g = 0; x->which == LUN_AGGREGATE_FIRST && g < x->groups; g++)
        if (rows[g] == INT64_MAX)
            rows[g] = 0;
    if (is_converted(x))
        lun__load_values_back(x->r->out[0].dtype, x->table, x->steps->floats,
                              x->groups * x->segment, x->r->out[0].data);
}

static run begin(const lun_services *services, const lun_team *team, const lun_algorithm_run *r)
{
    run x = run_of(r, team->threads);
    x.services = services;
    x.team = team;
    x.codes = r->in[0].data;
    x.direct = is_direct(&x);
    x.workers = r->scratch;
    x.slots = x.workers + (int64_t)team->threads * WORKER_BYTES;
    x.table = is_converted(&x) ? x.slots + x.slot_count * x.groups * x.columns * 8 : r->out[0].data;
    x.owners = less(team->threads, x.n * x.segment / OWNER + 1);
    x.together = 1;
    set_bits(x.table, x.steps->identity, x.groups * x.segment);
    return x;
}

/* Fewer slots for each of several runs. */
static void share_slots(run *x)
{
    const int64_t slots =
        more(less(x->slot_count, 2 * x->team->threads), x->slot_count / x->together);
    for (int64_t k = 0; k < x->together; k++)
        x[k].slot_count = slots;
}

/* One run. */
static bool run_one(run *x)
{
    const int64_t columns = x->columns;
    bool done = true;
    for (x->column = 0; done && x->column < x->segment; x->column += columns) {
        x->columns = less(columns, x->segment - x->column);
        done =
            x->slot_count ? run_parts(x) : lun__work_parts(x->services, x->team, x->owners, x, own);
    }
    return done;
}

lun_status lun__aggregate_run(const lun_services *services, const lun_team *team,
                              lun_algorithm_run *r)
{
    run x[TOGETHER];
    for (; r; r = r->beside) {
        int64_t count = 0;
        x[count++] = begin(services, team, r);
        while (x->segment == 1 && x->slot_count && r->beside && count < TOGETHER) {
            x[count] = begin(services, team, r->beside);
            if (x[count].columns < x[count].segment)
                break;
            r = r->beside;
            count++;
        }
        x->together = count;
        share_slots(x);
        if (!run_one(x))
            return LUN_ECANCEL;
        for (int64_t k = 0; k < count; k++)
            finish(&x[k]);
    }
    return LUN_OK;
}
