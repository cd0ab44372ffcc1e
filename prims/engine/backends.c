/* backends.c - the engine's backends: found by name, opened when first asked for, the one in use;
 * their devices.  What holds of slots: see state.h. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "base/sized.h"
#include "engine/state.h"

lun_backend_slot *lun__backend_add(lun_engine *e, lun_backend_slot as)
{
    if (e->backend_count == LUN_MAX_BACKENDS ||
        !lun__grow(&e->backends, e->backend_count, &e->backend_room, sizeof *e->backends))
        return NULL;
    lun_backend_slot *at = malloc(sizeof *at);
    if (!at)
        return NULL;
    *at = as;
    at->number = e->backend_count;
    return e->backends[e->backend_count++] = at;
}

lun_backend_slot *lun__backend_find(lun_engine *e, const char *name)
{
    const char *colon = name ? strchr(name, ':') : NULL;
    for (int i = 0; name && i < e->backend_count; i++)
        if (!strcmp(e->backends[i]->name, name))
            return e->backends[i];
    if (!colon)
        return NULL;
    /* a device by number: a slot of its own beside its backend's */
    char *end;
    long device = strtol(colon + 1, &end, 10);
    if (colon[1] < '1' || colon[1] > '9' || *end || device > LUN_MAX_PLACES)
        return NULL;
    for (int i = 0; i < e->backend_count; i++) {
        const lun_backend *b = e->backends[i]->backend;
        if (!b->buffer_new || strncmp(b->name, name, (size_t)(colon - name)) ||
            b->name[colon - name])
            continue;
        lun_backend_slot slot = {.backend = b, .device = (int)device};
        snprintf(slot.name, sizeof slot.name, "%s:%ld", b->name, device);
        return lun__backend_add(e, slot);
    }
    return NULL;
}

lun_status lun__backend_unknown(lun_engine *e, const char *name)
{
    lun__fail(e, LUN_EARG, "no backend '%s'; available are", name ? name : "(nil)");
    for (int i = 0; i < e->backend_count; i++)
        if (!e->backends[i]->of && (!strchr(e->backends[i]->name, ':') ||
                                    e->backends[i]->state)) /* a device that was found */
            lun__strbuf_printf(&e->error, "%s %s", i ? "," : "", e->backends[i]->name);
    lun__strbuf_puts(&e->error, lun__strbuf_text(&e->refused_plugins));
    return LUN_EARG;
}

/* A state of another device of the same backend, if one is open. */
static void *open_peer(const lun_engine *e, const lun_backend_slot *b)
{
    for (int i = 0; i < e->backend_count; i++)
        if (e->backends[i] != b && e->backends[i]->state && e->backends[i]->backend == b->backend)
            return e->backends[i]->state;
    return NULL;
}

static lun_status open_state(lun_engine *e, lun_backend_slot *b, void *with, void *beside)
{
    const lun_opening how = {b->device, b->parts, b->part, with, beside};
    return b->backend->open(&e->services, &how, &b->state, &b->can);
}

lun_status lun__backend_beside(lun_engine *e, lun_backend_slot *b, const lun_backend_slot *theirs)
{
    lun__fail_clear(e);
    return b->state                 ? LUN_OK
           : b->backend->buffer_new ? open_state(e, b, NULL, theirs->state)
                                    : lun__backend_open(e, b);
}

/* Whether a script may open it: in a sandbox no driver is loaded that the host has not chosen. */
static bool is_allowed(const lun_engine *e, const lun_backend_slot *b)
{
    if (!e->sandbox || !e->stretch || !b->backend->buffer_new)
        return true;
    for (int i = 0; i < e->backend_count; i++)
        if (e->backends[i]->state && e->backends[i]->backend == b->backend)
            return true;
    return false;
}

lun_status lun__backend_open(lun_engine *e, lun_backend_slot *b)
{
    if (b->state)
        return LUN_OK;
    if (!is_allowed(e, b))
        return lun__fail(e, LUN_EBACKEND,
                         "backend %s is not allowed in the sandbox: its host has not chosen it",
                         b->name);
    if (!b->reason) {
        lun__fail_clear(e);
        if (open_state(e, b, open_peer(e, b), NULL) == LUN_OK)
            return LUN_OK;
        b->reason = strdup(e->error.length ? e->error.text : "out of memory");
    }
    return lun__fail(e, LUN_EBACKEND, "backend %s cannot be used here: %s", b->name,
                     b->reason ? b->reason : "out of memory");
}

/* How many of its devices are of the kind of the first, which is the best; 0: not known. */
static int alike(const lun_engine *e, const lun_backend_slot *b)
{
    int count = b->backend->devices(&e->services, b->state, NULL, 0), n = 0;
    lun_device *rows = count > 1 ? calloc((size_t)count, sizeof *rows) : NULL;
    if (rows) {
        const int filled = b->backend->devices(&e->services, b->state, rows, count);
        while (n < filled && n < count && !strcmp(rows[n].kind, rows[0].kind))
            n++;
    }
    free(rows);
    return n;
}

