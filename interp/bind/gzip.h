/* gzip.h - bytes out of gzip data, by zlib, and into it. Within interp/bind. */
#ifndef LUN_BIND_GZIP_H
#define LUN_BIND_GZIP_H

#include "bind/bind.h"

/* What was unpacked: in blocks of equal size, as memory of the engine's. */
typedef struct lun__unpacked {
    lun_blank **blocks;
    char **data;
    int64_t count, room, size; /* blocks, and what there is room for; bytes */
    const char *code; /* what is wrong with the data: "format", "short", "long"; NULL: nothing */
    char message[96];
    lun_status status; /* LUN_EIO: read failed, with `reason` */
    int reason;
} lun__unpacked;

/* Unpacks `size` bytes that `read` gives, as services.read of csv/csv.h does. False: u says why. */
bool lun__unpack(lun_engine *e, int (*read)(void *ctx, int64_t at, int64_t count, void *to),
                 void *ctx, int64_t size, lun__unpacked *u);
/* Copies bytes at .. at+count-1, which must be there. From any thread. */
void lun__unpacked_read(const lun__unpacked *u, int64_t at, int64_t count, void *to);
void lun__unpacked_end(lun_engine *e, lun__unpacked *u);

/* The most bytes that packing so many takes. */
size_t lun__packed_bound(size_t bytes);
/* Packs bytes as gzip data of their own; how many, 0: there is no memory. */
size_t lun__pack_gzip(const char *from, size_t bytes, char *to, size_t room);

#endif
