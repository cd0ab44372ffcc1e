/* storage.h - elements: in host memory, in the memory of devices, in a file.  Private to prims/.
 *
 * Invariant of a storage in use: refs > 0, of which `exported` are held from outside of the engine.
 * Its current elements are in host memory unless `stale`; of a stale one they are where the first
 * of these says that is there: the versions of `placed`, the file `source`, a mirror that is
 * current, the pieces and intervals of `placed`.  Mirrors and pieces that are current beside host
 * memory hold the same elements.  A slot has its memory as a mirror or as a piece, never as both
 * (lun__fetch_open, lun__fetch_whole).  A storage with a source is stale, and nothing writes it:
 * what is to be written is loaded first. Elements 0 .. room - 1 of `data` may be touched; in memory
 * of the pool those beyond `count`, up to the next multiple of 64, are 0 until a kernel writes
 * there. Only the thread inside of the engine changes a storage; once the engine has ended,
 * references are counted under the lock of export.c. */
#ifndef LUN_STORAGE_H
#define LUN_STORAGE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/infile.h"
#include "base/layout/layout.h"
#include "lunarray.h"

/* The same elements in the memory of a device. */
typedef struct lun_mirror {
    struct lun_mirror *next;
    struct lun_backend_slot *at;
    struct lun_buffer *buffer;
    bool current;
} lun_mirror;

/* Elements in memory, shared by leaves.  Writers need the only reference.  mirror.c moves what is
 * current to where it is needed. */
typedef struct lun_storage lun_storage;
typedef struct lun_exports lun_exports;
typedef struct lun_placed lun_placed;
typedef struct lun_combine lun_combine;
struct lun_storage {
    int refs, exported; /* exported: of these, from outside of the engine */
    lun_dtype dtype;
    int64_t count; /* elements */
    int64_t room;  /* elements that may be touched from data[0] on */
    int64_t bytes; /* size of the pool's block; 0: none */
    void *data;    /* NULL: not in host memory yet */
    bool stale;    /* host memory does not hold the current elements */
    bool wrapped;  /* data is the host's own; */
    bool constant; /* and nobody writes there */
    uint8_t peeks; /* times that a few elements were taken from a device */
    lun_mirror *mirrors;
    lun_placed *placed; /* elements at the locations of a set, see fetch.h; NULL: none */
    /* The file that holds the elements from byte `start` on until they are loaded into host memory
     * or changed; NULL: none.  Kernels read them from there, chunk by chunk. */
    struct lun_source *source;
    int64_t start;
    lun_infile_form form;                   /* in the file, if there is one */
    struct lun_storage *chain;              /* next unused one */
    void (*release)(void *data, void *ctx); /* wrapped memory */
    void *ctx;
};

/* ---- storage.c: host memory ------------------------------------------------------------------ */

/* One with undefined fields; NULL: no memory. */
lun_storage *lun__storage_object(lun_engine *e);
/* Elements undefined, of whole blocks of 64; those beyond the last one are 0. */
lun_status lun__storage_new(lun_engine *e, lun_dtype t, int64_t count, lun_storage **out);
/* The same without host memory, which lun__storage_memory gives it; until then it is stale. */
lun_status lun__storage_empty(lun_engine *e, lun_dtype t, int64_t count, lun_storage **out);
lun_status lun__storage_memory(lun_engine *e, lun_storage *s);
void lun__storage_release(lun_engine *e, lun_storage *s);
/* Its copies at locations, and its file, end: it stays in host memory, where it is current. */
void lun__storage_leave(lun_engine *e, lun_storage *s);

/* ---- mirror.c: storage in host memory and in that of devices --------------------------------- */

/* The same, where kernels of the backend in use write their results. */
lun_status lun__mirror_result(lun_engine *e, lun_dtype t, int64_t count, lun_storage **out);
/* Makes host memory current, so that data may be read; `change`: and written, which
 * outdates mirrors. */
lun_status lun__mirror_host(lun_engine *e, lun_storage *s, bool change);
/* Elements first .. first+count-1 into host memory; from a device without keeping them where few
 * are asked for. */
lun_status lun__mirror_read(lun_engine *e, lun_storage *s, int64_t first, int64_t count,
                            void *host);
/* A kernel of the backend `at` writes the buffer that holds s: its elements are nowhere else. */
void lun__mirror_written(lun_storage *s, const struct lun_backend_slot *at);
/* The buffer of the backend `at` that holds s, brought up to date. */
lun_status lun__mirror_buffer(lun_engine *e, lun_storage *s, struct lun_backend_slot *at,
                              struct lun_buffer **out);
/* Whether the backend in use has them in memory of its own, and host memory, the engine's, has
 * not. */
bool lun__mirror_remote(const lun_engine *e, const lun_storage *s);
/* Elements of a storage: those of a layout whose base is element `offset`. */
typedef struct lun_storage_view {
    lun_storage *s;
    int64_t offset;
    lun_layout at;
} lun_storage_view;
/* Gives the elements of `to`, whose offsets are different, those of `from` in flat order, of
 * another storage, or without one the cell, in memory of the backend in use, which must have its
 * own. */
lun_status lun__mirror_transfer(lun_engine *e, const lun_storage_view *to,
                                const lun_storage_view *from, uint64_t cell);
/* Where the current elements are: the backend in use if it can read them, "host", or
 * another device's. */
const char *lun__mirror_location(const lun_engine *e, const lun_storage *s);

/* ---- file_backed.c: storage in a file -------------------------------------------------------- */

/* Elements that are bytes of a file, from byte `start` on (source is retained); step: as in
 * lun_infile_form. */
lun_status lun__file_backed_new(lun_engine *e, struct lun_source *source, int64_t start,
                                bool swapped, int64_t step, lun_dtype t, int64_t count,
                                lun_storage **out);
/* Elements first .. first+count-1 of one in a file, as a storage of their own. */
lun_status lun__file_backed_part(lun_engine *e, const lun_storage *s, int64_t first, int64_t count,
                                 lun_storage **out);
/* Elements from the file into memory: 0, or what lun__element_file_fail takes.  From any thread. */
int lun__file_backed_fetch(const lun_storage *s, int64_t first, int64_t count, void *to);
/* The same, with the engine's failure; can be cancelled. */
lun_status lun__file_backed_fetch_all(lun_engine *e, const lun_storage *s, int64_t first,
                                      int64_t count, void *to);
/* The same into memory of a device, from byte `offset` on, where the device's machine can read the
 * file itself; *done false: it cannot, and nothing was read. */
lun_status lun__file_backed_load(lun_engine *e, const lun_storage *s, int64_t first, int64_t count,
                                 const struct lun_backend_slot *at, struct lun_buffer *to,
                                 int64_t offset, bool *done);

/* Frees the unused storages that the engine keeps. */
void lun__storage_close(lun_engine *e);

#endif
