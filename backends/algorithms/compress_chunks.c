/* compress_chunks.c - the elements, or their indices, where a bool is true, in one pass over
 * memory: a chunk's trues are counted, which brings it near the core; then the chunk waits until
 * those before it have been counted, and is written. */
#include "algorithms/compress_chunks.h"

#include <sched.h>
#include <stdatomic.h>
#include <string.h>

#include "algorithms/parts/algorithm_functions.h"

enum { CHUNK = 65536, SPINS = 2000, LEAST = 1 << 16 /* elements for a second thread */ };

typedef struct run {
    const lun_services *services;
    lun_algorithm_run *r;
    const uint8_t *mask;
    int64_t n, chunks;
    int bytes;
    lun_packer pack;
    lun_numberer number;
    atomic_llong next;  /* the chunk to be taken */
    atomic_llong ready; /* the chunk whose first index is in `carry` */
    int64_t carry;
} run;

static int64_t count(const uint8_t *mask, int64_t n)
{
    int64_t all = 0;
    while (n) {
        int64_t some = n < 255 * 64 ? n : 255 * 64;
        uint32_t sum = 0;
        for (int64_t i = 0; i < some; i++)
            sum += mask[i];
        all += sum;
        mask += some;
        n -= some;
    }
    return all;
}

/* The offset of chunk k's first element; that of the next chunk is stored. */
static int64_t offset_of(run *r, int64_t k, int64_t trues)
{
    for (int i = 0; atomic_load_explicit(&r->ready, memory_order_acquire) != k; i++)
        if (i > SPINS)
            sched_yield();
    int64_t at = r->carry;
    r->carry = at + trues;
    atomic_store_explicit(&r->ready, k + 1, memory_order_release);
    return at;
}

static void work(void *ctx, int worker)
{
    run *r = ctx;
    const lun_algorithm_run *a = r->r;
    (void)worker;
    for (int64_t k; (k = atomic_fetch_add(&r->next, 1)) < r->chunks;) {
        int64_t first = k * CHUNK;
        int64_t n = r->n - first < CHUNK ? r->n - first : CHUNK;
        bool stopped = lun__backend_stop_requested(r->services);
        int64_t trues = stopped ? 0 : count(r->mask + first, n);
        int64_t at = offset_of(r, k, trues);
        if (r->number)
            r->number((int64_t)a->option[0] + a->first + first, r->mask + first, n,
                      (int64_t *)a->out[0].data + at, trues);
        else
            r->pack((const char *)a->in[0].data + first * r->bytes, r->mask + first, n,
                    (char *)a->out[0].data + at * r->bytes, trues);
    }
}

static void go(run *r, const lun_team *team)
{
    r->chunks = (r->n + CHUNK - 1) / CHUNK;
    int64_t most = r->n <= LEAST ? 1 : r->chunks;
    int workers = most < team->threads ? (int)most : team->threads;
    if (workers > 1)
        team->parallel(team, r, workers, work);
    else
        work(r, 0);
    r->r->out[0].n = r->carry;
}

int64_t lun__compress_room(const lun_algorithm_run *r, int threads)
{
    (void)r, (void)threads;
    return 0;
}

lun_status lun__compress_run(const lun_services *services, const lun_team *team,
                             lun_algorithm_run *r)
{
    int bytes = lun__dtype_get(r->in[0].dtype)->bytes;
    run all = {.services = services,
               .r = r,
               .mask = r->in[1].data,
               .n = r->in[1].n,
               .bytes = bytes,
               .pack = lun__pack_block_elements(bytes)};
    go(&all, team);
    return LUN_OK;
}

int64_t lun__indices_room(const lun_algorithm_run *r, int threads)
{
    (void)r, (void)threads;
    return 0;
}

lun_status lun__indices_run(const lun_services *services, const lun_team *team,
                            lun_algorithm_run *r)
{
    run all = {.services = services,
               .r = r,
               .mask = r->in[0].data,
               .n = r->in[0].n,
               .number = lun__pack_block_numbers()};
    go(&all, team);
    return LUN_OK;
}
