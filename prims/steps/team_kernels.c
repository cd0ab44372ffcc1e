/* team_kernels.c - see team_kernels.h.  A kernel has one place in a table, by the number of its
 * function; the next one that falls there takes it over.  Knows no launch. */
#include "steps/team_kernels.h"

#include <stdlib.h>
#include <string.h>

_Static_assert((LUN_REMEMBERED_TEAMS & (LUN_REMEMBERED_TEAMS - 1)) == 0, "a mask gives the place");

static lun_remembered_teams **place_of(lun_engine *e, uint64_t number)
{
    return &e->teams[number & (LUN_REMEMBERED_TEAMS - 1)];
}

static void forget(lun_remembered_teams *t)
{
    if (!t)
        return;
    lun__kernel_ref(&t->ref, NULL);
    lun__team_kernel_free(&t->k);
    free(t);
}

static bool fits(const lun_remembered_teams *t, const lun_team_run *r, lun_team_form form,
                 int64_t near)
{
    if (!t || !r->number || t->number != r->number || t->form != form || t->near != near)
        return false;
    for (int k = 0; k < r->scratches; k++) /* the function tells all but how many there are */
        if (t->scratch[k].count != r->scratch[k].count)
            return false;
    return true;
}

/* Lowers it.  A kernel that takes more of a device than a group of so many threads can have runs
 * without groups; the one that does not fit stays among the kernels, so that it is made once. */
static lun_status lower(lun_engine *e, const lun_team_run *r, lun_remembered_teams *t)
{
    lun_kernel_entry *entry;
    const lun_team_body body = {r->f, r->scratch, r->scratches, r->first, t->near};
    lun_status s = lun__lower_teams(e, &body, t->form, &t->k);
    t->k.lowered.texts = r->notes;
    if (s != LUN_OK || t->form != LUN_TEAMS_GROUPS)
        return s;
    s = lun__run_kernel(e, &t->k.lowered, &entry);
    if (s != LUN_OK || entry->at->backend->fits(entry->at->state, entry->kernel))
        return s;
    lun__team_kernel_free(&t->k);
    return lun__lower_teams(e, &body, LUN_TEAMS_APART, &t->k);
}

lun_status lun__team_kernel_take(lun_engine *e, const lun_team_run *r, lun_team_form form,
                                 int64_t near, lun_remembered_teams **out)
{
    lun_remembered_teams **at = place_of(e, r->number), *t = *at;
    if (fits(t, r, form, near)) {
        *at = NULL;
        *out = t;
        return LUN_OK;
    }
    *out = t = calloc(1, sizeof *t);
    if (!t)
        return lun__nomem(e);
    t->number = r->number;
    t->form = form;
    t->near = near;
    if (r->scratches)
        memcpy(t->scratch, r->scratch, (size_t)r->scratches * sizeof *r->scratch);
    lun_status s = lower(e, r, t);
    if (s != LUN_OK) {
        forget(t);
        *out = NULL;
    }
    return s;
}

lun_status lun__team_kernel_entry(lun_engine *e, lun_remembered_teams *t, lun_kernel_entry **out)
{
    *out = t->ref.kernel;
    if (*out && lun__kernel_fits(e, *out)) {
        lun__kernel_used(e, *out);
        return LUN_OK;
    }
    lun_status s = lun__run_kernel(e, &t->k.lowered, out);
    if (s == LUN_OK)
        lun__kernel_ref(&t->ref, *out);
    return s;
}

void lun__team_kernel_fill(const lun_team_run *r, lun_team_kernel *k)
{
    const lun_ir *body = r->f->body;
    k->lowered.texts = r->notes;
    for (int i = 0; i < 3; i++)
        k->lowered.args[LUN_FRONT_BLOCKS + i].cell = (uint64_t)r->blocks[i];
    for (int i = LUN_FRONT_NUMBERS; i < body->arg_count; i++)
        k->lowered.args[i].cell = r->cells[i - LUN_FRONT_NUMBERS];
    for (int i = 0; i < body->slot_count; i++)
        if (i < r->first || i >= r->first + r->scratches)
            k->lowered.slots[i].node = r->arrays[i];
}

void lun__team_kernel_give(lun_engine *e, lun_remembered_teams *t)
{
    if (!t || !t->number) {
        forget(t);
        return;
    }
    lun_remembered_teams **at = place_of(e, t->number);
    forget(*at);
    *at = t;
}

void lun__team_kernels_flush(lun_engine *e)
{
    for (int k = 0; k < LUN_REMEMBERED_TEAMS; k++) {
        forget(e->teams[k]);
        e->teams[k] = NULL;
    }
}
