/* team_memory.c - see team_memory.h.  A device makes its own zero.  Knows no launch. */
#include "steps/team_memory.h"

#include <stdlib.h>
#include <string.h>

#include "backend.h"
#include "engine/state.h"
#include "launch/bind.h"
#include "store/storage.h"

/* Bytes of memory of the teams of one launch, beyond those of as many teams as a launch has at
 * least; teams of a launch are a multiple of that many, so that indices begin on blocks. */
enum { MOST_SCRATCH = 8 << 20, TEAMS = 64 };

static lun_dtype dtype_of(const lun_team_kernel *k, int memory)
{
    return (lun_dtype)k->lowered.ir.slots[k->memory[memory].slot].dtype;
}

/* Bytes of memory of a team that a launch has for it. */
static int64_t team_bytes(const lun_team_kernel *k)
{
    int64_t bytes = 0;
    for (int i = 0; i < k->memories; i++)
        bytes += k->memory[i].count * lun__dtype_get(dtype_of(k, i))->bytes;
    return bytes;
}

int64_t lun__team_memory_most(const lun_team_kernel *k, int64_t teams)
{
    int64_t bytes = team_bytes(k), n;
    if (!bytes)
        return teams;
    n = MOST_SCRATCH / bytes / TEAMS * TEAMS;
    n = n > TEAMS ? n : TEAMS;
    return n < teams ? n : teams;
}

/* Bytes of the device in use; 0: unknown. */
static int64_t device_bytes(lun_engine *e)
{
    const lun_backend_slot *at = lun__computes_at(e->backends[e->current]);
    const int number = lun__device_number(at->device);
    const int count = at->backend->ranks ? 0 : at->backend->devices(at->state, NULL, 0);
    lun_device *rows = count > 0 ? calloc((size_t)count, sizeof *rows) : NULL;
    int64_t bytes = 0;
    if (rows && number <= count) {
        (void)at->backend->devices(at->state, rows, count);
        bytes = rows[number ? number - 1 : 0].memory;
    }
    free(rows);
    return bytes;
}

lun_status lun__team_memory_check(lun_engine *e, const lun_team_kernel *k, int64_t teams)
{
    enum { FEW = 1 << 30 };
    const int64_t each = team_bytes(k);
    const int64_t most = each > FEW / teams ? device_bytes(e) : 0;
    if (!most || each <= most / teams)
        return LUN_OK;
    return lun__fail(e, LUN_ELIMIT,
                     "a team takes %lld bytes of scratch and private memory, and %lld run at once: "
                     "that is more than the %lld bytes of the device; use fewer elements of "
                     "t:scratch and t:private, or fewer teams",
                     (long long)each, (long long)teams, (long long)most);
}

/* n elements that are zero.  Much of it a device makes itself, by a kernel that is compiled for
 * that; little is sent. */
static lun_status zeros(lun_engine *e, lun_dtype t, int64_t n, lun_storage **out)
{
    enum { MUCH = 1 << 16 };
    lun_backend_slot *at = e->backends[e->current];
    const int bytes = lun__dtype_get(t)->bytes;
    const bool there = at->backend->buffer_new && n > MUCH / bytes;
    lun_transfer fill = {.bytes = bytes, .at = lun__layout_right(1, &n)};
    lun_status s = there ? lun__storage_result(e, t, n, out) : lun__storage_new(e, t, n, out);
    if (s != LUN_OK)
        return s;
    if (!there) {
        memset((*out)->data, 0, (size_t)(n * bytes));
        return LUN_OK;
    }
    s = lun__storage_buffer(e, *out, at, &fill.to);
    if (s == LUN_OK)
        s = at->backend->transfer(at->state, &fill);
    if (s != LUN_OK)
        lun__storage_release(e, *out);
    return s;
}

lun_status lun__team_memory_open(lun_engine *e, const lun_team_kernel *k, int64_t teams,
                                 lun_team_leafs *out)
{
    lun_status s = LUN_OK;
    memset(out, 0, sizeof *out);
    for (int i = 0; s == LUN_OK && i < k->memories; i++) {
        lun_storage *memory;
        int64_t n;
        if (__builtin_mul_overflow(k->memory[i].count, teams, &n))
            return lun__no_working_memory(e, teams);
        n += !n; /* a slot has an element, also if nothing is there */
        s = zeros(e, dtype_of(k, i), n, &memory);
        if (s != LUN_OK)
            break;
        s = lun__node_leaf(e, memory, 0, 1, &n, &out->node[i]);
        lun__storage_release(e, memory);
    }
    return s;
}

void lun__team_memory_use(lun_team_kernel *k, const lun_team_leafs *m)
{
    for (int i = 0; i < k->memories; i++)
        k->lowered.slots[k->memory[i].slot].node = m->node[i];
}

void lun__team_memory_close(lun_engine *e, const lun_team_kernel *k, lun_team_leafs *m)
{
    for (int i = 0; i < k->memories; i++) {
        if (m->node[i])
            lun__node_release(e, m->node[i]);
        m->node[i] = NULL;
    }
}

bool lun__team_memory_at(const lun_team_kernel *k, int slot)
{
    for (int i = 0; i < k->memories; i++)
        if (k->memory[i].slot == slot)
            return true;
    return false;
}
