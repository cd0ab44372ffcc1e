/* engine_open.c - opens and closes an engine: configuration, the state that each room keeps in it,
 * counters. */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/array/api.h"
#include "api/complex/complex_array.h"
#include "api/engine/engine_open.h"
#include "api/engine/plugins.h"
#include "api/engine/use.h"
#include "api/fourier/fft.h"
#include "api/record/record.h"
#include "api/text/text_array.h"
#include "api/time/time_array.h"
#include "base/sized.h"
#include "cache/cache.h"
#include "engine/state.h"
#include "eval/recipe.h"
#include "launch/kernels.h"
#include "launch/profile.h"
#include "lunarray_bind.h"
#include "ranks/ranks.h"
#include "steps/teams_step.h"
#include "store/export.h"
#include "store/pool.h"

/* ---- opening and closing --------------------------------------------------------------------- */

static lun_status jit_mode(lun_engine *e, const lun_config *c)
{
    static const char *const words[] = {
        [LUN_JIT_AUTO] = "auto", [LUN_JIT_SYNC] = "sync", [LUN_JIT_OFF] = "off"};
    const char *s = getenv("LUNARRAY_JIT");
    e->jit = (int)c->jit;
    if (c->jit != LUN_JIT_DEFAULT)
        return LUN_OK;
    e->jit = LUN_JIT_AUTO;
    if (!s || !*s)
        return LUN_OK;
    for (size_t i = LUN_JIT_AUTO; i < sizeof words / sizeof words[0]; i++)
        if (!strcmp(s, words[i])) {
            e->jit = (int)i;
            return LUN_OK;
        }
    return lun__fail(e, LUN_EARG, "LUNARRAY_JIT must be auto, sync or off, not '%s'", s);
}

/* A number of the configuration, times `unit` if it comes from the environment. */
static lun_status number(lun_engine *e, const char *variable, int64_t configured, int64_t usual,
                         int64_t unit, int64_t *out)
{
    const char *s = getenv(variable);
    *out = configured ? configured : usual;
    if (configured || !s || !*s)
        return LUN_OK;
    size_t digits = strspn(s, "0123456789");
    if (s[digits] || strspn(s, "0") == digits)
        return lun__fail(e, LUN_EARG, "%s must be a positive number, not '%s'", variable, s);
    *out = digits > 9 ? INT64_MAX : atoll(s) * unit;
    return LUN_OK;
}

/* The bounds of the kernels kept in memory. Plans take a quarter of that. */
static lun_status kernel_bounds(lun_engine *e, const lun_config *c)
{
    enum { KERNELS = 4096, MEMORY = 64, MEGABYTE = 1000000, OF_LIMIT = 8 };
    int64_t bytes;
    lun_status s = number(e, "LUNARRAY_KERNELS", c->kernels, KERNELS, 1, &e->kernels_most);
    if (s == LUN_OK)
        s = number(e, "LUNARRAY_KERNEL_MEMORY", c->kernel_memory, (int64_t)MEMORY * MEGABYTE,
                   MEGABYTE, &bytes);
    if (s != LUN_OK)
        return s;
    if (c->memory_limit && bytes > c->memory_limit / OF_LIMIT)
        bytes = c->memory_limit / OF_LIMIT;
    e->recipe_bytes_most = bytes / 4;
    e->kernel_bytes_most = bytes - bytes / 4;
    return LUN_OK;
}

/* The first number of OMP_NUM_THREADS, which may be a list with one for each level; 0: there is
 * none. */
static int64_t openmp_threads(void)
{
    const char *s = getenv("OMP_NUM_THREADS");
    s = s ? s + strspn(s, " \t") : "";
    const size_t digits = strspn(s, "0123456789"), end = digits + strspn(s + digits, " \t");
    if (s[end] && s[end] != ',')
        return 0;
    return digits > 9 ? INT64_MAX : atoll(s);
}

