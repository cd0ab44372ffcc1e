/* scan_rows.c - scans along the first axis of an array of which ranks have some rows each, which
 * stay there: what the columns have come to goes from rank to rank.  The order is that of
 * ir/combine_order.h: chunks of LUN_SCAN_CHUNK rows, whose totals are combined in lanes; inside a
 * chunk groups of LUN_SCAN_GROUP rows, so the rows of a group that another rank ends go with its
 * carry.  Where any order gives the same bits the chunks are the ranks' rows, and all of them learn
 * their totals.  A function has one chunk, and groups of one row.
 *
 * Each rank first does the chunk that it begins and the next one ends, which waits for it. */
#include <stdlib.h>
#include <string.h>

#include "api/fold/lazy.h"
#include "base/layout/layout.h"
#include "base/sized.h"
#include "lunarray_bind.h"
#include "math/op_cell.h"
#include "ranks/ranks_state.h"

#define MINUS_ZERO ((uint64_t)1 << 63) /* of f64; changes no sum, where 0 does */

enum {
    GROUP = LUN_SCAN_GROUP,
    PIECE = LUN_SCAN_CHUNK / 2, /* rows that are scanned at once */
    COLUMNS = 128               /* that are sent at once, at least, while others are scanned */
};

typedef struct running {
    lun_engine *e;
    lun_function *f;
    const lun_slices *at;
    lun_dtype t; /* of all elements, and in which they are combined */
    bool inclusive, by_operation, is_free, adds; /* adds: in f64 */
    int own;                                     /* this rank, */
    lun_interval rows;                           /* its rows, */
    const char *x;                               /* and these in memory */
    lun_storage *out;                            /* those of the result */
    int64_t width, size;                         /* columns, bytes of an element */
    int64_t group, chunks;                       /* rows, number */
    uint64_t identity, neutral;                  /* of an operation; what changes no element, */
    lun_array *from;                             /* as a first value */
    char *carries;                               /* a row for each chunk, from which it goes on */
    char *state;                                 /* what is sent: rows of so many columns, */
    int64_t column, count;                       /* from this one on */
    char *work;                                  /* columns that are scanned */
    lun_status failed;
} running;

static lun_interval chunk_of(const running *r, int64_t c)
{
    const int64_t lo = c * LUN_SCAN_CHUNK, n = r->at->shape[0];
    if (r->is_free)
        return (lun_interval){r->at->bound[c], r->at->bound[c + 1]};
    return (lun_interval){lo, n - lo < LUN_SCAN_CHUNK ? n : lo + LUN_SCAN_CHUNK};
}

static int owner_of(const running *r, int64_t row)
{
    int k = 0;
    while (r->at->bound[k + 1] <= row)
        k++;
    return k;
}

/* Elements of a and b combined, n times. */
static void combine(const running *r, const char *a, const char *b, char *to, int64_t n)
{
    const size_t size = (size_t)r->size;
    uint64_t in[3] = {0}, cell;
    for (int64_t i = 0; r->adds && i < n; i++)
        ((double *)(void *)to)[i] =
            ((const double *)(const void *)a)[i] + ((const double *)(const void *)b)[i];
    for (; !r->adds && n > 0; n--, a += size, b += size, to += size) {
        memcpy(&in[0], a, size);
        memcpy(&in[1], b, size);
        (void)lun__op_cell(r->f->op, r->t, 0, in, &cell);
        memcpy(to, &cell, size);
    }
}

/* ---- rows in order --------------------------------------------------------------------------- */

/* Elements of `count` columns, so many elements from row to row and from column to column. */
typedef struct grid {
    char *at;
    int64_t row, column;
} grid;

static void copy(const running *r, int64_t rows, grid to, int64_t to_row, grid from,
                 int64_t from_row)
{
    const lun_layout a = {2, to_row * to.row, {rows, r->count}, {to.row, to.column}};
    const lun_layout b = {2, from_row * from.row, {rows, r->count}, {from.row, from.column}};
    if (rows)
        lun__strided_copy(&b, from.at, &a, to.at, (int)r->size, 0, rows * r->count);
}

