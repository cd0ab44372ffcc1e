/* kernels.c - the kernels that backends have built, found by IR, and which of them are given up.
 *
 * Invariant: an entry is in the bucket of its hash, once, and in e->kernels_used, the longest
 * unused first; no two have one key, backend slot and math mode.  Its list of refs has every
 * lun_kernel_ref that points to it: these become NULL when it goes.  stats.kernels is their number,
 * and stats.kernel_bytes less recipe_bytes the sum of own_bytes. Any call of lun__kernel_of may
 * give up any other kernel but one that its backend is busy with; what has to keep several raises
 * e->kernels_held meanwhile. */
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/canonical_nan.h"
#include "launch/kernels.h"
#include "launch/trap.h"

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

_Static_assert(sizeof(lun_ir_ins) == offsetof(lun_ir_ins, imm) + sizeof(int64_t) &&
                   offsetof(lun_ir_ins, imm) == 4 * sizeof(uint8_t) + 7 * sizeof(int32_t) &&
                   sizeof(lun_ir_slot) == 3 * sizeof(uint8_t) + 5 + 2 * sizeof(int64_t),
               "no bytes between members, whose content is the compiler's");

/* Instructions refer to slots, arguments and results by number only, so their bytes say it all;
 * functions are identified by their text, for they may end before the kernel does. */
static void key_of(const lun_ir *ir, lun_strbuf *key)
{
    if (ir->function_count) {
        lun__print_ir(ir, key);
        return;
    }
    lun__strbuf_add(key, (const char *)ir->ins, (size_t)ir->count * sizeof *ir->ins);
    lun__strbuf_add(key, (const char *)ir->slots, (size_t)ir->slot_count * sizeof *ir->slots);
    lun__strbuf_add(key, (const char *)&ir->threads, sizeof ir->threads);
}

static bool make_room(lun_engine *e)
{
    if (e->stats.kernels < e->kernel_buckets)
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

lun_status lun__kernel_ir(lun_engine *e, const lun_ir **ir, lun_ir *made)
{
    bool any = false;
    if (lun__canonical_nan(*ir, lun__backend_version(&e->services), made, &any) != LUN_OK)
        return lun__fail_nomem(e);
    *ir = any ? made : *ir;
    return LUN_OK;
}

static lun_status build(lun_engine *e, const lun_ir *ir, lun_kernel_entry *k)
{
    lun_backend_slot *b;
    lun_ir made;
    lun_strbuf text = LUN_STRBUF_INIT;
    lun_status s = lun__backend(e, &b);
    k->asked = b;
    if (s == LUN_OK && !lun__backend_runs(b, ir))
        s = lun__backend_native(e, &b);
    const lun_status well = lun__kernel_ir(e, &ir, &made);
    s = s == LUN_OK ? well : s;
    if (s == LUN_OK && lun__print_ir(ir, &text) != LUN_OK)
        s = lun__fail_nomem(e);
    if (s == LUN_OK)
        s = b->backend->build(b->state, ir, lun__strbuf_text(&text), &k->kernel);
    k->at = b;
    k->math = e->math;
    lun__strbuf_free(&text);
    lun__ir_free(&made);
    return s;
}

/* ---- giving up ------------------------------------------------------------------------------- */

void lun__kernel_ref(lun_kernel_ref *ref, lun_kernel_entry *k)
{
    if (ref->kernel) {
        *ref->link = ref->next;
        if (ref->next)
            ref->next->link = ref->link;
    }
    *ref = (lun_kernel_ref){.kernel = k};
    if (!k)
        return;
    ref->link = &k->refs;
    ref->next = k->refs;
    if (ref->next)
        ref->next->link = &ref->next;
    k->refs = ref;
}

static int64_t own_bytes(const lun_kernel_entry *k)
{
    return (int64_t)(sizeof *k + k->length);
}

/* Takes k out of everything and releases it. */
static void drop(lun_engine *e, lun_kernel_entry *k)
{
    lun_kernel_entry **at = &e->kernels[k->hash & (e->kernel_buckets - 1)];
    while (*at != k)
        at = &(*at)->next;
    *at = k->next;
    while (k->refs)
        lun__kernel_ref(k->refs, NULL);
    lun__recent_remove(&e->kernels_used, &k->recent);
    k->at->backend->release(k->at->state, k->kernel);
    e->stats.kernels--;
    e->stats.kernel_bytes -= own_bytes(k);
    free(k->key);
    free(k);
}

static bool too_many(const lun_engine *e)
{
    return e->stats.kernels > e->kernels_most ||
           e->stats.kernel_bytes - e->recipe_bytes > e->kernel_bytes_most;
}

/* Gives up kernels, the longest unused first, until what is left is within the bounds; never
 * `kept`, which is about to run. */
static void keep_within(lun_engine *e, const lun_kernel_entry *kept)
{
    lun_recent_link *next;
    for (lun_recent_link *l = e->kernels_used.oldest; l && !e->kernels_held && too_many(e);
         l = next) {
        lun_kernel_entry *k = (lun_kernel_entry *)l;
        next = l->newer;
        if (k == kept)
            continue;
        drop(e, k);
        e->stats.kernels_dropped++;
    }
}

void lun__kernels_flush(lun_engine *e)
{
    while (e->kernels_used.oldest)
        drop(e, (lun_kernel_entry *)e->kernels_used.oldest);
    free(e->kernels);
    free(e->flights);
    e->kernels = NULL;
    e->flights = NULL;
    e->kernel_buckets = 0;
}

/* ---- finding --------------------------------------------------------------------------------- */

static lun_status find(lun_engine *e, const lun_ir *ir, lun_kernel_entry **out)
{
    lun_strbuf key = LUN_STRBUF_INIT;
    key_of(ir, &key);
    if (key.failed || !make_room(e)) {
        lun__strbuf_free(&key);
        return lun__fail_nomem(e);
    }
    uint64_t hash = hash_bytes(key.text, key.length);
    lun_kernel_entry *k = e->kernels[hash & (e->kernel_buckets - 1)];
    while (k && (k->hash != hash || !lun__kernel_fits(e, k) || k->length != key.length ||
                 memcmp(k->key, key.text, key.length)))
        k = k->next;
    *out = k;
    if (k) {
        lun__kernel_used(e, k);
        lun__strbuf_free(&key);
        return LUN_OK;
    }
    k = calloc(1, sizeof *k);
    lun_status s = k ? build(e, ir, k) : lun__fail_nomem(e);
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
    lun__recent_add(&e->kernels_used, &k->recent);
    e->stats.kernels++;
    e->stats.kernel_bytes += own_bytes(k);
    keep_within(e, k);
    e->current = k->at->number;
    *out = k;
    return LUN_OK;
}

lun_status lun__kernel_of(lun_engine *e, const lun_lowered *l, lun_kernel_entry **out)
{
    lun_status s = find(e, &l->ir, out);
    return s == LUN_EBUILD ? lun__trap_refusal(e, l) : s;
}
