/* shared_algorithm.c - the steps of a plan that do an algorithm on the locations of a set: sort and
 * argsort, topk, unique, and what takes its operands in order.  Each location does it for its
 * shard; how what they give comes together is sorted_exchange.h's. */
#include <stdlib.h>
#include <string.h>

#include "launch/launch_dist.h"
#include "launch/profile.h"
#include "sets/shared_steps.h"
#include "sets/sorted_exchange.h"
#include "steps/algorithm_step.h"

enum { FEW = 16384 /* values of all locations that the host joins: about what a step takes */ };

/* ---- what each location makes of its shard --------------------------------------------------- */

/* Where columns go: to storages at the locations, NULL: one after the other on the host. */
typedef struct columns {
    lun_storage *const *to;
    int count;
} columns;

/* Location k is to run it, with memory for `most` results; on the host they begin at `at`. */
static lun_status want_shard(lun_exchange *x, int k, lun_algorithm which, columns c, int64_t most,
                             int64_t at)
{
    const lun_interval own = x->at[k].shard, samples = x->at[k].samples;
    lun_algorithm_run *r = lun__shard_run_want(x, k, which);
    r->segment = which == LUN_ALGORITHM_SORT || which == LUN_ALGORITHM_ARGSORT ? x->n->step : 0;
    r->first = own.lo;
    if (which == LUN_ALGORITHM_ORDERED || which == LUN_ALGORITHM_TOPK)
        r->option[1] += (uint64_t)own.lo;
    r->every = x->every;
    lun_status s = lun__shard_run_load(x, k, r);
    for (int i = 0; s == LUN_OK && c.to && i < c.count; i++)
        s = lun__shard_run_room(x, c.to[i], k, own.lo, own.lo + most, &r->out[i]);
    for (int i = 0; !c.to && i < c.count; i++)
        r->out[i] = lun__shard_run_column(x->host[i], at, most);
    if (x->samples)
        r->out[2] = (lun_column){x->samples + samples.lo * lun__exchange_size(x->run[0]),
                                 r->in[0].dtype, samples.hi - samples.lo, true};
    return s;
}

/* Where memory is taken for few results first, locations that have more run it again. */
static lun_status run_shards(lun_exchange *x, lun_algorithm which, columns c)
{
    const bool few = lun__algorithm_rows[which].found == LUN_LENGTH_FEW;
    int64_t at = 0;
    lun_status s = LUN_OK;
    for (int k = 0; s == LUN_OK && k < x->places; at += x->at[k++].count) {
        const int64_t n = x->at[k].shard.hi - x->at[k].shard.lo;
        const int64_t most = few ? lun__algorithm_few(n) : c.to ? n : x->at[k].count;
        if (n > 0)
            s = want_shard(x, k, which, c, most, at);
    }
    if (s == LUN_OK)
        s = lun__shard_run(x);
    for (int k = 0; s == LUN_OK && few && k < x->places; k++)
        if (x->at[k].shard.lo < x->at[k].shard.hi && !x->at[k].r.out[0].n)
            s = want_shard(x, k, which, c, x->at[k].shard.hi - x->at[k].shard.lo, 0);
    if (s == LUN_OK && few)
        s = lun__shard_run(x);
    for (int k = 0; s == LUN_OK && k < x->places; k++)
        if (x->at[k].shard.lo < x->at[k].shard.hi)
            x->at[k].count = x->at[k].found = x->at[k].r.out[0].n;
    return s;
}

/* ---- each algorithm -------------------------------------------------------------------------- */

/* SORT, ARGSORT: whole lines at each location, or one line that all share. */
static lun_status order(lun_exchange *x)
{
    lun_status s = LUN_OK;
    x->columns = x->n->op == LUN_ALGORITHM_ARGSORT ? 2 : 1;
    x->every = lun__placing_apart(x->n, x->cut);
    if (!x->every) {
        s = lun__placement_result(x->e, (lun_dtype)x->n->dtype, x->n->n, x->cut, &x->result[0]);
        return s == LUN_OK ? run_shards(x, (lun_algorithm)x->n->op, (columns){x->result, 1}) : s;
    }
    s = lun__exchange_open(x);
    lun_storage **merged = &x->merged[x->columns - 1];
    if (s == LUN_OK)
        s = lun__placement_decide(x->e, *merged, x->cut);
    if (s == LUN_OK)
        s = lun__exchange_reserve(x);
    if (s == LUN_OK)
        s = run_shards(x, LUN_ALGORITHM_ORDERED, (columns){x->run, x->columns});
    if (s == LUN_OK)
        s = lun__exchange_splitters(x);
    x->result[0] = *merged;
    *merged = NULL;
    return s;
}

