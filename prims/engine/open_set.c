/* open_set.c - sets of locations: their names read, each location found or made, all of them
 * opened, before any of it takes effect; what is used at the start.  A failure leaves the old set
 * in use, but the slots that were made stay.  A list given to lun__set_take is the caller's. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "engine/state.h"

/* A set that is being made. */
typedef struct draft {
    lun_engine *e;
    lun_backend_slot **at;
    int count, room;
} draft;

enum { LONGEST = 128 }; /* of a name with what follows it */

/* Location number k on the host memory of a backend, made at its first use; NULL: no room. */
static lun_backend_slot *host_location(lun_engine *e, lun_backend_slot *of, unsigned k)
{
    char name[sizeof of->name];
    snprintf(name, sizeof name, "%.20s.%u", of->name, k);
    for (int i = 0; i < e->backend_count; i++)
        if (!strcmp(e->backends[i]->name, name))
            return e->backends[i];
    lun_backend_slot at = {.backend = of->backend, .device = (int)k, .of = of};
    memcpy(at.name, name, sizeof name);
    return lun__backend_add(e, at);
}

static lun_status add(draft *d, lun_backend_slot *at)
{
    if (at->rank)
        return lun__backend_unknown(d->e, at->name);
    lun_status s = lun__backend_open(d->e, lun__state_computes_at(at));
    for (int i = 0; s == LUN_OK && i < d->count; i++)
        if (d->at[i] == at)
            return lun__fail(d->e, LUN_EARG, "place '%s' appears twice in the set", at->name);
    if (s == LUN_OK && d->count == LUN_MAX_PLACES)
        return lun__fail(d->e, LUN_EARG, "a set has at most %d places", LUN_MAX_PLACES);
    if (s == LUN_OK && !lun__grow(&d->at, d->count, &d->room, sizeof *d->at))
        return lun__fail_nomem(d->e);
    if (s == LUN_OK)
        d->at[d->count++] = at;
    return s;
}

/* The number that a text is, from 1; 0: it is none. */
static unsigned number_of(const char *text)
{
    char *end;
    long n = *text >= '1' && *text <= '9' ? strtol(text, &end, 10) : 0;
    return n && !*end && n <= LUN_MAX_BACKENDS ? (unsigned)n : 0;
}

static lun_status no_room(lun_engine *e)
{
    if (e->backend_count < LUN_MAX_BACKENDS)
        return lun__fail_nomem(e);
    return lun__fail(e, LUN_EARG, "too many places have been named: %d at most", LUN_MAX_BACKENDS);
}

/* ---- ranks ----------------------------------------------------------------------------------- */

/* The best backend of this machine for a start. */
static lun_status best(lun_engine *e, lun_backend_slot **out)
{
    for (int i = 0; i < e->backend_count; i++) {
        const lun_backend *b = e->backends[i]->backend;
        *out = e->backends[i];
        if (b->devices(&e->services, NULL, NULL, 0) && lun__backend_open(e, *out) == LUN_OK)
            return LUN_OK;
    }
    for (int i = 0; i < e->backend_count; i++) {
        *out = e->backends[i];
        if (!(*out)->backend->buffer_new && lun__backend_open(e, *out) == LUN_OK)
            return LUN_OK;
    }
    return LUN_EBACKEND;
}

/* By what this rank computes. */
static lun_status rank_backend(lun_engine *e, lun_backend_slot **out)
{
    const char *name = getenv("LUNARRAY_RANK_BACKEND");
    if (!name || !*name) {
        lun_status s = best(e, out);
        return s == LUN_OK ? lun__backend_for_rank(e, out) : s;
    }
    *out = lun__backend_find(e, name);
    if (*out && !(*out)->backend->remote) {
        lun_status s = lun__backend_open(e, *out);
        return s == LUN_OK ? lun__backend_for_rank(e, out) : s;
    }
    return *out ? lun__fail(e, LUN_EARG, "LUNARRAY_RANK_BACKEND=%s: a rank computes by another one",
                            name)
                : lun__backend_unknown(e, name);
}

/* The location of this rank, number 1 of a backend whose devices are ranks; its memory is the
 * host's, or that of a device of its own. */
static lun_status own_location(lun_engine *e, const char *name, lun_backend_slot **out)
{
    lun_backend_slot *of;
    for (int i = 0; i < e->backend_count; i++)
        if (!strcmp(e->backends[i]->name, name) && !e->backends[i]->backend->remote) {
            *out = e->backends[i];
            return LUN_OK;
        }
    lun_status s = rank_backend(e, &of);
    if (s != LUN_OK)
        return s;
    lun_backend_slot at = {
        .backend = of->backend, .device = of->device, .parts = of->parts, .part = of->part};
    if (!of->backend->buffer_new) {
        at.device = 1;
        at.of = of;
    }
    snprintf(at.name, sizeof at.name, "%s", name);
    *out = lun__backend_add(e, at);
    return *out ? LUN_OK : no_room(e);
}

