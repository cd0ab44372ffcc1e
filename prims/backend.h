/* backend.h - the contract between the engine and a backend.
 *
 * A backend turns kernel IR into something that runs, and runs it.  It knows no graph: it sees IR
 * and launches.  The engine knows no compiler and no device: it sees this table of functions.
 * One engine is used by one thread at a time; several engines may live at once, so a backend keeps
 * all its state behind `state`.
 */
#ifndef LUN_BACKEND_H
#define LUN_BACKEND_H

#include <stdbool.h>
#include <stdint.h>

#include "base/infile.h"
#include "base/strbuf.h"
#include "ir/ir.h"
#include "lunarray.h"
#include "work.h"

typedef struct lun_cache lun_cache; /* prims/cache/entry.c */

/* Processes indices from .. to - 1 of some work, concurrently with other calls; cannot fail. */
typedef void lun_range_fn(void *ctx, int64_t from, int64_t to);

/* Bytes for a rank. */
typedef struct lun_link_part {
    int to;
    const void *bytes;
    int64_t count;
} lun_link_part;

/* Messages between this rank and others, for a backend whose devices are ranks.  Rank 0 has the
 * script, the others serve it.  Each fails with LUN_EBACKEND, or what stopped it, and the text in
 * services->error. */
typedef struct lun_link {
    int rank, size; /* this one's number, from 0, and how many there are */
    /* Does not wait: the bytes are copied. */
    lun_status (*send)(void *ctx, int to, const void *bytes, int64_t count);
    /* On rank 0: send of each of them, to different ranks, which pass them on down a tree; what is
     * alike in them travels once.  Messages of both kinds arrive in the order in which they were
     * sent.  A rank that has ended is the failure; the others get theirs. */
    lun_status (*spread)(void *ctx, const lun_link_part *parts, int count);
    /* Waits for the next message from that rank, which is malloc'd.  NULL: rank 0 has ended. */
    lun_status (*receive)(void *ctx, int from, void **bytes, int64_t *count);
    void *ctx;
} lun_link;

/* A file that elements are in, as other machines may see it. */
typedef struct lun_file {
    int64_t number;          /* of the engine: another one each time that a file is opened */
    const char *name, *path; /* as the user gave it; from the root */
    lun_infile_mark is;      /* when it was opened */
} lun_file;

/* A file that is being written, as other machines may see it. */
typedef struct lun_outfile {
    const char *path; /* from the root */
    int64_t mark_at;  /* where it has bytes that no other file has there */
    const void *mark;
    int64_t mark_bytes;
} lun_outfile;

/* What the engine provides to a backend as long as its state exists. */
typedef struct lun_services {
    lun_strbuf *error; /* text of the last failure; a function that fails writes it */
    /* counters to update: compiles, cache_hits, launches, bytes_to_..., kernel_bytes */
    lun_stats *stats;
    struct lun_account *account; /* base/account.h: buffers are counted there; NULL: nowhere */
    lun_cache *cache;            /* kernels on disk; never NULL, but may be unusable (all misses) */
    const char *compiler;        /* LUNARRAY_CC, or "cc" */
    int threads;                 /* wanted; 0: as many as this process may use */
    const char *threads_by;      /* what says so, a variable's name; NULL: nothing does */
    int jit;                     /* lun_jit */
    int math;                    /* lun_math */
    void (*log)(void *ctx, const char *text);
    void *log_ctx;
    const volatile int *cancel; /* becomes nonzero when the evaluation has to stop */
    /* Reports progress: called from time to time by the thread that called run or build, with what
     * it is doing and how many elements are done; NULL: no reports.  total 0: unknown. */
    void (*tick)(void *ctx, const char *what, int64_t done, int64_t total);
    void *tick_ctx;
    const struct lun_backend *native; /* the backend whose `native` is true; NULL: none */
    const lun_link *link; /* where ranks serve; NULL: they do not, for all run scripts or none */
} lun_services;

/* Whether the evaluation has to stop.  To be called from time to time, from any thread. */
static inline bool lun__stop_requested(const lun_services *s)
{
    return s->cancel && __atomic_load_n(s->cancel, __ATOMIC_RELAXED);
}

/* Of `parts` equal parts of a device, LUN_DEVICE_PARTS at most, number `part` from 1 on, as the
 * number of a device; and what such a number says: parts 0: it is a whole device. */
enum { LUN_DEVICE_BITS = 13, LUN_PART_BITS = 9, LUN_DEVICE_PARTS = (1 << LUN_PART_BITS) - 1 };
static inline int lun__device_part(int device, int parts, int part)
{
    return device | parts << LUN_DEVICE_BITS | part << (LUN_DEVICE_BITS + LUN_PART_BITS);
}
static inline int lun__device_number(int device)
{
    return device & ((1 << LUN_DEVICE_BITS) - 1);
}
static inline int lun__device_parts(int device)
{
    return device >> LUN_DEVICE_BITS & LUN_DEVICE_PARTS;
}