/* TOPK: the first elements of all are among those of each shard. */
static lun_status choose_first(lun_exchange *x)
{
    int64_t total = 0;
    for (int k = 0; k < x->places; k++) {
        const int64_t n = x->at[k].shard.hi - x->at[k].shard.lo;
        x->at[k].count = n < x->n->n ? n : x->n->n;
        total += x->at[k].count;
    }
    lun_status s = lun__shard_run_host(x, total);
    if (s == LUN_OK)
        s = run_shards(x, LUN_ALGORITHM_TOPK, (columns){NULL, 2});
    return s == LUN_OK ? lun__shard_run_join(x, x->n->n) : s;
}

/* The runs of all locations to the host: each is the merge of one. */
static lun_status bring_runs(lun_exchange *x, int64_t total)
{
    int64_t at = 0;
    lun_status s = lun__shard_run_host(x, total);
    for (int k = 0; s == LUN_OK && k < x->places; at += x->at[k++].count) {
        if (!x->at[k].count)
            continue;
        lun_algorithm_run *r = lun__shard_run_want(x, k, LUN_ALGORITHM_MERGED);
        for (int i = 0; i < 2; i++) {
            r->in[i] = lun__shard_run_of(x, i, k);
            r->out[i] = lun__shard_run_column(x->host[i], at, x->at[k].count);
        }
        r->in[2] = (lun_column){&x->at[k].count, LUN_I64, 1, true};
    }
    return s == LUN_OK ? lun__shard_run(x) : s;
}

/* UNIQUE: the different values of each shard, those of all made one. */
static lun_status tell_apart(lun_exchange *x)
{
    int64_t total = 0;
    x->once = true;
    lun_status s = lun__exchange_open(x);
    if (s == LUN_OK)
        s = run_shards(x, LUN_ALGORITHM_UNIQUE, (columns){x->run, 2});
    for (int k = 0; k < x->places; k++)
        total += x->at[k].count;
    if (s == LUN_OK && (total <= FEW || lun__state_of_ranks(x->e))) { /* which all want them */
        s = bring_runs(x, total);
        return s == LUN_OK ? lun__shard_run_join(x, 0) : s;
    }
    if (s == LUN_OK)
        s = lun__exchange_splitters(x);
    return s == LUN_OK ? lun__shard_run_found(x, x->merged, LUN_SPREAD_BLOCK) : s;
}

/* So many counts of each shard, one after the other on the host, are added. */
static void add_counts(const lun_exchange *x, int64_t n, int64_t *to)
{
    const int64_t *from = x->host[0]->data;
    memset(to, 0, (size_t)n * sizeof *to);
    for (int part = 0; part < x->parts; part++)
        for (int64_t i = 0; i < n; i++)
            to[i] += from[part * n + i];
}

/* HISTOGRAM */
static lun_status count_bins(lun_exchange *x)
{
    const int64_t bins = x->n->n;
    for (int k = 0; k < x->places; k++)
        x->at[k].count = x->at[k].shard.lo < x->at[k].shard.hi ? bins : 0;
    lun_status s = lun__storage_new(x->e, LUN_I64, x->parts * bins, &x->host[0]);
    if (s == LUN_OK)
        s = run_shards(x, LUN_ALGORITHM_HISTOGRAM, (columns){NULL, 1});
    if (s == LUN_OK)
        s = lun__storage_new(x->e, LUN_I64, bins, &x->result[0]);
    if (s == LUN_OK)
        add_counts(x, bins, x->result[0]->data);
    return s;
}

/* Memory on the host instead of what is there. */
static lun_status make_host(lun_exchange *x, lun_storage **s, lun_dtype t, int64_t n)
{
    if (*s)
        lun__storage_release(x->e, *s);
    *s = NULL;
    return lun__storage_new(x->e, t, n, s);
}

