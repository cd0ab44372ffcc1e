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
#include "math/version.h"
#include "work.h"

typedef struct lun_cache lun_cache; /* prims/cache/entry.c */

/* Machines that can run what an entry of the cache has.  An entry of this one begins with `first`,
 * and its head, which ends with an empty line, has the line `kind`; those between "compiler " and
 * "flags " say who made it, and mean nothing elsewhere. */
typedef struct lun_cache_machine {
    char first[32], kind[32], name[32];
} lun_cache_machine;

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
    int bind;                    /* lun_bind; both may change between two calls of a backend */
    int jit;                     /* lun_jit */
    int math;                    /* lun_math */
    const char *bits;            /* the version of the bits, as lun_set_bits chooses it */
    void (*log)(void *ctx, const char *text);
    void *log_ctx;
    const volatile int *cancel; /* becomes nonzero when the evaluation has to stop */
    /* Reports progress: called from time to time by the thread that called run or build, with what
     * it is doing and how many elements are done; NULL: no reports.  total 0: unknown. */
    void (*tick)(void *ctx, const char *what, int64_t done, int64_t total);
    void *tick_ctx;
    /* Tells tools that a copy, a compilation or a wait for a kernel begins or ends; from any
     * thread.  NULL: nothing watches. */
    void (*event)(void *ctx, bool begins, lun_tool_event *ev);
    void *event_ctx;
    const struct lun_backend *native; /* LUN_IS_NATIVE; NULL: none */
    const lun_link *link; /* where ranks serve; NULL: they do not, for all run scripts or none */
} lun_services;

/* Whether the evaluation has to stop.  To be called from time to time, from any thread. */
static inline bool lun__backend_stop_requested(const lun_services *s)
{
    return s->cancel && __atomic_load_n(s->cancel, __ATOMIC_RELAXED);
}

/* The version of the bits of kernels that are made now: its name, its number. */
static inline const char *lun__backend_bits(const lun_services *s)
{
    return s->math == LUN_MATH_PRECISE ? "none" : s->bits;
}

static inline int lun__backend_version(const lun_services *s)
{
    return s->math == LUN_MATH_PRECISE ? LUN_VERSION_NONE : lun__version_number(s->bits);
}

/* Work of a kind begins or ends at a device. */
static inline void lun__backend_event(const lun_services *s, bool begins, lun_tool_event ev)
{
    if (s->event)
        s->event(s->event_ctx, begins, &ev);
}

/* Adds one to a counter of s->stats, which other threads may read meanwhile. */
static inline void lun__backend_count(int64_t *counter)
{
    __atomic_fetch_add(counter, 1, __ATOMIC_RELAXED);
}

/* Which device is opened, and beside what. */
typedef struct lun_opening {
    int device;      /* one of the backend's, from 1; 0: the best */
    int parts, part; /* parts > 0: of so many equal parts of it number `part`, from 1 */
    void *with; /* another state of the same engine, NULL: none: from the first buffer or kernel
                        on they have in common what devices can, which `copy` needs */
    /* A state of the same device, of another thread, in which buffer_new or wait was called; NULL:
     * none.  The new one has kernels and a queue of its own, and each may use the other's buffers;
     * it is closed first.  Of `beside` nothing is read that changes. */
    void *beside;
} lun_opening;

/* What a state can do, as data; all zero: nothing but launches. */
typedef struct lun_abilities {
    bool segments; /* runs launches with segments; else the engine launches for each segment */
    bool turns;    /* runs launches with turns in memory of its own */
    bool teams; /* runs kernels of teams (lun_ir.threads): team t has the indices t * lanes ... of
                   lun__ir_lanes, of which the last may be nobody's */
    bool chains, sweeps; /* does LUN_WORK_CHAIN, LUN_WORK_SWEEP */
    bool shares;         /* does LUN_WORK_SHARE */
    bool parts; /* takes a launch in parts: several states work at once, and `wait` gives more */
    bool counts_late; /* services->stats are current after LUN_WAIT_ALL only */
    /* The most threads of a team whose kernel it runs as a work-group, each a work-item that waits
     * at BARRIERs: team t has the indices t * threads ...; team_bytes: what slots which are
     * `shared` may take for a team.  0: none. */
    int team_threads;
    int64_t team_bytes;
    int64_t cache_bytes;  /* near each core, which limit how many stages of a sweep run together */
    int64_t memory_bytes; /* of the device; <= 0 in both: unknown */
    lun_cache_machine machine; /* whose cache entries it takes; first "": of none but this one */
    bool crews;                /* runs launches with a crew */
} lun_abilities;