/* The number of threads asked for, 0: none is, and who asks: an option or a variable. */
static lun_status thread_count(lun_engine *e, const lun_config *c, int *count, const char **by)
{
    int64_t threads;
    lun_status s = number(e, "LUNARRAY_THREADS", c->threads, 0, 1, &threads);
    if (s != LUN_OK)
        return s;
    *by = c->threads ? "lun_config.threads" : "LUNARRAY_THREADS";
    if (!threads) {
        threads = openmp_threads();
        *by = threads ? "OMP_NUM_THREADS" : NULL;
    }
    *count = threads < LUN_MAX_THREADS ? (int)threads : LUN_MAX_THREADS;
    return LUN_OK;
}

/* The highest level of instructions; backends know the names. */
static lun_status isa_level(lun_engine *e)
{
    static const char *const words[] = {"", "base", "avx2", "avx512"};
    const char *s = getenv("LUNARRAY_ISA");
    for (size_t i = 0; s && i < sizeof words / sizeof *words; i++)
        if (!strcmp(s, words[i]))
            return LUN_OK;
    return s ? lun__fail(e, LUN_EARG, "LUNARRAY_ISA must be base, avx2 or avx512, not '%s'", s)
             : LUN_OK;
}

/* With ranks the others wait for this one from here on, also after a failure. */
static lun_status link_ranks(lun_engine *e, const char *places)
{
    lun_status s = lun_names_ranks(places) ? lun__ranks_link(e) : LUN_OK;
    if (s == LUN_OK && e->services.link && e->services.link->rank)
        return lun__fail(e, LUN_EARG, "rank %d serves rank 0: it calls lun_serve, not lun_open",
                         e->services.link->rank);
    return s;
}

static lun_status set_up(lun_engine *e, const lun_config *c)
{
    const char *places = c->backend ? c->backend : getenv("LUNARRAY_BACKEND");
    const char *cc = getenv("LUNARRAY_CC"), *dir = getenv("LUNARRAY_CACHE_DIR");
    const char *threads_by = NULL, *bits = NULL;
    int threads = 0, bind = LUN_BIND_AUTO;
    int64_t cache_size = 0;
    e->config = *c;
    e->config.backend = e->config.cache_dir = NULL;
    e->local_rank = lun__local_rank(&e->config);
    lun_status s = link_ranks(e, places);
    if (s == LUN_OK)
        s = jit_mode(e, c);
    if (s == LUN_OK)
        s = thread_count(e, c, &threads, &threads_by);
    if (s == LUN_OK)
        s = lun__use_bind_wanted(e, &bind);
    if (s == LUN_OK)
        s = isa_level(e);
    if (s == LUN_OK)
        s = lun__use_bits_wanted(e, &bits);
    if (s == LUN_OK)
        s = kernel_bounds(e, c);
    if (s == LUN_OK)
        s = number(e, "LUNARRAY_CACHE_SIZE", c->cache_size, LUN_CACHE_SIZE, 1000000, &cache_size);
    if (s != LUN_OK)
        return s;
    e->sandbox = c->sandbox;
    e->own_account->limit = c->memory_limit;
    e->compiler = strdup(cc && cc[0] ? cc : "cc");
    if (c->cache_dir)
        dir = c->cache_dir;
    e->cache_dir = dir ? strdup(dir) : NULL;
    e->label_of = lun__array_label_of;
    e->kinds[LUN_KIND_TEXT] = &lun__text_kind;
    e->kinds[LUN_KIND_TIME] = &lun__time_kind;
    e->kinds[LUN_KIND_COMPLEX] = &lun__complex_kind;
    e->kinds[LUN_KIND_RECORD] = &lun__record_kind;
    e->pool = lun__pool_open(c, &e->stats, e->account, e->tools);
    if (!e->compiler || (dir && !e->cache_dir) || !e->pool)
        return LUN_ENOMEM;
    s = lun__cache_open(e->cache_dir, cache_size, lun__log_cache, &e->logger, &e->cache);
    if (s != LUN_OK)
        return s;
    e->services = (lun_services){.error = &e->error,
                                 .stats = &e->stats,
                                 .account = e->account,
                                 .cache = e->cache,
                                 .compiler = e->compiler,
                                 .threads = threads,
                                 .threads_by = threads_by,
                                 .bind = bind,
                                 .jit = e->jit,
                                 .math = e->math,
                                 .bits = bits,
                                 .log = lun__log_compile,
                                 .log_ctx = &e->logger,
                                 .cancel = &e->cancel,
                                 .event = lun__tools_event,
                                 .event_ctx = e->tools,
                                 .link = e->services.link};
    e->opened_threads = threads;
    e->opened_threads_by = threads_by;
    s = number(e, "LUNARRAY_CHECK", 0, 0, 1, &e->checks);
    if (s == LUN_OK)
        s = lun__set_list(e);
    if (s == LUN_OK)
        s = lun__plugins_add(e);
    return s == LUN_OK ? lun__set_choose(e, places) : s;
}