/* The backend that is so named, or a device of which is ("mpi:2"), and whose devices are ranks;
 * NULL: it has none. */
static lun_backend_slot *of_ranks(lun_engine *e, const char *name)
{
    const size_t length = strcspn(name, ":");
    for (int i = 0; i < e->backend_count; i++)
        if (e->backends[i]->backend->remote && !e->backends[i]->device &&
            strlen(e->backends[i]->name) == length && !strncmp(e->backends[i]->name, name, length))
            return e->backends[i];
    return NULL;
}

/* A device of a backend by its name, "opencl:2". */
static lun_status add_device(draft *d, const char *name)
{
    lun_backend_slot *ranks = of_ranks(d->e, name), *at = NULL;
    const char *colon = strchr(name, ':');
    lun_status s = LUN_OK;
    if (ranks && colon && !strcmp(colon, ":1")) {
        s = lun__backend_open(d->e, ranks);
        if (s == LUN_OK)
            s = own_location(d->e, name, &at);
        return s == LUN_OK ? add(d, at) : s;
    }
    at = lun__backend_find(d->e, name);
    return at ? add(d, at) : lun__backend_unknown(d->e, name);
}

/* "opencl:*", or "mpi": all devices of a backend. */
static lun_status add_all(draft *d, const char *name)
{
    lun_backend_slot *b = lun__backend_find(d->e, name);
    char device[LONGEST + 16];
    if (!b || b->device || !b->backend->buffer_new)
        return b ? lun__fail(d->e, LUN_EARG, "'%s:*': backend '%s' has no devices", name, name)
                 : lun__backend_unknown(d->e, name);
    lun_status s = lun__backend_open(d->e, b);
    int count = s == LUN_OK ? b->backend->devices(&d->e->services, b->state, NULL, 0) : 0;
    for (int k = 1; s == LUN_OK && k <= count; k++) {
        snprintf(device, sizeof device, "%s:%d", name, k);
        s = add_device(d, device);
    }
    return s;
}

/* Part k of so many of a device, made at its first use; NULL: no room. */
static lun_backend_slot *device_part(lun_engine *e, const lun_backend_slot *of, unsigned parts,
                                     unsigned k)
{
    lun_backend_slot at = {
        .backend = of->backend, .device = of->device, .parts = (int)parts, .part = (int)k};
    for (int i = 0; i < e->backend_count; i++) {
        lun_backend_slot *b = e->backends[i];
        if (b->backend == at.backend && b->device == at.device && b->parts == at.parts &&
            b->part == at.part)
            return b;
    }
    snprintf(at.name, sizeof at.name, "%.20s.%u", of->name, k);
    return lun__backend_add(e, at);
}

/* "openmp/4": so many locations on host memory; "opencl:1/2": as many equal parts of a device. */
static lun_status add_parts(draft *d, const char *name, const char *parts)
{
    lun_backend_slot *b = lun__backend_find(d->e, name);
    const unsigned count = number_of(parts);
    if (!b)
        return lun__backend_unknown(d->e, name);
    const bool divides = b->backend->buffer_new != NULL;
    const unsigned most = divides ? LUN_DEVICE_PARTS : LUN_MAX_PLACES;
    if (!count || count > most)
        return lun__fail(d->e, LUN_EARG, "'%s/%s': a number of places from 1 to %u expected", name,
                         parts, most);
    if (divides && (!b->device || b->parts))
        return lun__fail(d->e, LUN_EARG, "'%s/%s': name the device to be divided, as in '%s:1/%s'",
                         name, parts, b->backend->name, parts);
    lun_status s = LUN_OK;
    for (unsigned k = 1; s == LUN_OK && k <= count; k++) {
        lun_backend_slot *at = divides ? device_part(d->e, b, count, k) : host_location(d->e, b, k);
        s = at ? add(d, at) : no_room(d->e);
    }
    return s;
}

/* The location that "openmp.2" names; NULL: none is meant. */
static lun_backend_slot *named_part(lun_engine *e, const char *name)
{
    const char *dot = strrchr(name, '.');
    char base[LONGEST];
    if (!dot || !number_of(dot + 1) || number_of(dot + 1) > LUN_MAX_PLACES)
        return NULL;
    snprintf(base, sizeof base, "%.*s", (int)(dot - name), name);
    lun_backend_slot *b = lun__backend_find(e, base);
    return b && !b->backend->buffer_new ? host_location(e, b, number_of(dot + 1)) : NULL;
}

