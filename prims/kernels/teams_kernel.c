/* teams_kernel.c - the kernel of a function of lun_teams, made of its body. */
#include "kernels/teams_kernel.h"

#include <stdlib.h>
#include <string.h>

#include "ir/fission.h"
#include "plan/lowering.h"

enum {
    OWN_BYTES = 16384, /* of all memory that a thread of LUN_TEAMS_GROUPS has of its own */
    ALIGNED = 8        /* where arrays begin */
};

/* Which texts say what may fail: instruction i has that of the body's from[i]; NULL: of its own.
 */
static lun_status take_notes(lun_lowerer *l, const lun_team_body *b, const int32_t *from)
{
    const lun_ir *body = b->f->body;
    lun_lowered *o = l->out;
    o->where = calloc((size_t)o->ir.count + 1, sizeof *o->where);
    o->text = malloc(((size_t)o->ir.count + 1) * sizeof *o->text);
    if (!o->where || !o->text)
        lun__lower_nomem(l);
    for (int i = 0; l->status == LUN_OK && i < o->ir.count; i++) {
        const int32_t own = from ? from[i] : i;
        const int64_t note = own < 0 ? -1 : lun__ir_note(&body->ins[own]);
        o->text[i] = note >= 0 && note < b->f->note_count ? (int32_t)note : -1;
    }
    return l->status;
}

/* Slots and arguments that wait for nodes and cells. */
static void take_operands(lun_lowerer *l)
{
    lun_lowered *o = l->out;
    o->slots = calloc((size_t)o->ir.slot_count + 1, sizeof *o->slots);
    o->args = calloc((size_t)o->ir.arg_count + 1, sizeof *o->args);
    o->slot_room = o->ir.slot_count + 1;
    o->arg_room = o->ir.arg_count + 1;
    if (!o->slots || !o->args)
        lun__lower_nomem(l);
}

static lun_status lower_apart(lun_lowerer *l, const lun_team_body *b, lun_team_form form,
                              lun_team_kernel *k)
{
    const bool moved = form == LUN_TEAMS_MOVED, parted = form == LUN_TEAMS_CREW;
    lun_fission f;
    const lun_ir *body = b->f->body;
    if (lun__ir_fission(body, LUN_FRONT_BASE, moved, parted, &f) != LUN_OK) {
        lun__lower_nomem(l);
    } else {
        k->indices = f.together ? 1 : body->threads;
        k->crew = f.crew;
        for (int i = f.first; i < f.ir.slot_count; i++)
            k->memory[k->memories++] = (lun_team_memory){i, f.count[i - f.first]};
        l->out->ir = f.ir;
        lun__ir_init(&f.ir);
        for (int i = 0; i < b->scratches && k->indices == 1 && !f.together; i++)
            l->out->ir.slots[b->first + i].own = b->scratch[i].own ? b->scratch[i].count : 0;
        take_notes(l, b, f.from);
    }
    lun__ir_fission_free(&f);
    return l->status;
}

static void lower_whole(lun_lowerer *l, const lun_team_body *b, int64_t indices, lun_team_kernel *k)
{
    k->indices = indices;
    if (!lun__ir_copy_plain(b->f->body, &l->out->ir))
        lun__lower_nomem(l);
    take_notes(l, b, NULL);
}

uint64_t lun__teams_kernel_near(const lun_team_body *b)
{
    int64_t own = OWN_BYTES, team_bytes = b->team_bytes;
    uint64_t near = 0;
    for (int i = 0; i < b->scratches; i++) {
        const lun_front_scratch *x = &b->scratch[i];
        const int bytes = lun__dtype_get(x->dtype)->bytes;
        int64_t *left = x->own ? &own : &team_bytes;
        if (x->count < 1 || x->count > *left / bytes || (x->given && x->to < 0))
            continue;
        *left = (*left - x->count * bytes) / ALIGNED * ALIGNED;
        near |= UINT64_C(1) << i;
    }
    return near;
}

static void lower_groups(lun_lowerer *l, const lun_team_body *b, lun_team_kernel *k)
{
    const uint64_t near = lun__teams_kernel_near(b);
    lower_whole(l, b, b->f->body->threads, k);
    for (int i = 0; l->status == LUN_OK && i < b->scratches; i++) {
        const lun_front_scratch *x = &b->scratch[i];
        lun_ir_slot *slot = &l->out->ir.slots[b->first + i];
        if (!(near >> i & 1))
            continue;
        *(x->own ? &slot->own : &slot->shared) = x->given ? -1 - x->to : x->count;
        k->memory[i].count = 0;
    }
}

lun_status lun__teams_kernel_lower(lun_engine *e, const lun_team_body *b, lun_team_form form,
                                   lun_team_kernel *out)
{
    memset(out, 0, sizeof *out);
    lun_lowerer l = lun__lower_ungrouped(e, &out->lowered);
    for (int k = 0; k < b->scratches; k++) {
        const lun_front_scratch *s = &b->scratch[k];
        const int64_t count = s->own ? s->count * b->f->body->threads : s->count;
        out->memory[out->memories++] = (lun_team_memory){b->first + k, count};
    }
    if (form == LUN_TEAMS_WHOLE && !b->f->body->function_count)
        lower_whole(&l, b, lun__ir_lanes(b->f->body), out);
    else if (form == LUN_TEAMS_GROUPS)
        lower_groups(&l, b, out);
    else
        lower_apart(&l, b, form, out);
    if (l.status == LUN_OK)
        take_operands(&l);
    if (l.status == LUN_OK && out->crew) /* all of them, where one runs it */
        out->lowered.args[out->crew + 1].cell = (uint64_t)(b->f->body->threads - 1);
    if (b->f->types)
        lun__strbuf_puts(&out->lowered.types, b->f->types);
    out->lowered.ops = 1;
    return lun__lower_end(&l);
}

void lun__teams_kernel_free(lun_team_kernel *k)
{
    lun__lowered_free(&k->lowered);
}