/* Why a configuration makes no sense, NULL if it does. */
static const char *senseless(const lun_config *given, const lun_config *c)
{
    if (given->size && given->size < offsetof(lun_config, alloc_ctx))
        return "lun_config: size must be sizeof(lun_config)";
    if ((unsigned)c->jit > LUN_JIT_OFF)
        return "lun_config: no such jit";
    if (c->threads < 0 || c->memory_limit < 0 || !(c->time_limit >= 0))
        return "lun_config: threads, memory_limit and time_limit must not be negative";
    if (c->kernels < 0 || c->kernel_memory < 0 || c->cache_size < 0)
        return "lun_config: kernels, kernel_memory and cache_size must not be negative";
    return NULL;
}

/* Where LUNARRAY_TRACE says so, but in a sandbox. */
static lun_status trace_from_start(lun_engine *e)
{
    const char *path = e->sandbox ? NULL : getenv("LUNARRAY_TRACE");
    return path && *path ? lun_trace(e, path) : LUN_OK;
}

/* tools: those of the user's engine, for a worker's; NULL: it has its own. */
static lun_status open_engine(const lun_config *config, lun_tools *tools, lun_engine **out)
{
    lun_config c = {.size = sizeof c};
    if (config)
        lun__sized_take(&c, config, sizeof c);
    const char *wrong = !out     ? "the pointer for the engine is missing (NULL)"
                        : config ? senseless(config, &c)
                                 : NULL;
    if (wrong) {
        lun__fail_open(wrong);
        return LUN_EARG;
    }
    lun_engine *e = calloc(1, sizeof *e);
    lun__fail_open(e ? "" : "out of memory");
    if (e) {
        e->account = e->own_account = lun__account_open();
        e->own_tools = tools ? NULL : lun__tools_open();
        e->tools = tools ? tools : e->own_tools;
    }
    if (!e || !e->account || !e->tools) {
        if (e && e->account)
            lun__account_drop(e->account);
        if (e)
            lun__tools_close(e->own_tools);
        free(e);
        lun__fail_open("out of memory");
        return LUN_ENOMEM;
    }
    e->error.message = true;
    lun__log_open(&e->logger, c.log, c.log_ctx);
    lun_status s = set_up(e, &c);
    if (s == LUN_OK && !tools)
        s = lun__plugins_watch(e);
    if (s == LUN_OK && !tools)
        s = trace_from_start(e);
    if (s != LUN_OK) {
        if (s == LUN_ENOMEM && !e->error.length)
            lun__fail_nomem(e);
        lun__fail_open(lun_error(e));
        lun__log(&e->logger, LUN_LOG_ERROR, "door", lun_error(e));
        lun_close(e);
        return s;
    }
    *out = e;
    return LUN_OK;
}

lun_status lun_open(const lun_config *config, lun_engine **out)
{
    return open_engine(config, NULL, out);
}

lun_status lun__engine_open_worker(const lun_config *config, lun_engine *of, lun_engine **out)
{
    return open_engine(config, of->tools, out);
}

