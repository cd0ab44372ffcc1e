/* races.c - see races.h. */
#include "ir/races.h"

#include <stddef.h>

static int64_t team_of(const lun_races *r, int64_t by)
{
    return (by - 1) / r->lanes;
}

/* An access that one by `by` now collides with, 0: there is none. */
static int64_t colliding(const lun_races *r, const lun_accessed *a, int64_t by)
{
    for (int k = 0; k < 3; k++)
        if (a->by[k] && a->by[k] != by &&
            (team_of(r, a->by[k]) != team_of(r, by) || a->epoch[k] == r->epoch))
            return a->by[k];
    return 0;
}

static void move(lun_accessed *a, int to, int from)
{
    a->by[to] = a->by[from];
    a->epoch[to] = a->epoch[from];
}

static void remember(const lun_races *r, lun_accessed *a, int64_t by)
{
    if (a->by[0] && team_of(r, a->by[0]) != team_of(r, by)) {
        move(a, 2, 0);
        a->by[1] = 0;
    } else if (a->by[0] && a->by[0] != by) {
        move(a, 1, 0);
    }
    a->by[0] = by;
    a->epoch[0] = r->epoch;
}

bool lun__races_note(lun_races *r, int slot, int64_t element, int64_t i, lun_access kind)
{
    lun_shadow *s = r->slot[slot] ? &r->slot[slot][element] : NULL;
    for (int k = 0; s && k < LUN_ACCESSES; k++) {
        /* of two reads, and of two atomic changes, none minds the other */
        const bool collide = k == LUN_ACCESS_WRITE || kind == LUN_ACCESS_WRITE || k != (int)kind;
        const int64_t other = collide ? colliding(r, &s->kind[k], i + 1) : 0;
        if (!other)
            continue;
        r->at = slot;
        r->element = element;
        r->thread[0] = other - 1;
        r->thread[1] = i;
        r->kind[0] = (lun_access)k;
        r->kind[1] = kind;
        return false;
    }
    if (s)
        remember(r, &s->kind[kind], i + 1);
    return true;
}