/* n elements in segments, 0: one alone, each scanned from `first` on. */
static lun_status run(const running *r, lun_array *first, char *at, int64_t n, int64_t segment)
{
    lun_array *x = NULL, *given = NULL;
    lun_node *in = NULL, *scan = NULL, *y = NULL;
    lun_status s = lun_vector(r->e, at, n, r->t, &x);
    if (s == LUN_OK)
        s = lun__array_node(r->e, x, r->t, &in);
    if (s == LUN_OK)
        s = lun__fold_scan_segments(r->e, r->f, first, in, (lun_extras){NULL, 0}, true, segment,
                                    &scan);
    if (s == LUN_OK)
        s = lun__convert(r->e, scan, r->t, &y);
    if (s == LUN_OK)
        s = lun__array(r->e, y, true, &given);
    if (s == LUN_OK)
        s = lun_read(r->e, given, at, 0, n);
    lun_release(x);
    lun_release(given);
    lun__node_release(r->e, in);
    lun__node_release(r->e, scan);
    return s;
}

/* Columns that have so many elements behind a group, which comes to the carry. */
static lun_status run_columns(const running *r, int64_t rows)
{
    const int64_t length = GROUP + rows;
    lun_status s = LUN_OK;
    if (r->by_operation)
        return run(r, r->from, r->work, length * r->count, length);
    for (char *at = r->work; s == LUN_OK && at < r->work + r->count * length * r->size;
         at += length * r->size) {
        lun_array *first = NULL;
        s = lun_vector(r->e, at + (GROUP - 1) * r->size, 1, r->t, &first);
        if (s == LUN_OK)
            s = run(r, first, at + GROUP * r->size, rows, 0);
        lun_release(first);
    }
    return s;
}

/* Rows row .. row + count - 1, the first of which is number `at` of its chunk, go on from the
 * state, a carry and the rows of an open group, which is that behind them then. */
static lun_status scan_piece(const running *r, int64_t row, int64_t count, int64_t at, bool keep)
{
    const int64_t open = at % r->group, all = open + count, whole = all / r->group * r->group;
    const int64_t own = ((row - r->rows.lo) * r->width + r->column) * r->size;
    const grid state = {r->state, r->count, 1}, work = {r->work, 1, GROUP + all};
    const grid x = {(char *)(uintptr_t)r->x + own, r->width, 1};
    const grid out = {(char *)r->out->data + own, r->width, 1};
    lun__dtype_cell_fill(r->t, r->neutral, r->work, (GROUP + all) * r->count);
    copy(r, 1, work, r->by_operation ? 0 : GROUP - 1, state, 0);
    copy(r, open, work, GROUP, state, 1);
    copy(r, count, work, GROUP + open, x, 0);
    copy(r, all - whole, state, 1, work, GROUP + whole);
    const lun_status s = run_columns(r, all);
    copy(r, 1, state, 0, work, GROUP + whole - 1);
    copy(r, keep ? count : 0, out, 0, work, GROUP + open - !r->inclusive);
    return s;
}

static lun_status scan_rows(const running *r, lun_interval rows, int64_t at, bool keep)
{
    lun_status s = LUN_OK;
    for (int64_t row = rows.lo; s == LUN_OK && row < rows.hi; row += PIECE) {
        const int64_t left = rows.hi - row;
        s = scan_piece(r, row, left < PIECE ? left : PIECE, at + row - rows.lo, keep);
    }
    return s;
}

/* ---- totals ---------------------------------------------------------------------------------- */

/* The state is lanes, which rows are combined with. */
static void take_rows(const running *r, lun_interval rows, int64_t at)
{
    for (int64_t row = rows.lo; row < rows.hi; row++, at++) {
        char *lane = r->state + at % LUN_LANES * r->count * r->size;
        const int64_t from = (row - r->rows.lo) * r->width + r->column;
        combine(r, lane, r->x + from * r->size, lane, r->count);
    }
}

/* The total of chunk c, which the state has come to. */
static void end_chunk(const running *r, int64_t c)
{
    const int64_t bytes = r->count * r->size;
    for (int half = LUN_LANES / 2; !r->is_free && half > 0; half /= 2)
        combine(r, r->state, r->state + half * bytes, r->state, half * r->count);
    memcpy(r->carries + ((c + 1) * r->width + r->column) * r->size, r->state, (size_t)bytes);
}

