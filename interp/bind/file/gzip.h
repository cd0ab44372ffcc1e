/* gzip.h - gzip data (RFC 1952) by zlib: bytes at any offset of the unpacked data, and packing.
 * Within interp/bind. */
#ifndef LUN_BIND_GZIP_H
#define LUN_BIND_GZIP_H

#include "bind/host/bind.h"

/* What is wrong with gzip data, or with reading it. */
typedef struct lun__gzip_fault {
    lun_status status; /* LUN_EIO: read failed, with `reason`; LUN_OK: the data is bad */
    int reason;
    const char *code; /* of bad data: "format", "short", "long" */
    char message[96];
} lun__gzip_fault;

/* Where gzip data is, and how it is read: as services.read of csv/csv.h. */
typedef struct lun__gzip_source {
    int (*read)(void *ctx, int64_t at, int64_t count, void *to);
    void *ctx;
    int64_t size;
} lun__gzip_source;

/* ---- gzip_random.c --------------------------------------------------------------------------- */

typedef struct lun__unpacked lun__unpacked;

/* Reads all of the data once; some megabytes of the unpacked data are in memory at a time, and 4 %
 * of it is kept for random access. Data of several members unpacks to all of them, one after the
 * other. The source must live as long. NULL: *fault says why. */
lun__unpacked *lun__gzip_random_open(lun_engine *e, const lun__gzip_source *source,
                                     lun__gzip_fault *fault);
int64_t lun__gzip_random_size(const lun__unpacked *u);
/* Copies bytes at .. at+count-1, which must exist; from any thread. 0, or an errno, -1: the source
 * has fewer bytes. */
int lun__gzip_random_read(lun__unpacked *u, int64_t at, int64_t count, void *to);
/* Ends it; NULL is allowed. e is NULL if the engine, and with it its memory, is gone. */
void lun__gzip_random_end(lun_engine *e, lun__unpacked *u);

/* ---- gzip.c ---------------------------------------------------------------------------------- */

struct z_stream_s;

/* The input of a stream: a buffer filled from the source. */
typedef struct lun__gzip_input {
    int64_t at; /* of the source: behind the bytes that the stream has */
    unsigned char bytes[64 << 10];
} lun__gzip_input;

/* A stream that is initialised for gzip data. False: there is no memory. */
bool lun__gzip_begin(struct z_stream_s *z);
/* The next `room` bytes; how many, fewer only at the end; -1: *fault. */
int64_t lun__gzip_next(struct z_stream_s *z, const lun__gzip_source *source, lun__gzip_input *input,
                       char *to, int64_t room, lun__gzip_fault *fault);

/* The most bytes that packing so many can give. */
size_t lun__gzip_bound(size_t bytes);
/* Packs bytes as one gzip member; how many, 0: there is no memory. */
size_t lun__gzip_pack(const char *from, size_t bytes, char *to, size_t room);

#endif