/* What is known of a kernel once it is compiled. */
typedef struct lun_kernel_facts {
    int team_threads; /* of a kernel of teams with groups: that a work-group of it can have */
} lun_kernel_facts;

/* Of the work that a state has begun, from 1: a later one is greater.  Where a function is given a
 * mark it becomes that of the work, and stays as it is if the work has ended. */
typedef uint64_t lun_work_mark;

typedef enum lun_wait_how {
    LUN_WAIT_GIVE, /* gives the device more of it, without waiting; *ended: that was all */
    LUN_WAIT_END,  /* until what has that mark, and all before, has ended */
    LUN_WAIT_ALL   /* until the device has done all, whatever the mark; counters are current then */
} lun_wait_how;

/* ---- the contract ----------------------------------------------------------------------------
 * Work of one state is done in the order in which it begins, transfers with a mark beside it, each
 * after what used its buffer before, and before what uses it from then on.  Work has ended when the
 * host has all that it gets of it: results, traps, failures, elements in host memory, the use of
 * its own.  Elements of buffers may be on their way still; what uses them comes after them.  Each
 * function that fails writes services->error. */
typedef enum lun_native_handle {
    LUN_NATIVE_CONTEXT,
    LUN_NATIVE_QUEUE,
    LUN_NATIVE_MEMORY
} lun_native_handle;

typedef struct lun_backend {
    uint32_t abi, size; /* of a plug-in: LUN_BACKEND_ABI and sizeof(lun_backend); else 0 */
    const char *name;   /* "reference", "openmp", "opencl" */
    uint32_t is;        /* LUN_IS_... */
    const struct lun_remote *remote; /* its devices are ranks; NULL: they are not */

    /* Fills at most room rows and returns the number of devices.  state NULL: before any is open:
     * how many graphics devices there are, and nothing is filled; loads no driver on a machine
     * without one. */
    int (*devices)(const lun_services *services, void *state, lun_device *rows, int room);
    /* LUN_EBACKEND with the reason in services->error if the machine lacks something.  Must be
     * cheap: compilers and devices are used only when they are needed.  *out lives as long as the
     * state: what is found out later is changed there. */
    lun_status (*open)(const lun_services *services, const lun_opening *how, void **state,
                       lun_abilities *out);
    void (*close)(void *state);

    /* Makes a kernel of an IR and its canonical text, both borrowed for the duration of the call.
     * Must not wait for a compiler unless services->jit says so or the IR contains a CALL. */
    lun_status (*build)(void *state, const lun_ir *ir, const char *text, lun_kernel **out);
    /* At any time; what is being compiled for it ends by itself. */
    void (*release)(void *state, lun_kernel *kernel);
    /* Prepares everything that a run needs, and waits for the compiler.  LUN_EBUILD with the
     * reason, LUN_ECANCEL when stopped. */
    lun_status (*prepare)(void *state, lun_kernel *kernel, lun_kernel_facts *out);
    /* Appends the source text that would be compiled for this IR. */
    lun_status (*source)(void *state, const lun_ir *ir, lun_strbuf *out);

    /* Whether `begin` does such work, of which no element is read; *scratch: bytes of host memory
     * that it needs for it beside operands and results.  What it does not take the native backend
     * does, in host memory; of a LAUNCH it is asked before the kernel is built.  PAD and TRANSFER
     * are for backends with memory of their own, which take them. */
    bool (*takes)(void *state, const lun_work *work, int64_t *scratch);
    /* Begins it; what `work` points to stays until it has ended, `work` itself does not.  A backend
     * on host memory does all of it.  One that takes launches in parts gives the device as much as
     * it takes without waiting, but all of a kernel that runs for the first time; between begin
     * and the end of a launch only buffer_new, buffer_free, copy, wait and write with a mark are
     * called.
     * LUN_EZERO after a trapped division (launch->trap says where); LUN_EIO if a stream could not
     * be read (trap: its slot, trap_value: the error number); LUN_ECANCEL when stopped; LUN_EBUILD
     * if a CALL does not compile; an algorithm's file lists its other failures.  After a failure
     * the work has ended. */
    lun_status (*begin)(void *state, const lun_work *work, lun_work_mark *mark);
    /* *ended: that of LUN_WAIT_GIVE; else may be NULL.  Fails as the work does. */
    lun_status (*wait)(void *state, lun_work_mark mark, lun_wait_how how, bool *ended);

    /* ---- for backends with memory of their own, else NULL ----
     * Each fails with LUN_ENOMEM (LUN_ELIMIT: more than the device can hold at once) or
     * LUN_EBACKEND; buffers survive a failure.  Keep up stats.bytes_to_device and bytes_to_host. */
    lun_status (*buffer_new)(void *state, int64_t bytes, lun_buffer **out); /* content undefined */
    void (*buffer_free)(void *state, lun_buffer *buffer); /* work under way may still use it */
    /* mark NULL: after all work before; returns when `host` may change, or is there.  Else at once:
     * `host` stays as it is, or is not looked at, until *mark has ended, which waits for no kernel
     * but those that used the buffer before. */
    lun_status (*write)(void *state, lun_buffer *to, int64_t offset, const void *host,
                        int64_t bytes, lun_work_mark *mark);
    lun_status (*read)(void *state, lun_buffer *from, int64_t offset, void *host, int64_t bytes,
                       lun_work_mark *mark);
    /* Between buffers of two states, one of which was opened with the other; *done false: they have
     * no memory in common, and nothing was copied. */
    lun_status (*copy)(void *state, lun_buffer *to, int64_t to_offset, void *other,
                       lun_buffer *from, int64_t from_offset, int64_t bytes, bool *done);
    /* The API's own handle of what a host that uses the API asks for, of a buffer its memory; NULL:
     * the state has none, or the backend no API. */
    void *(*native)(void *state, lun_native_handle which, lun_buffer *of);
    /* As buffer_new, of the host's memory, which the device uses where it is: pinned, or shared,
     * where the device has no other.  LUN_EBACKEND: it has none; NULL: no device has. */
    lun_status (*buffer_host)(void *state, int64_t bytes, bool shared, lun_buffer **out);
} lun_backend;

