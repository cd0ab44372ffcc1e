/* text_held.c - values of a pool of texts that are held from outside of the engine: blocks that the
 * pool shares (text_block.c). */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "text/texts_state.h"

static bool has_view(const lun_text_pool *t, const lun_text_view *v)
{
    for (uint32_t code = 1; code <= lun__text_pool_count(t); code++)
        if (!memcmp(&t->view[code], v, sizeof *v))
            return true;
    return false;
}

/* The views, of which that of code 0 is no other one's: values of a dictionary are different.
 * NULL: no memory. */
static lun_text_block *keep_views(const lun_text_pool *t)
{
    lun_text_view none = lun__text_block_none;
    lun_text_block *made = NULL;
    const int64_t count = lun__text_pool_count(t);
    if (count && !has_view(t, &none))
        return lun__text_block_keep(t->view_block);
    if (!lun__text_block_resize(&made, 0, (count + 1) * (int64_t)sizeof none))
        return NULL;
    for (unsigned number = 2; count && has_view(t, &none); number++)
        none.length = snprintf(none.as.in_place, sizeof none.as.in_place, "<NA>_%u", number);
    lun_text_view *views = lun__text_block_memory(made);
    views[0] = none;
    if (count)
        memcpy(views + 1, t->view + 1, (size_t)count * sizeof none);
    return made;
}

lun_status lun__text_held(lun_engine *e, const lun_text_pool *t, lun_text_held *out)
{
    const int n = t ? t->buffers : 0;
    *out = (lun_text_held){.count = (int64_t)lun__text_pool_count(t) + 1,
                           .buffer = calloc((size_t)n + 1, sizeof *out->buffer),
                           .used = calloc((size_t)n + 1, sizeof *out->used),
                           .block = calloc((size_t)n + 1, sizeof(lun_text_block *)),
                           .views = keep_views(t)};
    out->view = lun__text_block_memory(out->views);
    if (!out->buffer || !out->used || !out->block || !out->view) {
        lun__text_held_end(out);
        return lun__fail_nomem(e);
    }
    for (; out->buffers < n; out->buffers++) {
        const lun_text_buffer *b = &t->buffer[out->buffers];
        out->block[out->buffers] = lun__text_block_keep(b->block);
        out->buffer[out->buffers] = b->bytes;
        out->used[out->buffers] = b->used;
    }
    return LUN_OK;
}

void lun__text_held_end(lun_text_held *h)
{
    for (int k = 0; k < h->buffers; k++)
        lun__text_block_drop(h->block[k]);
    lun__text_block_drop(h->views);
    free(h->block);
    free(h->buffer);
    free(h->used);
    *h = (lun_text_held){.count = 0};
}
