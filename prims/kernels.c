/* kernels.c - the kernels that the backend in use has built, found by canonical IR text. */
#include <stdlib.h>
#include <string.h>

#include "plan.h"

static uint64_t hash_text(const char *s, size_t n)
{
    uint64_t h = 0xcbf29ce484222325u; /* FNV-1a */
    for (size_t i = 0; i < n; i++)
        h = (h ^ (unsigned char)s[i]) * 0x100000001b3u;
    return h;
}

static bool make_room(lun_engine *e)
{
    if (e->kernel_count < e->kernel_buckets)
        return true;
    uint32_t count = e->kernel_buckets ? 2 * e->kernel_buckets : 64;
    lun_kernel_entry **buckets = calloc(count, sizeof *buckets);
    if (!buckets)
        return e->kernel_buckets != 0;
    for (uint32_t i = 0; i < e->kernel_buckets; i++)
        for (lun_kernel_entry *k = e->kernels[i], *next; k; k = next) {
            next = k->next;
            k->next = buckets[k->hash & (count - 1)];
            buckets[k->hash & (count - 1)] = k;
        }
    free(e->kernels);
    e->kernels = buckets;
    e->kernel_buckets = count;
    return true;
}

lun_status lun_kernel_get(lun_engine *e, const lun_ir *ir, lun_kernel_entry **out)
{
    lun_backend_slot *b;
    lun_strbuf text = LUN_STRBUF_INIT;
    lun_kernel_entry *k = NULL;
    lun_status s = lun__backend(e, &b);
    if (s != LUN_OK)
        return s;
    s = lun_ir_print(ir, &text);
    if (s != LUN_OK || !make_room(e))
        goto nomem;
    uint64_t hash = hash_text(text.text, text.length);
    for (k = e->kernels[hash & (e->kernel_buckets - 1)]; k; k = k->next)
        if (k->hash == hash && k->length == text.length &&
            !memcmp(k->text, text.text, text.length)) {
            lun_strbuf_free(&text);
            *out = k;
            return LUN_OK;
        }
    k = calloc(1, sizeof *k);
    if (!k)
        goto nomem;
    s = b->backend->build(b->state, ir, text.text, &k->kernel);
    if (s != LUN_OK) {
        free(k);
        lun_strbuf_free(&text);
        return s;
    }
    k->text = text.text; /* takes it */
    k->length = text.length;
    k->hash = hash;
    k->cost = lun_ir_cost(ir);
    k->next = e->kernels[hash & (e->kernel_buckets - 1)];
    e->kernels[hash & (e->kernel_buckets - 1)] = k;
    e->kernel_count++;
    *out = k;
    return LUN_OK;
nomem:
    lun_strbuf_free(&text);
    return lun__nomem(e);
}

void lun__kernels_flush(lun_engine *e)
{
    lun__recipes_flush(e);
    for (uint32_t i = 0; i < e->kernel_buckets; i++)
        for (lun_kernel_entry *k = e->kernels[i], *next; k; k = next) {
            next = k->next;
            const lun_backend_slot *b = &e->backends[e->current];
            b->backend->release(b->state, k->kernel);
            free(k->text);
            free(k);
        }
    free(e->kernels);
    e->kernels = NULL;
    e->kernel_buckets = e->kernel_count = 0;
}
