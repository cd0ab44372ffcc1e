/* kernels.c - the kernels that backends have built, found by IR. */
#include <stdlib.h>
#include <string.h>

#include "run/kernels.h"

static uint64_t hash_bytes(const char *s, size_t n)
{
    uint64_t h = n, word;
    for (; n >= sizeof word; s += sizeof word, n -= sizeof word) {
        memcpy(&word, s, sizeof word);
        h = (h ^ word) * 0x9e3779b97f4a7c15u;
        h ^= h >> 29;
    }
    for (; n; s++, n--)
        h = (h ^ (unsigned char)*s) * 0x100000001b3u;
    return h ^ h >> 32;
}

/* Instructions refer to slots, arguments and results by number only, so their bytes say it all;
 * what functions are is told by their text, for they may be gone before the kernel is. */
static void key_of(const lun_ir *ir, lun_strbuf *key)
{
    if (ir->function_count) {
        lun__ir_print(ir, key);
        return;
    }
    lun__strbuf_add(key, (const char *)ir->ins, (size_t)ir->count * sizeof *ir->ins);
    lun__strbuf_add(key, (const char *)ir->slots, (size_t)ir->slot_count * sizeof *ir->slots);
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

static lun_status build(lun_engine *e, const lun_ir *ir, lun_kernel_entry *k)
{
    lun_backend_slot *b;
    lun_strbuf text = LUN_STRBUF_INIT;
    lun_status s = lun__backend(e, &b);
    if (s == LUN_OK && lun__ir_print(ir, &text) != LUN_OK)
        s = lun__nomem(e);
    if (s == LUN_OK)
        s = b->backend->build(b->state, ir, lun__strbuf_text(&text), &k->kernel);
    k->at = b;
    k->math = e->math;
    lun__strbuf_free(&text);
    return s;
}

lun_status lun__kernel_get(lun_engine *e, const lun_ir *ir, lun_kernel_entry **out)
{
    lun_strbuf key = LUN_STRBUF_INIT;
    key_of(ir, &key);
    if (key.failed || !make_room(e)) {
        lun__strbuf_free(&key);
        return lun__nomem(e);
    }
    uint64_t hash = hash_bytes(key.text, key.length);
    lun_kernel_entry *k = e->kernels[hash & (e->kernel_buckets - 1)];
    while (k && (k->hash != hash || !lun__kernel_fits(e, k) || k->length != key.length ||
                 memcmp(k->key, key.text, key.length)))
        k = k->next;
    lun_status s = LUN_OK;
    if (!k) {
        k = calloc(1, sizeof *k);
        s = k ? build(e, ir, k) : lun__nomem(e);
        if (s != LUN_OK) {
            free(k);
            lun__strbuf_free(&key);
            return s;
        }
        k->key = key.text; /* takes it */
        k->length = key.length;
        k->hash = hash;
        k->next = e->kernels[hash & (e->kernel_buckets - 1)];
        e->kernels[hash & (e->kernel_buckets - 1)] = k;
        e->kernel_count++;
    } else {
        lun__strbuf_free(&key);
    }
    *out = k;
    return LUN_OK;
}

void lun__kernels_flush(lun_engine *e)
{
    for (uint32_t i = 0; i < e->kernel_buckets; i++)
        for (lun_kernel_entry *k = e->kernels[i], *next; k; k = next) {
            next = k->next;
            k->at->backend->release(k->at->state, k->kernel);
            free(k->key);
            free(k);
        }
    free(e->kernels);
    e->kernels = NULL;
    e->kernel_buckets = e->kernel_count = 0;
}
