/* sorted_rows.c - the rows sort, argsort, ordered and topk: what sort.h gives, as their results
 * are. */
#include <string.h>

#include "algorithms/parts/algorithm_functions.h"
#include "algorithms/select.h"
#include "algorithms/sort/keys.h"
#include "algorithms/sort/sort.h"

enum { LINE = 64, FALLING = 1 /* of option 0 */ };

static int64_t rounded(int64_t bytes)
{
    return (bytes + LINE - 1) / LINE * LINE;
}

static lun_sorting sorting_of(const lun_algorithm_run *r)
{
    return (lun_sorting){.dtype = r->in[0].dtype,
                         .descending = r->option[0] & FALLING,
                         .n = r->in[0].n,
                         .segment = r->segment ? r->segment : r->in[0].n,
                         .from = r->in[0].data,
                         .scratch = r->scratch};
}

/* ---- sort, argsort --------------------------------------------------------------------------- */

static lun_sorting sort_of(const lun_algorithm_run *r)
{
    lun_sorting s = sorting_of(r);
    s.to = r->out[0].data;
    return s;
}

int64_t lun__sort_room(const lun_algorithm_run *r, int threads)
{
    const lun_sorting s = sort_of(r);
    return lun__sorting_room(&s, threads);
}

lun_status lun__sort_run(const lun_services *services, const lun_team *team, lun_algorithm_run *r)
{
    const lun_sorting s = sort_of(r);
    return lun__sorting_run(services, team, &s);
}

static lun_sorting argsort_of(const lun_algorithm_run *r)
{
    lun_sorting s = sorting_of(r);
    s.indices = r->out[0].data;
    s.base = (int64_t)r->option[1];
    return s;
}

int64_t lun__argsort_room(const lun_algorithm_run *r, int threads)
{
    const lun_sorting s = argsort_of(r);
    return lun__sorting_room(&s, threads);
}

lun_status lun__argsort_run(const lun_services *services, const lun_team *team,
                            lun_algorithm_run *r)
{
    const lun_sorting s = argsort_of(r);
    return lun__sorting_run(services, team, &s);
}

/* ---- ordered --------------------------------------------------------------------------------- */

static lun_sorting ordered_of(const lun_algorithm_run *r)
{
    lun_sorting s = argsort_of(r);
    s.to = r->out[0].data;
    s.indices = r->out[1].data;
    return s;
}

int64_t lun__ordered_room(const lun_algorithm_run *r, int threads)
{
    const lun_sorting s = ordered_of(r);
    return lun__sorting_room(&s, threads);
}

lun_status lun__ordered_run(const lun_services *services, const lun_team *team,
                            lun_algorithm_run *r)
{
    const lun_sorting s = ordered_of(r);
    const int64_t size = lun__dtype_get(s.dtype)->bytes, every = r->every;
    const lun_status status = lun__sorting_run(services, team, &s);
    for (int64_t i = 0; status == LUN_OK && i < r->out[2].n; i++)
        memcpy((char *)r->out[2].data + i * size, (char *)s.to + ((i + 1) * every - 1) * size,
               (size_t)size);
    return status;
}

/* ---- topk ------------------------------------------------------------------------------------ */

static int64_t element_bytes(const lun_algorithm_run *r)
{
    return lun__dtype_get(r->in[0].dtype)->bytes;
}

static bool selects(const lun_algorithm_run *r)
{
    return lun__select_pays(r->in[0].dtype, r->in[0].n) && r->out[0].n > 0;
}

/* Elements that are selected, at most, where `most` are sorted. */
static int64_t selected(const lun_algorithm_run *r, int64_t most)
{
    const int64_t half = lun__select_most(r->in[0].n);
    return most < half ? most : half;
}

static int64_t selecting_room(const lun_algorithm_run *r, int64_t most, int threads)
{
    return selects(r) ? rounded(lun__select_room(r->in[0].dtype, r->in[0].n, selected(r, most),
                                                 true, threads))
                      : 0;
}

/* At most `most` elements, in order, go to scratch memory: elements, indices; then what selecting
 * and sorting needs. */
static lun_sorting topk_of(const lun_algorithm_run *r, int64_t most, char *scratch)
{
    lun_sorting s = sorting_of(r);
    s.n = s.segment = most;
    s.to = scratch;
    s.indices = (int64_t *)(void *)(scratch + rounded(most * element_bytes(r)));
    s.scratch = (char *)s.indices + rounded(most * (int64_t)sizeof(int64_t));
    return s;
}

static int64_t room_of(const lun_algorithm_run *r, int64_t most, int threads)
{
    static char any[LINE];
    const lun_sorting s = topk_of(r, most, any);
    return selecting_room(r, most, threads) + lun__sorting_room(&s, threads) +
           rounded(most * element_bytes(r)) + rounded(most * (int64_t)sizeof(int64_t)) + 2 * LINE;
}