static void free_backends(lun_engine *e)
{
    for (int i = 0; i < e->backend_count; i++) {
        free(e->backends[i]->reason);
        free(e->backends[i]->counted);
        free(e->backends[i]);
    }
    free(e->backends);
    free(e->set);
}

void lun_close(lun_engine *e)
{
    if (!e)
        return;
    lun_host_on_cancel(e, NULL);
    lun__tools_end(e->own_tools);
    lun__enter_release_later(e);
    lun__ranks_close(e);
    lun__shared_close(e);
    if (e->host_close)
        e->host_close(e->host);
    if (e->queues)
        e->queues_end(e);
    lun__arrays_end(e); /* while the devices that hold their elements are still open */
    lun__fft_forget(e);
    lun__recipes_flush(e);
    lun__teams_step_flush(e);
    lun__kernels_flush(e);
    lun__exports_close(e);
    for (int i = 0; i < e->backend_count; i++)
        if (e->backends[i]->state)
            e->backends[i]->backend->close(e->backends[i]->state);
    for (int i = 0; i < LUN_OVERRIDES; i++)
        if (e->overrides[i].state)
            e->overrides[i].backend->close(e->overrides[i].state);
    lun__nodes_close(e);
    lun__storage_close(e);
    lun__arrays_close(e);
    if (e->cache)
        lun__cache_close(e->cache);
    lun__pool_close(e->pool);
    lun__tools_close(e->own_tools);
    lun__watch_close(e->watch);
    lun__profile_free(e->profile);
    lun__strbuf_free(&e->refused_plugins);
    for (int i = 0; i < e->source_line_count; i++)
        free(e->source_lines[i]);
    free(e->source_lines);
    free_backends(e);
    free(e->told);
    free(e->compiler);
    free(e->cache_dir);
    lun__strbuf_free(&e->error);
    lun__strbuf_free(&e->error_plain);
    lun__strbuf_free(&e->error_message);
    lun__log_close(&e->logger);
    lun__account_drop(e->own_account);
    free(e);
}

int lun_version_num(void)
{
    return LUN_VERSION_NUM;
}

const char *lun_version(void)
{
    return LUN_VERSION;
}

lun_status lun_time_limit(lun_engine *e, double seconds)
{
    LUN_NEED(e, true);
    if (!(seconds >= 0))
        return lun__fail(e, LUN_EARG, "a time limit must not be negative");
    e->config.time_limit = seconds;
    return LUN_OK;
}

void lun_config_get(const lun_engine *e, lun_config *out)
{
    LUN_NEED_OR(e, );
    if (out)
        lun__sized_give(out, &e->config, sizeof *out);
}

void lun_host_set(lun_engine *e, void *data, void (*close)(void *data))
{
    LUN_NEED_OR(e, );
    e->host = data;
    e->host_close = close;
}

void lun_host_on_cancel(lun_engine *e, void (*stop)(void *data))
{
    if (e)
        __atomic_store_n(&e->host_stop, stop, __ATOMIC_RELEASE);
}

void lun_host_on_trim(lun_engine *e, void (*collect)(void *data))
{
    LUN_NEED_OR(e, );
    e->host_trim = collect;
}

void *lun_host_get(lun_engine *e)
{
    LUN_NEED_OR(e, NULL);
    return e->host;
}

/* ---- counters -------------------------------------------------------------------------------- */

void lun_stats_get(const lun_engine *e, lun_stats *out)
{
    static const lun_stats none;
    if (!e && out)
        lun__sized_give(out, &none, sizeof *out);
    LUN_NEED_OR(e, );
    lun__exports_collect((lun_engine *)(uintptr_t)e);
    lun_stats now = e->stats;
    now.allocated = __atomic_load_n(&e->account->elements, __ATOMIC_RELAXED);
    now.peak = __atomic_load_n(&e->account->peak, __ATOMIC_RELAXED);
    if (out)
        lun__sized_give(out, &now, sizeof *out);
}

