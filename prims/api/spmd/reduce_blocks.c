/* reduce_blocks.c - a large array of each rank combined on all of them, block by block: each rank
 * gets its part of the block from the others, combines the parts in rank order by the pair tree,
 * and gives the result to all (a reduce-scatter and an allgather).  Operations are elementwise, so
 * the tree of each element, and its bits, are those of whole arrays.
 *
 * Invariant: beside its own array and the result a rank has an eighth of them, twice: the parts
 * that came, and the arrays made of them.  Where a call has failed and the transport lingers, what
 * it may still read or write is kept for ever.  Knows no transport. */
#include <stdlib.h>
#include <string.h>

#include "api/array/api.h"
#include "api/spmd/ranked.h"
#include "lunarray_bind.h"
#include "ranks/ranks.h"

enum { ROUNDS = 8, LEAST = 1 << 20 /* bytes of a block */ };

typedef struct blocks {
    lun_engine *e;
    lun_op op;
    lun_dtype t;
    int npes, mype;
    int64_t size, n, length; /* of an element, of the array, of a block */
    const char *own;
    char *all;        /* the result */
    char *came;       /* of each rank, in rank order, as many elements as this rank's part has */
    lun_array **list; /* what is combined, by rank */
} blocks;

lun_status lun__reduce_blocks_fold(lun_engine *e, lun_op op, lun_array **list, int count)
{
    for (; count > 1; count = (count + 1) / 2)
        for (int k = 0; k < count; k += 2) {
            lun_array *both = list[k];
            if (k + 1 < count) {
                lun_status s = lun_apply(e, op, (lun_array *[]){list[k], list[k + 1]}, 2, &both);
                if (s != LUN_OK)
                    return s;
                lun_release(list[k]);
                lun_release(list[k + 1]);
                list[k + 1] = NULL;
            }
            list[k] = NULL;
            list[k / 2] = both;
        }
    return LUN_OK;
}

/* The first element of rank k's part of the block that begins at `from`. */
static int64_t first_of(const blocks *b, int64_t from, int k)
{
    const int64_t left = b->n - from, length = left < b->length ? left : b->length;
    return from + length / b->npes * k + length % b->npes * k / b->npes;
}

/* Elements of this rank, at `own`, to rank k, and as many or others of that one to `come`. */
static lun_status swap(const blocks *b, int k, const char *own, int64_t given, char *come,
                       int64_t got)
{
    const lun_status s = lun__rank_move(b->e, b->mype, k, (void *)(uintptr_t)own, given * b->size);
    return s == LUN_OK ? lun__rank_move(b->e, k, b->mype, come, got * b->size) : s;
}

/* Everyone's own elements go to the rank whose part they are. */
static lun_status scatter(const blocks *b, int64_t from)
{
    const int64_t first = first_of(b, from, b->mype);
    const int64_t mine = first_of(b, from, b->mype + 1) - first;
    lun_status s = LUN_OK;
    for (int k = 0; s == LUN_OK && k < b->npes; k++) {
        const int64_t at = first_of(b, from, k);
        s = swap(b, k, b->own + at * b->size, first_of(b, from, k + 1) - at,
                 b->came + k * mine * b->size, mine);
    }
    if (mine)
        memcpy(b->came + b->mype * mine * b->size, b->own + first * b->size,
               (size_t)(mine * b->size));
    return lun__rank_moves_end(b->e, s);
}

static lun_status combine(const blocks *b, int64_t from)
{
    const int64_t first = first_of(b, from, b->mype);
    const int64_t mine = first_of(b, from, b->mype + 1) - first;
    lun_status s = LUN_OK;
    if (!mine)
        return LUN_OK;
    for (int k = 0; s == LUN_OK && k < b->npes; k++)
        s = lun_vector(b->e, b->came + k * mine * b->size, mine, b->t, &b->list[k]);
    if (s == LUN_OK)
        s = lun__reduce_blocks_fold(b->e, b->op, b->list, b->npes);
    if (s == LUN_OK)
        s = lun_read(b->e, b->list[0], b->all + first * b->size, 0, mine);
    for (int k = 0; k < b->npes; k++) {
        lun_release(b->list[k]);
        b->list[k] = NULL;
    }
    return s;
}