/* Location k counts digits of its candidates, and keeps those that have them if they are few. */
static lun_status want_digits(lun_exchange *x, int k, int64_t counts, int64_t part)
{
    const lun_interval own = x->at[k].shard;
    const int64_t room = (own.hi - own.lo) / 32; /* fewer than there are */
    const bool kept = x->at[k].kept;
    lun_algorithm_run *r = lun__shard_run_want(x, k, LUN_ALGORITHM_DIGITS);
    lun_status s = kept ? LUN_OK : lun__shard_run_load(x, k, r);
    if (s == LUN_OK && !kept && room)
        s = lun__shard_run_room(x, x->run[0], k, own.lo, own.lo + room, &r->out[1]);
    if (kept)
        r->in[0] = lun__shard_run_of(x, 0, k);
    r->in[1] = lun__shard_run_column(x->host[1], 0, x->host[1]->count);
    r->out[0] = lun__shard_run_column(x->host[0], part * counts, counts);
    return s;
}

/* Digits of all candidates, of so many counts; the sums stand behind those of locations. */
static lun_status count_digits(lun_exchange *x, int64_t counts)
{
    const bool some = lun__algorithm_digit_some(x->host[1]->data);
    int64_t part = 0;
    lun_status s = make_host(x, &x->host[0], LUN_I64, (x->parts + 1) * counts);
    for (int k = 0; s == LUN_OK && k < x->places; k++)
        if (x->at[k].shard.lo < x->at[k].shard.hi)
            s = want_digits(x, k, counts, part++);
    if (s == LUN_OK)
        s = lun__shard_run(x);
    part = 0;
    for (int k = 0; s == LUN_OK && k < x->places; k++) {
        const int64_t *own = (const int64_t *)x->host[0]->data + part * counts;
        const lun_column *fit = &x->at[k].r.out[1];
        int64_t found = 0;
        if (x->at[k].shard.lo >= x->at[k].shard.hi)
            continue;
        part++;
        for (int64_t i = 0; i < counts - 1; i++)
            found += own[i];
        if (!some && !x->at[k].kept && fit->data && found == fit->n) {
            x->at[k].kept = true;
            x->at[k].count = found;
        }
    }
    if (s == LUN_OK)
        add_counts(x, counts, (int64_t *)x->host[0]->data + x->parts * counts);
    return s;
}

/* The next digits of what is asked for, by the sums of so many counts. */
static lun_status narrow(lun_exchange *x, int64_t counts)
{
    const lun_node *in = x->n->more[0], *parts = x->n->more[1];
    lun_algorithm_run r = {.which = LUN_ALGORITHM_NARROW, .option = {x->n->cell}};
    if (counts)
        r.in[0] = lun__shard_run_column(x->host[0], x->parts * counts, counts);
    lun_status s = lun__shard_run_whole(x, 1, &r.in[1]);
    r.in[2] = lun__work_column(NULL, (lun_dtype)in->dtype, in->n);
    r.out[0] = lun__shard_run_column(x->result[0], 0, parts->n);
    r.out[1] = lun__shard_run_column(x->host[1], 0, x->host[1]->count);
    return s == LUN_OK ? lun__shard_run_native(x, &r) : s;
}

/* QUANTILE of all elements, digit by digit of their keys. */
static lun_status narrow_down(lun_exchange *x)
{
    const lun_node *in = x->n->more[0];
    int64_t counts = 0;
    lun_status s = lun__storage_empty(x->e, (lun_dtype)in->dtype, in->n, &x->run[0]);
    if (s == LUN_OK)
        s = make_host(x, &x->host[1], LUN_I64, lun__algorithm_digit_state(x->n->more[1]->n));
    if (s == LUN_OK)
        s = lun__storage_new(x->e, (lun_dtype)x->n->dtype, x->n->n, &x->result[0]);
    do {
        if (s == LUN_OK && counts)
            s = count_digits(x, counts);
        if (s == LUN_OK)
            s = narrow(x, counts);
        counts = s == LUN_OK ? lun__algorithm_digit_counts(x->host[1]->data) : 0;
    } while (counts);
    return s;
}

/* What takes its operands in order: what it gives of a shard stays at its location. */
static lun_status take(lun_exchange *x)
{
    x->columns = 1;
    lun_status s = lun__storage_empty(x->e, (lun_dtype)x->n->dtype, x->n->more[0]->n, &x->run[0]);
    if (s == LUN_OK)
        s = run_shards(x, (lun_algorithm)x->n->op, (columns){x->run, 1});
    return s == LUN_OK ? lun__shard_run_found(x, x->run, x->cut->kind) : s;
}

/* ---- all of it ------------------------------------------------------------------------------- */

