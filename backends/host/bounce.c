/* bounce.c - stand-ins for slots without room for whole blocks; see bounce.h. Knows IR only as far
 * as which slots are read at i and which are gathered from. */
#include "host/bounce.h"

#include <stdlib.h>
#include <string.h>

typedef struct stand_in {
    int64_t from, until; /* elements that are copied */
    size_t bytes;        /* of the memory; 0: the slot needs none */
} stand_in;

static bool is_used(const lun_ir *ir, int slot, lun_ir_kind kind)
{
    for (int i = 0; i < ir->count; i++)
        if (ir->ins[i].kind == kind && ir->ins[i].imm == slot)
            return true;
    return false;
}

/* What slot s needs from index cut on. Memory that is gathered from as well is copied as a
 * whole. */
static stand_in find_stand_in(const lun_ir *ir, const lun_launch *l, int s, int64_t cut)
{
    int64_t end = l->first + l->count;
    int64_t need = lun__order_blocks(end);
    stand_in in = {cut, end, 0};
    bool loaded = ir->slots[s].role == LUN_SLOT_IN;
    if ((!loaded && ir->slots[s].role != LUN_SLOT_OUT) || l->room[s] >= need)
        return in;
    if (loaded && !is_used(ir, s, LUN_IR_LOAD))
        return in;
    if (loaded && is_used(ir, s, LUN_IR_GATHER)) {
        in.from = 0;
        in.until = l->n < l->room[s] ? l->n : l->room[s];
        if (need < in.until)
            need = in.until;
    }
    int64_t size = lun__dtype_get((lun_dtype)ir->slots[s].dtype)->bytes;
    in.bytes = (size_t)lun__order_blocks((need - in.from) * size);
    return in;
}

void lun__bounce_none(lun_bounce *b)
{
    b->cut = INT64_MAX;
    b->memory = NULL;
    b->slots = b->local_slots;
}

lun_status lun__bounce_open(lun_bounce *b, const lun_ir *ir, const lun_launch *l, int64_t cut)
{
    int64_t end = l->first + l->count;
    int slots = ir->slot_count;
    size_t total = 0;
    lun__bounce_none(b);
    if (end % LUN_BLOCK == 0)
        return LUN_OK;
    for (int s = 0; s < slots; s++)
        total += find_stand_in(ir, l, s, cut).bytes;
    if (total == 0)
        return LUN_OK;
    size_t pointers = slots > LUN_BOUNCE_SLOTS ? (size_t)slots * sizeof(void *) : 0;
    char *at = b->local;
    if (pointers || total > sizeof b->local) {
        at = b->memory = malloc(total + LUN_BLOCK + pointers);
        if (!at)
            return LUN_ENOMEM;
        if (pointers)
            b->slots = (void **)(void *)at;
        at += pointers;
        at += -(uintptr_t)at % LUN_BLOCK;
    }
    for (int s = 0; s < slots; s++) {
        stand_in in = find_stand_in(ir, l, s, cut);
        int64_t size = lun__dtype_get((lun_dtype)ir->slots[s].dtype)->bytes;
        b->slots[s] = l->slots[s];
        if (!in.bytes)
            continue;
        size_t copied = (size_t)((in.until - in.from) * size);
        if (ir->slots[s].role == LUN_SLOT_IN)
            memcpy(at, (char *)l->slots[s] + in.from * size, copied);
        else
            copied = 0;
        memset(at + copied, 0, in.bytes - copied);
        b->slots[s] = (void *)((uintptr_t)at - (uintptr_t)(in.from * size));
        at += in.bytes;
    }
    b->cut = cut;
    return LUN_OK;
}

void lun__bounce_close(lun_bounce *b, const lun_ir *ir, const lun_launch *l, bool well)
{
    int64_t end = l->first + l->count;
    for (int s = 0; well && b->cut != INT64_MAX && s < ir->slot_count; s++) {
        int64_t size = lun__dtype_get((lun_dtype)ir->slots[s].dtype)->bytes;
        if (ir->slots[s].role != LUN_SLOT_OUT || b->slots[s] == l->slots[s])
            continue;
        memcpy((char *)l->slots[s] + b->cut * size,
               (void *)((uintptr_t)b->slots[s] + (uintptr_t)(b->cut * size)),
               (size_t)((end - b->cut) * size));
    }
    free(b->memory);
}