lun_status lun__backend_for_rank(lun_engine *e, lun_backend_slot **at)
{
    char name[64];
    const lun_backend *b = (*at)->backend;
    if ((*at)->device || !b->buffer_new || b->remote)
        return LUN_OK;
    lun_status s = lun__backend_open(e, *at);
    const int count = s == LUN_OK ? alike(e, *at) : 0;
    if (count < 2 || e->local_rank % count == 0) /* the first one is its choice */
        return s;
    snprintf(name, sizeof name, "%.20s:%d", b->name, e->local_rank % count + 1);
    lun_backend_slot *mine = lun__backend_find(e, name);
    if (!mine)
        return lun__backend_unknown(e, name);
    *at = mine;
    return lun__backend_open(e, mine);
}

lun_status lun__backend(lun_engine *e, lun_backend_slot **out)
{
    *out = e->backends[e->current];
    return (*out)->state ? LUN_OK : lun__backend_open(e, *out);
}

void lun__backend_share(const lun_backend_slot *b, int64_t n, int64_t bytes, void *ctx,
                        lun_range_fn *task)
{
    const lun_work work = {.kind = LUN_WORK_SHARE, .is.share = {n, bytes, ctx, task}};
    if (b->can.shares)
        (void)lun__state_backend_do(b, &work);
    else
        task(ctx, 0, n);
}

void lun__backend_share_range(lun_engine *e, int64_t n, int64_t bytes, void *ctx,
                              lun_range_fn *task)
{
    enum { WORTHWHILE = 1 << 20 };
    const lun_backend_slot *b = e->backends[e->current];
    if (bytes >= WORTHWHILE)
        lun__backend_share(b, n, bytes, ctx, task);
    else if (n > 0)
        task(ctx, 0, n);
}

typedef struct copying {
    char *to;
    const char *from;
} copying;

static void copy_range(void *ctx, int64_t from, int64_t to)
{
    const copying *c = ctx;
    memcpy(c->to + from, c->from + from, (size_t)(to - from));
}

void lun__backend_share_copy(lun_engine *e, void *to, const void *from, int64_t bytes)
{
    lun__backend_share_range(e, bytes, bytes, &(copying){to, from}, copy_range);
}

/* What computes at location k of the set, or alone; of ranks, whose plans are alike on all
 * machines, nothing that hangs on one. */
static const lun_abilities *can_at(const lun_engine *e, int k)
{
    static const lun_abilities none;
    return lun__state_of_ranks(e)
               ? &none
               : &lun__state_computes_at(e->set_count ? e->set[k] : e->backends[e->current])->can;
}

bool lun__backend_chains(const lun_engine *e)
{
    bool all = true;
    for (int k = 0; all && k < lun__state_places(e); k++)
        all = can_at(e, k)->chains;
    return all;
}

bool lun__backend_sweeps(lun_engine *e, int64_t *cache_bytes)
{
    bool all = true;
    *cache_bytes = e->set_count ? 0 : can_at(e, 0)->cache_bytes;
    for (int k = 0; all && k < lun__state_places(e); k++)
        all = can_at(e, k)->sweeps;
    return all;
}

bool lun__backend_segments(const lun_engine *e)
{
    const lun_backend_slot *b = e->backends[e->current];
    return b->can.segments && !b->backend->buffer_new;
}

const char *lun_backend_name(const lun_engine *e)
{
    LUN_NEED_OR(e, "");
    return e->set_count ? e->set[0]->name : e->backends[e->current]->name;
}

lun_status lun__backend_native(lun_engine *e, lun_backend_slot **out)
{
    for (int i = 0; i < e->backend_count; i++)
        if (e->backends[i]->backend->is & LUN_IS_NATIVE) {
            *out = e->backends[i];
            return lun__backend_open(e, *out);
        }
    return lun__fail(e, LUN_EBACKEND, "no backend of this build computes in host memory");
}

static bool takes(const lun_backend_slot *b, const lun_work *work, int64_t *scratch)
{
    return !(b->backend->buffer_new && work->kind == LUN_WORK_ALGORITHM) &&
           b->backend->takes(b->state, work, scratch);
}

bool lun__backend_runs(const lun_backend_slot *at, const lun_ir *ir)
{
    return takes(at, &(lun_work){.kind = LUN_WORK_LAUNCH, .is.run.ir = ir}, &(int64_t){0});
}

bool lun__backend_takes(const lun_engine *e, const lun_work *work, int64_t *scratch)
{
    return takes(e->backends[e->current], work, scratch);
}

lun_status lun__backend_override(lun_engine *e, int row)
{
    lun_backend_slot *b = &e->overrides[row];
    if (b->state)
        return LUN_OK;
    b->backend = lun__overrides_all[row].backend;
    snprintf(b->name, sizeof b->name, "%s", b->backend->name);
    lun__fail_clear(e);
    return open_state(e, b, NULL, NULL);
}

