/* gzip_random.c - random access to gzip data from several threads; see gzip.h. It is unpacked in
 * blocks, of which some stay in memory. The state of zlib is kept at the start of each block, so a
 * block can be unpacked again without those before it.
 *
 * Invariant: after lun__gzip_random_open, marks[k] is the state of zlib at the start of block k
 * and never changes. A slot with readers is not reassigned; one that is not `filled` has one
 * thread that fills it, and others wait for `changed`. Slots are read and changed under the
 * lock; bytes of a filled slot are read without it by its users. */
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <zlib.h>

#include "bind/file/gzip.h"

enum {
    BLOCK = 960 << 10,  /* bytes */
    BLANK = 4092 << 10, /* memory of the engine: four blocks and as many marks */
    SLOTS = 32, /* blocks in memory; more on machines with more than half as many processors */
    ALIGNMENT = 64
};

/* Where a block begins: zlib's state, which points back to z, so it stays where it is. */
typedef struct mark {
    z_stream z;
    int64_t at; /* of the source: the byte that the stream reads next */
} mark;

/* A block in memory. */
typedef struct slot {
    char *data;
    int64_t block, used; /* number, -1: none; time of the last use */
    int readers;
    bool filled; /* else a thread is filling it */
} slot;

struct lun__unpacked {
    lun_engine *engine; /* while marks are made */
    lun__gzip_source source;
    lun_blank **blanks; /* all memory of slots and marks */
    int64_t blank_count, blank_room;
    char *rest; /* of the last blank */
    size_t left;
    mark **marks; /* of each block */
    int64_t count, room, size;
    slot *slots;
    int64_t slot_count, slot_limit, clock;
    lun_status status; /* of the last request for memory */
    pthread_mutex_t lock;
    pthread_cond_t changed; /* a slot was filled or released */
};

/* ---- memory ---------------------------------------------------------------------------------- */

static bool add_blank(lun__unpacked *u)
{
    void *data = NULL;
    u->status = LUN_ENOMEM;
    if (u->blank_count == u->blank_room) {
        int64_t room = u->blank_room * 2 + 16;
        lun_blank **blanks = realloc(u->blanks, (size_t)room * sizeof *blanks);
        if (!blanks)
            return false;
        u->blanks = blanks;
        u->blank_room = room;
    }
    u->status = lun_blank_new(u->engine, BLANK, 1, &u->blanks[u->blank_count], &data);
    u->blank_count += u->status == LUN_OK;
    u->rest = data;
    u->left = u->status == LUN_OK ? BLANK : 0;
    return u->status == LUN_OK;
}

