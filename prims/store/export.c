/* export.c - references to storage from outside of the engine, which may outlive it.
 *
 * Invariant: while the engine is open its thread alone touches storages: an export that ends goes
 * into the list `ended` under the lock, and the engine releases it when it next makes or evaluates
 * an array or gives its counters.  After lun_close the storages that are still held belong to their
 * exports, are in host memory alone, and their references are counted under the lock.  `refs` is
 * the number of exports, and 1 for the engine while it is open; the ledger ends with the last of
 * them. */
#include "store/export.h"

#include <pthread.h>
#include <stdlib.h>

#include "engine/state.h"
#include "store/pool.h"

struct lun_exports {
    pthread_mutex_t lock;
    int64_t refs; /* exports, and the engine while it is open */
    bool open;
    lun_export *ended; /* read without the lock, too */
    void *(*alloc)(void *ctx, void *old, size_t bytes);
    void *alloc_ctx;
};

static lun_exports *new_exports(const lun_config *config)
{
    lun_exports *l = calloc(1, sizeof *l);
    if (!l)
        return NULL;
    if (pthread_mutex_init(&l->lock, NULL)) {
        free(l);
        return NULL;
    }
    l->refs = 1;
    l->open = true;
    l->alloc = config->alloc;
    l->alloc_ctx = config->alloc_ctx;
    return l;
}

static void free_exports(lun_exports *l)
{
    pthread_mutex_destroy(&l->lock);
    free(l);
}

lun_status lun__export_begin(lun_engine *e, lun_storage *s, lun_export *x)
{
    if (!e->exports)
        e->exports = new_exports(&e->config);
    lun_exports *l = e->exports;
    if (!l)
        return lun__fail_nomem(e);
    *x = (lun_export){.of = l, .storage = s, .next = e->exported, .link = &e->exported};
    if (x->next)
        x->next->link = &x->next;
    e->exported = x;
    s->refs++;
    s->exported++;
    pthread_mutex_lock(&l->lock);
    l->refs++;
    pthread_mutex_unlock(&l->lock);
    return LUN_OK;
}

/* Gives x up where the engine has ended, or is about to. */
static void end_outside(lun_export *x)
{
    lun_exports *l = x->of;
    lun_storage *s = x->storage;
    pthread_mutex_lock(&l->lock);
    const bool last = --s->refs == 0, all = --l->refs == 0;
    /* another thread may free the ledger as soon as it is unlocked */
    void *(*const alloc)(void *ctx, void *old, size_t bytes) = l->alloc;
    void *const ctx = l->alloc_ctx;
    pthread_mutex_unlock(&l->lock);
    if (last) {
        if (s->bytes)
            lun__pool_free(alloc, ctx, s->data, s->bytes);
        else if (s->release)
            s->release(s->data, s->ctx);
        free(s);
    }
    if (all)
        free_exports(l);
    free(x);
}

void lun__export_end(lun_export *x)
{
    lun_exports *l = x->of;
    pthread_mutex_lock(&l->lock);
    const bool open = l->open;
    if (open) {
        x->ended = l->ended;
        __atomic_store_n(&l->ended, x, __ATOMIC_RELAXED);
    }
    pthread_mutex_unlock(&l->lock);
    if (!open)
        end_outside(x);
}

/* Those that have ended leave the ledger; open: whether it stays the engine's. */
static lun_export *take_ended(lun_exports *l, bool open)
{
    pthread_mutex_lock(&l->lock);
    lun_export *ended = l->ended;
    l->ended = NULL;
    l->open = open;
    pthread_mutex_unlock(&l->lock);
    return ended;
}

void lun__exports_collect(lun_engine *e)
{
    lun_exports *l = e->exports;
    if (!l || !__atomic_load_n(&l->ended, __ATOMIC_RELAXED))
        return;
    int64_t count = 0;
    for (lun_export *x = take_ended(l, true), *next; x; x = next, count++) {
        next = x->ended;
        *x->link = x->next;
        if (x->next)
            x->next->link = x->link;
        x->storage->exported--;
        lun__storage_release(e, x->storage);
        free(x);
    }
    pthread_mutex_lock(&l->lock);
    l->refs -= count;
    pthread_mutex_unlock(&l->lock);
}

void lun__exports_close(lun_engine *e)
{
    lun_exports *l = e->exports;
    if (!l)
        return;
    lun__exports_collect(e);
    for (lun_export *x = e->exported; x; x = x->next)
        lun__storage_leave(e, x->storage);
    e->exports = NULL;
    e->exported = NULL;
    for (lun_export *x = take_ended(l, false), *next; x; x = next) {
        next = x->ended;
        end_outside(x);
    }
    pthread_mutex_lock(&l->lock);
    const bool all = --l->refs == 0;
    pthread_mutex_unlock(&l->lock);
    if (all)
        free_exports(l);
}