/* All learn the totals, of which they make carries. */
static lun_status join_totals(const running *r)
{
    const int64_t bytes = r->width * r->size;
    lun_status s = LUN_OK;
    for (int64_t c = 0; s == LUN_OK && c + 1 < r->chunks; c++) {
        const int owner = r->is_free ? (int)c : owner_of(r, chunk_of(r, c).hi - 1);
        s = lun__rank_move(r->e, owner, LUN_ALL_RANKS, r->carries + (c + 1) * bytes, bytes);
    }
    s = lun__rank_moves_end(r->e, s == LUN_OK ? r->failed : s);
    for (char *at = r->carries; at < r->carries + (r->chunks - 1) * bytes; at += bytes)
        combine(r, at, at + bytes, at + bytes, r->width);
    return s;
}

/* ---- from rank to rank ----------------------------------------------------------------------- */

/* The state at the border in front of a row, which is number `at` of its chunk. */
static lun_status hand_on(const running *r, bool totals, int64_t row, int64_t at)
{
    const int64_t rows = totals ? LUN_LANES : 1 + at % r->group;
    const lun_status s = lun__rank_move(r->e, owner_of(r, row - 1), owner_of(r, row), r->state,
                                        rows * r->count * r->size);
    return lun__rank_moves_end(r->e, s);
}

static int64_t columns_at_once(const running *r)
{
    const int npes = r->e->ranks->net->size;
    const int64_t share = (r->width + npes - 1) / npes, most = share > COLUMNS ? share : COLUMNS;
    return most < r->width ? most : r->width;
}

/* This rank's rows of chunk c.  What fails is kept: others wait for what goes on. */
static lun_status run_chunk(running *r, bool totals, int64_t c)
{
    const lun_interval all = chunk_of(r, c);
    const lun_interval x = {all.lo > r->rows.lo ? all.lo : r->rows.lo,
                            all.hi < r->rows.hi ? all.hi : r->rows.hi};
    const int64_t most = columns_at_once(r);
    lun_status s = LUN_OK;
    for (r->column = 0; s == LUN_OK && r->column < r->width; r->column += most) {
        r->count = r->width - r->column < most ? r->width - r->column : most;
        if (x.lo > all.lo)
            s = hand_on(r, totals, x.lo, x.lo - all.lo);
        else if (totals)
            lun__dtype_cell_fill(r->t, r->identity, r->state, LUN_LANES * r->count);
        else
            memcpy(r->state, r->carries + (c * r->width + r->column) * r->size,
                   (size_t)(r->count * r->size));
        if (totals && !r->is_free)
            take_rows(r, x, x.lo - all.lo);
        else if (s == LUN_OK && r->failed == LUN_OK)
            r->failed = scan_rows(r, x, x.lo - all.lo, !totals);
        if (s == LUN_OK && x.hi < all.hi)
            s = hand_on(r, totals, x.hi, x.hi - all.lo);
        else if (totals)
            end_chunk(r, c);
    }
    return s;
}

static lun_status run_all(running *r, bool totals)
{
    int64_t first = r->is_free ? r->own : r->rows.lo / LUN_SCAN_CHUNK;
    int64_t end = r->is_free ? r->own + 1 : (r->rows.hi - 1) / LUN_SCAN_CHUNK + 1;
    lun_status s = LUN_OK;
    if (r->rows.lo >= r->rows.hi)
        return LUN_OK;
    if (totals && end == r->chunks)
        end--; /* nothing follows it */
    if (end - first > 1 && chunk_of(r, end - 1).hi > r->rows.hi)
        s = run_chunk(r, totals, --end);
    for (int64_t c = first; s == LUN_OK && c < end; c++)
        s = run_chunk(r, totals, c);
    return s;
}

/* ---- a scan ---------------------------------------------------------------------------------- */