typedef struct lun_backend {
    const char *name; /* "reference", "openmp", "opencl" */
    bool lines;       /* runs launches with lines; else the engine launches for each line */
    /* Whether the device runs launches with turns in memory of its own.  NULL: never. */
    bool (*turns)(void *state);
    bool teams; /* runs kernels of teams (lun_ir.threads): team t has the indices t * lanes ... of
                    lun__ir_lanes, of which the last may be nobody's */
    /* The most threads of a team whose kernel it runs as a work-group, each a work-item that waits
     * at BARRIERs: team t has the indices t * threads ...; *near: bytes of memory that slots which
     * are `shared` may take for a team.  0: none now.  NULL: never. */
    int (*groups)(void *state, int64_t *near);
    /* Whether a work-group of such a kernel, as it was compiled, can have all threads of a team;
     * where it cannot it does not run. */
    bool (*fits)(void *state, const lun_kernel *kernel);
    bool native; /* its kernels are host code on host memory: other backends may delegate to it */
    bool ranks; /* its devices are ranks: number 1 is this one, which computes by another backend */

    /* Creates a state.  LUN_EBACKEND with the reason in services->error if the machine lacks
     * something.  Must be cheap: compilers and devices are used only when they are needed.
     * device: one of the backend's devices, from 1; 0: the best ("opencl:2" means 2); with
     * lun__device_part a part of one.  LUN_EBACKEND with the reason in services->error. */
    lun_status (*open)(const lun_services *services, int device, void **state);
    void (*close)(void *state);
    /* `state` was just opened for a place of a set, `other` before for the same engine: from the
     * first buffer or kernel on they have in common what devices can, which `copy` needs.  NULL:
     * there is nothing. */
    void (*link_peer)(void *state, void *other);

    /* Makes a kernel of an IR and its canonical text, both borrowed for the duration of the call.
     * Must not wait for a compiler unless services->jit says so or the IR contains a CALL. */
    lun_status (*build)(void *state, const lun_ir *ir, const char *text, lun_kernel **out);
    void (*release)(void *state, lun_kernel *kernel);
    /* Prepares everything that a run needs, and waits for the compiler.  LUN_EBUILD with the
     * reason, LUN_ECANCEL when stopped.  NULL: a kernel is ready when it is built. */
    lun_status (*prepare)(void *state, lun_kernel *kernel);
    /* Whether work for the kernel is in progress that its release would waste, such as a
     * compilation: it is then released later.  True for few kernels at a time.  NULL: never. */
    bool (*busy)(void *state, const lun_kernel *kernel);

    /* Runs it and waits for its end; a backend with memory of its own waits only for results and
     * traps, and runs its kernels in order.  LUN_EZERO after a trapped division (launch->trap says
     * where); LUN_EIO if a stream could not be read (trap: its slot, trap_value: the error number);
     * LUN_ECANCEL when stopped; LUN_EBUILD if a CALL does not compile. */
    lun_status (*run)(void *state, lun_kernel *kernel, lun_launch *launch);

    /* The same in parts, so that several devices work at once; all NULL: there is only run.  submit
     * gives the device as much of a launch as it takes without waiting, but all of a kernel that
     * runs for the first time; advance gives it more, *given: that was all; collect waits for the
     * end and fails as run does.  One launch at a time: between submit and collect only
     * buffer_new, buffer_free, send and copy are called.  After a failure there is no launch. */
    lun_status (*submit)(void *state, lun_kernel *kernel, lun_launch *launch);
    lun_status (*advance)(void *state, bool *given);
    lun_status (*collect)(void *state);

    /* Runs a chain; fails as run does.  NULL: the engine builds no chains. */
    lun_status (*chain)(void *state, lun_chain *chain);

    /* Runs a sweep; fails as run does.  near: bytes of cache for each core, which limit how many
     * stages run together; <= 0: unknown.  Both NULL: the engine builds no sweeps. */
    lun_status (*sweep)(void *state, lun_sweep *sweep);
    int64_t (*near)(void *state);

    /* A level of the tree over chunks: row j of cells becomes the combination of rows 2j and 2j +
     * 1, for j < pairs (lun__order_join walks the levels).  Rows are as in launch->partials; they
     * may come from several launches, also on other backends, of the same IR with the same
     * arguments.  The kernel has run; of the launch only `args` is read.  Fails as run does. */
    lun_status (*combine)(void *state, lun_kernel *kernel, lun_launch *launch, uint64_t *cells,
                          int64_t pairs);

    /* Matrix products, in host memory unless the backend has its own; waits for the end, or begins
     * it, where settle waits and fails as this does.  room:
     * the bytes of scratch memory that it needs; it does not read the operands' elements.
     * LUN_ECANCEL when stopped.  If room is negative, or both are NULL, the native backend computes
     * the product, in host memory. */
    int64_t (*product_room)(void *state, const lun_product *p);
    lun_status (*product)(void *state, const lun_product *p);

    /* Algorithms on host memory; waits for the end.  room: the bytes of scratch memory that the run
     * needs.  LUN_ECANCEL when stopped; the algorithm's file lists its other failures.  Both NULL:
     * the native backend runs it. */
    int64_t (*algorithm_room)(void *state, const lun_algorithm_run *r);
    lun_status (*algorithm)(void *state, lun_algorithm_run *r);
    /* Whether the device does that algorithm in memory of its own, on buffers, without scratch: it
     * begins it, and settle waits, fills in r and fails as algorithm does.  NULL: none. */
    bool (*takes)(void *state, lun_algorithm which);
    lun_status (*begin_algorithm)(void *state, lun_algorithm_run *r);

    /* Appends the source text that would be compiled for this IR. */
    lun_status (*source)(void *state, const lun_ir *ir, lun_strbuf *out);

    /* Fills at most room rows and returns the number of devices. */
    int (*devices)(void *state, lun_device *rows, int room);

    /* Calls task for ranges that together cover 0 .. n - 1, on as many threads as moving this many
     * bytes of host memory justifies, and waits.  NULL: there is one thread. */
    void (*share)(void *state, int64_t n, int64_t bytes, void *ctx, lun_range_fn *task);

    /* ---- for backends with memory of their own, else NULL ----
     * Each fails with LUN_ENOMEM (LUN_ELIMIT: more than the device can hold at once) or
     * LUN_EBACKEND and the text in services->error; buffers survive a failure.  upload and download
     * return when `host` may be used again, keep up stats.bytes_to_device and bytes_to_host, and
     * wait for the kernels before them. */
    lun_status (*buffer_new)(void *state, int64_t bytes, lun_buffer **out); /* content undefined */
    void (*buffer_free)(void *state, lun_buffer *buffer); /* kernels under way may still use it */
    lun_status (*upload)(void *state, lun_buffer *to, int64_t offset, const void *host,
                         int64_t bytes);
    lun_status (*download)(void *state, lun_buffer *from, int64_t offset, void *host,
                           int64_t bytes);

    /* Beside kernels: returns at once, and what uses the buffers from now on comes after it.  send
     * is upload, but `host` must stay as it is until settle has returned, which waits for no
     * kernel but those that used the buffer before, and for products and algorithms that have
     * begun.  copy: between buffers of two states that
     * have met; *done false: they have no memory in common, and nothing was copied.  NULL: the
     * backend has none. */
    lun_status (*send)(void *state, lun_buffer *to, int64_t offset, const void *host,
                       int64_t bytes);
    lun_status (*settle)(void *state);
    /* download that returns at once; fetched waits until all that was fetched is there, and for
     * nothing that was begun later.  NULL: there is only download. */
    lun_status (*fetch)(void *state, lun_buffer *from, int64_t offset, void *host, int64_t bytes);
    lun_status (*fetched)(void *state);
    lun_status (*copy)(void *state, lun_buffer *to, int64_t to_offset, void *other,
                       lun_buffer *from, int64_t from_offset, int64_t bytes, bool *done);

    /* Elements of a file, from byte `at` of it on, into a buffer, read by the device's own machine
     * at the latest when the buffer is used, which fails where that does, and reads again the next
     * time.  *done false: it does not see the file as it is here, and nothing is read.  The file
     * stays open there until it is unloaded; that may be called for any number.  NULL: devices'
     * machines read no files. */
    lun_status (*load)(void *state, lun_buffer *to, int64_t offset, const lun_file *file,
                       int64_t at, int64_t count, lun_infile_form form, bool *done);
    void (*unload)(void *state, int64_t number);
    /* Waits until what is to be loaded has been read, on all devices of states that have met. */
    lun_status (*loaded)(void *state);
    /* The CRC-32 of bytes of such a file, by the device's own machine: begins that, and waits for
     * nothing but whether it sees the file, *begun.  For each that has begun crc_found is called
     * once, in their order, which fails where the file cannot be read.  NULL as load. */
    lun_status (*crc)(void *state, const lun_file *file, int64_t at, int64_t bytes, bool *begun);
    lun_status (*crc_found)(void *state, uint32_t *crc);

    /* Bytes of a buffer into a file, from byte `at` of it on, by the device's own machine: begins
     * that, and waits for nothing.  For each such call stored is called once, in their order: it
     * waits for the end, or fails as download does.  *done false: the machine does not see the
     * file, and has written nothing; *failure: an errno, or 0.  NULL: devices' machines write no
     * files. */
    lun_status (*store)(void *state, lun_buffer *from, int64_t offset, int64_t bytes,
                        const lun_outfile *to, int64_t at);
    lun_status (*stored)(void *state, bool *done, int *failure);

    /* Fills `to` with the padded array of elements of so many bytes whose array begins at element
     * `origin` of `from`; fails as run does. */
    lun_status (*pad)(void *state, const lun_padding *p, int bytes, const lun_buffer *from,
                      int64_t origin, lun_buffer *to);

    lun_status (*transfer)(void *state, const lun_transfer *t); /* fails as run does */

    /* Waits until all kernels before have ended; fails as run does. */
    lun_status (*finish)(void *state);
    /* Brings the counters up to date where they are kept elsewhere; may wait for that.  NULL: they
     * are. */
    void (*count)(void *state);
    /* Opens a state for another thread on the device of `state`, where buffer_new or finish
     * was called: it has kernels and a queue of its own, and each may use the other's buffers.  It
     * is closed first.  Of `state` nothing is read that changes. */
    lun_status (*beside)(void *state, const lun_services *services, int device, void **out);

    /* Appends the key under which other machines look up an entry: its first line names the version
     * and the machine's instruction set; it names no compiler.  Appends nothing for an entry of
     * another backend or machine.  key NULL: the first line only.  NULL: entries cannot be moved to
     * other machines. */
    void (*portable_key)(const char *key, size_t length, lun_strbuf *out);

    /* With `ranks`, on ranks other than 0: does what rank 0 asks for, by a device of another
     * backend, until rank 0 has ended.  Fails where the link does, or that cannot be opened. */
    lun_status (*serve)(const lun_services *services, const struct lun_backend *by, int device);

    /* True if it is the default backend, because there is a GPU.  Must not load a driver on a
     * machine without one.  NULL: false. */
    bool (*preferred)(const lun_services *services);
} lun_backend;

