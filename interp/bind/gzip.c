/* gzip.c - gzip data (RFC 1952) by zlib; see gzip.h. Data of several members, one after the other,
 * is what they give together. Knows nothing of what is packed. */
#include "bind/gzip.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <zlib.h>

enum { BLOCK = 4 << 20, INPUT = 256 << 10, GZIP = 15 + 16, LEVEL = 6, EFFORT = 8 };

typedef struct unpacking {
    lun_engine *e;
    int (*read)(void *ctx, int64_t at, int64_t count, void *to);
    void *ctx;
    int64_t at, size; /* of the input */
    unsigned char *input;
    z_stream z;
    lun__unpacked *u;
} unpacking;

static bool wrong(lun__unpacked *u, const char *code, const char *message)
{
    u->code = code;
    snprintf(u->message, sizeof u->message, "%s", message);
    return false;
}

/* Another block to unpack into. */
static bool add_block(unpacking *p)
{
    lun__unpacked *u = p->u;
    void *data;
    if (u->count == u->room) {
        int64_t room = u->room * 2 + 16;
        lun_blank **blocks = realloc(u->blocks, (size_t)room * sizeof *blocks);
        u->blocks = blocks ? blocks : u->blocks;
        char **places = blocks ? realloc(u->data, (size_t)room * sizeof *places) : NULL;
        u->data = places ? places : u->data;
        u->room = places ? room : u->room;
        if (!places)
            return u->status = LUN_ENOMEM, false;
    }
    u->status = lun_host_check(p->e);
    if (u->status == LUN_OK)
        u->status = lun_blank_new(p->e, BLOCK, 1, &u->blocks[u->count], &data);
    if (u->status != LUN_OK)
        return false;
    u->data[u->count++] = data;
    p->z.next_out = data;
    p->z.avail_out = BLOCK;
    return true;
}

/* The next part of the input; false if it cannot be read. At its end there is none. */
static bool refill(unpacking *p)
{
    int64_t left = p->size - p->at;
    if (left > INPUT)
        left = INPUT;
    int reason = left ? p->read(p->ctx, p->at, left, p->input) : 0;
    if (reason) {
        p->u->status = LUN_EIO;
        p->u->reason = reason;
        return false;
    }
    p->at += left;
    p->z.next_in = p->input;
    p->z.avail_in = (uInt)left;
    return true;
}

/* After a member: whether there is another one. */
static bool next_member(unpacking *p, bool *more)
{
    if (p->z.avail_in == 0 && !refill(p))
        return false;
    *more = p->z.avail_in > 0;
    if (*more && *p->z.next_in != 0x1f)
        return wrong(p->u, "long", "bytes follow the gzip data");
    if (*more)
        inflateReset(&p->z);
    return true;
}

static bool unpack_all(unpacking *p)
{
    bool more = true;
    while (more) {
        if ((p->z.avail_in == 0 && !refill(p)) || (p->z.avail_out == 0 && !add_block(p)))
            return false;
        uInt room = p->z.avail_out;
        bool ended = p->z.avail_in == 0;
        int result = inflate(&p->z, Z_NO_FLUSH);
        p->u->size += room - p->z.avail_out;
        if (result == Z_STREAM_END) {
            if (!next_member(p, &more))
                return false;
        } else if (result == Z_MEM_ERROR) {
            return p->u->status = LUN_ENOMEM, false;
        } else if (result != Z_OK && result != Z_BUF_ERROR) {
            char text[64];
            snprintf(text, sizeof text, "the gzip data is damaged (%s)",
                     p->z.msg ? p->z.msg : "a dictionary is missing");
            return wrong(p->u, "format", text);
        } else if (ended && room == p->z.avail_out) {
            return wrong(p->u, "short", "the gzip data ends early");
        }
    }
    return true;
}

bool lun__unpack(lun_engine *e, int (*read)(void *ctx, int64_t at, int64_t count, void *to),
                 void *ctx, int64_t size, lun__unpacked *u)
{
    unpacking p = {.e = e, .read = read, .ctx = ctx, .size = size, .u = u};
    memset(u, 0, sizeof *u);
    p.input = malloc(INPUT);
    if (!p.input || inflateInit2(&p.z, GZIP) != Z_OK) {
        free(p.input);
        u->status = LUN_ENOMEM;
        return false;
    }
    bool ok = unpack_all(&p);
    inflateEnd(&p.z);
    free(p.input);
    return ok;
}

void lun__unpacked_read(const lun__unpacked *u, int64_t at, int64_t count, void *to)
{
    char *p = to;
    for (int64_t some; count > 0; at += some, p += some, count -= some) {
        some = BLOCK - at % BLOCK;
        if (some > count)
            some = count;
        memcpy(p, u->data[at / BLOCK] + at % BLOCK, (size_t)some);
    }
}

void lun__unpacked_end(lun_engine *e, lun__unpacked *u)
{
    for (int64_t k = 0; e && k < u->count; k++)
        lun_blank_drop(e, u->blocks[k]);
    free(u->blocks);
    free(u->data);
    memset(u, 0, sizeof *u);
}

/* ---- packing --------------------------------------------------------------------------------- */

size_t lun__packed_bound(size_t bytes)
{
    return compressBound(bytes) + 32;
}

size_t lun__pack_gzip(const char *from, size_t bytes, char *to, size_t room)
{
    z_stream z;
    memset(&z, 0, sizeof z);
    if (bytes > UINT_MAX || room > UINT_MAX)
        return 0;
    if (deflateInit2(&z, LEVEL, Z_DEFLATED, GZIP, EFFORT, Z_DEFAULT_STRATEGY) != Z_OK)
        return 0;
    z.next_in = (Bytef *)(uintptr_t)from;
    z.avail_in = (uInt)bytes;
    z.next_out = (Bytef *)to;
    z.avail_out = (uInt)room;
    bool ok = deflate(&z, Z_FINISH) == Z_STREAM_END;
    size_t length = room - z.avail_out;
    deflateEnd(&z);
    return ok ? length : 0;
}
