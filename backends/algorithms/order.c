/* order.c - the rows sort, argsort, ordered and topk: what sort.h gives, as their results are. */
#include <string.h>

#include "algorithms/algorithms.h"
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
                         .line = r->line ? r->line : r->in[0].n,
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
    s.places = r->out[0].data;
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
    s.places = r->out[1].data;
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

/* What is in order goes to scratch memory: elements, places; then what selecting and sorting
 * needs. */
static lun_sorting topk_of(const lun_algorithm_run *r, char *scratch)
{
    lun_sorting s = sorting_of(r);
    s.to = scratch;
    s.places = (int64_t *)(void *)(scratch + rounded(s.n * element_bytes(r)));
    s.scratch = (char *)s.places + rounded(s.n * (int64_t)sizeof(int64_t));
    return s;
}

static bool selects(const lun_algorithm_run *r)
{
    return lun__select_pays(r->in[0].dtype, r->in[0].n) && r->out[0].n > 0;
}

static int64_t selecting_room(const lun_algorithm_run *r, int threads)
{
    return selects(r) ? rounded(lun__select_room(r->in[0].dtype, r->in[0].n, true, threads)) : 0;
}

int64_t lun__topk_room(const lun_algorithm_run *r, int threads)
{
    static char any[LINE];
    const lun_sorting s = topk_of(r, any);
    return selecting_room(r, threads) + lun__sorting_room(&s, threads) +
           rounded(s.n * element_bytes(r)) + rounded(s.n * (int64_t)sizeof(int64_t)) + 2 * LINE;
}

lun_status lun__topk_run(const lun_services *services, const lun_team *team, lun_algorithm_run *r)
{
    char *scratch = (char *)r->scratch + -(uintptr_t)r->scratch % LINE;
    lun_sorting s = topk_of(r, scratch);
    lun_selection x = {0};
    lun_status status = LUN_OK;
    if (selects(r)) {
        status =
            lun__select_count(services, team, s.dtype, s.descending, s.from, s.n, s.scratch, &x);
        lun__select_want(&x, r->out[0].n - 1, true);
        if (status == LUN_OK)
            status = lun__select_take(&x, true);
        s.scratch = (char *)s.scratch + selecting_room(r, team->threads);
    }
    if (x.elements) {
        s.n = s.line = x.count;
        s.from = x.elements;
    }
    if (status == LUN_OK)
        status = lun__sorting_run(services, team, &s);
    if (status != LUN_OK)
        return status;
    memcpy(r->out[0].data, s.to, (size_t)(r->out[0].n * element_bytes(r)));
    int64_t *places = r->out[1].data;
    for (int64_t i = 0; i < r->out[1].n; i++)
        places[i] = (x.elements ? x.places[s.places[i]] : s.places[i]) + (int64_t)r->option[1];
    return LUN_OK;
}