/* Memory of the engine for a block or a part of a mark, freed with u. */
static void *take(lun__unpacked *u, size_t bytes)
{
    bytes = (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    if (bytes > BLANK || (bytes > u->left && !add_blank(u)))
        return NULL;
    void *memory = u->rest;
    u->rest += bytes;
    u->left -= bytes;
    return memory;
}

/* zlib's memory: for marks while these are made; afterwards for a thread's private stream. */
static void *zlib_take(void *opaque, uInt items, uInt size)
{
    lun__unpacked *u = opaque;
    return u->engine ? take(u, (size_t)items * size) : calloc(items, size);
}

static void zlib_give(void *opaque, void *memory)
{
    const lun__unpacked *u = opaque;
    if (!u->engine)
        free(memory);
}

/* ---- reading all of it once ------------------------------------------------------------------ */

/* Adds a mark of the stream's state: a block begins here. */
static bool add_mark(lun__unpacked *u, z_stream *z, int64_t at)
{
    u->status = LUN_ENOMEM;
    if (u->count == u->room) {
        int64_t room = u->room * 2 + 64;
        mark **marks = realloc(u->marks, (size_t)room * sizeof *marks);
        if (!marks)
            return false;
        u->marks = marks;
        u->room = room;
    }
    mark *m = take(u, sizeof *m);
    if (!m || inflateCopy(&m->z, z) != Z_OK)
        return false;
    m->at = at - z->avail_in;
    m->z.next_in = NULL;
    m->z.avail_in = 0;
    u->marks[u->count++] = m;
    u->status = LUN_OK;
    return true;
}

/* The slot for the next block: a new one, or the one that was filled first. */
static slot *next_slot(lun__unpacked *u)
{
    int64_t k = u->count - 1; /* its mark exists */
    slot *s = &u->slots[k % u->slot_limit];
    if (k < u->slot_limit) {
        s->data = take(u, BLOCK);
        u->slot_count += s->data != NULL;
    }
    s->block = k;
    s->used = u->clock++;
    s->filled = true;
    return s->data ? s : NULL;
}

static bool read_all(lun__unpacked *u, z_stream *z, lun__gzip_input *input, lun__gzip_fault *fault)
{
    for (int64_t got = BLOCK; got == BLOCK; u->size += got) {
        slot *s = NULL;
        u->status = lun_host_check(u->engine);
        if (u->status == LUN_OK && add_mark(u, z, input->at))
            s = next_slot(u);
        if (!s) {
            *fault = (lun__gzip_fault){.status = u->status};
            return false;
        }
        got = lun__gzip_next(z, &u->source, input, s->data, BLOCK, fault);
        if (got < 0) {
            fault->status = u->status == LUN_OK ? fault->status : u->status;
            return false;
        }
    }
    return true;
}

static bool prepare(lun__unpacked *u, lun_engine *e, const lun__gzip_source *source, z_stream *z)
{
    long processors = sysconf(_SC_NPROCESSORS_ONLN);
    u->engine = e;
    u->source = *source;
    u->slot_limit = processors > SLOTS / 2 ? processors * 2 : SLOTS;
    u->slots = calloc((size_t)u->slot_limit, sizeof *u->slots);
    pthread_mutex_init(&u->lock, NULL);
    pthread_cond_init(&u->changed, NULL);
    *z = (z_stream){.zalloc = zlib_take, .zfree = zlib_give, .opaque = u};
    return u->slots && lun__gzip_begin(z);
}

lun__unpacked *lun__gzip_random_open(lun_engine *e, const lun__gzip_source *source,
                                     lun__gzip_fault *fault)
{
    z_stream z;
    lun__unpacked *u = calloc(1, sizeof *u);
    lun__gzip_input *input = malloc(sizeof *input);
    *fault = (lun__gzip_fault){.status = LUN_ENOMEM};
    bool ok = u && input && prepare(u, e, source, &z);
    if (ok) {
        input->at = 0;
        ok = read_all(u, &z, input, fault);
        inflateEnd(&z);
    } else if (u && u->status != LUN_OK) {
        fault->status = u->status;
    }
    free(input);
    if (ok) {
        u->engine = NULL;
        return u;
    }
    lun__gzip_random_end(e, u);
    return NULL;
}

int64_t lun__gzip_random_size(const lun__unpacked *u)
{
    return u->size;
}

void lun__gzip_random_end(lun_engine *e, lun__unpacked *u)
{
    if (!u)
        return;
    for (int64_t k = 0; e && k < u->blank_count; k++)
        lun_blank_drop(e, u->blanks[k]);
    if (u->slots) {
        pthread_mutex_destroy(&u->lock);
        pthread_cond_destroy(&u->changed);
    }
    free(u->blanks);
    free(u->marks);
    free(u->slots);
    free(u);
}

/* ---- random access --------------------------------------------------------------------------- */

/* Unpacks block `k`; 0, or an errno, -1. Data that fails now has changed since it was read
 * first. */
static int unpack_block(lun__unpacked *u, int64_t k, char *to)
{
    z_stream z;
    lun__gzip_fault fault;
    int64_t left = u->size - k * BLOCK;
    lun__gzip_input *input = malloc(sizeof *input);
    if (!input || inflateCopy(&z, &u->marks[k]->z) != Z_OK) {
        free(input);
        return ENOMEM;
    }
    input->at = u->marks[k]->at;
    left = left < BLOCK ? left : BLOCK;
    int64_t got = lun__gzip_next(&z, &u->source, input, to, left, &fault);
    inflateEnd(&z);
    free(input);
    if (got < 0 && fault.status != LUN_OK)
        return fault.status == LUN_ENOMEM ? ENOMEM : fault.reason;
    return got == left ? 0 : EIO;
}

/* The slot of a block, or NULL. */
static slot *find(const lun__unpacked *u, int64_t block)
{
    for (int64_t k = 0; k < u->slot_count; k++)
        if (u->slots[k].block == block)
            return &u->slots[k];
    return NULL;
}

/* The least recently used slot without users, or NULL. */
static slot *oldest(const lun__unpacked *u)
{
    slot *s = NULL;
    for (int64_t k = 0; k < u->slot_count; k++)
        if (u->slots[k].filled && u->slots[k].readers == 0 && (!s || u->slots[k].used < s->used))
            s = &u->slots[k];
    return s;
}

/* A slot with the block, which the caller uses until it releases it; NULL: *reason. Locked. */
static slot *hold(lun__unpacked *u, int64_t block, int *reason)
{
    for (;;) {
        slot *s = find(u, block);
        if (!s) {
            s = oldest(u);
            if (s) {
                s->block = block;
                s->filled = false;
                pthread_mutex_unlock(&u->lock);
                *reason = unpack_block(u, block, s->data);
                pthread_mutex_lock(&u->lock);
                s->filled = true;
                pthread_cond_broadcast(&u->changed);
            }
            if (s && *reason) {
                s->block = -1;
                return NULL;
            }
        }
        if (s && s->filled) {
            s->readers++;
            s->used = u->clock++;
            return s;
        }
        pthread_cond_wait(&u->changed, &u->lock);
    }
}

int lun__gzip_random_read(lun__unpacked *u, int64_t at, int64_t count, void *to)
{
    char *p = to;
    int reason = 0;
    pthread_mutex_lock(&u->lock);
    for (int64_t some; count > 0; at += some, p += some, count -= some) {
        slot *s = hold(u, at / BLOCK, &reason);
        if (!s)
            break;
        some = BLOCK - at % BLOCK;
        some = some < count ? some : count;
        pthread_mutex_unlock(&u->lock);
        memcpy(p, s->data + at % BLOCK, (size_t)some);
        pthread_mutex_lock(&u->lock);
        if (--s->readers == 0)
            pthread_cond_broadcast(&u->changed);
    }
    pthread_mutex_unlock(&u->lock);
    return reason;
}