lun_backend_slot *lun__backend_instead(lun_engine *e, const lun_work *work, int64_t *scratch)
{
    const lun_backend_slot *at = e->backends[e->current];
    if (!e->overridden || e->set_count || (at->backend->buffer_new && takes(at, work, scratch)))
        return NULL;
    for (int k = 0; k < LUN_OVERRIDES; k++)
        if ((e->overridden >> k & 1) && lun__backend_override(e, k) == LUN_OK &&
            takes(&e->overrides[k], work, scratch))
            return &e->overrides[k];
    return NULL;
}

lun_status lun__backend_for(lun_engine *e, const lun_work *work, lun_backend_slot **out,
                            int64_t *scratch)
{
    lun_status s = lun__backend(e, out);
    lun_backend_slot *instead = s == LUN_OK ? lun__backend_instead(e, work, scratch) : NULL;
    if (instead) {
        *out = instead;
        return LUN_OK;
    }
    if (s != LUN_OK || takes(*out, work, scratch))
        return s;
    s = lun__backend_native(e, out);
    if (s == LUN_OK)
        (void)takes(*out, work, scratch);
    return s;
}

lun_status lun__backend_move(const lun_backend_slot *at, lun_buffer *to, int64_t to_origin,
                             const lun_buffer *from, int64_t from_origin, int64_t count, int bytes)
{
    const lun_layout flat = lun__layout_right(1, &count);
    return lun__state_transfer(
        at, &(lun_transfer){bytes, to, from, to_origin, from_origin, flat, flat, 0});
}

lun_status lun__backend_settle(lun_backend_slot *at)
{
    const lun_work_mark mark = at->last;
    at->last = 0;
    return mark ? at->backend->wait(at->state, mark, LUN_WAIT_END, NULL) : LUN_OK;
}

lun_status lun__backend_finish(const lun_backend_slot *at)
{
    return at->backend->buffer_new ? at->backend->wait(at->state, 0, LUN_WAIT_ALL, NULL) : LUN_OK;
}

const char *lun_backend_at(lun_engine *e, int index, const char **reason)
{
    LUN_NEED_OR(e, NULL);
    if (index < 0 || index >= e->backend_count)
        return NULL;
    lun_backend_slot *b = e->backends[index];
    if (b->device) /* devices stand behind all backends */
        return NULL;
    if (reason)
        *reason = lun__backend_open(e, b) == LUN_OK ? NULL : b->reason;
    return b->backend->name;
}

/* Of ranks the first one is this process, which computes by another backend: so much memory and so
 * many units as that has. */
static void give_own(lun_engine *e, const lun_backend_slot *ranks, lun_device *row)
{
    enum { MOST = 64 };
    lun_device *all = calloc(MOST, sizeof *all);
    char name[sizeof ranks->name];
    snprintf(name, sizeof name, "%.20s:1", ranks->name);
    for (int i = 0; all && i < e->backend_count; i++) {
        lun_backend_slot *at = e->backends[i];
        const lun_backend_slot *by = lun__state_computes_at(at);
        const int k = by->device ? by->device - 1 : 0;
        if (strcmp(at->name, name) || by->backend->remote || !by->state ||
            k >= by->backend->devices(&e->services, by->state, all, MOST) || k >= MOST)
            continue;
        row->memory = all[k].memory;
        row->units = all[k].units;
    }
    free(all);
}

/* A backend's devices into the host's rows from number `first` on, whose distance is their size. */
static void give_devices(lun_engine *e, lun_backend_slot *b, int there, lun_device *rows, int first,
                         int left)
{
    lun_device *own = there > 0 ? malloc((size_t)there * sizeof *own) : NULL;
    int known = own ? b->backend->devices(&e->services, b->state, own, there) : 0;
    size_t distance = rows->size;
    if (known > 0 && b->backend->remote)
        give_own(e, b, own);
    for (int i = 0; i < known && i < there && i < left; i++) {
        lun_device *row = (lun_device *)((char *)rows + (size_t)(first + i) * distance);
        row->size = distance;
        if (b->backend->buffer_new)
            snprintf(own[i].place, sizeof own[i].place, "%.20s:%d", b->name, i + 1);
        else
            snprintf(own[i].place, sizeof own[i].place, "%s", b->name);
        own[i].extensions = own[i].extensions ? own[i].extensions : "";
        if (!own[i].bits[0])
            snprintf(own[i].bits, sizeof own[i].bits, "%s", lun__backend_bits(&e->services));
        own[i].fp64 |= !b->backend->buffer_new; /* the host's cores do */
        lun__sized_give(row, &own[i], sizeof *own);
    }
    free(own);
}

int lun_devices(lun_engine *e, lun_device *rows, int room)
{
    LUN_NEED_OR(e, 0);
    if ((room > 0 && (!rows || rows->size < sizeof rows->size)))
        return 0;
    int count = 0;
    for (int i = 0; i < e->backend_count; i++) {
        lun_backend_slot *b = e->backends[i];
        if (b->device || lun__backend_open(e, b) != LUN_OK)
            continue;
        int there = b->backend->devices(&e->services, b->state, NULL, 0);
        if (room > count)
            give_devices(e, b, there, rows, count, room - count);
        count += there;
    }
    return count;
}