static lun_status run_ranks(running *r)
{
    char nothing = 0; /* stays until the moves have ended */
    lun_status s = r->chunks > 1 ? run_all(r, true) : LUN_OK;
    if (s == LUN_OK && r->chunks > 1)
        s = join_totals(r);
    if (s == LUN_OK)
        s = run_all(r, false);
    if (s == LUN_OK && !r->is_free)
        s = lun__rank_move(r->e, 0, LUN_ALL_RANKS, &nothing, 1); /* with how each has fared */
    return lun__rank_moves_end(r->e, s == LUN_OK ? r->failed : s);
}

/* Memory, in which the first row of carries is the first value. */
static lun_status open_memory(running *r, lun_array *first)
{
    const int64_t rows = r->rows.hi - r->rows.lo, most = columns_at_once(r) * r->size;
    const int64_t piece = 2 * GROUP + (rows < PIECE ? rows : PIECE);
    int64_t carries = 0, first_bytes = 0, more, all;
    r->adds = r->f->op == LUN_OP_ADD && !r->is_free;
    if (r->by_operation)
        (void)lun__op_identity(r->f->op, r->t, &r->identity);
    r->neutral = r->adds ? MINUS_ZERO : r->identity;
    uint64_t cell = r->identity;
    const bool fits = !__builtin_mul_overflow(r->chunks, r->width, &carries) &&
                      !__builtin_mul_overflow(carries, r->size, &first_bytes) &&
                      !__builtin_mul_overflow(most, LUN_LANES + piece, &more) &&
                      !__builtin_add_overflow(first_bytes, more, &all);
    r->carries = fits ? malloc((size_t)all) : NULL;
    lun_status s = r->carries ? LUN_OK : lun__fail_nomem(r->e);
    if (s == LUN_OK && first)
        s = lun_read(r->e, first, &cell, 0, 1);
    if (s == LUN_OK)
        s = lun_vector(r->e, &r->neutral, 1, r->t, &r->from);
    if (s == LUN_OK)
        s = lun__storage_new(r->e, r->t, rows * r->width, &r->out);
    if (s != LUN_OK)
        return s;
    r->state = r->carries + first_bytes;
    r->work = r->state + most * LUN_LANES;
    lun__dtype_cell_fill(r->t, r->identity, r->carries, carries);
    lun__dtype_cell_fill(r->t, cell, r->carries, r->width);
    return LUN_OK;
}

lun_status lun_scan_rows(lun_engine *e, const lun_slices *at, lun_array *part, lun_function *f,
                         lun_array *first, bool inclusive, lun_array **out)
{
    LUN_NEED(e, LUN_HAS(at, bound) && part && f && out && !lun__alone(e));
    const int own = e->ranks->net->rank;
    const void *x;
    lun_node *n = NULL;
    running r = {.e = e, .f = f, .at = at, .inclusive = inclusive, .own = own};
    r.t = lun_dtype_of(part);
    r.size = lun__dtype_get(r.t)->bytes;
    r.by_operation = f->op < LUN_OP_COUNT;
    r.is_free = r.by_operation && !lun__dtype_is_float(r.t);
    r.group = r.by_operation && !r.is_free ? GROUP : 1;
    r.rows = (lun_interval){at->bound[own], at->bound[own + 1]};
    r.width = at->shape[1];
    r.chunks = r.is_free ? e->ranks->net->size : (at->shape[0] - 1) / LUN_SCAN_CHUNK + 1;
    lun_status s = lun_data(e, part, &x);
    r.x = x;
    if (s == LUN_OK)
        s = open_memory(&r, first);
    e->ranks->told = false;
    if (s == LUN_OK)
        s = run_ranks(&r);
    if ((s == LUN_ENOMEM || s == LUN_ELIMIT || s == LUN_ECANCEL) && !e->ranks->told)
        (void)lun__give_up_alone(e); /* others wait */
    if (s == LUN_OK)
        s = lun__node_leaf(e, r.out, 0, 2, (int64_t[]){r.rows.hi - r.rows.lo, r.width}, &n);
    lun__storage_release(e, r.out);
    lun_release(r.from);
    if (!e->ranks->lingers) /* else a message may still be there */
        free(r.carries);
    return s == LUN_OK ? lun__array(e, n, true, out) : s;
}
