/* texts_state.h - a pool of texts from inside.  Private to prims/text. */
#ifndef LUN_TEXTS_STATE_H
#define LUN_TEXTS_STATE_H

#include "base/account.h"
#include "engine/state.h"
#include "text/texts.h"

typedef struct lun_text_buffer {
    char *bytes;
    int64_t used, room;
    lun_text_block *block; /* of the bytes */
} lun_text_buffer;

/* Invariant: view[0] is lun__text_block_none, for code 0; bytes of a value never change, and stand
 * in blocks (text_block.c), of which those that are held from outside stay where they are.  The
 * first `indexed` codes are found by `slot`, of mask + 1 entries, of equal values the first; rank
 * and levels are those of all values, or NULL; `bytes` are in the account. */
struct lun_text_pool {
    int refs;
    uint32_t count, room;
    bool distinct, sorted, frozen;
    int buffers;
    lun_account *account;
    int64_t bytes;
    lun_text_view *view;
    lun_text_block *view_block; /* of the views */
    lun_text_buffer *buffer;
    uint32_t *slot, mask, indexed;
    uint32_t *rank, ranked; /* of as many values */
    lun_text_pool *levels;
};

/* What those who know no code 0 see of it. */
extern const lun_text_view lun__text_block_none;
/* A block of memory of malloc, with one holder; NULL: no memory, and the other stays the
 * caller's. */
lun_text_block *lun__text_block_of(void *memory);
/* NULL of none. */
void *lun__text_block_memory(const lun_text_block *b);
/* Its memory, or if others hold it too a copy of the first `had` bytes in another block, becomes so
 * large; *b may be NULL.  False: no memory, and nothing is changed. */
bool lun__text_block_resize(lun_text_block **b, int64_t had, int64_t bytes);
/* A further holder. */
lun_text_block *lun__text_block_keep(lun_text_block *b);
/* NULL is allowed. */
void lun__text_block_drop(lun_text_block *b);
bool lun__text_block_is_held(const lun_text_block *b);
/* Makes memory of the pool larger, and enters it; false: no memory, and nothing is changed. */
bool lun__text_pool_grow(lun_text_pool *t, void **block, int64_t had, int64_t bytes);
/* Forgets rank and levels. */
void lun__text_pool_unrank(lun_text_pool *t);

#endif
