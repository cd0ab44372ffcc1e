/* element_file.c - a file that elements are read from; see element_file.h.
 *
 * Invariant: the descriptor is open while there are references, which the thread inside of the
 * engine counts; `as.is` is what the file was when it was opened, and as.number that of no other
 * file of the engine.  Only once `published` may devices' machines have it open, and these close it
 * before it ends.  Reads, from any thread, change nothing. */
#include "store/element_file.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "engine/state.h"

struct lun_source {
    int refs, descriptor;
    bool published; /* `as` is complete: devices may have opened it */
    lun_file as;
    char path[];
};

static lun_status refuse(lun_engine *e, const char *path, int reason)
{
    const char *text = reason == ESPIPE ? "not a regular file" : strerror(reason);
    lun_status s = lun__fail(e, LUN_EIO, "%s: %s", path, text);
    errno = reason;
    return s;
}

lun_status lun__element_file_open(lun_engine *e, const char *path, lun_source **out, int64_t *size)
{
    size_t length = strlen(path) + 1;
    lun_source *s = calloc(1, sizeof *s + length);
    if (!s)
        return lun__fail_nomem(e);
    s->refs = 1;
    memcpy(s->path, path, length);
    s->descriptor = lun__infile_open(path, &s->as.is);
    if (s->descriptor < 0) {
        const int reason = errno;
        free(s);
        return refuse(e, path, reason);
    }
    s->as.number = ++e->files_opened;
    s->as.name = s->path;
    s->as.path = lun__infile_path(path);
    *size = s->as.is.size;
    *out = s;
    return LUN_OK;
}

lun_source *lun__element_file_retain(lun_source *s)
{
    s->refs++;
    return s;
}

/* Devices' machines that have it open close it. */
static void unload(lun_engine *e, const lun_source *s)
{
    for (int k = 0; s->published && k < e->backend_count; k++) {
        const lun_backend_slot *at = e->backends[k];
        if (at->state && at->backend->remote)
            at->backend->remote->unload(at->state, s->as.number);
    }
}

void lun__element_file_release(lun_engine *e, lun_source *s)
{
    if (!s || --s->refs)
        return;
    unload(e, s);
    close(s->descriptor);
    free((char *)s->as.path);
    free(s);
}

lun_status lun__element_file_check(lun_engine *e, const lun_source *s)
{
    const int failure = lun__infile_check(s->descriptor, &s->as.is);
    return failure ? lun__element_file_fail(e, s, failure) : LUN_OK;
}

int lun__element_file_read(const lun_source *s, int64_t at, int64_t count, lun_infile_form form,
                           void *to)
{
    return lun__infile_elements(s->descriptor, at, count, form, to);
}

int lun__element_file_crc(const lun_source *s, int64_t at, int64_t bytes, uint32_t *crc)
{
    return lun__infile_crc(s->descriptor, at, bytes, crc);
}

const lun_file *lun__element_file_of(lun_source *s)
{
    if (!s->published && s->as.path)
        s->published = !lun__infile_ends(s->descriptor, &s->as.is);
    return s->published ? &s->as : NULL;
}

lun_status lun__element_file_fail(lun_engine *e, const lun_source *s, int failure)
{
    lun__fail_clear(e);
    lun__infile_say(&e->error, s->path, s->descriptor, &s->as.is, failure);
    return LUN_EIO;
}
