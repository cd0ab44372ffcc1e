/* ipc_state.h - an open file of Arrow's.  Within interp/arrow.
 *
 * Invariant: nothing changes between opening and closing.  Batches and dictionaries are in the
 * order of the source; the counts and offsets in their messages are checked when a column is
 * read. */
#ifndef LUN_IPC_STATE_H
#define LUN_IPC_STATE_H

#include "arrow/flatbuffer.h"
#include "arrow/ipc.h"

/* A column, and where its nodes and buffers are among those of a batch. */
typedef struct lun_ipc_field {
    struct ArrowSchema schema;
    bool coded;    /* its elements are codes of the dictionary `id` */
    int64_t id;    /* of the dictionary */
    int64_t node;  /* the first one */
    int64_t fixed; /* the first buffer, but for those that views have beyond their first two; */
    int64_t views; /* columns of views before it, each of which says how many those are */
} lun_ipc_field;

/* The message of some rows. */
typedef struct lun_ipc_batch {
    lun_flatbuffer *flat; /* its message, a block with the bytes behind */
    lun_flatbuffer_vector nodes, buffers, variadic;
    int64_t rows, at, size; /* at, size: of the body, in the source */
    int codec;              /* lun_ipc_codec */
    bool delta;             /* of a dictionary: values behind those before */
    int64_t id;             /* of a dictionary */
    int64_t dictionaries;   /* of rows: how many messages of dictionaries count for them */
} lun_ipc_batch;

typedef struct lun_ipc_batches {
    lun_ipc_batch *list;
    int64_t count, room;
} lun_ipc_batches;

struct lun_ipc {
    lun_engine *engine;
    lun_ipc_source source;
    int version; /* 3: V4, 4: V5 */
    lun_ipc_field *fields;
    int64_t width, rows;
    lun_ipc_batches batches, dictionaries;
};

/* Reads the schema of a message into x->version and x->fields. */
bool lun__ipc_schema_read(lun_ipc *x, lun_flatbuffer_table schema, lun_file_fault *f);
void lun__ipc_schema_free(struct ArrowSchema *s);

/* How the elements of a format stand in buffers behind the validity. */
typedef enum lun_ipc_way {
    LUN_IPC_FIXED,   /* of `width` bytes */
    LUN_IPC_BITS,    /* a bit each */
    LUN_IPC_OFFSETS, /* offsets of `width` bytes, and bytes */
    LUN_IPC_VIEWS,   /* views, and any number of buffers */
    LUN_IPC_NOWHERE, /* no buffer at all */
    LUN_IPC_NESTED   /* no column has it */
} lun_ipc_way;
lun_ipc_way lun__ipc_schema_way(const char *format, int64_t *width);

/* Bytes of a frame of a codec.  Functions of its library, of no engine: any thread. */
typedef struct lun_ipc_library {
    int codec;
    void *function[8];
} lun_ipc_library;
bool lun__ipc_codec_open(lun_engine *e, int codec, lun_ipc_library *out, lun_file_fault *f);
/* Whether n bytes may stand for so many. */
bool lun__ipc_codec_explains(int codec, int64_t n, int64_t made);
/* NULL: all `room` bytes are made; else what is wrong. */
const char *lun__ipc_codec_unpack(const lun_ipc_library *l, const void *bytes, int64_t n, void *to,
                                  int64_t room);
/* The most bytes that n come to, and those that they do; -1: failed. */
int64_t lun__ipc_codec_bound(const lun_ipc_library *l, int64_t n);
int64_t lun__ipc_codec_pack(const lun_ipc_library *l, const void *bytes, int64_t n, void *to,
                            int64_t room);

#endif
