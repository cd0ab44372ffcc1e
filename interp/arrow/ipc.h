/* ipc.h - Arrow's files and streams of bytes (.arrow, .feather, .arrows) as columns, and tables as
 * such.  Knows no Lua; arrays by the public headers alone, types by the C data interface: what a
 * column is the engine reads from that (lun_from_arrow_stream). */
#ifndef LUN_IPC_H
#define LUN_IPC_H

#include "column/file_fault.h"
#include "lunarray_arrow.h"
#include "lunarray_bind.h"

/* ---- reading --------------------------------------------------------------------------------- */

/* Bytes that several threads may read at once; read gives 0, an errno, or -1 where they end
 * early. */
typedef struct lun_ipc_source {
    void *ctx;
    int64_t size;
    int (*read)(void *ctx, int64_t at, int64_t n, void *to);
} lun_ipc_source;

typedef struct lun_ipc lun_ipc;
/* Reads what describes the columns; the source is used until lun__ipc_file_close. NULL: *f. */
lun_ipc *lun__ipc_file_open(lun_engine *e, const lun_ipc_source *s, lun_file_fault *f);
void lun__ipc_file_close(lun_ipc *x); /* NULL is allowed */
int64_t lun__ipc_file_width(const lun_ipc *x);
int64_t lun__ipc_file_rows(const lun_ipc *x);
const char *lun__ipc_file_name(const lun_ipc *x, int64_t k);
/* Reads the first rows, `most` at most, of column k, with the options of lun_from_arrow_stream. */
bool lun__ipc_column(lun_engine *e, lun_ipc *x, int64_t k, int64_t most, const char *options,
                     lun_array **out, lun_file_fault *f);
/* Where the elements of column k stand one after the other in the source, if they are numbers, all
 * are there, and neither compressed nor in several batches; else -1. */
int64_t lun__ipc_column_place(const lun_ipc *x, int64_t k);

/* ---- writing --------------------------------------------------------------------------------- */

typedef enum lun_ipc_codec { LUN_IPC_NONE = -1, LUN_IPC_LZ4, LUN_IPC_ZSTD } lun_ipc_codec;
/* How a table is written: as a stream, or a file; codes: texts that are codes and values stay
 * so. */
typedef struct lun_ipc_form {
    bool stream, codes;
    lun_ipc_codec codec;
} lun_ipc_form;
/* false: *write* says why by errno. */
typedef struct lun_ipc_sink {
    void *ctx;
    bool (*write)(void *ctx, const void *bytes, int64_t n);
} lun_ipc_sink;
/* Writes the batches of lun_to_arrow_stream, each but the last of a multiple of 8 rows.  The stream
 * stays the caller's. */
bool lun__ipc_write(lun_engine *e, struct ArrowArrayStream *in, const lun_ipc_form *form,
                    const lun_ipc_sink *to, lun_file_fault *f);

#endif