bool lun_memory_take(lun_engine *e, int64_t bytes)
{
    return !e || lun__account_take(e->account, bytes);
}

void lun_memory_give(lun_engine *e, int64_t bytes)
{
    if (e)
        lun__account_give(e->account, bytes);
}

int64_t lun_memory_used(const lun_engine *e)
{
    return e ? lun__account_used(e->account) : 0;
}

void lun_stats_gather(lun_engine *e)
{
    LUN_NEED_OR(e, );
    for (int i = 0; i < e->backend_count; i++)
        if (e->backends[i]->can.counts_late) /* what fails does so again in an evaluation */
            (void)lun__backend_finish(e->backends[i]);
}

void lun_stats_reset(lun_engine *e)
{
    LUN_NEED_OR(e, );
    lun_stats_gather(e);
    lun_stats s = {.allocated = e->stats.allocated,
                   .pooled = e->stats.pooled,
                   .nodes = e->stats.nodes,
                   .kernels = e->stats.kernels,
                   .kernel_bytes = e->stats.kernel_bytes};
    e->stats = s;
    __atomic_store_n(&e->account->peak, __atomic_load_n(&e->account->elements, __ATOMIC_RELAXED),
                     __ATOMIC_RELAXED);
    for (int i = 0; i < e->backend_count; i++)
        if (e->backends[i]->counted)
            *e->backends[i]->counted = (lun_place_stats){.size = sizeof(lun_place_stats)};
}

int64_t lun_pressure(lun_engine *e)
{
    LUN_NEED_OR(e, 0);
    return lun__pool_pressure(e->pool);
}

int64_t lun_thrifty(lun_engine *e, bool on)
{
    LUN_NEED_OR(e, 0);
    return lun__pool_thrifty(e->pool, on && !lun__state_of_ranks(e)); /* all ranks go on alike */
}

void lun_trim(lun_engine *e)
{
    LUN_NEED_OR(e, );
    if (e->host_trim)
        e->host_trim(e->host);
    lun__fft_forget(e);
    lun__exports_collect(e);
    lun__pool_trim(e->pool);
}

/* What bundles need: the backend that compiles kernels for the host. */
static lun_status bundling(lun_engine *e, const char *path, lun_backend_slot **by)
{
    if (e->sandbox)
        return lun__fail(e, LUN_EARG, "kernel bundles are not allowed in the sandbox");
    if (!path)
        return lun__fail(e, LUN_EARG, "no file given (NULL)");
    lun_status s = lun__backend_native(e, by);
    if (s != LUN_OK || !*(*by)->can.machine.first)
        return lun__fail(e, LUN_EBACKEND, "no backend of this build compiles kernels for the host");
    lun__fail_clear(e);
    return LUN_OK;
}

lun_status lun_cache_export(lun_engine *e, const char *path, int64_t *count)
{
    LUN_NEED(e, count);
    lun_backend_slot *by;
    lun_status s = bundling(e, path, &by);
    if (s == LUN_OK)
        s = lun__cache_bundle_export(e->cache, path, &by->can.machine, count, &e->error);
    return s == LUN_ENOMEM ? lun__fail_nomem(e) : s;
}

lun_status lun_cache_import(lun_engine *e, const char *path, int64_t *count)
{
    LUN_NEED(e, count);
    lun_backend_slot *by;
    lun_status s = bundling(e, path, &by);
    if (s == LUN_OK)
        s = lun__cache_bundle_import(e->cache, path, &by->can.machine, count, &e->error);
    return s == LUN_ENOMEM ? lun__fail_nomem(e) : s;
}

void lun_cache_info(lun_engine *e, bool clear, lun_cache_state *out)
{
    LUN_NEED_OR(e, );
    if (!out)
        return;
    lun_cache_state state;
    lun__cache_survey(e->cache, clear, &state);
    lun__sized_give(out, &state, sizeof state);
}

void lun_bytes_free(lun_engine *e, void *bytes)
{
    (void)e; /* a later library may keep them in the engine's memory */
    free(bytes);
}
