/* gpu_kernel.c - a kernel's own memory, and its end; see gpu_state.h. */
#include <stdlib.h>
#include <string.h>

#include "gpu/gpu_state.h"

void lun__gpu_kernel_unload(lun_gpu *g, lun_kernel *k)
{
    if (lun__gpu_state_may_release(g)) {
        for (int i = 0; i < LUN_CL_STEPS && k->entry[i].name; i++)
            g->driver->kernel_free(g->queue, k->entry[i].kernel);
        if (k->program)
            g->driver->unload(g->queue, k->program);
    }
    memset(k->entry, 0, sizeof k->entry);
    k->program = NULL;
    lun__gpu_program_unclaim(g, k);
}

void lun__gpu_kernel_release(void *state, lun_kernel *k)
{
    lun_gpu *g = state;
    lun__gpu_batch_forget(g, k);
    g->services->stats->kernel_bytes -= k->bytes;
    lun__gpu_kernel_unload(g, k);
    lun__interpreter_free(k->joiner);
    lun__strbuf_free(&k->key);
    free(k->memory);
    free(k->kinds);
    free(k->sizes);
    free(k->room);
    free(k);
}

lun_kernel *lun__gpu_kernel(const lun_ir *ir)
{
    lun_kernel *k = calloc(1, sizeof *k);
    if (!k)
        return NULL;
    k->claim = -1;
    k->memory = calloc((size_t)ir->slot_count + 3, sizeof *k->memory);
    k->kinds = malloc((size_t)(ir->count > 0 ? ir->count : 1));
    k->sizes = malloc((size_t)ir->slot_count + 1);
    k->room = malloc(((size_t)ir->slot_count + 1) * sizeof *k->room);
    if (!k->memory || !k->kinds || !k->sizes || !k->room) {
        free(k->memory);
        free(k->kinds);
        free(k->sizes);
        free(k->room);
        free(k);
        return NULL;
    }
    k->kind_count = ir->count;
    for (int i = 0; i < ir->slot_count; i++) {
        k->sizes[i] = (uint8_t)lun__dtype_get((lun_dtype)ir->slots[i].dtype)->bytes;
        if (ir->slots[i].shared < 0)
            k->room[k->rooms++] = (lun_gpu_room){-1 - ir->slots[i].shared, k->sizes[i]};
    }
    for (int i = 0; i < ir->count; i++) {
        k->kinds[i] = ir->ins[i].kind;
        k->loops |= ir->ins[i].kind == LUN_IR_LOOP || ir->ins[i].kind == LUN_IR_CALL;
    }
    return k;
}