/* All backends of this build, best first, NULL at the end (backends/all.c). */
extern const lun_backend *const lun__backends_all[];

/* ---- files ----------------------------------------------------------------------------------- */

/* Writes n bytes; false with errno, which is EFBIG beyond the process's limit:
 * there is no signal. */
bool lun__write_all(int fd, const void *bytes, size_t n);
/* The same from byte `at` of the file on, wherever it stands; 0, or an errno. */
int lun__write_at(int fd, int64_t at, const void *bytes, int64_t n);

/* ---- the cache, as backends see it ------------------------------------------------------------
 * An entry is bytes under a key; the whole key is stored and compared, the bytes are checked
 * against a hash before they are returned.  A damaged or foreign entry is a miss and is removed. */

/* On a hit *bytes is malloc'd memory of *length bytes for the caller.  False: a miss. */
bool lun__cache_load(lun_cache *cache, const char *key, size_t key_length, void **bytes,
                     size_t *length);
/* Best effort: a failure leaves the cache as it was; the first one is logged. */
void lun__cache_store(lun_cache *cache, const char *key, size_t key_length, const void *bytes,
                      size_t length);
/* Directory for a compiler's temporary files: private, 0700, created on first use; NULL if that
 * fails.  Owned by the cache. */
const char *lun__cache_scratch(lun_cache *cache);
/* Waits at most wait_ms for the lock that the processes which use this directory share; -1: it
 * could not be acquired.  A process that ends releases it. */
int lun__cache_lock(lun_cache *cache, int wait_ms);
void lun__cache_unlock(int lock); /* -1 is allowed */

/* Claims to make the entry of a key, so that of the processes that share the directory only one
 * makes it.  Never waits.  A claim is a descriptor, closed on exec, which the maker of the entry
 * inherits: the claim is TAKEN as long as any process has it open.  It is LEFT when none has, but
 * its owner lives and did not end it: the entry may be about to be stored; an owner that does not
 * store it in time is overruled by `abandoned`.  OWN: this cache has TAKEN it itself.  NONE: this
 * directory has no claims; make the entry without. */
enum { LUN_CLAIM_NONE = -1, LUN_CLAIM_TAKEN = -2, LUN_CLAIM_LEFT = -3, LUN_CLAIM_OWN = -4 };
int lun__cache_claim(lun_cache *cache, const char *key, size_t key_length, bool abandoned);
/* Ends a claim of ours: the entry is stored, or will not be. */
void lun__cache_unclaim(lun_cache *cache, const char *key, size_t key_length);

#endif