/* By sorting at most `most` elements, which may be all.  *done: false: they are more. */
static lun_status topk_of_most(const lun_services *services, const lun_team *team,
                               const lun_algorithm_run *r, int64_t most, bool *done)
{
    char *scratch = (char *)r->scratch + -(uintptr_t)r->scratch % LINE;
    const int64_t n = r->in[0].n;
    lun_sorting s = topk_of(r, most, scratch);
    lun_selection x = {0};
    lun_status status = LUN_OK;
    if (selects(r)) {
        status = lun__select_count(services, team, s.dtype, s.descending, s.from, n, s.scratch, &x);
        lun__select_want(&x, r->out[0].n - 1, true);
        if (status == LUN_OK)
            status = lun__select_take(&x, selected(r, most), true);
        s.scratch = (char *)s.scratch + selecting_room(r, most, team->threads);
    }
    *done = x.elements || most == n;
    if (status != LUN_OK || !*done)
        return status;
    if (x.elements) {
        s.n = s.segment = x.count;
        s.from = x.elements;
    }
    status = lun__sorting_run(services, team, &s);
    if (status != LUN_OK)
        return status;
    memcpy(r->out[0].data, s.to, (size_t)(r->out[0].n * element_bytes(r)));
    int64_t *indices = r->out[1].data;
    for (int64_t i = 0; i < r->out[1].n; i++)
        indices[i] = (x.elements ? x.indices[s.indices[i]] : s.indices[i]) + (int64_t)r->option[1];
    return LUN_OK;
}

/* A long segment from which hardly fewer can be selected is taken block by block: the first
 * elements of those before and of the next block are the first of both, and equal ones are in the
 * order of their indices. */
typedef struct blocks {
    int64_t length;       /* of a block; 0: all at once */
    char *elements;       /* the first ones so far, then a block */
    char *first;          /* the first of both, */
    int64_t *rank;        /* the index of each among both, */
    int64_t *before, *to; /* and in the segment: so far, now */
    lun_algorithm_run run;
} blocks;

/* The run of one block; its memory begins at `scratch`.  Bytes before that of the run itself. */
static int64_t open_blocks(const lun_algorithm_run *r, int threads, char *scratch, blocks *b)
{
    enum { EACH = 1 << 16, MOST = 4, TIMES = 4 };
    const int64_t k = r->out[0].n, n = r->in[0].n, size = element_bytes(r);
    const int64_t some = (int64_t)EACH * (threads < MOST ? threads : MOST);
    int64_t at = 0;
    *b = (blocks){.length = some > TIMES * k ? some : TIMES * k, .run = *r};
    if (!k || b->length > n / TIMES) {
        b->length = 0;
        return 0;
    }
    scratch += -(uintptr_t)scratch % LINE;
    b->elements = scratch;
    at += rounded((k + b->length) * size);
    b->first = scratch + at;
    at += rounded(k * size);
    int64_t **const lists[] = {&b->rank, &b->before, &b->to};
    for (int i = 0; i < 3; i++, at += rounded(k * (int64_t)sizeof(int64_t)))
        *lists[i] = (int64_t *)(void *)(scratch + at);
    b->run.in[0].data = b->elements;
    b->run.in[0].n = k + b->length;
    b->run.out[0].data = b->first;
    b->run.out[1].data = b->rank;
    b->run.option[1] = 0;
    b->run.scratch = scratch + at;
    return at + LINE;
}

int64_t lun__topk_room(const lun_algorithm_run *r, int threads)
{
    static char any[LINE];
    blocks b;
    const int64_t before = open_blocks(r, threads, any, &b);
    const int64_t room = before + room_of(&b.run, b.run.in[0].n, threads);
    const int64_t other = b.length ? room_of(r, b.length, threads) : 0;
    return room > other ? room : other;
}

static lun_status topk_blocks(const lun_services *services, const lun_team *team,
                              const lun_algorithm_run *r, blocks *b)
{
    const int64_t k = r->out[0].n, n = r->in[0].n, size = element_bytes(r);
    int64_t have = 0;
    bool done;
    lun_status s = LUN_OK;
    for (int64_t at = 0, some; s == LUN_OK && at < n; at += some) {
        some = n - at < b->length ? n - at : b->length;
        memcpy(b->elements + have * size, (const char *)r->in[0].data + at * size,
               (size_t)(some * size));
        b->run.in[0].n = have + some;
        s = topk_of_most(services, team, &b->run, have + some, &done);
        for (int64_t i = 0; s == LUN_OK && i < k; i++)
            b->to[i] = b->rank[i] < have ? b->before[b->rank[i]] : at + b->rank[i] - have;
        int64_t *const other = b->before;
        b->before = b->to;
        b->to = other;
        memcpy(b->elements, b->first, (size_t)(k * size));
        have = k;
    }
    if (s != LUN_OK)
        return s;
    memcpy(r->out[0].data, b->elements, (size_t)(k * size));
    for (int64_t i = 0; i < r->out[1].n; i++)
        ((int64_t *)r->out[1].data)[i] = b->before[i] + (int64_t)r->option[1];
    return LUN_OK;
}

lun_status lun__topk_run(const lun_services *services, const lun_team *team, lun_algorithm_run *r)
{
    blocks b;
    bool done = false;
    lun_status s = LUN_OK;
    (void)open_blocks(r, team->threads, r->scratch, &b);
    if (!b.length || selects(r))
        s = topk_of_most(services, team, r, b.length ? b.length : r->in[0].n, &done);
    return s != LUN_OK || done ? s : topk_blocks(services, team, r, &b);
}
