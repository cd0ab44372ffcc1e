/* ipc_load.h - the buffers of one array of a batch.  Within interp/arrow. */
#ifndef LUN_IPC_LOAD_H
#define LUN_IPC_LOAD_H

#include "arrow/ipc_state.h"

/* A buffer: its bytes in the source, and what they come to in memory. */
typedef struct lun_ipc_buffer {
    int64_t at, size, made;
    bool packed;
    uint8_t *block; /* of made bytes and zeros; NULL: not read yet */
} lun_ipc_buffer;

/* An array that is read: first planned, then loaded, by any thread. */
typedef struct lun_ipc_load {
    const lun_ipc *file;
    const lun_ipc_library *library;
    lun_ipc_way way;
    int64_t width, rows, nulls;
    int count;              /* of buffers, the validity first */
    lun_ipc_buffer *buffer; /* behind them, of views, room for their sizes */
    const char *wrong;      /* why it is not loaded; or */
    int reason;             /* as of lun_ipc_source.read */
} lun_ipc_load;

/* Where an array is in a batch, and how many of its rows are read. */
typedef struct lun_ipc_part {
    const lun_ipc_batch *batch;
    const char *format, *name;
    int64_t node, fixed, views, rows;
} lun_ipc_part;

/* Checks what a batch says of an array against itself; *bytes grows by those that are needed. */
bool lun__ipc_load_plan(const lun_ipc *x, const lun_ipc_part *p, lun_ipc_load *out, int64_t *bytes,
                        lun_file_fault *f);
void lun__ipc_load_run(lun_ipc_load *l);
void lun__ipc_load_free(lun_ipc_load *l);
/* An array on what is loaded; buffers has room for count + 1. */
void lun__ipc_load_array(const lun_ipc_load *l, const void **buffers, struct ArrowArray *out);
/* Whether the texts of all arrays are within the reach of their offsets. */
bool lun__ipc_load_fits(const lun_ipc_load *list, int64_t count);
/* The values of a dictionary and of those that extend it, one after the other, as one array, if
 * they fit; false: no memory. */
bool lun__ipc_load_join(lun_ipc_load *list, int64_t count, lun_ipc_load *out, int64_t *bytes);

#endif