/* Everyone's part of the result goes to all. */
static lun_status gather(const blocks *b, int64_t from)
{
    const int64_t first = first_of(b, from, b->mype);
    const int64_t mine = first_of(b, from, b->mype + 1) - first;
    lun_status s = LUN_OK;
    for (int k = 0; s == LUN_OK && k < b->npes; k++) {
        const int64_t at = first_of(b, from, k);
        s = swap(b, k, b->all + first * b->size, mine, b->all + at * b->size,
                 first_of(b, from, k + 1) - at);
    }
    return lun__rank_moves_end(b->e, s);
}

/* A rank that cannot combine goes on moving, so that none waits for it; then all say how it
 * went. */
static lun_status run(const blocks *b)
{
    lun_status combined = LUN_OK, s = LUN_OK;
    for (int64_t from = 0; s == LUN_OK && from < b->n; from += b->length) {
        s = scatter(b, from);
        if (s == LUN_OK && combined == LUN_OK)
            combined = combine(b, from);
        if (s == LUN_OK)
            s = gather(b, from);
    }
    if (s != LUN_OK)
        return s;
    lun_strbuf why = LUN_STRBUF_INIT;
    lun__strbuf_puts(&why, combined == LUN_OK ? "" : lun_error(b->e));
    lun_agreed how = {.size = sizeof how, .yes = combined == LUN_OK};
    s = lun_spmd_agree(b->e, "has combined its parts", "a reduction", NULL, &how);
    if (s == LUN_OK && combined != LUN_OK)
        s = lun__fail_text(b->e, combined, lun__strbuf_text(&why));
    else if (s == LUN_OK && !how.yes)
        s = lun__fail(b->e, LUN_ENOMEM, "another rank has no memory for its part of a reduction");
    lun__strbuf_free(&why);
    return s;
}

/* The memory of a call in one piece: what came, the arrays made of it. */
static void *open_blocks(blocks *b)
{
    const int64_t least = LEAST / b->size;
    b->length = (b->n + ROUNDS - 1) / ROUNDS > least ? (b->n + ROUNDS - 1) / ROUNDS : least;
    b->length = b->length < b->n ? b->length : b->n;
    const int64_t part = b->length / b->npes + 1;
    const size_t came = ((size_t)(part * b->size * b->npes) + 15) / 16 * 16;
    b->came = calloc(1, came + (size_t)b->npes * sizeof *b->list);
    b->list = b->came ? (lun_array **)(void *)(b->came + came) : NULL;
    return b->came;
}

/* *own: x with its elements side by side, at *data. */
static lun_status open_own(lun_engine *e, lun_array *x, lun_array **own, const void **data)
{
    lun_status s = lun_layout_of(x) == LUN_LAYOUT_RIGHT ? lun_cast(e, x, lun_dtype_of(x), own)
                                                        : lun_copy(e, x, own);
    return s == LUN_OK ? lun_data(e, *own, data) : s;
}

lun_status lun__reduce_blocks(lun_engine *e, const lun_said *said, lun_op op, lun_array *x,
                              lun_array **out)
{
    blocks b = {.e = e,
                .op = op,
                .t = lun_dtype_of(x),
                .npes = lun_spmd_npes(e),
                .mype = lun_spmd_mype(e),
                .size = lun_dtype_size(lun_dtype_of(x)),
                .n = lun_size(x)};
    int64_t shape[LUN_MAX_RANK];
    const int rank = lun_shape(x, shape);
    lun_array *own = NULL, *flat = NULL;
    lun_blank *blank = NULL;
    void *all = NULL;
    const void *data = NULL;
    lun_status s = open_own(e, x, &own, &data);
    if (s == LUN_OK)
        s = lun_blank_new(e, b.n, (int)b.size, &blank, &all);
    void *memory = s == LUN_OK ? open_blocks(&b) : NULL;
    if (s == LUN_OK && !memory)
        s = lun__fail_nomem(e);
    b.own = data;
    b.all = all;
    if (s == LUN_OK)
        s = lun_spmd_step(e, said->doing, said->noun, said->options);
    else if (lun_spmd_unable(e, lun_error(e)) != LUN_OK)
        s = LUN_ENOMEM;
    if (s == LUN_OK)
        s = run(&b);
    if (s != LUN_OK && lun_spmd_lingers(e))
        return s;
    if (s == LUN_OK)
        s = lun_blank_vector(e, blank, b.t, &flat);
    else
        lun_blank_drop(e, blank);
    if (s == LUN_OK)
        s = lun_reshape(e, flat, rank, shape, out);
    lun_release(flat);
    lun_release(own);
    free(memory);
    return s;
}
