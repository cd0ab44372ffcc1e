/* split_run.c - how a run is cut; see split_run.h.  Knows what work costs, about, not what it
 * does. */
#include "host/split_run.h"

#include <unistd.h>

#include "host/bounce.h"

enum {
    HEAVY = 64,              /* cost of an element from which chunks are small */
    CHUNK_NS = 20000,        /* what a chunk of such elements should take */
    CHUNK_LEAST = 1024,      /* indices, of others */
    READ_BYTES = 128 << 10,  /* at once from a file, at least, where there is as much */
    STAGE_BYTES = 256 << 10, /* of buffers for strided elements, about, that a worker fills */
    NEAR_BYTES = 32 << 10,   /* where rows are read from end to end: what the nearest cache holds */
    STEP_BYTES =
        6 << 10, /* the same, where that takes no time but memory's: more comes meanwhile */
    UNIT_BYTES = 1 << 20,  /* and at most, so that whole lines of cache are read */
    SCAN_MOST = 1 << 20,   /* indices of a chunk of a SCAN, where that is free */
    SCAN_SHARES = 4,       /* chunks for each worker there: all have work while carries come */
    LOOSE_SHARES = 4,      /* the same where indices take different time, at least */
    CACHE_MOST = 32 << 20, /* one process cannot count on more of a large last-level cache */
    CACHE_LEAST = 1 << 20
};

/* Rough: a plain operation on wide vectors, and a byte of memory on a busy machine. */
static const double operation_ns = LUN_OPERATION_NS, byte_ns = 0.1;

/* Whether what the run touches outgrows the last-level caches. */
static bool exceeds_cache(int64_t bytes, int64_t cache)
{
    if (bytes <= CACHE_LEAST)
        return false;
    if (cache > 0)
        return bytes > cache;
#ifdef _SC_LEVEL3_CACHE_SIZE
    cache = sysconf(_SC_LEVEL3_CACHE_SIZE);
#endif
    return bytes > (cache > 0 && cache < CACHE_MOST ? cache : CACHE_MOST);
}

/* Indices of a chunk that has no fixed size, at most. */
static int64_t grain_of(const lun_cut_work *w, const lun_team *team)
{
    int64_t grain = LUN_CHUNK, each = w->bytes / w->count;
    double elements = CHUNK_NS / operation_ns / (double)w->cost;
    if (w->cost >= HEAVY && elements < LUN_CHUNK && !w->loose)
        return lun__split_round((int64_t)elements + 1, LUN_BLOCK);
    if (team->chunk_bytes > 0 && each > 0 && team->chunk_bytes / each < grain)
        grain = team->chunk_bytes / each / LUN_BLOCK * LUN_BLOCK;
    return grain < CHUNK_LEAST ? CHUNK_LEAST : grain;
}

double lun__split_guess(int64_t cost, int64_t count, int64_t bytes)
{
    return (double)count * (double)cost * operation_ns + (double)bytes * byte_ns;
}

/* How many workers are worth it; at least two of a team that was chosen for what was measured. */
static int64_t workers_for(const lun_cut_work *w, const lun_team *team)
{
    double ns = team->alone_ns > 0 ? team->alone_ns : lun__split_guess(w->cost, w->count, w->bytes);
    double most = ns / LUN_WORKER_NS;
    if (team->alone_ns > 0 && most < 2)
        most = 2;
    return most < team->threads ? (int64_t)most : team->threads;
}

/* One worker needs no totals of chunks: it makes as few chunks as it may. */
static int64_t scan_chunk(int64_t count, int64_t workers)
{
    int64_t most = workers > 1 ? LUN_SCAN_CHUNK : SCAN_MOST;
    int64_t least = workers > 1 ? LUN_CHUNK : LUN_BLOCK;
    int64_t chunk = lun__split_divide(count, workers > 1 ? workers * SCAN_SHARES : 1);
    chunk = chunk > most ? most : chunk < least ? least : chunk;
    return lun__split_round(chunk, LUN_BLOCK);
}

/* A chunk of so many indices, or different so that strided memory is read by whole lines of cache,
 * many of them side by side, and stays in the caches; at most a part of a worker's share. */
