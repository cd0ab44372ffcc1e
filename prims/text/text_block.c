/* text_block.c - memory that pools of texts share with those who hold values outside of the engine.
 *
 * Invariant: a block has a count of its holders, the pool and those outside; the last one frees it
 * and its memory, on whatever thread.  The account of its pool has it until the pool ends. */
#include <stdlib.h>
#include <string.h>

#include "text/texts_state.h"

struct lun_text_block {
    int refs;
    void *memory; /* of malloc */
};

lun_text_block *lun__text_block_of(void *memory)
{
    lun_text_block *b = malloc(sizeof *b);
    if (b)
        *b = (lun_text_block){1, memory};
    return b;
}

void *lun__text_block_memory(const lun_text_block *b)
{
    return b ? b->memory : NULL;
}

bool lun__text_block_is_held(const lun_text_block *b)
{
    return b && __atomic_load_n(&b->refs, __ATOMIC_ACQUIRE) > 1;
}

lun_text_block *lun__text_block_keep(lun_text_block *b)
{
    __atomic_add_fetch(&b->refs, 1, __ATOMIC_RELAXED);
    return b;
}

void lun__text_block_drop(lun_text_block *b)
{
    if (!b || __atomic_sub_fetch(&b->refs, 1, __ATOMIC_ACQ_REL))
        return;
    free(b->memory);
    free(b);
}

bool lun__text_block_resize(lun_text_block **b, int64_t had, int64_t bytes)
{
    if (*b && !lun__text_block_is_held(*b)) {
        void *more = realloc((*b)->memory, (size_t)bytes);
        (*b)->memory = more ? more : (*b)->memory;
        return more;
    }
    void *memory = malloc((size_t)bytes);
    lun_text_block *made = memory ? lun__text_block_of(memory) : NULL;
    if (!made) {
        free(memory);
        return false;
    }
    if (*b)
        memcpy(memory, (*b)->memory, (size_t)(had < bytes ? had : bytes));
    lun__text_block_drop(*b);
    *b = made;
    return true;
}

const lun_text_view lun__text_block_none = {4, {.in_place = "<NA>"}};