enum { LUN_IS_NATIVE = 1 }; /* kernels are host code on host memory: others may delegate to it */

/* lun_backend.wait where `begin` does all. */
static inline lun_status lun__backend_ended_at_once(void *state, lun_work_mark mark,
                                                    lun_wait_how how, bool *ended)
{
    (void)state, (void)mark, (void)how;
    if (ended)
        *ended = true;
    return LUN_OK;
}

/* Begins and ends it. */
static inline lun_status lun__backend_work_do(const lun_backend *b, void *state,
                                              const lun_work *work)
{
    lun_work_mark mark = 0;
    const lun_status s = b->begin(state, work, &mark);
    return s == LUN_OK && mark ? b->wait(state, mark, LUN_WAIT_END, NULL) : s;
}

/* ---- ranks as devices ------------------------------------------------------------------------
 * Number 1 is this one, which computes by another backend.  Each has a machine of its own, which
 * may see files that this one sees. */
typedef struct lun_remote {
    /* On ranks other than 0: does what rank 0 asks for, by a device of another backend, until
     * rank 0 has ended.  Fails where the link does, or that cannot be opened. */
    lun_status (*serve)(const lun_services *services, const lun_backend *by, int device);

    /* Elements of a file, from byte `at` of it on, into a buffer, read by the device's own machine
     * at the latest when the buffer is used, which fails where that does, and reads again the next
     * time.  *done false: it does not see the file as it is here, and nothing is read.  The file
     * stays open there until it is unloaded; that may be called for any number. */
    lun_status (*load)(void *state, lun_buffer *to, int64_t offset, const lun_file *file,
                       int64_t at, int64_t count, lun_infile_form form, bool *done);
    void (*unload)(void *state, int64_t number);
    /* Waits until what is to be loaded has been read, on all devices of the engine's states. */
    lun_status (*loaded)(void *state);
    /* The CRC-32 of bytes of such a file, by the device's own machine: begins that, and waits for
     * nothing but whether it sees the file, *begun.  For each that has begun crc_found is called
     * once, in their order, which fails where the file cannot be read.*/
    lun_status (*crc)(void *state, const lun_file *file, int64_t at, int64_t bytes, bool *begun);
    lun_status (*crc_found)(void *state, uint32_t *crc);

    /* Bytes of a buffer into a file, from byte `at` of it on, by the device's own machine: begins
     * that, and waits for nothing.  For each such call stored is called once, in their order: it
     * waits for the end, or fails as read does.  *done false: the machine does not see the
     * file, and has written nothing; *failure: an errno, or 0. */
    lun_status (*store)(void *state, lun_buffer *from, int64_t offset, int64_t bytes,
                        const lun_outfile *to, int64_t at);
    lun_status (*stored)(void *state, bool *done, int *failure);
} lun_remote;