/* n, and `also`, its further result or NULL, have their elements. */
static void give(lun_exchange *x, lun_node *also, double transfer)
{
    lun_engine *e = x->e;
    lun_node *const node[] = {x->n, also};
    int64_t taken = 0, read = 0, written = 0; /* elements; bytes */
    for (int k = 0; k < x->places; k++)
        taken += x->at[k].shard.hi - x->at[k].shard.lo;
    for (int i = 0; i < x->n->count; i++)
        if (x->n->more[i]->kind != LUN_NODE_NUMBER)
            read += taken * lun__exchange_size(x->n->more[i]->storage);
    e->stats.algorithms += x->parts;
    e->stats.run_time += x->seconds;
    for (int i = 0; i < 2; i++)
        written += node[i] ? x->result[i]->count * lun__exchange_size(x->result[i]) : 0;
    e->stats.bytes_read += read;
    e->stats.bytes_written += written;
    if (e->profiling)
        lun__profile_algorithm(e, x->n, x->seconds, e->stats.transfer_time - transfer,
                               read + written);
    for (int i = 1; i >= 0; i--) { /* a result before what it is of */
        if (!node[i])
            continue;
        node[i]->n = x->result[i]->count;
        lun__node_become_leaf(e, node[i], x->result[i], 0);
        x->result[i] = NULL;
    }
}

static lun_node *algorithm_of(const lun_share *x)
{
    lun_node *n = x->step->node;
    return n->kind == LUN_NODE_RESULT ? n->in[0] : n;
}

static lun_status open_locations(lun_exchange *x)
{
    x->places = x->cut->places;
    x->at = calloc((size_t)x->places, sizeof *x->at);
    if (!x->at)
        return lun__fail_nomem(x->e);
    for (int k = 0; k < x->places; k++) {
        const lun_backend_slot *at = lun__set_at(x->e, k);
        const bool apart = at->backend->buffer_new != NULL;
        x->at[k].shard = x->share->rule->work(x->share->step, x->cut, k);
        x->at[k].device = apart && lun__placing_takes(at, x->n);
        x->at[k].lent = apart && !x->at[k].device;
        const int64_t n = x->at[k].shard.hi - x->at[k].shard.lo;
        x->parts += n > 0;
        x->longest = n > x->longest ? n : x->longest;
    }
    return LUN_OK;
}

static void close_all(lun_exchange *x)
{
    lun_storage **const all[] = {x->run, x->received, x->merged, x->host, x->joined, x->result};
    for (size_t i = 0; i < 2 * sizeof all / sizeof *all; i++)
        if (all[i / 2][i % 2])
            lun__storage_release(x->e, all[i / 2][i % 2]);
    for (int i = 0; i < LUN_ALGORITHM_OPERANDS; i++)
        if (x->number[i])
            lun__storage_release(x->e, x->number[i]);
    if (x->scratch)
        lun__pool_give(x->e->pool, x->scratch, x->scratch_bytes);
    lun__node_release(x->e, x->n);
    free(x->words);
    free(x->at);
    free(x);
}

static lun_status share(const lun_share *shared, lun_status (*work)(lun_exchange *x))
{
    lun_engine *e = shared->e;
    const bool once = shared->rule->once;
    const int current = e->current;
    const double transfer = e->stats.transfer_time;
    lun_exchange *x = calloc(1, sizeof *x);
    lun_node *further = NULL;
    if (!x)
        return lun__fail_nomem(e);
    *x = (lun_exchange){.e = e, .share = shared, .cut = shared->cut, .columns = 2};
    x->n = lun__node_retain(algorithm_of(shared));
    lun_status s = open_locations(x);
    if (s == LUN_OK && once && lun__algorithm_rows[x->n->op].results > 1)
        s = lun__fold_node_result(e, x->n, 1, &further); /* there is one already if it is asked */
    if (s == LUN_OK)
        s = work(x);
    if (s == LUN_OK)
        s = lun__share_settle(shared);
    e->current = current;
    if (s == LUN_OK)
        give(x, further, transfer);
    lun__node_release(e, further);
    close_all(x);
    return s;
}

lun_status lun__shared_algorithm_order(const lun_share *x)
{
    return share(x, order);
}

lun_status lun__shared_algorithm_choose(const lun_share *x)
{
    if (lun__node_ready(x->step->node)) /* made with another result */
        return LUN_OK;
    const int which = algorithm_of(x)->op;
    return share(x, which == LUN_ALGORITHM_TOPK       ? choose_first
                    : which == LUN_ALGORITHM_UNIQUE   ? tell_apart
                    : which == LUN_ALGORITHM_QUANTILE ? narrow_down
                                                      : count_bins);
}

lun_status lun__shared_algorithm(const lun_share *x)
{
    return share(x, take);
}
