/* bind.h - a launch being filled: slots and arguments of a lowered group as the backend in use sees
 * them, and its run. */
#ifndef LUN_BIND_H
#define LUN_BIND_H

#include "backend.h"
#include "launch/kernels.h"
#include "placing/padded.h"
#include "plan/plan.h"

enum {
    LUN_BIND_FEW = 24,    /* slots and arguments that need no memory */
    LUN_BIND_STREAMED = 8 /* slots whose streams need none */
};

/* Padding of what a slot reads, and for a device that array itself. */
typedef struct lun_padded lun_padded;

/* Elements of memory that do not stand side by side, or offsets themselves. */
typedef struct lun_strided {
    lun_layout at;
    const void *base; /* NULL: offsets */
    int size;
    const lun_padding
        *pad;        /* at counts elements of base with those beyond its ends; NULL: without */
    lun_pad_box box; /* with a pad: at, if it is one */
    int64_t room;    /* the same: elements from base on that may be read */
} lun_strided;

typedef struct lun_binding {
    lun_engine *e;
    const lun_lowered *l;
    lun_backend_slot *b;
    lun_launch run;
    lun_work_mark mark; /* until it has ended; 0: it has */
    void **at;
    int64_t *room, *origin;
    uint64_t *cells;
    lun_races *races;       /* of the launch: none unless they are set */
    int64_t segment, turns; /* of the launch: segment as that of l, and none, unless they are set */
    lun_stage stage;        /* of the launch: ALL unless it is set */
    int64_t bytes;          /* that a run reads and writes, */
    int64_t read, written;  /* and of these what counts as such */
    bool unjoined;          /* a run leaves a row for each chunk: the caller joins them */
    bool is_scratch;        /* parts bound from now on are working memory, which does not count */
    bool whole;             /* of the launch */
    int crew;               /* the same: none unless it is set */
    lun_stream *streams;    /* NULL: none needed yet */
    lun_strided *strided;   /* by slot, as the streams */
    lun_padded *padded;     /* a list */
    void *few_at[LUN_BIND_FEW];
    int64_t few_room[2 * LUN_BIND_FEW];
    uint64_t few_cells[LUN_BIND_FEW];
    lun_stream few_streams[LUN_BIND_STREAMED];
    lun_strided few_strided[LUN_BIND_STREAMED];
} lun_binding;

/* Begins one with the arguments of l.  Also on failure it is to be closed. */
lun_status lun__bind_open(lun_engine *e, const lun_lowered *l, lun_binding *to);
void lun__bind_close(lun_binding *to);
/* Slot i reads what the lowered group says, or writes `written`, in a launch over indices first ..
 * first + count - 1; element `first` is the first of `written`. */
lun_status lun__bind_slot(lun_engine *e, lun_binding *to, int i, lun_storage *written,
                          int64_t first, int64_t count);
/* Slot i has the elements of s from `offset` on: side by side, or as `at` says.  s NULL: offsets as
 * `at` says.  changes: it is written, side by side. */
lun_status lun__bind_part(lun_engine *e, lun_binding *to, int i, lun_storage *s, int64_t offset,
                          const lun_layout *at, int64_t count, bool changes);
/* Slot i is written, on the host, to memory that keeps what is there if the launch does not begin;
 * once it has, it goes on to its end. */
lun_status lun__bind_target(lun_engine *e, lun_binding *to, int i, const lun_storage_view *target);
/* Slot i reads elements of so many bytes as a layout says; where these stand the caller fills in:
 * to->at, to->origin, to->strided. */
lun_status lun__bind_layout(lun_engine *e, lun_binding *to, int i, int size,
                            const lun_layout *layout);
/* Slot i, bound to a layout, reads elements of n, a PAD, one by one from those that exist. */
lun_status lun__bind_padding(lun_engine *e, lun_binding *to, int i, const lun_node *n);
/* Slot i reads elements of n, a PAD, of which a backend with memory of its own makes the part from
 * a buffer, where element `origin` is the array's first one that the part is made of. */
lun_status lun__bind_padded_part(lun_engine *e, lun_binding *to, int i, const lun_node *n,
                                 const lun_padded_part *part, const lun_buffer *array,
                                 int64_t origin);
/* Slot i has the elements of n, a LEAF, an INDEX or a PAD, as `at` says. */
lun_status lun__bind_elements(lun_engine *e, lun_binding *to, int i, const lun_node *n,
                              const lun_layout *at, int64_t count);
/* to->run, of indices first .. first + count - 1 of n. */
void lun__launch_run_fill(lun_binding *to, int64_t n, int64_t first, int64_t count,
                          uint64_t *partials);
/* Explains a failure of its run, over `count` indices. */
lun_status lun__launch_run_failed(lun_engine *e, const lun_binding *to, lun_status s,
                                  int64_t count);
/* The same, of memory on the host, for a launch with turns: each segment stands side by side; of an
 * ARRAY slot `at` says where each segment has the first element. */
lun_status lun__bind_segments(lun_engine *e, lun_binding *to, int i, lun_storage *s, int64_t offset,
                              const lun_layout *at, bool changes);
/* The same of elements from number `origin` on of memory on the host, or of a buffer of the backend
 * in use. */
lun_status lun__bind_segments_at(lun_engine *e, lun_binding *to, int i, lun_dtype t, void *from,
                                 int64_t origin, const lun_layout *at, bool changes);
/* Runs k over indices first .. first + count - 1 of n; a failure is explained. */
lun_status lun__launch_run(lun_engine *e, lun_binding *to, lun_kernel_entry *k, int64_t n,
                           int64_t first, int64_t count, uint64_t *partials);
/* The same in two parts: on a device that works by itself the first only begins it.  A failure of
 * the second is not explained yet: lun__launch_run_failed. */
lun_status lun__launch_run_submit(lun_engine *e, lun_binding *to, lun_kernel_entry *k, int64_t n,
                                  int64_t first, int64_t count, uint64_t *partials);
lun_status lun__launch_run_collect(lun_engine *e, lun_binding *to, lun_kernel_entry *k);
/* The failure that there is no memory for a launch. */
lun_status lun__launch_run_no_memory(lun_engine *e, int64_t n);

/* ---- padded_slots.c -------------------------------------------------------------------------- */

/* x, whose elements `to` reads, is of such an array; room: elements from its base on that may be
 * read. */
void lun__padded_slots_bind(lun_strided *x, const lun_padding *pad, int64_t room, lun_stream *to);

/* ---- adjacent_columns.c ---------------------------------------------------------------------- */

enum { LUN_COLUMNS_SLOTS = 128 }; /* of a launch with more each is read alone */

/* Notes in the streams which slots are read together. */
void lun__adjacent_columns_find(lun_stream *streams, const lun_strided *strided, int slots);

#endif
