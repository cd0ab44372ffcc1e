/* tune.c - the size of work-groups, found by trying; see gpu_state.h.
 *
 * Only kernels that take elements one by one have a choice (scalar form, no reduction, no scan).
 * Large launches take the sizes in turn; when each was timed a few times the fastest stays, and is
 * remembered with the kernel in the cache on disk.  The results do not depend on it.
 *
 * What it gives over 256 for all, on PoCL in the scalar form, time of the process: a * x + b 8 %,
 * three math functions 1.8 %, a polynomial and a loop nothing.  There 128 to 2048 differ by 5 %,
 * and 32 costs 25 %.  Graphics processors were not measured: without a figure for them it stays. */
#include <stdlib.h>
#include <string.h>

#include "gpu/gpu_state.h"

enum {
    WORTHWHILE = 1 << 18, /* indices from which a launch shows what a size is worth */
    SAMPLES = 3
};

/* ---- the cache on disk ----------------------------------------------------------------------- */

static void make_key(const lun_kernel *k, lun_strbuf *key)
{
    lun__strbuf_puts(key, "work-group of ");
    lun__strbuf_add(key, lun__strbuf_text(&k->key), k->key.length);
}

static bool recall(lun_gpu *g, const lun_kernel *k, int *group)
{
    lun_strbuf key = LUN_STRBUF_INIT;
    void *bytes;
    size_t length;
    make_key(k, &key);
    bool found = !key.failed &&
                 lun__cache_entry_load(g->services->cache, key.text, key.length, &bytes, &length);
    lun__strbuf_free(&key);
    if (!found)
        return false;
    if (length == sizeof *group)
        memcpy(group, bytes, sizeof *group);
    free(bytes);
    return length == sizeof *group;
}

static void remember(lun_gpu *g, const lun_kernel *k, int group)
{
    lun_strbuf key = LUN_STRBUF_INIT;
    make_key(k, &key);
    if (!key.failed)
        lun__cache_entry_store(g->services->cache, key.text, key.length, &group, sizeof group);
    lun__strbuf_free(&key);
}

/* ---- trials ---------------------------------------------------------------------------------- */

/* Sizes to try: those that the device takes for this kernel, or the one that an earlier process
 * found. */
static void start(lun_gpu *g, lun_kernel *k, int64_t most)
{
    static const int sizes[LUN_GPU_TRIALS] = {256, 128, 64, 512, 32, 1024};
    lun_gpu_tuning *t = &k->tuning;
    int known = 0;
    t->started = true;
    t->most = most > g->device.group ? g->device.group : most;
    for (int i = 0; i < LUN_GPU_TRIALS; i++)
        if (sizes[i] <= t->most)
            t->size[t->count++] = sizes[i];
    if (recall(g, k, &known) && known > 0 && known <= t->most) {
        t->group = known;
        t->settled = true;
    } else if (t->count < 2) {
        t->group = t->most && t->most < 256 ? (int)t->most : 0;
        t->settled = true;
    } else {
        t->group = t->size[0];
    }
}

int lun__gpu_tune_group(lun_gpu *g, lun_kernel *k, int64_t most, int64_t count, int *trial)
{
    lun_gpu_tuning *t = &k->tuning;
    *trial = -1;
    if (!t->started)
        start(g, k, most);
    if (t->settled || count < WORTHWHILE || !k->ran)
        return t->group;
    *trial = t->next;
    t->next = (t->next + 1) % t->count;
    return t->size[*trial];
}

void lun__gpu_tune_tried(lun_gpu *g, lun_kernel *k, int trial, double rate)
{
    lun_gpu_tuning *t = &k->tuning;
    int best = 0;
    if (t->settled)
        return;
    if (!t->samples[trial]++ || rate < t->best[trial])
        t->best[trial] = rate;
    for (int i = 0; i < t->count; i++) {
        if (t->samples[i] < SAMPLES)
            return;
        if (t->best[i] < t->best[best])
            best = i;
    }
    t->group = t->size[best];
    t->settled = true;
    remember(g, k, t->group);
}
