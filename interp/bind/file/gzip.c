/* gzip.c - gzip data (RFC 1952) by zlib, in order: bytes out of it and into it; see gzip.h. */
#include "bind/file/gzip.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

#include <zlib.h>

enum { GZIP = 15 + 16, LEVEL = 6, EFFORT = 8 };

static bool wrong(lun__gzip_fault *fault, const char *code, const char *message)
{
    *fault = (lun__gzip_fault){.code = code};
    snprintf(fault->message, sizeof fault->message, "%s", message);
    return false;
}

bool lun__gzip_begin(z_stream *z)
{
    return inflateInit2(z, GZIP) == Z_OK;
}

/* The next part of the input; false if it cannot be read. At its end there is none. */
static bool refill(z_stream *z, const lun__gzip_source *source, lun__gzip_input *input,
                   lun__gzip_fault *fault)
{
    int64_t left = source->size - input->at;
    if (left > (int64_t)sizeof input->bytes)
        left = sizeof input->bytes;
    int reason = left ? source->read(source->ctx, input->at, left, input->bytes) : 0;
    if (reason) {
        *fault = (lun__gzip_fault){.status = LUN_EIO, .reason = reason};
        return false;
    }
    input->at += left;
    z->next_in = input->bytes;
    z->avail_in = (uInt)left;
    return true;
}

/* After a member: whether there is another one. */
static bool next_member(z_stream *z, const lun__gzip_source *source, lun__gzip_input *input,
                        bool *more, lun__gzip_fault *fault)
{
    if (z->avail_in == 0 && !refill(z, source, input, fault))
        return false;
    *more = z->avail_in > 0;
    if (*more && *z->next_in != 0x1f)
        return wrong(fault, "long", "bytes follow the gzip data");
    if (*more)
        inflateReset(z);
    return true;
}

/* Checks a result of inflate that is not the end of a member. */
static bool check(const z_stream *z, int result, bool stuck, lun__gzip_fault *fault)
{
    char text[64];
    if (result == Z_MEM_ERROR) {
        *fault = (lun__gzip_fault){.status = LUN_ENOMEM};
        return false;
    }
    if (result == Z_OK || result == Z_BUF_ERROR)
        return !stuck || wrong(fault, "short", "the gzip data ends early");
    snprintf(text, sizeof text, "the gzip data is damaged (%s)",
             z->msg ? z->msg : "a dictionary is missing");
    return wrong(fault, "format", text);
}

int64_t lun__gzip_next(z_stream *z, const lun__gzip_source *source, lun__gzip_input *input,
                       char *to, int64_t room, lun__gzip_fault *fault)
{
    bool more = true;
    z->next_out = (Bytef *)to;
    z->avail_out = (uInt)room;
    while (more && z->avail_out > 0) {
        if (z->avail_in == 0 && !refill(z, source, input, fault))
            return -1;
        uInt before = z->avail_out;
        bool ended = z->avail_in == 0;
        int result = inflate(z, Z_NO_FLUSH);
        if (result == Z_STREAM_END ? !next_member(z, source, input, &more, fault)
                                   : !check(z, result, ended && before == z->avail_out, fault))
            return -1;
    }
    return room - z->avail_out;
}

/* ---- packing --------------------------------------------------------------------------------- */

size_t lun__gzip_bound(size_t bytes)
{
    return compressBound(bytes) + 32;
}

size_t lun__gzip_pack(const char *from, size_t bytes, char *to, size_t room)
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