/* All backends of this build, best first, NULL at the end (backends/all.c). */
extern const lun_backend *const lun__backends_all[];

/* ---- libraries in place of an algorithm of the engine's (lun_override) ------------------------
 * A backend that takes work of one kind alone, on host memory, and has no kernels: it is opened
 * when it is chosen, and then asked first.  What it does not take is done as without it. */
typedef struct lun_override_row {
    const char *algorithm, *by;
    const lun_backend *backend;
} lun_override_row;
enum { LUN_OVERRIDES = 3 };
extern const lun_override_row lun__overrides_all[LUN_OVERRIDES]; /* backends/overrides.c */

/* ---- plug-ins --------------------------------------------------------------------------------
 * A library that LUNARRAY_PLUGINS names has the function lunarray_backend, which gives a backend,
 * NULL: it has none for such a host.  It is built against these headers with LUN_BACKEND_ABI of the
 * build, a hash of all that they declare (build/gen/backend_abi.h); what it calls of prims/base,
 * table and ir it is linked with itself.  It stays loaded. */
typedef struct lun_host {
    uint32_t abi, size; /* LUN_BACKEND_ABI, sizeof(lun_host) */
    bool (*cache_load)(lun_cache *cache, const char *key, size_t key_length, void **bytes,
                       size_t *length);
    void (*cache_store)(lun_cache *cache, const char *key, size_t key_length, const void *bytes,
                        size_t length);
} lun_host;
typedef const lun_backend *lun_backend_entry(uint32_t abi, const lun_host *host);

/* ---- files ----------------------------------------------------------------------------------- */

/* Writes n bytes; false with errno, which is EFBIG beyond the process's limit:
 * there is no signal. */
bool lun__write_bytes(int fd, const void *bytes, size_t n);
/* The same from byte `at` of the file on, wherever it stands; 0, or an errno. */
int lun__write_bytes_at(int fd, int64_t at, const void *bytes, int64_t n);

/* ---- the cache, as backends see it ------------------------------------------------------------
 * An entry is bytes under a key; the whole key is stored and compared, the bytes are checked
 * against a hash before they are returned.  A damaged or foreign entry is a miss and is removed. */

/* On a hit *bytes is malloc'd memory of *length bytes for the caller.  False: a miss. */
bool lun__cache_entry_load(lun_cache *cache, const char *key, size_t key_length, void **bytes,
                           size_t *length);
/* Best effort: a failure leaves the cache as it was; the first one is logged. */
void lun__cache_entry_store(lun_cache *cache, const char *key, size_t key_length, const void *bytes,
                            size_t length);
/* Appends the key under which other machines look up an entry, nothing where it is not for them:
 * first a line with the version and their name.  key NULL: that line alone. */
void lun__cache_bundle_key(const lun_cache_machine *m, const char *key, size_t key_length,
                           lun_strbuf *out);
/* Directory for a compiler's temporary files: private, 0700, created on first use; NULL if that
 * fails.  Owned by the cache. */
const char *lun__cache_scratch(lun_cache *cache);
/* Waits at most wait_ms for the lock that the processes which use this directory share; -1: it
 * could not be acquired.  A process that ends releases it. */
int lun__cache_claim_lock(lun_cache *cache, int wait_ms);
void lun__cache_claim_unlock(int lock); /* -1 is allowed */

/* Claims to make the entry of a key, so that of the processes that share the directory only one
 * makes it.  Never waits.  A claim is a descriptor, closed on exec, which the maker of the entry
 * inherits: the claim is TAKEN as long as any process has it open.  It is LEFT when none has, but
 * its owner lives and did not end it: the entry may be about to be stored; an owner that does not
 * store it in time is overruled by `abandoned`.  OWN: this cache has TAKEN it itself.  NONE: this
 * directory has no claims; make the entry without. */
enum { LUN_CLAIM_NONE = -1, LUN_CLAIM_TAKEN = -2, LUN_CLAIM_LEFT = -3, LUN_CLAIM_OWN = -4 };
int lun__cache_claim(lun_cache *cache, const char *key, size_t key_length, bool abandoned);
/* Ends a claim of ours: the entry is stored, or will not be. */
void lun__cache_claim_end(lun_cache *cache, const char *key, size_t key_length);

#endif