/* Of parts that have one name, for a device was divided in several ways, the last that was
 * opened. */
static lun_backend_slot *opened(lun_engine *e, lun_backend_slot *at)
{
    for (int i = 0; at && i < e->backend_count; i++)
        if (e->backends[i]->state && !strcmp(e->backends[i]->name, at->name))
            at = e->backends[i];
    return at;
}

/* What stands between two commas. */
static lun_status add_named(draft *d, const char *name)
{
    char text[LONGEST];
    snprintf(text, sizeof text, "%s", name);
    char *slash = strchr(text, '/');
    const size_t length = strlen(text);
    if (slash) {
        *slash = 0;
        return add_parts(d, text, slash + 1);
    }
    if (length > 2 && !strcmp(text + length - 2, ":*")) {
        text[length - 2] = 0;
        return add_all(d, text);
    }
    if (of_ranks(d->e, text))
        return strchr(text, ':') ? add_device(d, text) : add_all(d, text);
    lun_backend_slot *at = opened(d->e, lun__backend_find(d->e, text));
    if (!at)
        at = named_part(d->e, text);
    return at ? add(d, at) : lun__backend_unknown(d->e, text);
}

static lun_status read_set(draft *d, const char *text)
{
    lun_status s = LUN_OK;
    for (const char *end; s == LUN_OK; text = end + 1) {
        char name[LONGEST];
        end = strchr(text, ',');
        size_t length = end ? (size_t)(end - text) : strlen(text);
        while (length && *text == ' ')
            text++, length--;
        while (length && text[length - 1] == ' ')
            length--;
        if (length >= sizeof name)
            return lun__backend_unknown(d->e, text);
        memcpy(name, text, length);
        name[length] = 0;
        s = add_named(d, name);
        if (!end)
            break;
    }
    return s;
}

/* The counters of each location of a set. */
static lun_status count_locations(const draft *d)
{
    for (int k = 0; d->count > 1 && k < d->count; k++) {
        lun_place_stats **counted = &d->at[k]->counted;
        if (!*counted && !(*counted = calloc(1, sizeof **counted)))
            return lun__fail_nomem(d->e);
        (*counted)->size = sizeof **counted;
    }
    return LUN_OK;
}

lun_status lun__set_use(lun_engine *e, const char *text)
{
    draft d = {.e = e};
    if (!text)
        return lun__backend_unknown(e, text);
    lun_status s = read_set(&d, text);
    if (s == LUN_OK)
        s = count_locations(&d);
    if (s == LUN_OK) {
        lun_backend_slot **before = e->set;
        e->current = lun__state_computes_at(d.at[0])->number;
        e->set_count = d.count > 1 ? d.count : 0;
        e->set = d.at;
        d.at = before;
    }
    free(d.at);
    return s;
}

lun_backend_slot *lun__set_at(lun_engine *e, int k)
{
    if (e->set_count)
        return k < e->set_count ? e->set[k] : NULL;
    return k == 0 ? e->backends[e->current] : NULL;
}

void lun__set_take(lun_engine *e, lun_backend_slot **at, int count, lun_in_use *before)
{
    *before = (lun_in_use){e->set, e->set_count, e->current};
    e->set = at;
    e->set_count = count;
    (void)lun__state_set_enter(e, at[0]);
}

void lun__set_advance(lun_engine *e)
{
    bool given;
    for (int k = 0; k < lun__state_places(e); k++) {
        const lun_backend_slot *at = lun__set_at(e, k);
        if (at->can.parts) /* what fails does so again when it is waited for */
            (void)at->backend->wait(at->state, 0, LUN_WAIT_GIVE, &given);
    }
}

void lun__set_back(lun_engine *e, const lun_in_use *before)
{
    e->set_count = before->count;
    e->current = before->current;
    e->set = before->at;
}

lun_status lun__set_list(lun_engine *e)
{
    for (int i = 0; lun__backends_all[i]; i++) {
        lun_backend_slot b = {.backend = lun__backends_all[i]};
        snprintf(b.name, sizeof b.name, "%s", b.backend->name);
        if (!lun__backend_add(e, b))
            return lun__fail_nomem(e);
        if (b.backend->is & LUN_IS_NATIVE)
            e->services.native = b.backend;
    }
    return LUN_OK;
}

lun_status lun__set_choose(lun_engine *e, const char *name)
{
    lun_backend_slot *at;
    e->current = 0;
    if (name && name[0])
        return lun__set_use(e, name);
    lun_status s = best(e, &at);
    if (s == LUN_OK)
        e->current = at->number;
    return s;
}
