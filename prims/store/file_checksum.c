/* file_checksum.c - the CRC-32 of bytes of a file: each location whose machine reads files itself
 * finds that of a block, at once, and the host that of the rest; see fetch.h.  Moves no element. */
#include <stdlib.h>
#include <string.h>

#include "base/crc.h"
#include "store/element_file.h"
#include "store/fetch.h"

enum { AT_ONCE = 16 << 20 }; /* bytes that the host reads between two looks at whether to stop */

/* What one location finds of a file's bytes. */
typedef struct part {
    int64_t at, bytes;
    uint32_t crc;
    bool begun;
} part;

static lun_status begin(lun_engine *e, lun_source *source, part *parts)
{
    const lun_file *file = lun__element_file_of(source);
    lun_status status = lun__element_file_check(e, source);
    for (int k = 0; status == LUN_OK && file && k < e->set_count; k++) {
        const lun_backend_slot *at = e->set[k];
        if (parts[k].bytes && at->state && at->backend->remote)
            status = at->backend->remote->crc(at->state, file, parts[k].at, parts[k].bytes,
                                              &parts[k].begun);
    }
    return status;
}

/* The host's own share. */
static lun_status find_here(lun_engine *e, const lun_source *source, part *p)
{
    lun_status status = LUN_OK;
    for (int64_t done = 0, some; status == LUN_OK && done < p->bytes; done += some) {
        some = p->bytes - done < AT_ONCE ? p->bytes - done : AT_ONCE;
        const int failure = lun__element_file_crc(source, p->at + done, some, &p->crc);
        status = failure ? lun__element_file_fail(e, source, failure) : lun__watch_stopped(e);
    }
    return status;
}

/* All that has begun ends; of what fails the first is kept. */
static lun_status end(lun_engine *e, part *parts, lun_status status)
{
    char *kept = status != LUN_OK ? strdup(lun__strbuf_text(&e->error)) : NULL;
    for (int k = 0; k < e->set_count; k++) {
        if (!parts[k].begun)
            continue;
        const lun_status s = e->set[k]->backend->remote->crc_found(e->set[k]->state, &parts[k].crc);
        if (s != LUN_OK && status == LUN_OK) {
            status = s;
            kept = strdup(lun__strbuf_text(&e->error));
        }
    }
    if (kept) {
        lun__fail_clear(e);
        lun__strbuf_marked(&e->error, kept);
    }
    free(kept);
    return status;
}

lun_status lun__file_checksum(lun_engine *e, lun_storage *s, int64_t first, int64_t count,
                              uint32_t *out)
{
    const int n = e->set_count ? e->set_count : 1;
    part *parts = calloc((size_t)n, sizeof *parts);
    if (!parts)
        return lun__fail_nomem(e);
    for (int k = 0; k < n; k++) {
        const int64_t lo = lun__spread_bound(LUN_SPREAD_REMAINDER, count, n, k);
        const int64_t hi = lun__spread_bound(LUN_SPREAD_REMAINDER, count, n, k + 1);
        parts[k] = (part){.at = s->start + first + lo, .bytes = hi - lo};
    }
    lun_status status = begin(e, s->source, parts);
    for (int k = 0; status == LUN_OK && k < n; k++)
        if (!parts[k].begun)
            status = find_here(e, s->source, &parts[k]);
    status = end(e, parts, status);
    *out = 0;
    for (int k = 0; status == LUN_OK && k < n; k++)
        *out = lun__crc32_join(*out, parts[k].crc, parts[k].bytes);
    free(parts);
    return status;
}
