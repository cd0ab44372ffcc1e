/* texts_state.h - a pool of texts from inside.  Private to prims/text. */
#ifndef LUN_TEXTS_STATE_H
#define LUN_TEXTS_STATE_H

#include "base/account.h"
#include "engine/state.h"
#include "text/texts.h"

typedef struct lun_text_buffer {
    char *bytes;
    int64_t used, room;
} lun_text_buffer;

/* Invariant: the first `indexed` codes are found by `slot`, of mask + 1 entries, of equal values
 * the first; rank and levels are those of all values, or NULL; `bytes` are in the account. */
struct lun_text_pool {
    int refs;
    uint32_t count, room;
    bool distinct, sorted, frozen;
    int buffers;
    lun_account *account;
    int64_t bytes;
    lun_text_view *view;
    lun_text_buffer *buffer;
    uint32_t *slot, mask, indexed;
    uint32_t *rank, ranked; /* of as many values */
    lun_text_pool *levels;
};

/* Makes a block of the pool larger, and enters it; false: no memory, and nothing is changed. */
bool lun__text_pool_grow(lun_text_pool *t, void **block, int64_t had, int64_t bytes);
/* Forgets rank and levels. */
void lun__text_pool_unrank(lun_text_pool *t);

#endif