static int64_t staged_chunk(const lun_cut_work *w, int64_t chunk, int64_t share)
{
    enum { PARTS = 4 };
    int64_t bytes = w->need.columns && !w->need.shuffled ? NEAR_BYTES : STAGE_BYTES;
    int64_t most = w->need.strided ? bytes / w->need.strided : chunk, unit = w->need.unit;
    int64_t round = w->segment ? w->segment : LUN_BLOCK;
    if (chunk > most)
        chunk = most;
    if (unit && unit <= UNIT_BYTES / w->need.strided) {
        int64_t best = w->cost >= HEAVY ? chunk : share / PARTS < most ? share / PARTS : most;
        chunk = best > chunk ? best : chunk;
        if (chunk < share)
            chunk = chunk > unit ? chunk / unit * unit : unit;
    }
    return lun__split_round(chunk < 1 ? 1 : chunk, round);
}

/* Chunks that are read from a file, or from strided memory, at once. */
static int64_t batch_of(const lun_cut_work *w, int64_t chunk)
{
    int64_t batch = 1;
    if (w->scans)
        return 1;
    if (w->need.file && w->need.file * chunk < READ_BYTES)
        batch = lun__split_divide(READ_BYTES, w->need.file * chunk);
    if (w->need.unit > chunk && w->need.unit <= UNIT_BYTES / w->need.strided)
        batch = lun__split_divide(w->need.unit, chunk);
    return batch;
}

void lun__split_make(const lun_cut_work *w, const lun_team *team, lun_cut *out)
{
    double own_ns = (double)w->count * (double)w->cost * operation_ns;
    if (w->loose && team->alone_ns > own_ns) /* it may have loops */
        own_ns = team->alone_ns;
    int64_t workers = workers_for(w, team);
    *out = (lun_cut){.chunk = w->scans ? LUN_SCAN_CHUNK : LUN_CHUNK,
                     .stream = exceeds_cache(w->bytes, team->cache_bytes)};
    if (w->plain || w->segment) {
        int64_t whole = lun__split_divide(w->count, LUN_CHUNK),
                by_cost = (int64_t)(own_ns / LUN_WORKER_NS);
        if (workers > whole && workers > by_cost)
            workers = whole > by_cost ? whole : by_cost;
        if (workers < 1)
            workers = 1;
        /* the same for each worker, none larger than the grain */
        int64_t share = lun__split_divide(w->count, workers),
                parts = lun__split_divide(share, grain_of(w, team));
        out->chunk = lun__split_round(lun__split_divide(share, parts), LUN_BLOCK);
        if (w->chunk && w->plain)
            out->chunk = lun__split_round(w->chunk < w->count ? w->chunk : w->count, LUN_BLOCK);
        if (w->need.strided || w->segment)
            out->chunk = staged_chunk(w, out->chunk, share);
        if (w->lanes)
            out->chunk = lun__split_round(out->chunk, w->lanes);
        int64_t part = lun__split_divide(w->count, workers * LOOSE_SHARES);
        if (w->loose && workers > 1 && !(w->chunk && w->plain) && part < out->chunk)
            out->chunk = part;
    }
    if (w->free && !w->need.file && !w->segment)
        out->chunk = scan_chunk(w->count, workers);
    out->chunks = lun__split_divide(w->count, out->chunk);
    out->batch = w->segment ? 1 : batch_of(w, out->chunk);
    if (w->need.shuffled && w->plain && !w->need.file && out->batch == 1)
        out->step = lun__split_round(STEP_BYTES / w->need.strided + 1, LUN_BLOCK);
    /* a file is read best from its start to its end, in large pieces */
    out->in_order = w->need.file || out->batch > 1 || (w->plain && w->in_order);
    if (workers > lun__split_divide(out->chunks, out->batch))
        workers = lun__split_divide(out->chunks, out->batch);
    out->workers = workers < 1 ? 1 : (int)workers;
}

void lun__split_share(const lun_cut *cut, int shares, int s, int64_t *from, int64_t *to)
{
    int64_t share = cut->chunks / shares, more = cut->chunks % shares;
    *from = s * share + (s < more ? s : more);
    *to = *from + share + (s < more);
}
