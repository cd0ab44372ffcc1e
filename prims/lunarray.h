/* lunarray.h - Lunarray as a C library: lazy arrays that run as fused kernels, with or without Lua.
 *
 * Names.   lun_engine owns everything; lun_array is a reference to a Vector, a View, a Scalar or a
 *          Composition (an expression not yet evaluated).  Building expressions runs nothing.
 * Errors.  A call that can fail returns a lun_status; LUN_OK is 0.  On failure its out parameters
 *          are untouched and lun_error(e) says what, where and what to do, until the next call.
 * NULL.    NULL is an error where an engine, an array, a function or a pointer for a result is
 *          required: LUN_EARG, or 0, "" or NULL where no status is returned.  So is a value outside
 *          its enumeration (a dtype: LUN_EDTYPE).  A handle that has been closed or released for
 *          the last time is not recognised and must not be used.
 *          Not repeated below: LUN_EARG for these and for an array of another engine, LUN_EFREED,
 *          LUN_ENOMEM; from calls that evaluate, the failure of the evaluation (LUN_EZERO,
 *          LUN_EBOUNDS, LUN_EBUILD, LUN_EBACKEND, LUN_ECANCEL, LUN_ELIMIT, LUN_EIO).
 * Owning.  A call that returns an array (lun_array **out) returns a reference, to be released by
 *          lun_release.  Array arguments are borrowed.  Release every array before lun_close, which
 *          releases the remaining ones.
 * Threads. One engine is used by one thread at a time; different engines by different threads at
 *          once.  A call while another thread is inside of one is LUN_EARG ("engine in use by
 *          another thread") and changes nothing; lun_error there tells it.  Where no status is
 *          returned it is 0, "", NULL, false or LUN_DTYPE_COUNT, and structs stay as they are.
 *          At any time and from any thread: lun_cancel, and lun_retain, lun_release and the other
 *          functions that release or free a handle.  What they end while another thread is inside
 *          ends with its call or with the next one.  No thread may be inside when lun_close is
 *          called, nor use the engine afterwards.
 * Structs. Each begins with its size, except lun_value, lun_variant, lun_string and lun_field
 *          (and lun_text_view and lun_text_bytes of lunarray_bind.h), which never change.  The
 *          caller sets the size: lun_stats s = {.size = sizeof s}.  The library reads and writes
 *          only that many bytes, so programs and libraries of different versions are compatible; a
 *          struct of size 0 is left unchanged.  In structs that the library returns, the size says
 *          which fields exist.
 * Indices. Here, as in C, elements and axes count from 0.  Lengths are int64_t, in elements.
 *          The texts of lun_error count in the same way: "argument 0" is args[0].  Parameters and
 *          results of a function count from 1, as compilers have them.  Errors of scripts, and so
 *          lun_error after lun_dostring, count from 1, as Lua does; what a function of lun_register
 *          fails with keeps the numbers of the call that it made.
 * Shapes.  Elementwise operands broadcast by NumPy's rule: extents are aligned at the last axis,
 *          and an extent of 1, or a missing one, is repeated.  Other shapes: LUN_ESHAPE.
 * Additional functions for bindings to other languages are in lunarray_bind.h.
 * The library never exits, aborts, prints, or changes signal handlers, locale or floating-point
 * modes.
 */
#ifndef LUNARRAY_H
#define LUNARRAY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define LUN_VERSION       "0.1.0"
#define LUN_VERSION_MAJOR 0
#define LUN_VERSION_MINOR 1
#define LUN_VERSION_PATCH 0
/* The same as a number, for conditions of the preprocessor. */
#define LUN_VERSION_NUM (LUN_VERSION_MAJOR * 10000 + LUN_VERSION_MINOR * 100 + LUN_VERSION_PATCH)
/* The version of the bits of all results, see lun_bits. */
#define LUN_BITS     "v1"
#define LUN_MAX_RANK 8
/* Most operands of a call, elements and extra arguments; most parameters of a C function; most
 * results. */
#define LUN_MAX_OPERANDS 64
#define LUN_MAX_PARAMS   32
#define LUN_MAX_OUTPUTS  16
/* Most places in a set. */
#define LUN_MAX_PLACES 4096

#ifndef LUN_API
#define LUN_API __attribute__((visibility("default")))
#endif

typedef struct lun_engine lun_engine;
typedef struct lun_array lun_array;
typedef struct lun_function lun_function;
typedef struct lun_plan lun_plan;
typedef struct lun_ranks lun_ranks;
typedef struct lun_shared lun_shared;
typedef struct lun_table lun_table;
typedef struct lun_ref lun_ref;
typedef struct lun_globals lun_globals;
struct lua_State;
struct DLManagedTensorVersioned; /* of DLPack: lunarray_dlpack.h, or its own dlpack.h */
struct DLManagedTensor;
struct ArrowSchema; /* of Arrow's C data interface: lunarray_arrow.h, or any header of it */
struct ArrowArray;
struct ArrowArrayStream;

/* ---- enumerations (generated from the tables by tests/lint/header.sh --write) ---------------- */
/* clang-format off */
/* BEGIN GENERATED ENUMS */
typedef enum lun_status {
    LUN_OK = 0,
    LUN_EARG = 1,
    LUN_EDTYPE = 2,
    LUN_ESHAPE = 3,
    LUN_ERANGE = 4,
    LUN_ENOMEM = 5,
    LUN_EFREED = 6,
    LUN_EZERO = 7,
    LUN_EBUILD = 8,
    LUN_EBACKEND = 9,
    LUN_ECANCEL = 10,
    LUN_ELIMIT = 11,
    LUN_EIO = 12,
    LUN_ESCRIPT = 13,
    LUN_EBOUNDS = 14
} lun_status;

typedef enum lun_dtype {
    LUN_BOOL,
    LUN_I8,
    LUN_U8,
    LUN_I16,
    LUN_U16,
    LUN_I32,
    LUN_U32,
    LUN_I64,
    LUN_U64,
    LUN_F32,
    LUN_F64,
    LUN_F16,
    LUN_BF16,
    LUN_DTYPE_COUNT, /* of those of kernels; no dtype */
    LUN_TEXT = 32,
    LUN_DATE = 33,
    LUN_TIMESTAMP = 34,
    LUN_DURATION = 35,
    LUN_C64 = 36,
    LUN_C128 = 37,
    LUN_RECORD = 38
} lun_dtype;
/* Bytes of an element of a dtype of kernels, as a constant: four bits for each. */
#define LUN_DTYPE_BYTES(t) ((size_t)(0x2284884422111ULL >> 4 * (t)) & 15)

typedef enum lun_op {
    LUN_OP_ADD,
    LUN_OP_SUB,
    LUN_OP_MUL,
    LUN_OP_DIV,
    LUN_OP_IDIV,
    LUN_OP_MOD,
    LUN_OP_POW,
    LUN_OP_NEG,
    LUN_OP_BAND,
    LUN_OP_BOR,
    LUN_OP_BXOR,
    LUN_OP_SHL,
    LUN_OP_SHR,
    LUN_OP_BNOT,
    LUN_OP_LT,
    LUN_OP_LE,
    LUN_OP_GT,
    LUN_OP_GE,
    LUN_OP_EQ,
    LUN_OP_NE,
    LUN_OP_LAND,
    LUN_OP_LOR,
    LUN_OP_LNOT,
    LUN_OP_WHERE,
    LUN_OP_ABS,
    LUN_OP_SIGN,
    LUN_OP_FLOOR,
    LUN_OP_CEIL,
    LUN_OP_ROUND,
    LUN_OP_TRUNC,
    LUN_OP_SQRT,
    LUN_OP_CBRT,
    LUN_OP_EXP,
    LUN_OP_EXP2,
    LUN_OP_EXPM1,
    LUN_OP_LOG,
    LUN_OP_LOG2,
    LUN_OP_LOG10,
    LUN_OP_LOG1P,
    LUN_OP_SIN,
    LUN_OP_COS,
    LUN_OP_TAN,
    LUN_OP_ASIN,
    LUN_OP_ACOS,
    LUN_OP_ATAN,
    LUN_OP_ATAN2,
    LUN_OP_SINH,
    LUN_OP_COSH,
    LUN_OP_TANH,
    LUN_OP_ASINH,
    LUN_OP_ACOSH,
    LUN_OP_ATANH,
    LUN_OP_ERF,
    LUN_OP_ERFC,
    LUN_OP_HYPOT,
    LUN_OP_FMA,
    LUN_OP_COPYSIGN,
    LUN_OP_MIN,
    LUN_OP_MAX,
    LUN_OP_FMIN,
    LUN_OP_FMAX,
    LUN_OP_CLAMP,
    LUN_OP_ISNAN,
    LUN_OP_ISINF,
    LUN_OP_ISFINITE,
    LUN_OP_FILLNAN,
    LUN_OP_COSPI,
    LUN_OP_COUNT,
    LUN_OP_NONE = 0x7fffffff
} lun_op;

typedef enum lun_reduction {
    LUN_SUM,
    LUN_PROD,
    LUN_MIN,
    LUN_MAX,
    LUN_MEAN,
    LUN_VAR,
    LUN_STD,
    LUN_ANY,
    LUN_ALL,
    LUN_COUNT,
    LUN_ARGMIN,
    LUN_ARGMAX,
    LUN_NORM,
    LUN_REDUCTION_COUNT
} lun_reduction;
/* END GENERATED ENUMS */
/* clang-format on */

typedef enum lun_class { LUN_VECTOR, LUN_VIEW, LUN_SCALAR, LUN_COMPOSITION } lun_class;
typedef enum lun_jit { LUN_JIT_DEFAULT, LUN_JIT_AUTO, LUN_JIT_SYNC, LUN_JIT_OFF } lun_jit;
typedef enum lun_math { LUN_MATH_FAST, LUN_MATH_PRECISE } lun_math;
typedef enum lun_dist { LUN_UNIFORM, LUN_NORMAL } lun_dist;

/* What the elements of a dtype are. */
typedef enum lun_kind {
    LUN_KIND_BOOL,
    LUN_KIND_SIGNED,
    LUN_KIND_UNSIGNED,
    LUN_KIND_FLOAT,
    LUN_KIND_TEXT,    /* of handles alone: kernels have codes */
    LUN_KIND_TIME,    /* the same: kernels have days or microseconds */
    LUN_KIND_COMPLEX, /* the same: kernels have real and imaginary parts */
    LUN_KIND_RECORD   /* the same: kernels have arrays of fields */
} lun_kind;

/* One number with its type: dtype is LUN_BOOL (u), LUN_I64 (i), LUN_U64 (u) or LUN_F64 (d). */
typedef struct lun_value {
    lun_dtype dtype;
    union {
        int64_t i;
        uint64_t u;
        double d;
    } as;
} lun_value;

/* The types of values exchanged between a host and its scripts. */
typedef enum lun_type {
    LUN_TYPE_NIL,
    LUN_TYPE_BOOLEAN,
    LUN_TYPE_INTEGER,
    LUN_TYPE_NUMBER, /* a float */
    LUN_TYPE_TEXT,
    LUN_TYPE_ARRAY,
    LUN_TYPE_TABLE
} lun_type;

/* One such value.  length: bytes of a text; 0 in a text argument: it is NUL-terminated.  A complex
 * number of a script is an array, as lun_complex_number makes it. */
typedef struct lun_variant {
    lun_type type;
    size_t length;
    union {
        bool boolean;
        int64_t integer;
        double number;
        const char *text;
        lun_array *array;
        lun_table *table;
    } as;
} lun_variant;

/* ---- the engine ------------------------------------------------------------------------------ */

typedef struct lun_config {
    size_t size; /* sizeof(lun_config) */
    /* Memory for array elements and bookkeeping, like realloc: (ctx, NULL, n) allocates,
     * (ctx, p, 0) frees; NULL: the C library's.  Large blocks come from mmap unless an allocator is
     * set.  What a tensor of lun_to_dlpack holds beyond lun_close is freed by its deleter. */
    void *(*alloc)(void *ctx, void *old, size_t bytes);
    void *alloc_ctx;
    /* Receives messages that are not failures of a call: one line, without newline.  NULL: none. */
    void (*log)(void *ctx, const char *text);
    void *log_ctx;
    const char
        *backend; /* "openmp", "reference", "opencl:2"; NULL: LUNARRAY_BACKEND, else the best */
    int threads;  /* 0: LUNARRAY_THREADS, OMP_NUM_THREADS, else as many as this process may use */
    lun_jit jit;  /* LUN_JIT_DEFAULT: LUNARRAY_JIT, else auto */
    int64_t memory_limit; /* bytes of elements, on devices too, of objects such as arrays and tasks,
                             and of Lua in the engine's own state, alive at once; 0: none */
    double time_limit;    /* seconds for one evaluation, or for a whole script, whose loops then
                             run at half and calls at a third of the speed; 0 or above 10^9: none */
    const char
        *cache_dir; /* kernels on disk; NULL: LUNARRAY_CACHE_DIR, else $XDG_CACHE_HOME/lunarray,
                              else ~/.cache/lunarray; "": none */
    int sandbox; /* nonzero: no C strings, no file paths as functions; scripts cannot reach files,
                       processes or the machine's code: docs/sandbox.md */
    /* Receives what a script prints, without the newline; text is NUL-terminated and may contain
     * further NUL bytes within length.  NULL: standard output, where io.write always writes. */
    void (*print)(void *ctx, const char *text, size_t length);
    void *print_ctx;
    /* Beyond these bounds the least recently used kernels are evicted; an evicted kernel is
     * rebuilt, or loaded from disk, when it is needed again. */
    int kernels;           /* in memory; 0: LUNARRAY_KERNELS, else 4096 */
    int64_t kernel_memory; /* bytes of them; 0: LUNARRAY_KERNEL_MEMORY (in megabytes), else 64 MB;
                               at most an eighth of memory_limit, in addition to that limit */
    int64_t cache_size;    /* bytes of kernels on disk; 0: LUNARRAY_CACHE_SIZE (in megabytes), else
                               256 MB */
    /* One rank of several that are threads of this process (lun_ranks_new), counted from 0; ranks
     * NULL: by the launcher of the process, see lun_spmd_start. */
    struct lun_ranks *ranks;
    int rank;
} lun_config;

/* LUN_VERSION of the library in use, which may be newer than the header. */
LUN_API const char *lun_version(void);
/* The same as LUN_VERSION_NUM. */
LUN_API int lun_version_num(void);

/* Opens an engine into *out; no device or compiler is touched before it is needed.
 * LUN_EARG: no such backend; LUN_EBACKEND: it cannot be used here; LUN_ENOMEM.
 * lun_error(NULL) gives the reason. */
LUN_API lun_status lun_open(const lun_config *config_or_NULL, lun_engine **out);
/* Closes the engine.  Waits briefly for a compiler that is filling the cache.  NULL is allowed. */
LUN_API void lun_close(lun_engine *e);
/* Text of the last failed call, "" if there is none; after a failed lun_open pass
 * NULL: the reason. */
LUN_API const char *lun_error(const lun_engine *e);
/* "script:line" of the expression that the last failure concerns, or where a script failed; "" if
 * unknown. */
LUN_API const char *lun_error_where(const lun_engine *e);
/* The last failed call in its parts. */
typedef struct lun_error_info {
    size_t size; /* sizeof(lun_error_info) */
    lun_status status;
    const char *message;   /* lun_error without a traceback */
    const char *where;     /* lun_error_where; */
    const char *traceback; /* of a script, a line for each call; "": there is none */
    const char *call;      /* the function of this header that failed, "" where it runs scripts */
    int line;              /* the number in `where`, 0: unknown */
} lun_error_info;
/* *out: the last failure; the texts stay until the next call.  status LUN_OK: nothing has failed
 * yet.  LUN_EARG: an argument is NULL, or *out without its size; nothing else changes. */
LUN_API lun_status lun_error_get(const lun_engine *e, lun_error_info *out);
/* How much a message matters. */
typedef enum lun_log_level {
    LUN_LOG_ERROR,
    LUN_LOG_WARN,
    LUN_LOG_INFO,
    LUN_LOG_DEBUG
} lun_log_level;
/* Has messages that are no failure of a call given to a function, besides lun_config.log, whose
 * level is info: those up to a level, a line each, with their subject: "compile", "cache", "door"
 * (libraries and plug-ins), "memory", "rank", "script" (Lua's warn).  It may be called from the
 * compiler's thread, and must not call the engine.  call NULL: none; when this returns, the
 * function before is in no call any more. */
LUN_API lun_status lun_on_log(lun_engine *e, lun_log_level most,
                              void (*call)(void *ctx, lun_log_level level, const char *subject,
                                           const char *text),
                              void *ctx);
/* Stops the current evaluation, if any: it returns LUN_ECANCEL without partial results.  May be
 * called from any thread or signal handler.  A script in the engine's own Lua state (lun_dostring,
 * ...) is stopped as a whole, also in coroutines, and no pcall can catch this.  Not stopped: a
 * single call of a C function (a pattern that backtracks forever), finalisers, message handlers of
 * xpcall.  Later evaluations are not affected. */
LUN_API void lun_cancel(lun_engine *e);
/* Changes time_limit, in seconds, from the next evaluation or script on.  LUN_EARG if it is
 * negative. */
LUN_API lun_status lun_time_limit(lun_engine *e, double seconds);
/* What the engine was opened with; the texts backend and cache_dir are NULL. */
LUN_API void lun_config_get(const lun_engine *e, lun_config *out);
/* Records an error of the host as the failure of this call and returns s: for functions of
 * lun_register.  text is copied. */
LUN_API lun_status lun_fail(lun_engine *e, lun_status s, const char *text);
/* "ESHAPE" for LUN_ESHAPE; "unknown" for other values. */
LUN_API const char *lun_status_name(lun_status s);

/* Selects where kernels run: one backend by name ("openmp", "opencl:2", ...), or a set of places,
 * several names with commas between them: "opencl:1,opencl:3", "opencl:1,openmp".  "opencl:*" is
 * all devices of a backend; "openmp/4" four places with memory of their own on the host, named
 * "openmp.1" to "openmp.4"; "opencl:1/2" two equal sub-devices, "opencl:1.1" and "opencl:1.2".
 * Arrays are distributed over the places of a set (lun_distribute) and kernels run on all of them,
 * with the same bits as on one; the first place leads: it runs what has no distributed form.
 * LUN_EARG if a name is unknown (with the list of names) or appears twice; LUN_EBACKEND with the
 * reason if a place cannot be used: the old choice stays. Arrays stay valid. */
LUN_API lun_status lun_use(lun_engine *e, const char *places);

/* Where threads of the host run. The calling thread stays where the system puts it. */
typedef enum lun_bind {
    /* on their memory nodes, off the caller's hardware thread, unless the environment places
     * OpenMP's threads; LUNARRAY_BIND says otherwise when an engine opens */
    LUN_BIND_AUTO,
    LUN_BIND_CORES,   /* each on a core; as many as there are cores if their number is open */
    LUN_BIND_THREADS, /* each on a hardware thread */
    LUN_BIND_NONE     /* where the system puts them */
} lun_bind;

/* How many threads of the host compute from now on, at most, and where; results do not change.
 * threads: 1 to 1024; 0: as when the engine opened; below 0: as now. LUN_EARG for others, and for a
 * bind that is none. */
LUN_API lun_status lun_use_threads(lun_engine *e, int threads, lun_bind bind);
/* Those in use: 0 threads: as many as make sense. */
LUN_API int lun_used_threads(lun_engine *e, lun_bind *bind);
/* The name of place `index`, from 0, of the set in use, in its order; of a backend alone its name.
 * NULL past the last.  Lives as long as the engine. */
LUN_API const char *lun_place_name(lun_engine *e, int index);
/* The name of the backend in use, of a set that of the first place's; lives as long as the
 * engine. */
LUN_API const char *lun_backend_name(const lun_engine *e);
/* Names of the backends of this build, best first; NULL past the last.  *reason: why it cannot be
 * used here, or NULL if it can. */
LUN_API const char *lun_backend_at(lun_engine *e, int index, const char **reason);
/* Accuracy of mathematical functions: LUN_MATH_FAST (the default: 1.6 ULP in f32, 1.5 in f64, the
 * same bits everywhere) or LUN_MATH_PRECISE (the C library's scalar functions, on the host alone).
 * LUN_EARG for anything else. */
LUN_API lun_status lun_math_mode(lun_engine *e, lun_math mode);
/* The version of the bits: every operation has one result for given inputs on all backends and
 * machines, and the version changes when any of them changes.  "none" with LUN_MATH_PRECISE, and
 * while a library does an algorithm (lun_override).  A text of the library. */
LUN_API const char *lun_bits(const lun_engine *e);
/* Has a library of the system do an algorithm in place of the engine, on host memory: "matmul" by
 * "blas", products of f32 and f64; "fft" by "fftw", transforms in f64; "linalg" by "lapack", LU,
 * Cholesky, symmetric eigenvalues and singular values of real matrices.  by NULL or "own": the
 * engine's own again, as it is at first.  Results have the library's bits then, and lun_bits is
 * "none".  LUN_EBACKEND, with what to install, where the library is missing; LUN_EARG for names
 * that are not known. */
LUN_API lun_status lun_override(lun_engine *e, const char *algorithm, const char *by);
/* The name of algorithm number index that can be overridden, NULL past the last.  *by: "own" or
 * what does it; *library: its name and file, NULL if it is the engine's own.  Either may be NULL;
 * texts of the engine, until the next call of this function. */
LUN_API const char *lun_override_at(lun_engine *e, int index, const char **by,
                                    const char **library);
/* Chooses the version, before the engine's first kernel; the environment's LUNARRAY_BITS does so
 * when an engine opens.  LUN_EARG with the list of known ones if it is unknown, or if it is another
 * one than kernels have been made for. */
LUN_API lun_status lun_set_bits(lun_engine *e, const char *version);

typedef struct lun_device {
    size_t size;                           /* sizeof(lun_device) */
    char name[128], kind[16], backend[16]; /* kind: "cpu", "gpu", "accelerator" */
    int64_t memory;                        /* bytes */
    int units;                             /* threads or compute units */
    char machine[192];                     /* of the host: cores, memory nodes, caches; level of
                                              instructions; threads and what says how
                                              many; else "" */
    char place[32]; /* the name by which a backend or a queue is opened on it: "opencl:1" */
    int64_t largest, local_memory; /* bytes of one buffer, and that a work-group shares; 0: the
                                      driver has no such bound, or no work-groups */
    int64_t group;                 /* work-items of the largest work-group; 0: there are none */
    int vector;                    /* bytes of a vector as the driver has it; 0: untold */
    int fp64;                      /* 1: it computes f64; else 0 */
    char platform[128], version[128],
        driver[96];         /* names and versions, as the driver has them; "" */
    const char *extensions; /* names of what the driver can do beyond, with blanks between; "" */
    /* lun_bits of what it computes; "none": its arithmetic in f32, or in f64 where it has that,
     * lacks what results are defined by, and kernels that compute in such a dtype fail there */
    char bits[8];
} lun_device;
/* Fills at most `room` rows, all of the size in the first one; returns the number of devices. */
LUN_API int lun_devices(lun_engine *e, lun_device *rows, int room);

/* Handles of OpenCL's for a host that has OpenCL of its own, of the device in use; all borrowed.
 * LUN_EBACKEND: no OpenCL device is in use; LUN_EARG: a set of places is. */
/* Its cl_context, which lives as long as the engine. */
LUN_API lun_status lun_opencl_context(lun_engine *e, void **context);
/* Its cl_command_queue, the same, which does in order what it is given. */
LUN_API lun_status lun_opencl_queue(lun_engine *e, void **queue);
/* The cl_mem that holds a's elements, evaluated, from byte *offset on, row-major, until a is
 * written to, freed or released.  The host reads it, by that queue or once what it gave another one
 * has ended, and writes nothing there.  LUN_EARG: a is a number, or its elements are not side by
 * side (lun_copy). */
LUN_API lun_status lun_opencl_buffer(lun_engine *e, lun_array *a, void **buffer, int64_t *offset);

typedef struct lun_stats {
    size_t size;         /* sizeof(lun_stats) */
    int64_t compiles;    /* compiler runs */
    int64_t cache_hits;  /* kernels taken from disk instead */
    int64_t launches;    /* kernels run */
    int64_t interpreted; /* of these, begun by the reference tier */
    int64_t overtaken;   /* of these, finished by compiled code that became ready meanwhile */
    int64_t bytes_read, bytes_written;      /* by kernels: unique leaves, outputs */
    int64_t bytes_to_device, bytes_to_host; /* transfers */
    /* Bytes of elements in use, in host memory and on devices; in host memory kept for reuse; the
     * most in use. */
    int64_t allocated, pooled, peak;
    int64_t allocations; /* buffers taken from the system, not from the pool */
    int64_t nodes;       /* graph nodes alive */
    int64_t overdue;     /* arrays evaluated early: too much work was pending */
    int64_t kept; /* arrays stored in addition to the results, being computed a second time */
    int64_t kernels, kernel_bytes; /* kernels in memory; bytes of them and their plans */
    int64_t kernels_dropped;       /* evicted: see lun_config.kernels, kernel_memory */
    /* Seconds: of compilers (which may run in the background), of transfers between host and
     * devices, of kernels and of waiting for them. */
    double compile_time, transfer_time, run_time;
    int64_t products;    /* lun_matmul of matrices: evaluated, a batch of them as one */
    int64_t algorithms;  /* what is done on whole arrays by no kernel: lun_compress, lun_sort ... */
    int64_t moves;       /* intervals of elements copied to or from a place of a set */
    int64_t bytes_moved; /* of these, bytes from place to place; others are transfers, as above */
    int64_t merges;      /* arrays whose copies differed and were merged */
    /* Of this rank: messages to other ranks, bytes sent, steps of all ranks (neither agreements nor
     * barriers); elements of other ranks read and written. */
    int64_t messages, bytes_sent, collectives, remote_gets, remote_puts;
    double network_time; /* modelled seconds until its last message or step: LUNARRAY_RANK_CLOCK */
    /* Bytes that places of a set have exchanged to sort a segment: no moves, since their number
     * depends on elements. */
    int64_t bytes_exchanged;
    int64_t
        bytes_copied; /* of elements and texts, by lun_to_arrow, lun_from_arrow and their like */
} lun_stats;
/* The counters as they are now. */
LUN_API void lun_stats_get(const lun_engine *e, lun_stats *out);
/* Where ranks serve this engine: waits until they have done their work, and adds the kernels that
 * they have compiled and interpreted since to its counters, with their time.  These messages do not
 * count.  A rank that has ended adds nothing more. */
LUN_API void lun_stats_gather(lun_engine *e);
/* The same of one place of a set: what ran there, what it received and gave. */
typedef struct lun_place_stats {
    size_t size;                          /* sizeof(lun_place_stats) */
    int64_t launches, moves, bytes_moved; /* moves: to it; bytes_moved: to it from other places */
    int64_t bytes_to_device, bytes_to_host;
    int64_t merges;          /* of which it did a part */
    int64_t bytes_exchanged; /* that it gave */
} lun_place_stats;
/* The counters of place `index` of the set in use; false past the last. */
LUN_API bool lun_place_stats_get(lun_engine *e, int index, lun_place_stats *out);
/* Sets the counters to 0, except allocated, pooled, nodes, kernels and kernel_bytes. */
LUN_API void lun_stats_reset(lun_engine *e);
/* Collects what the engine's own Lua state does not use any more, and returns pooled memory to the
 * system. */
LUN_API void lun_trim(lun_engine *e);

/* Progress of an evaluation: "map", "reduce", "scan", "matmul", "compile" or "run", seconds since
 * it began, and the approximate number of elements of the current kernel; total 0: unknown. Of work
 * of a binding's, such as "read", a number of what `unit` says. */
typedef struct lun_progress {
    size_t size; /* sizeof(lun_progress) */
    const char *what;
    double seconds;
    int64_t done, total;
    const char *unit; /* "bytes" or "rows"; NULL: elements */
} lun_progress;
/* Sets a callback, called by the evaluating thread: about ten times a second once an evaluation has
 * taken half a second, and once with p == NULL when that evaluation has ended.  Until then it must
 * not call the engine, except lun_cancel: an evaluation fails with LUN_EARG.  call NULL: none. */
LUN_API void lun_on_progress(lun_engine *e, void (*call)(void *ctx, const lun_progress *p),
                             void *ctx);

/* The kernels on disk.  directory is NULL if no cache can be used, for `reason`; both are valid
 * until the engine is closed. */
typedef struct lun_cache_state {
    size_t size; /* sizeof(lun_cache_state) */
    const char *directory, *reason;
    int64_t entries, bytes, limit; /* limit: bytes at most, lun_config.cache_size */
} lun_cache_state;
/* Describes the cache; with clear: empties it and describes what was removed. */
LUN_API void lun_cache_info(lun_engine *e, bool clear, lun_cache_state *out);
/* Writes the kernels on disk that were compiled for this machine's instruction set to one file, for
 * machines without a compiler; *count: their number.  LUN_EIO if there are none or the file cannot
 * be written, LUN_EARG in a sandbox. */
LUN_API lun_status lun_cache_export(lun_engine *e, const char *path, int64_t *count);
/* Adds the kernels of such a file to those on disk, where they replace runs of the compiler;
 * *count: their number.  A bundle is code, like a library: import only what you trust.  LUN_EIO,
 * and nothing is added, if it belongs to another user, is writable by others, is damaged, or is for
 * another version or instruction set; LUN_EARG in a sandbox. */
LUN_API lun_status lun_cache_import(lun_engine *e, const char *path, int64_t *count);

/* ---- dtypes ---------------------------------------------------------------------------------- */

/* "f32"; NULL if t is no dtype. */
LUN_API const char *lun_dtype_name(lun_dtype t);
/* The dtype of a name such as "f32"; false if there is none. */
LUN_API bool lun_dtype_find(const char *name, lun_dtype *out);
/* Bytes of one element. */
LUN_API int lun_dtype_size(lun_dtype t);
/* The kind of its elements; LUN_KIND_BOOL if t is no dtype. */
LUN_API lun_kind lun_dtype_kind(lun_dtype t);

/* ---- making arrays --------------------------------------------------------------------------- */
/* shape: rank extents, rank 0..LUN_MAX_RANK (rank 0: a Scalar), each >= 0, row-major. */

/* The caller's memory as a Vector of n elements, not copied: data, aligned for t, must stay valid
 * and must not be changed by others until release is called (NULL: never called), which may be as
 * late as lun_close, or as the end of the last tensor that lun_to_dlpack made of it.  Writes to the
 * array go to data.  LUN_EARG: n negative, data NULL or not aligned; LUN_ERANGE: n too large. */
LUN_API lun_status lun_wrap(lun_engine *e, void *data, int64_t n, lun_dtype t,
                            void (*release)(void *data, void *ctx), void *ctx, lun_array **out);
/* The same for any rank: element (i, j, ...) is data[i * strides[0] + j * strides[1] + ...]; NULL:
 * row-major, without gaps.  Strides, in elements, may be negative, but no two indices may
 * share an element (LUN_ESHAPE).  Memory between the elements is never changed. */
LUN_API lun_status lun_wrap_strided(lun_engine *e, void *data, int rank, const int64_t *shape,
                                    const int64_t *strides, lun_dtype t,
                                    void (*release)(void *data, void *ctx), void *ctx,
                                    lun_array **out);
/* The bytes of a regular file as a Vector of u8: read when they are used, never mapped, never
 * written to.  Kernels read them chunk by chunk, so the file may be larger than memory; indexing in
 * a function, a step other than 1, lun_data and writes need all of them in memory, where a write
 * stays.  The file may be renamed or removed, but if it changes, evaluations fail with LUN_EIO.
 * LUN_EIO if it cannot be opened; errno gives the reason (ESPIPE: not a regular file). */
LUN_API lun_status lun_open_file(lun_engine *e, const char *path, lun_array **out);
/* The elements of dtype t in such bytes, from byte `offset` on, which need not be aligned; swapped:
 * they are byte-swapped on reading.  For bool any byte but 0 is true.  Bytes beyond the shape are
 * ignored; LUN_ERANGE if there are too few. */
LUN_API lun_status lun_file_elements(lun_engine *e, lun_array *bytes, int64_t offset, lun_dtype t,
                                     bool swapped, int rank, const int64_t *shape, lun_array **out);
/* A Vector of n elements copied from data (NULL: zeros).  LUN_ERANGE if n is negative or too large,
 * LUN_ENOMEM if the bytes exceed the address space. */
LUN_API lun_status lun_vector(lun_engine *e, const void *data, int64_t n, lun_dtype t,
                              lun_array **out);
/* The same with a shape: data has the product of the extents, row-major. */
LUN_API lun_status lun_tensor(lun_engine *e, const void *data, int rank, const int64_t *shape,
                              lun_dtype t, lun_array **out);
/* A Scalar that is weak: it adopts the dtype of the arrays that it is combined with, like a number
 * in a script. */
LUN_API lun_status lun_number(lun_engine *e, double x, lun_array **out);
/* The same for an integer; with arrays of floats it becomes one. */
LUN_API lun_status lun_integer(lun_engine *e, int64_t x, lun_array **out);
/* The same for a truth value. */
LUN_API lun_status lun_boolean(lun_engine *e, bool x, lun_array **out);
/* x everywhere.  This and the next three are virtual: computed where they are used, without memory
 * until the first write.  LUN_ERANGE if x does not fit into t. */
LUN_API lun_status lun_full(lun_engine *e, int rank, const int64_t *shape, lun_dtype t, lun_value x,
                            lun_array **out);
/* n elements first + i * step, i from 0. */
LUN_API lun_status lun_range(lun_engine *e, lun_value first, lun_value step, int64_t n, lun_dtype t,
                             lun_array **out);
/* n elements from a to b, evenly spaced, the last exactly b.  LUN_EDTYPE if t is no float. */
LUN_API lun_status lun_linspace(lun_engine *e, double a, double b, int64_t n, lun_dtype t,
                                lun_array **out);
/* Philox4x32-10 under key `seed`: element k (from 0) depends on seed and k alone.
 * Floats: uniform in [0, 1) or normal; u32, i32, u64, i64: the bits; LUN_EDTYPE for others.  The
 * same everywhere, but that normal numbers are computed with LUN_OP_LOG and LUN_OP_COSPI, which
 * lun_math changes.  Salmon et al. 2011, Parallel random numbers: as easy as 1, 2, 3. */
LUN_API lun_status lun_random(lun_engine *e, int rank, const int64_t *shape, uint64_t seed,
                              lun_dist dist, lun_dtype t, lun_array **out);

/* ---- complex numbers -------------------------------------------------------------------------
 *
 * An array of dtype LUN_C64 or LUN_C128 is two arrays of floats of one shape, its real and its
 * imaginary parts, of which operations are made.  lun_read gives elements as C has them, the real
 * part first; lun_complex_of (lunarray_bind.h) takes such.  Real numbers beside complex ones have
 * no imaginary part.  What has no meaning for complex numbers, such as an order, is refused by
 * LUN_EDTYPE. */

/* re + im i, broadcast: LUN_C64 of two arrays of f32, else LUN_C128; numbers adopt the dtype of the
 * other one.  LUN_EDTYPE if one of them is complex, text or a time. */
LUN_API lun_status lun_complex(lun_engine *e, lun_array *re, lun_array *im, lun_array **out);
/* A weak Scalar re + im i: with arrays of f32 and narrower floats it is LUN_C64. */
LUN_API lun_status lun_complex_number(lun_engine *e, double re, double im, lun_array **out);
/* The real parts, as a window on a; of a real array a itself. */
LUN_API lun_status lun_real(lun_engine *e, lun_array *a, lun_array **out);
/* The imaginary parts, as a window on a; of a real array zeros. */
LUN_API lun_status lun_imag(lun_engine *e, lun_array *a, lun_array **out);
/* a with the sign of its imaginary parts changed; of a real array a itself. */
LUN_API lun_status lun_conj(lun_engine *e, lun_array *a, lun_array **out);
/* atan2(imag, real), in radians. */
LUN_API lun_status lun_angle(lun_engine *e, lun_array *a, lun_array **out);
/* Element `index`, counted from 0, of a complex array.  LUN_EDTYPE if it is none. */
LUN_API lun_status lun_getcomplex(lun_engine *e, lun_array *a, int64_t index, double *re,
                                  double *im);
/* Writes it.  lun_set and lun_fill write real numbers, lun_write pairs, as lun_read gives them. */
LUN_API lun_status lun_setcomplex(lun_engine *e, lun_array *a, int64_t index, double re, double im);

/* ---- records ---------------------------------------------------------------------------------
 *
 * An array of dtype LUN_RECORD has a struct for each element, of which operations take the fields:
 * arrays, which lun_record_field gives.  Of the records themselves lun_shape and its like can be
 * asked, they are passed to scripts, which see them as lun.struct makes them, retained, released
 * and freed; all else is refused by LUN_EDTYPE. */

/* A member of a struct: elements of a dtype of kernels or complex ones, one or, of rank 1 or 2, so
 * many; or, with `record`, a struct (dtype, rank and extents are then 0). */
typedef struct lun_field {
    const char *name;
    lun_dtype dtype;
    size_t offset; /* bytes from the beginning of the struct */
    const struct lun_struct *record;
    int rank;
    int64_t extent[2];
} lun_field;
/* A struct in C: names are of letters, digits and _, a letter first.  Members may be left out. */
typedef struct lun_struct {
    size_t size; /* sizeof(lun_struct) */
    const char *name;
    const lun_field *fields;
    int count;
    size_t bytes; /* of the struct in C, sizeof */
} lun_struct;

/* Bytes of a member of a struct, whose dtype may be complex. */
#define LUN_MEMBER_BYTES(t) ((t) == LUN_C64 ? 8 : (t) == LUN_C128 ? 16 : LUN_DTYPE_BYTES((t)&15))
#ifdef __cplusplus
#define LUN_IF_SIZED(type, member, t) \
    (0 * sizeof(char[sizeof(((type *)0)->member) == LUN_MEMBER_BYTES(t) ? 1 : -1]))
#else
#define LUN_IF_SIZED(type, member, t)                                        \
    (0 * sizeof(struct {                                                     \
         _Static_assert(sizeof(((type *)0)->member) == LUN_MEMBER_BYTES(t),  \
                        "the member " #member " has another size than " #t); \
         char none;                                                          \
     }))
#endif
/* The lun_field of a member: LUN_FIELD(struct particle, x, LUN_F32).  A member whose size is not
 * the dtype's does not compile. */
/* clang-format off */
#define LUN_FIELD(type, member, t) \
    {#member, (t), offsetof(type, member) + LUN_IF_SIZED(type, member, t), NULL, 0, {0, 0}}
/* clang-format on */

/* The caller's n structs as a Vector of records, not copied, as lun_wrap has memory: writes to
 * fields go to data, and release is called when the records and all of their fields have ended.  r
 * is copied.  At most 64 elements in all fields of a struct, structs at most 8 deep.  LUN_EARG:
 * names; fields that share bytes, or whose place in data is not aligned for the dtype; LUN_ERANGE:
 * a field beyond r->bytes; LUN_EDTYPE, LUN_ESHAPE: a dtype or extents that fields cannot have. */
LUN_API lun_status lun_wrap_records(lun_engine *e, void *data, int64_t n, const lun_struct *r,
                                    void (*release)(void *data, void *ctx), void *ctx,
                                    lun_array **out);
/* A field, by its name, or its names where structs are in structs ("pos.x"): the array of its
 * elements, with the field's axes last, or records.  LUN_EARG: there is none; LUN_EDTYPE: a is no
 * array of records. */
LUN_API lun_status lun_record_field(lun_engine *e, lun_array *records, const char *name,
                                    lun_array **out);
/* The struct of an array of records, valid as long as that is; NULL: it is none. */
LUN_API const lun_struct *lun_record_struct(const lun_array *a);

/* ---- expressions (lazy) ---------------------------------------------------------------------- */

/* Any operation of the table on `count` operands (its arity, else LUN_EARG), whose shapes broadcast
 * (LUN_ESHAPE).  Operands are converted to their common dtype: floats take precedence over
 * integers, then the wider one; LUN_EDTYPE if the operation does not support it, LUN_ERANGE if a
 * number does not fit into it.  u64 and a signed integer have none: LUN_EDTYPE, but for comparisons
 * of integers, which are by value, beside numbers too, and for min, fmin (then i64), max, fmax
 * (u64) and clamp.  An i64 that goes into u64 stands for its bits. */
LUN_API lun_status lun_apply(lun_engine *e, lun_op op, lun_array *const *operands, int count,
                             lun_array **out);
/* clang-format off */
/* One function for each operation, equivalent to lun_apply: the result has the broadcast shape of
 * the operands. */
/* BEGIN GENERATED OPS */
/* sum */
LUN_API lun_status lun_add(lun_engine *e, lun_array *a, lun_array *b, lun_array **out);
/* difference */
LUN_API lun_status lun_sub(lun_engine *e, lun_array *a, lun_array *b, lun_array **out);
/* product */
LUN_API lun_status lun_mul(lun_engine *e, lun_array *a, lun_array *b, lun_array **out);
/* quotient, always a float */
LUN_API lun_status lun_div(lun_engine *e, lun_array *a, lun_array *b, lun_array **out);
/* quotient rounded down; integer division by zero is an error */
LUN_API lun_status lun_idiv(lun_engine *e, lun_array *a, lun_array *b, lun_array **out);
/* remainder of division rounded down: the sign is that of b; integer b == 0 is an error */
LUN_API lun_status lun_mod(lun_engine *e, lun_array *a, lun_array *b, lun_array **out);
/* power, always a float */
LUN_API lun_status lun_pow(lun_engine *e, lun_array *a, lun_array *b, lun_array **out);
/* negation */
LUN_API lun_status lun_neg(lun_engine *e, lun_array *a, lun_array **out);
/* bitwise and */
LUN_API lun_status lun_band(lun_engine *e, lun_array *a, lun_array *b, lun_array **out);
/* bitwise or */
LUN_API lun_status lun_bor(lun_engine *e, lun_array *a, lun_array *b, lun_array **out);
/* bitwise exclusive or */
LUN_API lun_status lun_bxor(lun_engine *e, lun_array *a, lun_array *b, lun_array **out);
/* logical shift left; a negative count shifts right */
LUN_API lun_status lun_shl(lun_engine *e, lun_array *a, lun_array *b, lun_array **out);
/* logical shift right; a negative count shifts left */
LUN_API lun_status lun_shr(lun_engine *e, lun_array *a, lun_array *b, lun_array **out);
/* bitwise complement */
LUN_API lun_status lun_bnot(lun_engine *e, lun_array *a, lun_array **out);
/* less than */
LUN_API lun_status lun_lt(lun_engine *e, lun_array *a, lun_array *b, lun_array **out);
/* less than or equal */
LUN_API lun_status lun_le(lun_engine *e, lun_array *a, lun_array *b, lun_array **out);
/* greater than */
LUN_API lun_status lun_gt(lun_engine *e, lun_array *a, lun_array *b, lun_array **out);
/* greater than or equal */
LUN_API lun_status lun_ge(lun_engine *e, lun_array *a, lun_array *b, lun_array **out);
/* equal, elementwise */
LUN_API lun_status lun_eq(lun_engine *e, lun_array *a, lun_array *b, lun_array **out);
/* not equal, elementwise */
LUN_API lun_status lun_ne(lun_engine *e, lun_array *a, lun_array *b, lun_array **out);
/* logical and */
LUN_API lun_status lun_land(lun_engine *e, lun_array *a, lun_array *b, lun_array **out);
/* logical or */
LUN_API lun_status lun_lor(lun_engine *e, lun_array *a, lun_array *b, lun_array **out);
/* logical not */
LUN_API lun_status lun_lnot(lun_engine *e, lun_array *a, lun_array **out);
/* b where a is true, else c */
LUN_API lun_status lun_where(lun_engine *e, lun_array *a, lun_array *b, lun_array *c,
                          lun_array **out);
/* absolute value */
LUN_API lun_status lun_abs(lun_engine *e, lun_array *a, lun_array **out);
/* -1, 0 or 1; NaN stays NaN */
LUN_API lun_status lun_sign(lun_engine *e, lun_array *a, lun_array **out);
/* rounded down */
LUN_API lun_status lun_floor(lun_engine *e, lun_array *a, lun_array **out);
/* rounded up */
LUN_API lun_status lun_ceil(lun_engine *e, lun_array *a, lun_array **out);
/* rounded to the nearest integer, halves away from zero */
LUN_API lun_status lun_round(lun_engine *e, lun_array *a, lun_array **out);
/* rounded towards zero */
LUN_API lun_status lun_trunc(lun_engine *e, lun_array *a, lun_array **out);
/* square root */
LUN_API lun_status lun_sqrt(lun_engine *e, lun_array *a, lun_array **out);
/* cube root */
LUN_API lun_status lun_cbrt(lun_engine *e, lun_array *a, lun_array **out);
/* e^a */
LUN_API lun_status lun_exp(lun_engine *e, lun_array *a, lun_array **out);
/* 2^a */
LUN_API lun_status lun_exp2(lun_engine *e, lun_array *a, lun_array **out);
/* e^a - 1, exact near 0 */
LUN_API lun_status lun_expm1(lun_engine *e, lun_array *a, lun_array **out);
/* natural logarithm */
LUN_API lun_status lun_log(lun_engine *e, lun_array *a, lun_array **out);
/* logarithm to base 2 */
LUN_API lun_status lun_log2(lun_engine *e, lun_array *a, lun_array **out);
/* logarithm to base 10 */
LUN_API lun_status lun_log10(lun_engine *e, lun_array *a, lun_array **out);
/* log(1 + a), exact near 0 */
LUN_API lun_status lun_log1p(lun_engine *e, lun_array *a, lun_array **out);
/* sine, a in radians */
LUN_API lun_status lun_sin(lun_engine *e, lun_array *a, lun_array **out);
/* cosine, a in radians */
LUN_API lun_status lun_cos(lun_engine *e, lun_array *a, lun_array **out);
/* tangent, a in radians */
LUN_API lun_status lun_tan(lun_engine *e, lun_array *a, lun_array **out);
/* arc sine, in radians */
LUN_API lun_status lun_asin(lun_engine *e, lun_array *a, lun_array **out);
/* arc cosine, in radians */
LUN_API lun_status lun_acos(lun_engine *e, lun_array *a, lun_array **out);
/* arc tangent, in radians */
LUN_API lun_status lun_atan(lun_engine *e, lun_array *a, lun_array **out);
/* angle of the point (b, a), in radians */
LUN_API lun_status lun_atan2(lun_engine *e, lun_array *a, lun_array *b, lun_array **out);
/* hyperbolic sine */
LUN_API lun_status lun_sinh(lun_engine *e, lun_array *a, lun_array **out);
/* hyperbolic cosine */
LUN_API lun_status lun_cosh(lun_engine *e, lun_array *a, lun_array **out);
/* hyperbolic tangent */
LUN_API lun_status lun_tanh(lun_engine *e, lun_array *a, lun_array **out);
/* inverse hyperbolic sine */
LUN_API lun_status lun_asinh(lun_engine *e, lun_array *a, lun_array **out);
/* inverse hyperbolic cosine */
LUN_API lun_status lun_acosh(lun_engine *e, lun_array *a, lun_array **out);
/* inverse hyperbolic tangent */
LUN_API lun_status lun_atanh(lun_engine *e, lun_array *a, lun_array **out);
/* error function */
LUN_API lun_status lun_erf(lun_engine *e, lun_array *a, lun_array **out);
/* 1 - erf(a) */
LUN_API lun_status lun_erfc(lun_engine *e, lun_array *a, lun_array **out);
/* sqrt(a^2 + b^2) without overflow */
LUN_API lun_status lun_hypot(lun_engine *e, lun_array *a, lun_array *b, lun_array **out);
/* a * b + c, rounded once */
LUN_API lun_status lun_fma(lun_engine *e, lun_array *a, lun_array *b, lun_array *c,
                          lun_array **out);
/* a with the sign of b */
LUN_API lun_status lun_copysign(lun_engine *e, lun_array *a, lun_array *b, lun_array **out);
/* the smaller one; NaN if either is NaN */
LUN_API lun_status lun_min(lun_engine *e, lun_array *a, lun_array *b, lun_array **out);
/* the larger one; NaN if either is NaN */
LUN_API lun_status lun_max(lun_engine *e, lun_array *a, lun_array *b, lun_array **out);
/* the smaller one; NaN is ignored */
LUN_API lun_status lun_fmin(lun_engine *e, lun_array *a, lun_array *b, lun_array **out);
/* the larger one; NaN is ignored */
LUN_API lun_status lun_fmax(lun_engine *e, lun_array *a, lun_array *b, lun_array **out);
/* a limited to b .. c */
LUN_API lun_status lun_clamp(lun_engine *e, lun_array *a, lun_array *b, lun_array *c,
                          lun_array **out);
/* true for NaN */
LUN_API lun_status lun_isnan(lun_engine *e, lun_array *a, lun_array **out);
/* true for an infinity */
LUN_API lun_status lun_isinf(lun_engine *e, lun_array *a, lun_array **out);
/* true for neither NaN nor infinity */
LUN_API lun_status lun_isfinite(lun_engine *e, lun_array *a, lun_array **out);
/* a, but b where a is NaN */
LUN_API lun_status lun_fillnan(lun_engine *e, lun_array *a, lun_array *b, lun_array **out);
/* cos(pi * a), exact where a is a multiple of 1/2 */
LUN_API lun_status lun_cospi(lun_engine *e, lun_array *a, lun_array **out);
/* END GENERATED OPS */
/* clang-format on */
/* The elements as dtype t: floats to integers truncate and saturate (NaN: 0), integers to
 * narrower ones wrap. */
LUN_API lun_status lun_cast(lun_engine *e, lun_array *a, lun_dtype t, lun_array **out);
/* A value of `count` elements from `first` on, `step` apart (negative allowed, not 0); rows of an
 * array of higher rank.  LUN_ERANGE if one is outside, LUN_ESHAPE for a Scalar. */
LUN_API lun_status lun_slice(lun_engine *e, lun_array *a, int64_t first, int64_t count,
                             int64_t step, lun_array **out);
/* a then b, along the first extent; the other extents must be equal (LUN_ESHAPE). */
LUN_API lun_status lun_concat(lun_engine *e, lun_array *a, lun_array *b, lun_array **out);
/* The arrays concatenated along an axis, counted from 0; the other extents must be equal
 * (LUN_ESHAPE).  The result has their common dtype, as lun_apply has it (LUN_EDTYPE). */
LUN_API lun_status lun_concat_along(lun_engine *e, lun_array *const *arrays, int count, int axis,
                                    lun_array **out);
/* Arrays of one shape (LUN_ESHAPE) along a new axis, counted from 0, of extent `count`.  The result
 * has their common dtype. */
LUN_API lun_status lun_stack(lun_engine *e, lun_array *const *arrays, int count, int axis,
                             lun_array **out);

/* The elements beyond the ends of an axis: a number, the other end's, or the outermost one. */
typedef enum lun_edge { LUN_EDGE_VALUE, LUN_EDGE_WRAP, LUN_EDGE_NEAREST } lun_edge;
/* A value with before[k] and after[k] elements (LUN_ERANGE if negative) added at the ends of axis
 * k, by edge[k].  x: for LUN_EDGE_VALUE (LUN_ERANGE if it does not fit into a's dtype).  An axis
 * without elements allows LUN_EDGE_VALUE only (LUN_ESHAPE). */
LUN_API lun_status lun_pad(lun_engine *e, lun_array *a, const int64_t *before, const int64_t *after,
                           const lun_edge *edge, lun_value x, lun_array **out);
/* What a stencil does at the ends of the axes, and its radius.  size: sizeof *it. */
typedef struct lun_stencil_options {
    size_t size;
    const lun_edge *edge; /* by axis; NULL: LUN_EDGE_NEAREST */
    lun_value x;          /* for LUN_EDGE_VALUE; LUN_ERANGE if it does not fit into the dtype */
    const bool *keep;     /* by axis: elements that would need elements beyond its ends stay as they
                              are, regardless of `edge`: of result k those of operand k, of further
                              results those of the first; NULL: none */
    const int64_t *radius; /* by axis: larger offsets are errors (LUN_EARG); NULL: no limit */
} lun_stencil_options;
/* f of the elements around each index of operands[0 .. elements), arrays of one shape (LUN_ESHAPE),
 * not numbers (LUN_EARG).  f names them by their offsets, constants, one for each axis: a Lua
 * function receives x as a function of these and reads x(0, -1), a C function reads get(x, 0, -1),
 * where x is its parameter.  Further operands and results as in lun_call; the results have the
 * arrays' shape.  how may be NULL: nearest edges, any radius.  LUN_EARG for another number of
 * offsets than the arrays have axes, and for an f that reads no elements in this way. */
LUN_API lun_status lun_stencil(lun_engine *e, lun_function *f, lun_array *const *operands,
                               int count, int elements, const lun_stencil_options *how,
                               lun_array **outs, int room, int *results);
/* A value whose element i along the axis is element i - k of a.  x: for LUN_EDGE_VALUE (LUN_ERANGE
 * if it does not fit into a's dtype).  LUN_ESHAPE if the axis is out of range. */
LUN_API lun_status lun_shift(lun_engine *e, lun_array *a, int64_t k, int axis, lun_edge edge,
                             lun_value x, lun_array **out);
/* A value with the same elements, row-major, in another shape; LUN_ESHAPE if the number of elements
 * differs. */
LUN_API lun_status lun_reshape(lun_engine *e, lun_array *a, int rank, const int64_t *shape,
                               lun_array **out);

/* ---- indices ---------------------------------------------------------------------------------
 * Integer arrays of any dtype and shape (LUN_EDTYPE for others) that select elements along an axis.
 *  Axes and indices count from 0, negative indices from the end: -1 is the last element.  An index
 * out of range fails the evaluation with LUN_EBOUNDS. */

/* The index that takes `missing`. */
#define LUN_NO_INDEX INT64_MIN
/* a's elements at the indices i along an axis, which i's shape replaces; lazy.  missing: of a's
 * dtype (LUN_ERANGE if it does not fit), where an index is LUN_NO_INDEX; NULL: that is out of
 * range.  LUN_ESHAPE if there is no such axis. */
LUN_API lun_status lun_take(lun_engine *e, lun_array *a, lun_array *i, int axis,
                            const lun_value *missing, lun_array **out);

/* Writes x to a's elements at those indices, now; x broadcasts to the shape that lun_take gives
 * (LUN_ESHAPE).  Of equal indices the last one in row-major order wins.  With an operation, each
 * element becomes op(element, x), one index after the other, in the common dtype, then converted to
 * a's; LUN_OP_NONE: none.  Those are add, sub, mul, min, max of numbers, band, bor, bxor of
 * integers, these, land, lor, min and max of bools (LUN_EARG for others).  LUN_EARG also for a
 * window whose indices share elements.  After a failure nothing has been written. */
LUN_API lun_status lun_put(lun_engine *e, lun_array *a, lun_array *i, lun_array *x, int axis,
                           lun_op op);

/* ---- windows ----------------------------------------------------------------------------------
 * Arrays that show elements of another one: writing to a window writes to that array, and reading
 * returns its current elements.  Expressions keep the elements that their operands have when they
 * are built.  A window holds a reference to its array; after lun_free of that, use of the window
 * fails with LUN_EFREED.  Axes and indices count from 0.  Nothing is copied.  LUN_ESHAPE for
 * invalid ranks and axes, LUN_ERANGE for indices and extents out of range. */

/* Row i, of rank one less, of an array of rank 2 or more. */
LUN_API lun_status lun_row(lun_engine *e, lun_array *a, int64_t i, lun_array **out);
/* Along each of the first `rank` axes count[k] elements from first[k] on, step[k] apart (negative
 * allowed, not 0; NULL: all 1); the other axes are whole. */
LUN_API lun_status lun_window(lun_engine *e, lun_array *a, int rank, const int64_t *first,
                              const int64_t *count, const int64_t *step, lun_array **out);
/* Index i of that axis, of rank one less. */
LUN_API lun_status lun_select(lun_engine *e, lun_array *a, int axis, int64_t i, lun_array **out);
/* The axes permuted: axis k is axis axes[k] of a; NULL: in reverse order. */
LUN_API lun_status lun_permute(lun_engine *e, lun_array *a, const int *axes, lun_array **out);
/* The elements, row-major, in another shape; LUN_ESHAPE if their number differs, or if no strides
 * describe that shape: then use lun_reshape. */
LUN_API lun_status lun_view(lun_engine *e, lun_array *a, int rank, const int64_t *shape,
                            lun_array **out);
/* Elements (i, i + k) of the last two axes, as one last axis.  LUN_ESHAPE for a rank below 2. */
LUN_API lun_status lun_diagonal(lun_engine *e, lun_array *a, int64_t k, lun_array **out);
/* Sliding windows: the axis becomes (n - width) / step + 1 positions, and a last axis of `width`
 * elements is added.  Overlapping windows cannot be written to. */
LUN_API lun_status lun_windows(lun_engine *e, lun_array *a, int axis, int64_t width, int64_t step,
                               lun_array **out);
/* Broadcast to a shape: extents of 1, and missing ones in front, are repeated; LUN_ESHAPE if that
 * does not give the shape.  Cannot be written to where elements are repeated. */
LUN_API lun_status lun_broadcast(lun_engine *e, lun_array *a, int rank, const int64_t *shape,
                                 lun_array **out);

/* A window on all of a through which nothing is written, nor through windows on it: LUN_EARG.  It
 * shows what is written to a.  Kernels read it as const, and nothing that they write is it. */
LUN_API lun_status lun_readonly(lun_engine *e, lun_array *a, lun_array **out);
/* Whether a is such a window, or a window on one. */
LUN_API bool lun_is_readonly(const lun_array *a);
/* *out: whether what is written to one array may change what the other one shows: they are windows
 * on one array, and an element is in both, or they wrap memory whose ranges overlap.  Arrays that
 * share elements until one is written to are no aliases. */
LUN_API lun_status lun_aliases(lun_engine *e, const lun_array *a, const lun_array *b, bool *out);

/* lun_data in the array's layout, without copying: neighbours along axis k are strides[k] elements
 * apart, from *out on. */
LUN_API lun_status lun_data_strided(lun_engine *e, lun_array *a, const void **out,
                                    int64_t strides[LUN_MAX_RANK]);

typedef enum lun_layout_kind {
    LUN_LAYOUT_RIGHT,  /* the last axis contiguous, row-major */
    LUN_LAYOUT_LEFT,   /* the first axis contiguous, column-major */
    LUN_LAYOUT_STRIDED /* any other strides */
} lun_layout_kind;
/* Distances between neighbours along each axis, in elements; returns the rank. */
LUN_API int lun_strides(const lun_array *a, int64_t strides[LUN_MAX_RANK]);
/* The layout of a's elements; LUN_LAYOUT_RIGHT for a number. */
LUN_API lun_layout_kind lun_layout_of(const lun_array *a);
/* a's elements as a value in a layout; LUN_LAYOUT_STRIDED: with these strides, in elements, which
 * must be positive (LUN_ERANGE) and map no two indices to one element (LUN_ESHAPE); else strides is
 * NULL.  Nothing is copied if the elements have this layout already; lazy unless the layout has
 * gaps. */
LUN_API lun_status lun_arrange(lun_engine *e, lun_array *a, lun_layout_kind kind,
                               const int64_t *strides, lun_array **out);
/* The same, computed now, in its own memory. */
LUN_API lun_status lun_copy_layout(lun_engine *e, lun_array *a, lun_layout_kind kind,
                                   const int64_t *strides, lun_array **out);

/* ---- skeletons (lazy) ------------------------------------------------------------------------ */

/* A function for skeletons; these three return a reference, to be released by
 * lun_function_release.  From an operation: */
LUN_API lun_status lun_function_op(lun_engine *e, lun_op op, lun_function **out);
/* From C source: "(float x, float y){ return x*y; }".  Result type and name may be omitted;
 * parameters after the elements are extra arguments, pointers are whole arrays.  A pointer counts
 * as written unless it is to const or the text surely assigns nothing through it; then lun_map,
 * lun_zip and lun_call, which alone take such a function (and of one without a result lun_teams,
 * lun_each and lun_task_new), call it at once: they write the arrays in place, and give an array
 * that is evaluated, or NULL where there is no result.  An array that is written is handed over
 * once (LUN_EARG); elements are those from before.  Of two elements' calls that write one element
 * any one wins; LUN_ATOMIC_ADD(w, i, x) and its like (lun_teams) give the old element and change
 * it at once.  After a failure arrays may have part of what was written.
 * LUN_EARG if it cannot be parsed, or in a sandbox; errors of the compiler are reported by the
 * first evaluation (LUN_EBUILD). */
LUN_API lun_status lun_function_c(lun_engine *e, const char *text, lun_function **out);
/* From a file with such source (entry `f` or `<f>`); #include "..." is expanded.  LUN_EIO if it
 * cannot be read, else as above. */
LUN_API lun_status lun_function_file(lun_engine *e, const char *path, lun_function **out);
/* From now on functions of C source check w[i] as they check LUN_AT(w, i): in the entry's body,
 * where w is an array parameter whose name nothing else in the body has.  An index out of range
 * fails the evaluation (LUN_EBOUNDS).  Off at first; functions made before stay as they are. */
LUN_API void lun_check_indices(lun_engine *e, bool on);
/* Adds a reference.  NULL is allowed. */
LUN_API void lun_function_retain(lun_function *f);
/* Releases a reference; arrays that use the function keep it alive.  NULL is allowed. */
LUN_API void lun_function_release(lun_function *f);

/* f(x, extra...) on each element of a; extra: `extras` numbers or whole arrays. */
LUN_API lun_status lun_map(lun_engine *e, lun_function *f, lun_array *a, lun_array *const *extra,
                           int extras, lun_array **out);
/* f(x, y, extra...) on each pair; a and b broadcast (LUN_ESHAPE). */
LUN_API lun_status lun_zip(lun_engine *e, lun_function *f, lun_array *a, lun_array *b,
                           lun_array *const *extra, int extras, lun_array **out);
/* Arrays of `rank` extents, at least 1, whose element at indices i1, ... is f(i1, ...): i64, each
 * from first[k] (NULL: 1) on.  Lazy; results as those of lun_call.  Where a Lua function indexes an
 * array by these indices plus constants, it reads windows of the array. */
LUN_API lun_status lun_generate(lun_engine *e, lun_function *f, int rank, const int64_t *first,
                                const int64_t *extent, lun_array **outs, int room, int *results);
/* How a loop is shared out: it changes the speed, never what comes out. */
typedef struct lun_each_options {
    size_t size; /* sizeof(lun_each_options) */
    int64_t
        tile[LUN_MAX_RANK]; /* indices along each axis that are taken together: by a thread of the
                                   host, by a work-group of a device; tile[0] == 0: no wish */
    bool
        dynamic; /* threads take chunks from first to last, for uneven work; else each begins with a
                     share of its own, the same for equal extents */
    int64_t
        chunk; /* indices that a thread of the host takes at once, about; 0: by the tile, else the
                      engine's choice */
} lun_each_options;
/* Calls f, of the host's language, for all such indices, now, for the elements of captured arrays
 * that it assigns; its results are ignored, and count is 0.  The result is that of a serial loop:
 * of iterations that assign one element the last one wins, and what they combine with it (a sum,
 * a minimum) is combined in their order.  LUN_EARG if an iteration might read what another one
 * assigns.  After a failure no array has changed.
 *
 * f as C text is a function without a result.  Its first `rank` parameters, integers, are the
 * indices, less 1: they count from 0.  args, `count` Scalars and arrays, are those of the others,
 * as of lun_teams.  Iterations run in any order and at once, so the result is a serial loop's
 * only if none assigns what another one reads or assigns, but by LUN_ATOMIC_ADD and its like: the
 * text's author sees to that. */
LUN_API lun_status lun_each(lun_engine *e, lun_function *f, int rank, const int64_t *first,
                            const int64_t *extent, const lun_each_options *options_or_NULL,
                            lun_array *const *args, int count);
/* How a host that runs barriers itself runs teams whose threads meet: each on one of its threads;
 * or one after the other, the team's threads shared out among the host's, which meet: for few
 * teams of much work. */
typedef enum lun_mapping { LUN_MAPPING_BLOCKS, LUN_MAPPING_THREADS } lun_mapping;
/* A division of work: teams along up to LUN_MAX_RANK axes, threads of each team, elements of each
 * thread; extents are at least 1, beyond the third axis 0 means 1. */
typedef struct lun_workdiv {
    size_t size; /* sizeof(lun_workdiv) */
    int64_t league[3], team[3], elements[3];
    int64_t scratch; /* bytes of scratch memory that a team may take; 0: as many as it asks for */
    bool check;      /* backend `reference` alone: LUN_EARG if a thread writes an element that
                        another one uses, without a barrier between; names both */
    int64_t league_more[LUN_MAX_RANK - 3], team_more[LUN_MAX_RANK - 3],
        elements_more[LUN_MAX_RANK - 3]; /* the same along axes 4 to LUN_MAX_RANK */
    lun_mapping mapping; /* the results are the same; backend `openmp` alone, of functions of the
                            host's language, at one location */
} lun_workdiv;
/* Calls f(t, args...), of the host's language, for each thread of each team, now, in any order; f
 * reads and assigns elements of arrays in place, those of args and those that it captures.  An
 * array that is assigned is named once (LUN_EARG).  Of threads that assign one element any one
 * wins.  LUN_ELIMIT: a team of more than 1024 threads, or of more scratch memory than w allows.
 * After a failure some of the assignments may be done.
 *
 * f as C text (lun_function_c, lun_function_file) is a function without a result; args are those of
 * its parameters: for numbers Scalars, for pointers arrays of that dtype (LUN_EDTYPE), which it
 * writes in place unless they point to const.  It counts from 0, in dimensions d = 0 to 7:
 *
 *   LUN_BLOCK(d) LUN_BLOCKS(d)      the team and how many there are; without d in all, row-major
 *   LUN_THREAD(d) LUN_THREADS(d)    the thread in its team; LUN_THREADS and LUN_ELEMENTS are
 *   LUN_ELEMENTS(d) LUN_INDEX(d)    constants; the thread's elements, the first of them
 *   LUN_SCRATCH(type, name, n, ...); an array of the team, zero at first, with up to LUN_MAX_RANK
 *                                   extents, name[i][j]: constants, the first one also a parameter
 *                                   that is a number, times and plus constants; LUN_EBOUNDS where
 *                                   that is not 1 to 2147483647
 *   LUN_BARRIER;                    all threads of the team arrive; LUN_EBOUNDS with the line where
 *                                   some come to it without the others
 *   LUN_ATOMIC_ADD(w, i, x)         w[i] at once, from any team; gives the old element; so do SUB,
 *                                   MIN, MAX, BAND, BOR, BXOR, EXCHANGE, CAS(w, i, expected, x) */
LUN_API lun_status lun_teams(lun_engine *e, lun_function *f, const lun_workdiv *w,
                             lun_array *const *args, int count);
/* Any function on `elements` elementwise operands, which broadcast, followed by extra arguments, at
 * most LUN_MAX_OPERANDS in all; returns all its results (C functions and operations have one) in
 * outs and their number in *results, also when it exceeds `room`, which is LUN_EARG. */
LUN_API lun_status lun_call(lun_engine *e, lun_function *f, lun_array *const *operands, int count,
                            int elements, lun_array **outs, int room, int *results);
/* A Scalar: f(id, all elements in order), f associative; id NULL: the operation's identity
 * (LUN_EARG if it has none).  LUN_OP_ADD and LUN_OP_MUL of integers return i64, of unsigned ones
 * u64; otherwise the result has the dtype that f returns. */
LUN_API lun_status lun_reduce(lun_engine *e, lun_function *f, lun_array *id, lun_array *a,
                              lun_array **out);
/* Running combinations of a Vector, of its length; exclusive: element i combines id and the
 * elements before i.  f must be associative; id NULL: the operation's identity.  Dtypes as with
 * lun_reduce. */
LUN_API lun_status lun_scan(lun_engine *e, lun_function *f, lun_array *id, lun_array *a,
                            bool inclusive, lun_array **out);
/* lun_reduce by a function with extra arguments, f(x, y, extra...): `extras` numbers (LUN_EDTYPE
 * for arrays and Scalars); different numbers need no new compilation. */
LUN_API lun_status lun_reduce_with(lun_engine *e, lun_function *f, lun_array *id, lun_array *a,
                                   lun_array *const *extra, int extras, lun_array **out);
/* lun_scan by such a function. */
LUN_API lun_status lun_scan_with(lun_engine *e, lun_function *f, lun_array *id, lun_array *a,
                                 lun_array *const *extra, int extras, bool inclusive,
                                 lun_array **out);

/* A whole reduction to a number, computed now.  ddof: for LUN_VAR and LUN_STD.  Indices
 * (LUN_ARGMIN, ...) count from 0, in row-major order.  LUN_EARG for an empty array if there is no
 * result. */
LUN_API lun_status lun_total(lun_engine *e, lun_reduction r, lun_array *a, int64_t ddof,
                             lun_value *out);
/* The same as a lazy Scalar, to be evaluated with others in one pass; VAR, STD and positions take a
 * second pass, which they share too, as a NORM of f64 does where squares leave its range. */
LUN_API lun_status lun_total_lazy(lun_engine *e, lun_reduction r, lun_array *a, int64_t ddof,
                                  lun_array **out);

/* ---- histograms (lazy) ----------------------------------------------------------------------- */

/* The edges of bins of equal width, an f64 Vector of bins + 1: from range[0] to range[1], or, range
 * NULL, from a's least to its largest element, NaN aside; 0 to 1 where there is none.  If these are
 * equal, from half below to half above.  LUN_ERANGE for bins below 1, an infinite or descending
 * range. */
LUN_API lun_status lun_histogram_edges(lun_engine *e, lun_array *a, int64_t bins,
                                       const double *range, lun_array **out);
/* How many of a's elements are in each bin, i64: bin k holds what is at least edge k and less than
 * edge k + 1, the last bin its upper edge, too; NaN is in none.  weights: of a's shape (LUN_ESHAPE)
 * or NULL, as then is sums: of each bin the sum of its elements' weights, f64, added in their order
 * in parts of 65536 elements, whose sums are added in order (with more than 8192 bins all in their
 * order).  An edge that is NaN or below the one before fails the evaluation with LUN_ERANGE. */
LUN_API lun_status lun_histogram(lun_engine *e, lun_array *a, lun_array *edges, lun_array *weights,
                                 lun_array **counts, lun_array **sums);

/* ---- along axes (lazy) ------------------------------------------------------------------------
 * Axes count from 0; count 0: all of them; LUN_NO_AXES: none.  The axes are dropped from the
 * result, or have extent 1 if `keep` is set.  Each element has the bits of the same reduction of
 * its segment, copied into a Vector and rounded to the result's dtype; over several axes the
 * segment is in row-major order. LUN_ESHAPE for axes that are out of range or given twice. */
typedef struct lun_along_options {
    size_t size; /* sizeof(lun_along_options) */
    bool keep;
    bool skipnan;     /* NaN is skipped, and not counted as an element */
    int64_t ddof;     /* of LUN_VAR and LUN_STD */
    double ddof_part; /* added to ddof: a fraction */
    bool propagate;   /* the result of a segment with a missing element is missing */
} lun_along_options;
/* As a number of axes: none of them.  Each element is a segment of its own. */
enum { LUN_NO_AXES = -1 };
/* Sums, products, means, variances and norms of floats have their dtype, sums of integers are i64
 * or u64, their means f64; extremes keep the dtype; positions (from 0, along the axis) are i64.  A
 * reduction of all axes without `keep` is a Scalar of the dtype of lun_total.  Means, variances and
 * deviations of empty segments are NaN.  LUN_EARG for a position along some of several axes, an
 * empty axis if there is no result, a mean of an empty array; LUN_EBOUNDS, on evaluation, for a
 * position in a segment that has only NaN under skipnan.  options NULL: none. */
LUN_API lun_status lun_along(lun_engine *e, lun_reduction r, lun_array *a, const int *axes,
                             int count, const lun_along_options *options, lun_array **out);
/* lun_reduce along axes. */
LUN_API lun_status lun_fold_along(lun_engine *e, lun_function *f, lun_array *id, lun_array *a,
                                  const int *axes, int count, bool keep, lun_array **out);
/* lun_scan along one axis. */
LUN_API lun_status lun_scan_along(lun_engine *e, lun_function *f, lun_array *id, lun_array *a,
                                  int axis, bool inclusive, lun_array **out);
/* lun_reduce_with along axes. */
LUN_API lun_status lun_fold_along_with(lun_engine *e, lun_function *f, lun_array *id, lun_array *a,
                                       lun_array *const *extra, int extras, const int *axes,
                                       int count, bool keep, lun_array **out);
/* lun_scan_with along one axis. */
LUN_API lun_status lun_scan_along_with(lun_engine *e, lun_function *f, lun_array *id, lun_array *a,
                                       lun_array *const *extra, int extras, int axis,
                                       bool inclusive, lun_array **out);
/* The sum of the products of a's and b's elements, now, in one pass: i64 for integers, u64 for
 * unsigned ones, products included; floats are multiplied in their common dtype (f16 and bf16 in
 * f32) and summed in f64.  LUN_ESHAPE as with lun_mul. */
LUN_API lun_status lun_dot(lun_engine *e, lun_array *a, lun_array *b, lun_value *out);

/* ---- matrix products (lazy) ------------------------------------------------------------------ */

/* a b, for matrices of r x k and k x c elements; axes in front are batches and broadcast.  A Vector
 * is a row on the left and a column on the right, and its axis is gone from the result; two of them
 * give a Scalar.  Floats give their common dtype (f16 and bf16 are computed in f32 and rounded
 * once), integers and bool i64, or u64 if all are unsigned, which wrap.
 * Of matrices an element is (s1 + s2) + s3 ..., where the b-th s is the sum over the b-th 256
 * values of k in order, s = fma(a[i][k], b[k][j], s) from 0: it depends on its row and its column
 * alone, and has the same bits on every backend.  With a Vector it is lun_along(LUN_SUM) of
 * products.  LUN_ESHAPE if the shapes do not fit. */
LUN_API lun_status lun_matmul(lun_engine *e, lun_array *a, lun_array *b, lun_array **out);

/* ---- all pairs (lazy) ------------------------------------------------------------------------ */

/* For a of n x k and b of m x k elements the matrix of n x m whose element (i, j) is the reduction
 * by `reduce` of zip(a[i][0], b[j][0], extra...), zip(a[i][1], b[j][1], extra...), ...: distances,
 * or correlations.  Functions, extra arguments and dtypes are those of lun_zip and lun_reduce;
 * id NULL: the operation's identity.  The n x m x k values are never in memory.
 * They are combined in the order of lun_matmul: (id + s1) + s2 ..., where the b-th s combines the
 * b-th 256 values from left to right, from the operation's identity, else from the first of them;
 * sums and products of floats are accumulated in their dtype (f16 and bf16 in f32, rounded once).
 * So an element depends on its two rows alone, and has the same bits on every backend.  LUN_OP_MUL
 * and LUN_OP_ADD without an id, or with the number 0, are lun_matmul of a and the transpose of b.
 * LUN_ESHAPE if the rank is not 2, or the rows differ in length; LUN_EARG if k is 0 and there is
 * neither an id nor an identity; else as lun_zip and lun_reduce. */
LUN_API lun_status lun_allpairs(lun_engine *e, lun_function *zip, lun_array *const *extra,
                                int extras, lun_function *reduce, lun_array *id, lun_array *a,
                                lun_array *b, lun_array **out);

/* ---- packages (lazy) ------------------------------------------------------------------------- */

/* A map, zip, reduce or scan by a Lua function, which lun.pack of a script made bytes of: it needs
 * neither Lua nor a compiler, and has the bits that it had there. */
typedef struct lun_package lun_package;
/* From such bytes, which are checked and copied.  LUN_EARG: they are not lun.pack's, damaged, of a
 * version that this one does not read, or made for other bits than lun_bits. */
LUN_API lun_status lun_unpack(lun_engine *e, const void *bytes, size_t length, lun_package **out);
/* How many arrays it takes. */
LUN_API int lun_package_arrays(const lun_package *p);
/* Its results for these arrays, at most `room`, and how many there are in *results (LUN_EARG if
 * that is more).  LUN_EDTYPE: it has no function of these dtypes. */
LUN_API lun_status lun_package_apply(lun_package *p, lun_array *const *arrays, int count,
                                     lun_array **outs, int room, int *results);
/* Ends it; its results stay.  NULL is allowed. */
LUN_API void lun_package_release(lun_package *p);

/* ---- selection (lazy) ------------------------------------------------------------------------ */

/* The elements of a, row-major, where mask, bools of a's shape, is true: a Vector whose length is
 * known after evaluation (lun_measure).  Several that take one mask, evaluated together, are one
 * pass. LUN_EDTYPE: the mask is not of bools; LUN_ESHAPE. */
LUN_API lun_status lun_compress(lun_engine *e, lun_array *a, lun_array *mask, lun_array **out);
/* The slices of a along an axis (from 0) where mask, a Vector of bools of that extent, is true.
 * The mask is evaluated.  Fails as lun_compress does, with LUN_ESHAPE if there is no such axis. */
LUN_API lun_status lun_compress_along(lun_engine *e, lun_array *a, lun_array *mask, int axis,
                                      lun_array **out);
/* The indices of the mask's true elements, row-major, i64, counted from `first`. */
LUN_API lun_status lun_indices(lun_engine *e, lun_array *mask, int64_t first, lun_array **out);

/* ---- order (lazy) ---------------------------------------------------------------------------
 * Numbers ascend, -0.0 before 0.0 and false before true; NaNs come last in both directions.  Equal
 * elements keep their order in both directions.  Missing elements come behind NaNs, with
 * LUN_MISSING_FIRST in front of all.  Axes count from 0, or backwards from -1 (LUN_ESHAPE if there
 * is none such). */

enum { LUN_DESCENDING = 1, LUN_MISSING_FIRST = 4 };
/* The elements of each segment along the axis in order.  flags: 0, LUN_DESCENDING,
 * LUN_MISSING_FIRST or both. */
LUN_API lun_status lun_sort(lun_engine *e, lun_array *a, int axis, int flags, lun_array **out);
/* The index along the axis, i64, counted from `first`, from which lun_sort takes each element. */
LUN_API lun_status lun_argsort(lun_engine *e, lun_array *a, int axis, int flags, int64_t first,
                               lun_array **out);
/* The first k elements of a sorted Vector, or all if there are fewer, and their indices in a, i64,
 * counted from `first`: with LUN_DESCENDING the largest ones, largest first.  LUN_ESHAPE if a is no
 * Vector, LUN_ERANGE if k is negative. */
LUN_API lun_status lun_topk(lun_engine *e, lun_array *a, int64_t k, int flags, int64_t first,
                            lun_array **values, lun_array **places);
/* The different elements in order, and how many there are of each, i64: Vectors whose length is
 * known after evaluation (lun_measure).  Zeros are one value, 0.0, NaNs are one. */
LUN_API lun_status lun_unique(lun_engine *e, lun_array *a, lun_array **values, lun_array **counts);
/* The quantiles q[0] .. q[count - 1], from 0 to 1, of the elements along the axes (axis_count 0: of
 * all) in order, linear between neighbours: those axes are gone, an axis for the q comes first;
 * count 0: one q, without an axis.  Floats keep their dtype, others give f64; computed in f64.  A
 * segment with a NaN gives NaN; skipnan: NaNs are left out, a segment of only NaNs gives NaN.
 * LUN_ERANGE for q, LUN_ESHAPE for axes, LUN_EARG for empty segments. */
LUN_API lun_status lun_quantile(lun_engine *e, lun_array *a, const double *q, int64_t count,
                                const int *axes, int axis_count, bool skipnan, lun_array **out);
enum { LUN_RIGHT = 2 };
/* For each element of x the index at which it would be inserted in the Vector `sorted`, whose order
 * is that of lun_sort: before equal elements, with LUN_RIGHT behind them; i64 of x's shape, counted
 * from `first`.  Integers are compared by value, floats in the common dtype; zeros are equal, as
 * NaNs are.  LUN_ESHAPE if `sorted` is no Vector. */
LUN_API lun_status lun_searchsorted(lun_engine *e, lun_array *sorted, lun_array *x, int flags,
                                    int64_t first, lun_array **out);

/* ---- linear algebra (lazy) ------------------------------------------------------------------- */

/* Matrices are the last two axes, batches the axes before them.  f32, f16 and bf16 are computed in
 * f32, complex ones in c64 or c128, all others in f64.  Values alone of complex ones are real,
 * beside vectors complex.  LUN_ESHAPE if a matrix is empty, or not square, which lun_qr and lun_svd
 * do not need; a singular one is LUN_EARG when the value is needed.  U' and V' of complex matrices
 * are adjoints. */
enum {
    LUN_UPPER = 1,
    LUN_UNIT = 2,
    LUN_TRANSPOSED = 4,
    LUN_SIGN = 1,
    LUN_LOGARITHM = 2,
    LUN_VALUES = 1,
    LUN_COMPLETE = 1,
    LUN_TRIANGULAR = 2
};
/* L and U in one n + 2 x n matrix: L below the diagonal, without its ones; then a row of the rows
 * of `a` in their order in L U, and a row of the rows that they were exchanged with, from 0. */
LUN_API lun_status lun_lu(lun_engine *e, lun_array *a, lun_array **out);
/* x with A x = b, n x m, for `lu` of A; both with the same batches. */
LUN_API lun_status lun_lu_solve(lun_engine *e, lun_array *lu, lun_array *b, lun_array **out);
/* An element for each matrix: its determinant, with LUN_SIGN the sign of that (LUN_EDTYPE of
 * complex ones), with LUN_LOGARITHM the logarithm of its modulus, a real number. */
LUN_API lun_status lun_lu_det(lun_engine *e, lun_array *lu, int what, lun_array **out);
/* The upper triangular U with U' U = a, of which the lower triangle is read; U' is the adjoint. */
LUN_API lun_status lun_cholesky(lun_engine *e, lun_array *a, lun_array **out);
/* x with t x = b of the lower triangle of t, or by flags of the upper one, with ones on the
 * diagonal, or of t's transpose; both with the same batches. */
LUN_API lun_status lun_solve_triangular(lun_engine *e, lun_array *t, lun_array *b, int flags,
                                        lun_array **out);

/* The ascending eigenvalues of symmetric or Hermitian matrices, whose lower triangle is read;
 * without LUN_VALUES the first of n + 1 rows, and the others are the eigenvectors, in which the
 * element of the greatest modulus is real and positive.  NaN, infinity and no convergence are
 * LUN_EARG when the value is needed. */
LUN_API lun_status lun_eigh(lun_engine *e, lun_array *a, int flags, lun_array **out);

/* The eigenvalues of square matrices in ascending order of their real, then their imaginary parts,
 * which are the first two of 2 n + 2 rows, with LUN_VALUES of 2; then n rows of the eigenvectors'
 * real parts, a vector in each, and n of their imaginary parts.  A vector has length 1, and its
 * element of the greatest modulus is real and positive.  Failures are those of lun_eigh. */
LUN_API lun_status lun_eig(lun_engine *e, lun_array *a, int flags, lun_array **out);

/* Q and R with Q R = a, m x n: Q has orthonormal columns, as many as the lesser of m and n, with
 * LUN_COMPLETE m; R is upper triangular, and its diagonal is real and not negative.  Below Q's m
 * rows are n rows, the columns of R; with LUN_TRIANGULAR these alone, as many elements long as the
 * lesser of m and n. */
LUN_API lun_status lun_qr(lun_engine *e, lun_array *a, int flags, lun_array **out);

/* The singular values of m x n matrices in descending order, k of them, the lesser of m and n;
 * without LUN_VALUES they are the row between the m rows of U and n rows, the columns of V', of
 * which the greatest element is real and positive: a = U diag(values) V'.  NaN, infinity and no
 * convergence are LUN_EARG when the value is needed. */
LUN_API lun_status lun_svd(lun_engine *e, lun_array *a, int flags, lun_array **out);

/* ---- Fourier transforms (lazy) --------------------------------------------------------------- */

/* n: elements of the axis, to which it is cut or filled with zeros at its end; 0: as many as there
 * are, of irfft and hfft 2 (m - 1) of m.  axis: from 0, or from -1, the last, back.  norm: what is
 * divided by n: inverse transforms, both by its root, or the others.  NULL: n 0, axis -1. */
typedef enum lun_norm { LUN_NORM_BACKWARD, LUN_NORM_ORTHO, LUN_NORM_FORWARD } lun_norm;
typedef struct lun_fft_options {
    size_t size; /* sizeof(lun_fft_options) */
    int64_t n;
    int axis;
    int norm; /* lun_norm */
} lun_fft_options;

/* The transform, of any dtype of numbers: of f32 and c64 in f32, of others in f64.  LUN_ESHAPE: the
 * axis has no elements. */
LUN_API lun_status lun_fft(lun_engine *e, lun_array *a, const lun_fft_options *options,
                           lun_array **out);
/* Its inverse. */
LUN_API lun_status lun_ifft(lun_engine *e, lun_array *a, const lun_fft_options *options,
                            lun_array **out);
/* The first n/2 + 1 elements of the transform of real numbers, from which the others follow, as
 * conjugates; complex ones are LUN_EDTYPE. */
LUN_API lun_status lun_rfft(lun_engine *e, lun_array *a, const lun_fft_options *options,
                            lun_array **out);
/* n real numbers of such a half; imaginary parts that are 0 in one are not read. */
LUN_API lun_status lun_irfft(lun_engine *e, lun_array *a, const lun_fft_options *options,
                             lun_array **out);
/* irfft of the conjugate, times n. */
LUN_API lun_status lun_hfft(lun_engine *e, lun_array *a, const lun_fft_options *options,
                            lun_array **out);
/* The conjugate of rfft, divided by n. */
LUN_API lun_status lun_ihfft(lun_engine *e, lun_array *a, const lun_fft_options *options,
                             lun_array **out);

/* ---- groups ---------------------------------------------------------------------------------- */

/* Rows in groups by equal keys.  A group is a number below lun_grouping_groups.  Made at once;
 * results of it are lazy. */
typedef struct lun_grouping lun_grouping;
enum { LUN_GROUPING_FIRST = 1 }; /* groups in the order in which they first appear */

/* Groups of the rows of `count` Vectors of keys.  They ascend by the first key, then the second and
 * so on; -0.0 and 0.0 are one, NaNs are one, the last.  LUN_ESHAPE: no Vectors of one length;
 * LUN_ELIMIT: more than 2147483647 groups. */
LUN_API lun_status lun_grouping_make(lun_engine *e, lun_array *const *keys, int count,
                                     unsigned flags, lun_grouping **out);
/* Groups by their codes, integers from `first` to first + groups - 1 (LUN_EBOUNDS); some may have
 * no rows.  It has no keys. */
LUN_API lun_status lun_grouping_of(lun_engine *e, lun_array *codes, int64_t groups, int64_t first,
                                   lun_grouping **out);
/* NULL is allowed.  Before lun_close. */
LUN_API void lun_grouping_release(lun_grouping *g);
/* How many groups there are. */
LUN_API int64_t lun_grouping_groups(const lun_grouping *g);
/* How many rows they have together. */
LUN_API int64_t lun_grouping_rows(const lun_grouping *g);
/* Key number k of each group. */
LUN_API lun_status lun_grouping_key(lun_engine *e, const lun_grouping *g, int k, lun_array **out);
/* The group of each row, i64, the first one being `first`. */
LUN_API lun_status lun_grouping_codes(lun_engine *e, const lun_grouping *g, int64_t first,
                                      lun_array **out);
/* The number of rows of each group, i64. */
LUN_API lun_status lun_grouping_counts(lun_engine *e, const lun_grouping *g, lun_array **out);
/* All rows, i64, counted from `first` on: group after group, those of each in their order. */
LUN_API lun_status lun_grouping_order(lun_engine *e, const lun_grouping *g, int64_t first,
                                      lun_array **out);
/* A reduction of x's elements, or of each column of its rows, by group: an element or a row for
 * each.  x has one for each row (LUN_ESHAPE).  Sums, products, means, variances of floats are f64;
 * sums of integers i64 or u64, their means f64; extremes keep the dtype; LUN_COUNT is the number of
 * elements that are not 0.  A group's rows are added in their order, in parts of all rows, whose
 * sums are added in order: of 65,536 rows, with over 8192 groups of the least power of two that is
 * at least 8 for each: the same everywhere.  Without rows a sum is 0, a product 1, a mean NaN, as
 * an extreme of floats is; that of integers is LUN_EARG.  options: skipnan, ddof. */
LUN_API lun_status lun_grouping_reduce(lun_engine *e, const lun_grouping *g, lun_reduction r,
                                       lun_array *x, const lun_along_options *options,
                                       lun_array **out);
/* x's element or row of the first or the last row of each group; with skipnan, of a Vector, that of
 * those that are not NaN.  Without one NaN, of integers LUN_EARG. */
LUN_API lun_status lun_grouping_pick(lun_engine *e, const lun_grouping *g, bool last, lun_array *x,
                                     const lun_along_options *options, lun_array **out);

enum {
    LUN_JOIN_LEFT = 1,   /* a row of a without an equal one has a pair, too */
    LUN_JOIN_MISSING = 2 /* missing keys are equal; else they match nothing */
};
/* The rows, i64, counted from `first` on, of a and b that have equal keys: a pair for each two of
 * them, by a's rows, then b's.  Keys: `count` Vectors on each side, equal as groups take them. With
 * LUN_JOIN_LEFT a missing row of b is first - 1.  The number of pairs is known before there is
 * memory for them: LUN_ENOMEM, LUN_ELIMIT. */
LUN_API lun_status lun_join(lun_engine *e, lun_array *const *a, lun_array *const *b, int count,
                            unsigned flags, int64_t first, lun_array **i, lun_array **j);

/* ---- values ---------------------------------------------------------------------------------- */

/* Evaluates all of them in as few passes as possible; they keep their results.  After a failure the
 * completed ones have their results, the others stay pending. */
LUN_API lun_status lun_eval(lun_engine *e, lun_array *const *arrays, int count);
/* Compiles the kernels that one lun_eval of them would run, and waits for the compiler; runs
 * nothing.  Later evaluations of the same form (with other lengths and numbers too) run compiled
 * from the start.  LUN_EBUILD: something stays interpreted, for the reason in lun_error. */
LUN_API lun_status lun_prepare(lun_engine *e, lun_array *const *arrays, int count);
/* Copies elements first .. first+count-1 (row-major, in a's dtype) to host memory; computes only
 * these if the expression allows it.  LUN_ERANGE if they are not within the array. */
LUN_API lun_status lun_read(lun_engine *e, lun_array *a, void *host, int64_t first, int64_t count);
/* Writes elements first .. first+count-1 (row-major) from host memory, in a's dtype, to a's storage
 * (a Vector or View; a Composition becomes a Vector).  Expressions built before keep the old
 * elements.  LUN_ERANGE if they are not within the array. */
LUN_API lun_status lun_write(lun_engine *e, lun_array *a, const void *host, int64_t first,
                             int64_t count);
/* Evaluates a and returns the address of its elements, row-major, for reading, until the next call
 * that writes to a or releases it. */
LUN_API lun_status lun_data(lun_engine *e, lun_array *a, const void **out);
/* One element, counted from 0 in row-major order, or a Scalar's value.  LUN_ERANGE. */
LUN_API lun_status lun_get(lun_engine *e, lun_array *a, int64_t index, lun_value *out);
/* Sets one element, counted as in lun_get.  LUN_ERANGE if the index is out of range or x does not
 * fit into the dtype. */
LUN_API lun_status lun_set(lun_engine *e, lun_array *a, int64_t index, lun_value x);
/* Sets all elements.  LUN_ERANGE if x does not fit into the dtype. */
LUN_API lun_status lun_fill(lun_engine *e, lun_array *a, lun_value x);
/* Evaluates source into target's existing storage, converted to its dtype and broadcast to its
 * shape (LUN_ESHAPE).  All old elements are read before any is written, so source may overlap
 * target.  Expressions built before keep the old elements.  A large source may be computed in that
 * storage alone; then it waits on. */
LUN_API lun_status lun_store(lun_engine *e, lun_array *target, lun_array *source);
/* The same for several at once, sources[k] into targets[k]: in as few passes as possible, and all
 * old elements are read before any is written, whichever overlap.  An element that two targets
 * share gets the later one's value.  After a failure of shapes or of the evaluation nothing is
 * written. */
LUN_API lun_status lun_store_all(lun_engine *e, lun_array *const *targets,
                                 lun_array *const *sources, int count);
/* Whether lun_store accepts these arrays: LUN_OK, or its failure. */
LUN_API lun_status lun_storable(lun_engine *e, const lun_array *target, const lun_array *source);
/* Missing elements: an array of any dtype may have some, which have no value.  Elementwise
 * operations give missing ones where an operand is missing, comparisons false (lun_ne true);
 * windows show them, and lun_set, lun_fill, lun_write and lun_store make elements that are there.
 * What takes none sees NaN in floats, and fails with LUN_EARG for other dtypes. */
/* Whether elements of a may be missing; evaluates nothing. */
LUN_API bool lun_has_missing(const lun_array *a);
/* Bools of a's shape, true where an element is missing; lazy. */
LUN_API lun_status lun_missing(lun_engine *e, lun_array *a, lun_array **out);
/* The elements of a, missing where they were or where the mask, bools that broadcast to a's shape,
 * is true; mask NULL: none is missing, and those that were are NaN, 0 or false.  Lazy.  LUN_EDTYPE:
 * the mask is not of bools. */
LUN_API lun_status lun_with_missing(lun_engine *e, lun_array *a, lun_array *mask_or_NULL,
                                    lun_array **out);
/* Texts: elements of LUN_TEXT are UTF-8 without NUL.  What moves elements, compares or sorts takes
 * them, by bytes, which is the order of code points; calls of numbers refuse them with
 * LUN_EDTYPE. */
typedef struct lun_string {
    const char *data; /* NULL: the element is missing */
    int64_t length;   /* bytes */
} lun_string;
/* A Vector of n texts, which are copied.  LUN_EARG: one is not UTF-8, or has a NUL. */
LUN_API lun_status lun_text(lun_engine *e, const lun_string *s, int64_t n, lun_array **out);
/* Elements first .. first+n-1 (row-major) of a text array; the bytes, which no 0 ends, live as long
 * as the array is neither written to nor released.  LUN_ERANGE, LUN_EDTYPE. */
LUN_API lun_status lun_text_read(lun_engine *e, lun_array *a, int64_t first, int64_t n,
                                 lun_string *s);
/* The different texts of a in order, and for each element the number of its text among them, from
 * 1, u32, 0 where it is missing: the text is levels[code - 1].  Evaluates a. */
LUN_API lun_status lun_text_codes(lun_engine *e, lun_array *a, lun_array **codes,
                                  lun_array **levels);
/* Sets one element, counted as in lun_get. */
LUN_API lun_status lun_text_set(lun_engine *e, lun_array *a, int64_t index, lun_string x);
/* Dates, timestamps and durations: lun_read, lun_write, lun_get and lun_set of them are of their
 * days or microseconds, LUN_I32 and LUN_I64; lun_cast makes them of such integers and of texts, and
 * these of them. */
typedef enum lun_time_unit { LUN_TIME_S, LUN_TIME_MS, LUN_TIME_US, LUN_TIME_NS } lun_time_unit;
/* Integers of that unit as LUN_TIMESTAMP, since 1970-01-01 00:00, or LUN_DURATION; nanoseconds are
 * rounded down.  Lazy. */
LUN_API lun_status lun_time_of(lun_engine *e, lun_array *a, lun_dtype t, lun_time_unit unit,
                               lun_array **out);
/* Texts as LUN_DATE, LUN_TIMESTAMP or LUN_DURATION; a format as docs/dates.md has it.  LUN_EARG
 * names the first row whose text is none; with `missing` its element is missing. */
LUN_API lun_status lun_time_parse(lun_engine *e, lun_array *a, lun_dtype t,
                                  const char *format_or_NULL, bool missing, lun_array **out);
/* The texts of dates, timestamps or durations. */
LUN_API lun_status lun_time_texts(lun_engine *e, lun_array *a, const char *format_or_NULL,
                                  lun_array **out);
typedef enum lun_time_field {
    LUN_TIME_YEAR,
    LUN_TIME_MONTH,
    LUN_TIME_DAY,
    LUN_TIME_WEEKDAY, /* 1: Monday */
    LUN_TIME_YEARDAY,
    LUN_TIME_QUARTER,
    LUN_TIME_WEEK, /* by ISO 8601, as ISOYEAR */
    LUN_TIME_ISOYEAR,
    LUN_TIME_HOUR, /* from here on of timestamps alone */
    LUN_TIME_MINUTE,
    LUN_TIME_SECOND,
    LUN_TIME_MICROSECOND,
    LUN_TIME_FIELD_COUNT
} lun_time_field;
/* That field of dates or timestamps, or of integers, which are days, as i64.  Lazy, as the next
 * four. */
LUN_API lun_status lun_time_get_field(lun_engine *e, lun_array *a, lun_time_field f,
                                      lun_array **out);
/* The days as i64 of years, months and days, integers that broadcast; months and days may be beyond
 * their ends. */
LUN_API lun_status lun_time_days(lun_engine *e, lun_array *year, lun_array *month, lun_array *day,
                                 lun_array **out);
/* The durations since midnight of timestamps. */
LUN_API lun_status lun_time_of_day(lun_engine *e, lun_array *a, lun_array **out);
/* The starts of units such as "1d 1w 1mo 1q 1y 1h 15m 30s 10ms" that elements are in: weeks start
 * on Monday, months count from the year 0, others from 1970-01-01 00:00. */
LUN_API lun_status lun_time_truncate(lun_engine *e, lun_array *a, const char *unit,
                                     lun_array **out);
/* The same unit later, or "-1mo" before: months end on their last day at most. */
LUN_API lun_status lun_time_add(lun_engine *e, lun_array *a, const char *unit, lun_array **out);
/* first, and each unit later from it until `last`, which may be there: elements of LUN_DATE or
 * LUN_TIMESTAMP. */
LUN_API lun_status lun_time_range(lun_engine *e, lun_dtype t, int64_t first, int64_t last,
                                  const char *unit, lun_array **out);
/* The text of one element, its length; 0: t is no such dtype.  No 0 ends it. */
enum { LUN_TIME_TEXT = 48 };
LUN_API int lun_time_write(lun_dtype t, int64_t x, char text[LUN_TIME_TEXT]);
/* The element of dtype t that a text means; false: it is none. */
LUN_API bool lun_time_read(lun_dtype t, lun_string s, int64_t *out);
/* An array with its own copy of the elements, row-major. */
LUN_API lun_status lun_copy(lun_engine *e, lun_array *a, lun_array **out);

/* Elements whose values are undefined until they are written; in a sandbox, and of bool, zeros. */
LUN_API lun_status lun_empty(lun_engine *e, int rank, const int64_t *shape, lun_dtype t,
                             lun_array **out);
/* Replaces the reference *a by one to an array of another shape, of as many axes (LUN_ESHAPE): with
 * a's elements where both have one, elsewhere 0, or missing of dtypes that kernels do not know.
 * Windows on the old array keep it.  LUN_EARG for a window, and for memory that was wrapped.  After
 * a failure *a is as it was. */
LUN_API lun_status lun_resize(lun_engine *e, lun_array **a, int rank, const int64_t *shape);
/* Appends the elements of x, a Vector or a number, converted as lun_store does, to a, a Vector: in
 * constant time for each element, on average, since memory is doubled when it is used up; of texts
 * all are copied.  Windows on a stay valid.  LUN_EARG for a window and for memory that was wrapped,
 * LUN_ESHAPE for other ranks, LUN_EDTYPE for complex numbers.  After a failure a is as it was. */
LUN_API lun_status lun_append(lun_engine *e, lun_array *a, lun_array *x);

/* Most bytes of a label. */
enum { LUN_LABEL_MOST = 31 };
/* Gives a a label, by which errors, plans and profiles name it; NULL or "": none.  It is the
 * array's, not that of results computed from it.  LUN_EARG for a number, a longer text, one with
 * control characters. */
LUN_API lun_status lun_set_label(lun_engine *e, lun_array *a, const char *label_or_NULL);
/* The label of a, of a window without one that of its array; NULL: none. */
LUN_API const char *lun_label(const lun_array *a);

/* Adds a reference. */
LUN_API void lun_retain(lun_array *a);
/* Releases a reference; the last one ends the array.  NULL is allowed. */
LUN_API void lun_release(lun_array *a);
/* Releases the memory now; any later use of a except lun_release fails with LUN_EFREED. */
LUN_API lun_status lun_free(lun_engine *e, lun_array *a);

/* The engine that it belongs to. */
LUN_API lun_engine *lun_engine_of(const lun_array *a);
/* Vector, View, Scalar or Composition; these queries compute nothing and cannot fail. */
LUN_API lun_class lun_class_of(const lun_array *a);
/* The dtype of its elements. */
LUN_API lun_dtype lun_dtype_of(const lun_array *a);
/* True after lun_free. */
LUN_API bool lun_is_freed(const lun_array *a);
/* The length of a few arrays (lun_compress, lun_indices, ...) is known only after evaluation. They
 * are lazy as others are; a query of the length, or an expression on them, evaluates them.  Whether
 * a's length is known. */
LUN_API bool lun_is_measured(const lun_array *a);
/* Evaluates a if its length is not known; else does nothing. */
LUN_API lun_status lun_measure(lun_engine *e, lun_array *a);
/* The first extent; 1 for a Scalar; -1: not known, and the evaluation failed (lun_error). */
LUN_API int64_t lun_length(const lun_array *a);
/* The number of elements. */
LUN_API int64_t lun_size(const lun_array *a);
/* Returns the rank and writes as many extents. */
LUN_API int lun_shape(const lun_array *a, int64_t shape[LUN_MAX_RANK]);
/* The number of pending operations; 0: evaluated. */
LUN_API int64_t lun_pending(const lun_array *a);
/* True for arrays without memory of their own: range, index, full, random and expressions of
 * these. */
LUN_API bool lun_is_virtual(const lun_array *a);
/* True if elements that it depends on are in a file (lun_open_file). */
LUN_API bool lun_is_streamed(const lun_array *a);
/* Where its elements are: "openmp", "opencl:2", ...: a backend that has them in its memory, if
 * possible the one in use; "host": only in host memory, while a device is in use.  For a pending
 * array: the backend in use, which would compute it. */
LUN_API const char *lun_device_of(const lun_array *a);

/* ---- files and other libraries --------------------------------------------------------------- */

/* The array in a file, by its extension (.npy, .png, .pgm, .ppm).  LUN_EIO if it cannot be read, or
 * has another format; LUN_EARG for other extensions, and for files of tables: lun_table_load. */
LUN_API lun_status lun_load(lun_engine *e, const char *path, lun_array **out);
/* Writes an array to such a file.  LUN_EIO if that fails; an existing file is then unchanged. */
LUN_API lun_status lun_save(lun_engine *e, const char *path, lun_array *a);
/* What lun.load of scripts gives of a file of any format, an array or a table of columns, to be
 * released.  options: those of docs/files.md as a table of constants, "{columns = {'a'}, sep =
 * ';'}", which is read, never run; NULL: none.  Works in a sandbox, too: the host calls it.
 * LUN_EIO: as lun_load; LUN_EARG: an unknown extension or option. */
LUN_API lun_status lun_load_any(lun_engine *e, const char *path, const char *options,
                                lun_variant *out);
/* Writes an array or a table; an existing file is unchanged after a failure. */
LUN_API lun_status lun_save_any(lun_engine *e, const char *path, const lun_variant *v,
                                const char *options);
/* The same of n bytes in memory, of the format that files with that extension have: "png", "csv",
 * "csv.gz", "npy".  No file is touched. */
LUN_API lun_status lun_decode(lun_engine *e, const void *bytes, size_t n, const char *format,
                              const char *options, lun_variant *out);
/* The bytes of such a file, and their number, for lun_bytes_free. */
LUN_API lun_status lun_encode(lun_engine *e, const lun_variant *v, const char *format,
                              const char *options, void **bytes, size_t *n);
/* Frees them; NULL is allowed. */
LUN_API void lun_bytes_free(lun_engine *e, void *bytes);
/* DLPack 1.0: the elements, evaluated, as a CPU tensor for another library; not copied, except a
 * single number that an expression gave.  The tensor keeps them alive; it does not see later writes
 * to the array, unless the array wraps memory.  It is read-only where the engine would not write in
 * place: indices share elements, or another array or expression has them too.  It is undefined
 * whether the array and expressions on it see the consumer's writes.  The consumer calls its
 * deleter once, on any thread, at any time, also after lun_close. */
LUN_API lun_status lun_to_dlpack(lun_engine *e, lun_array *a,
                                 struct DLManagedTensorVersioned **out);
/* The same for consumers below DLPack 1.0, which know no flags (in Python the capsule "dltensor"):
 * what would be read-only is copied. */
LUN_API lun_status lun_to_dlpack_plain(lun_engine *e, lun_array *a, struct DLManagedTensor **out);
/* The reverse: an array on a tensor's memory, in any strides (see lun_wrap_strided).  The tensor's
 * deleter is called when the array has ended, or at once if the elements had to be copied because
 * they are read-only, not aligned, or shared by several indices.  After a failure the tensor stays
 * the caller's: LUN_EARG if it is not in CPU memory, not DLPack 1.x, or of an unsupported dtype;
 * LUN_ERANGE if its strides span more than can be addressed. */
LUN_API lun_status lun_from_dlpack(lun_engine *e, struct DLManagedTensorVersioned *tensor,
                                   lun_array **out);
/* The same of a tensor below DLPack 1.0, which counts as writable. */
LUN_API lun_status lun_from_dlpack_plain(lun_engine *e, struct DLManagedTensor *tensor,
                                         lun_array **out);

/* ---- tables ---------------------------------------------------------------------------------- */

/* A table of n columns, arrays of rank 1 and one length, with different names in UTF-8, which are
 * copied; it holds a reference to each array, and is released before lun_close.  LUN_ESHAPE,
 * LUN_EARG. */
LUN_API lun_status lun_table_make(lun_engine *e, const char *const *names,
                                  lun_array *const *columns, int64_t n, lun_table **out);
/* One more reference to a table; NULL is allowed. */
LUN_API void lun_table_retain(lun_table *t);
/* Gives one up: the last one frees the table, and releases its columns.  NULL is allowed. */
LUN_API void lun_table_release(lun_table *t);
/* The number of rows. */
LUN_API int64_t lun_table_rows(const lun_table *t);
/* The number of columns. */
LUN_API int64_t lun_table_width(const lun_table *t);
/* The name of column k, from 0; NULL beyond the last one. */
LUN_API const char *lun_table_name(const lun_table *t, int64_t k);
/* The column of that name, a new reference.  LUN_EARG: there is none. */
LUN_API lun_status lun_table_column(lun_engine *e, lun_table *t, const char *name, lun_array **out);
/* The engine that a table belongs to; NULL for NULL. */
LUN_API lun_engine *lun_table_engine(const lun_table *t);

/* What lun.sql of scripts gives of a statement over n tables by name, a table to be released, or
 * how many rows it changed.  options: "{parameters = {5, 'x'}, files = false}", as of
 * lun_load_any.  Works in a sandbox, too.  LUN_EIO: there is no DuckDB, or it refuses the
 * statement, in its words. */
LUN_API lun_status lun_sql(lun_engine *e, const char *text, const char *const *names,
                           lun_table *const *tables, int64_t n, const char *options,
                           lun_variant *out);

/* Verbs: each makes a new table, and does what the verb of scripts does that docs/tables.md
 * describes.  They run in the engine's own Lua state, within its limits.  Their options are NULL,
 * or structs that begin with their size.  LUN_EARG: there is no such column, or what is asked for
 * does not go together, in words. */
/* The table in a file, as lun_load_any reads it.  LUN_EIO, LUN_EARG: it has one array. */
LUN_API lun_status lun_table_load(lun_engine *e, const char *path, const char *options,
                                  lun_table **out);
/* The rows where a mask, bools of as many elements, is true; not where it is missing. */
LUN_API lun_status lun_table_filter(lun_engine *e, lun_table *t, lun_array *mask, lun_table **out);
/* The rows with these numbers, integers from 0, negative ones from the end, in any order, also
 * several times; a row of missing elements where a number is missing. */
LUN_API lun_status lun_table_take(lun_engine *e, lun_table *t, lun_array *rows, lun_table **out);
/* options of lun_table_sort */
typedef struct lun_table_sort_options {
    size_t size;            /* sizeof(lun_table_sort_options) */
    const bool *descending; /* for each column; NULL: none */
    bool missing_first;     /* missing elements come first, else last */
} lun_table_sort_options;
/* The rows in the order of n columns, the first of which decides; equal rows keep their order. */
LUN_API lun_status lun_table_sort(lun_engine *e, lun_table *t, const char *const *names, int64_t n,
                                  const lun_table_sort_options *options_or_NULL, lun_table **out);
/* The rows of n tables, one after the other.  They have the same columns, in any order; with
 * `joined` all that one has, missing where a table lacks it. */
LUN_API lun_status lun_table_concat(lun_engine *e, lun_table *const *tables, int64_t n, bool joined,
                                    lun_table **out);
/* An aggregate: the column `name` of the result. */
typedef struct lun_table_aggregate {
    const char *name;
    const char *function; /* "count", "sum", "mean", "median", "quantile", "first", ... */
    const char *column;   /* NULL: of "count", which counts rows then */
    const char *other;    /* of "corr", "cov", "wmean" the second column, of "concat" what stands
                             between two texts; else NULL */
    double quantile;      /* of "quantile": from 0 to 1 */
} lun_table_aggregate;
/* options of lun_table_group_agg */
typedef struct lun_table_group_options {
    size_t size;       /* sizeof(lun_table_group_options) */
    bool first_order;  /* groups as they first appear; else by their keys */
    bool drop_missing; /* rows of which a key is missing, or NaN, are in no group */
} lun_table_group_options;
/* The groups of rows whose n keys, columns, are equal: the keys, then `count` aggregates, in one
 * pass.  n = 0: all rows are one group. */
LUN_API lun_status lun_table_group_agg(lun_engine *e, lun_table *t, const char *const *keys,
                                       int64_t n, const lun_table_aggregate *aggregates,
                                       int64_t count,
                                       const lun_table_group_options *options_or_NULL,
                                       lun_table **out);
/* options of lun_table_join; what is NULL or false has its default */
typedef struct lun_table_join_options {
    size_t size;              /* sizeof(lun_table_join_options) */
    const char *how;          /* "inner" (the default), "left", "right", "full", "semi", "anti",
                                 "cross" or "asof" */
    const char *const *right; /* the names of the keys in u; NULL: as in t */
    const char *suffix;       /* "_right": of u's columns whose names t has */
    const char *validate;     /* "1:1", "1:m", "m:1": keys that occur once */
    bool match_missing;       /* missing keys are equal; else they match nothing */
    bool source;              /* a column _join: "both", "left", "right" */
    const char *const *by;    /* of "asof": keys that are equal, */
    int64_t by_count;         /* and their number */
    const char *direction;    /* of "asof": "backward", "forward" or "nearest" */
    const char *tolerance;    /* of "asof": "10s", of numbers "0.5" */
} lun_table_join_options;
/* The rows of t and u whose n keys, columns, are equal, in t's order, then u's; n = 0: all columns
 * that both have.  LUN_EARG, LUN_ELIMIT: more rows than can be built. */
LUN_API lun_status lun_table_join(lun_engine *e, lun_table *t, lun_table *u,
                                  const char *const *keys, int64_t n,
                                  const lun_table_join_options *options_or_NULL, lun_table **out);

/* Arrow's C data interface.  What goes out is evaluated, and is not copied, but for bools and
 * missing elements, which are packed into bits, and for elements with strides; what stands there
 * stays as it is whatever is written to the arrays later, unless they wrap memory (lun_wrap).
 * Texts are a dictionary of string views.  The consumer releases schema and array, and columns
 * that it has moved out of it, once, on any thread, at any time, also after lun_close.
 * LUN_ESHAPE, LUN_EDTYPE: a column is not of rank 1, or of bf16. */
LUN_API lun_status lun_to_arrow(lun_engine *e, lun_table *t, struct ArrowSchema *s,
                                struct ArrowArray *a);
/* The same as a stream of one batch.  options: "{rows = 65536}": of so many rows; "{text =
 * 'large_utf8'}", 'utf8', 'utf8_view': texts in that form, copied.  NULL: none. */
LUN_API lun_status lun_to_arrow_stream(lun_engine *e, lun_table *t, const char *options,
                                       struct ArrowArrayStream *out);
/* One array. */
LUN_API lun_status lun_array_to_arrow(lun_engine *e, lun_array *a, struct ArrowSchema *s,
                                      struct ArrowArray *x);
/* The reverse: a table of a struct array.  Numbers, dates, timestamps and durations stay in the
 * producer's memory, which is never written, where that is aligned; the rest is copied.  Both
 * structs are moved: `release` is NULL afterwards; after a failure both are still the caller's.
 * LUN_EDTYPE: a column is of a type that no dtype corresponds to; LUN_EARG: an array that is not as
 * its schema says, or a value that no column can have: column and row are named.  Buffers that are
 * shorter than the array says cannot be noticed. */
LUN_API lun_status lun_from_arrow(lun_engine *e, struct ArrowSchema *s, struct ArrowArray *a,
                                  lun_table **out);
/* The same of a stream, whose batches are copied together if there are several; of one that is no
 * struct a table of one column.  options: "{blobs = 'hex', decimals = 'f64', nanoseconds =
 * 'floor'}": bytes as texts ('hex' or 'base64'), decimals of more than 15 digits ('f64' or 'text'),
 * times that are no whole microseconds.  LUN_EIO: the stream fails, with its own text. */
LUN_API lun_status lun_from_arrow_stream(lun_engine *e, struct ArrowArrayStream *in,
                                         const char *options, lun_table **out);
/* One column. */
LUN_API lun_status lun_array_from_arrow(lun_engine *e, struct ArrowSchema *s, struct ArrowArray *x,
                                        lun_array **out);

/* ---- several places ---------------------------------------------------------------------------
 * Elements of arrays are distributed over the places of the set in use (lun_use); kernels run where
 * the elements are, each place its part.  Results do not depend on it. */

/* How an array shall be distributed, elements along its slowest axis in whole slices (rows, of a
 * left layout columns; elements of a vector).
 * kind       elements
 * "none"     not decided: a kernel that uses it with distributed arrays decides
 * "single"   all at place `device`
 * "block"    contiguous parts in the order of places
 * "overlap"  the same, and up to `halo` slices on both sides of each part
 * "copy"     all at every place */
typedef struct lun_distribution {
    size_t size; /* sizeof(lun_distribution) */
    const char *kind;
    const char *rule; /* sizes of the parts of n slices over p places: "remainder" (NULL: the same):
                         floor(n / p), the last one has the rest too; "ceiling": ceil(n / p) until
                         none is left; "balanced": differing by one at most, larger ones first */
    const double *weights; /* instead of a rule: sizes in this proportion, one for each place; */
    int weight_count;      /* 0: none */
    int device;            /* of "single": number of a place, from 0 */
    int64_t halo;
    lun_function *combine; /* of two values, as for lun_reduce: merges copies that differ from now
                              on; NULL: the one given before, if any */
} lun_distribution;
/* Decides how a is distributed from now on.  Moves no element: kernels do, as they need it.  Of an
 * expression it holds for the result; a virtual array gets memory.  LUN_EARG: an unknown name or a
 * value that does not fit, a window on another array, or "none" after another kind; LUN_EDTYPE.
 *
 * Copies differ once a function of lun_teams has written an array that is a copy on each place.
 * Such an array has one value: its copies in the order of places, combined element by element, (c1
 * f c2) f c3 ...; f is the function of this call where it is distributed anew, else the one kept,
 * else the operation of lun_atomic if it was written only by that (subtractions add up; all places
 * but the first then begin with the neutral element), else the first copy is taken, which is logged
 * once. They are merged once, when anything but a kernel that writes the array uses it. */
LUN_API lun_status lun_distribute(lun_engine *e, lun_array *a, const lun_distribution *wanted);
/* Says that the copies of a, which is a copy on each place, differ from now on. */
LUN_API lun_status lun_touched(lun_engine *e, lun_array *a);

/* How an array is distributed over the set in use. */
typedef struct lun_distribution_state {
    size_t size;                  /* sizeof(lun_distribution_state) */
    const char *kind, *rule;      /* rule: NULL if there is none of these */
    int axis;                     /* of the slices, from 0 */
    int places;                   /* of the set: so many have the lists that follow, which
                                           stay until the engine's next call of this function */
    const char *const *device;    /* names */
    const int64_t *count, *start; /* slices that belong there, the first; without halos */
    const bool *fresh;            /* all that belongs there is current there; */
    bool fresh_host;              /* all is current in the host's memory */
    int64_t halo;
    bool diverged;          /* its copies differ and wait to be merged */
    const char *combine;    /* the operation by which copies are merged, "function" for another one;
                            NULL: none was given; */
    lun_function *function; /* the same, borrowed */
} lun_distribution_state;
/* Tells how a is distributed; computes and moves nothing. */
LUN_API lun_status lun_distribution_get(lun_engine *e, lun_array *a, lun_distribution_state *out);
/* ---- the explicit layer: memory, queues, tasks ------------------------------------------------
 * Nothing here has a default device and nothing is copied by itself: memory is at a place, work is
 * given to a queue of a place, and the program decides on copies and waits.  Handles are
 * released before lun_close, which stops and drops the work in flight. */

typedef struct lun_memory lun_memory; /* a buffer */
typedef struct lun_queue lun_queue;
typedef struct lun_task lun_task;
typedef struct lun_event lun_event;

/* Memory, all zero, of a device ("opencl:1"), or of the host ("host", "openmp", "reference"), for
 * an array of 1 to LUN_MAX_RANK extents, row-major.  LUN_EARG: no such device; LUN_ESHAPE,
 * LUN_ELIMIT. */
LUN_API lun_status lun_buffer_new(lun_engine *e, const char *device, int rank,
                                  const int64_t *extents, lun_dtype t, lun_memory **out);
typedef struct lun_buffer_options {
    size_t size;   /* sizeof(lun_buffer_options) */
    int64_t pitch; /* bytes from one row to the next; 0: rows stand without gaps */
    int64_t align; /* or rows begin at multiples of so many bytes, a power of two up to 64; 0 */
    const char *memory; /* NULL, "plain"; of a device: "pinned", the host's memory, which the device
                           uses where it is, or "shared", memory that both have */
} lun_buffer_options;
/* The same with rows that may stand apart, of 1 to LUN_MAX_RANK - 1 extents then; options NULL: as
 * that.  LUN_EARG: a pitch that is shorter than a row or no multiple of an element's size, no such
 * align or memory; LUN_EBACKEND: the device has no such memory.  Memory of the host is plain. */
LUN_API lun_status lun_buffer_make(lun_engine *e, const char *device, int rank,
                                   const int64_t *extents, lun_dtype t,
                                   const lun_buffer_options *options, lun_memory **out);
/* Frees the memory as soon as no enqueued work uses it; later uses are LUN_EFREED.  The handle
 * stays.  NULL is allowed. */
LUN_API void lun_buffer_free(lun_memory *b);
/* Releases the handle; the memory ends with the last task or work that has it.  NULL is allowed. */
LUN_API void lun_buffer_release(lun_memory *b);
typedef struct lun_buffer_info {
    size_t size; /* sizeof(lun_buffer_info) */
    lun_dtype dtype;
    int rank;
    int64_t extent[LUN_MAX_RANK];
    int64_t pitch;      /* bytes from one row to the next */
    const char *device; /* its name, or "host" */
    bool freed;
    void *data; /* host memory, to be touched while no work that has it is in flight; else NULL */
    const char *memory; /* what it is: "plain", "pinned", "shared" */
} lun_buffer_info;
/* What it is. */
LUN_API void lun_buffer_get(const lun_memory *b, lun_buffer_info *out);

typedef struct lun_argument {
    size_t size;        /* sizeof(lun_argument) */
    lun_memory *buffer; /* borrowed; NULL: */
    lun_value number;
} lun_argument;
/* f(t, args...), of the host's language or C text, for each thread of the teams of w, as lun_teams
 * calls it, with buffers instead of arrays; numbers that f captures have their present values.
 * LUN_EARG: f captures an array, or assigns elements of a buffer that is handed over twice;
 * LUN_ELIMIT as there. */
LUN_API lun_status lun_task_new(lun_engine *e, lun_function *f, const lun_workdiv *w,
                                const lun_argument *args, int count, lun_task **out);
/* Releases a task; enqueued work holds it as long as it needs it.  NULL is allowed. */
LUN_API void lun_task_release(lun_task *t);

typedef struct lun_queue_options {
    size_t size; /* sizeof(lun_queue_options) */
    bool async; /* calls return at once, a thread does the work; else they return when it is done */
} lun_queue_options;
/* A queue of a backend or device ("openmp", "opencl:2"): its work is done in the order in which it
 * was enqueued. Queues run in parallel, also those of one device.  options NULL: all zero.
 * LUN_ELIMIT: more than 64 asynchronous ones. */
LUN_API lun_status lun_queue_new(lun_engine *e, const char *device,
                                 const lun_queue_options *options, lun_queue **out);
/* Releases the handle: enqueued work is still done.  NULL is allowed. */
LUN_API void lun_queue_free(lun_queue *q);
/* The name of its device, "" for NULL. */
LUN_API const char *lun_queue_device(const lun_queue *q);
/* Enqueues a task.  LUN_EARG: a buffer of the task is at another place; LUN_EFREED.  A failure
 * while it runs is the failure of this call or, of an asynchronous queue, of the next wait for it;
 * work behind it in the queue is dropped until then. */
LUN_API lun_status lun_queue_enqueue(lun_queue *q, lun_task *t);
/* Evaluates an array on the queue's device; failures as above.  An asynchronous queue takes its
 * present expression, and its elements are available after a wait; uses before that compute them
 * again. */
LUN_API lun_status lun_queue_evaluate(lun_queue *q, lun_array *a);

typedef struct lun_copy_side {
    size_t size;                /* sizeof(lun_copy_side) */
    lun_memory *buffer;         /* borrowed; NULL: */
    lun_array *array;           /* borrowed */
    int64_t from[LUN_MAX_RANK]; /* its first element in the copy, along each axis, from 0 */
} lun_copy_side;
/* Enqueues a copy of a box of elements, `extents` along each axis (NULL: all of `from`), between
 * any two places, of one dtype and number of extents.  A copied array has its present elements; a
 * receiving array gets them when the program waits for the queue or for an event behind the copy.
 * LUN_ERANGE: it does not fit; LUN_EARG: it overlaps itself; LUN_EDTYPE, LUN_ESHAPE. */
LUN_API lun_status lun_queue_copy(lun_queue *q, const lun_copy_side *to, const lun_copy_side *from,
                                  const int64_t *extents);
/* Waits until all enqueued work is done. */
LUN_API lun_status lun_queue_wait(lun_queue *q);
/* Whether all enqueued work is done. */
LUN_API lun_status lun_queue_idle(lun_queue *q, bool *idle);

/* An event that happens when all work enqueued before is done. */
LUN_API lun_status lun_queue_record(lun_queue *q, lun_event **out);
/* Work enqueued from now on begins after the event, of any queue, has happened or was dropped. */
LUN_API lun_status lun_queue_wait_for(lun_queue *q, lun_event *ev);
/* Whether it has happened, or was dropped behind a failure. */
LUN_API lun_status lun_event_done(lun_event *ev, bool *done);
/* Waits until it happens; fails as lun_queue_wait does if it was dropped. */
LUN_API lun_status lun_event_wait(lun_event *ev);
/* Releases an event.  NULL is allowed. */
LUN_API void lun_event_release(lun_event *ev);

/* ---- looking inside -------------------------------------------------------------------------- */

typedef struct lun_plan_kernel {
    size_t size;       /* sizeof(lun_plan_kernel) */
    int ops;           /* operations in it */
    int reads, writes; /* arrays */
    int64_t bytes_read, bytes_written;
    int64_t n;          /* length of its index space */
    const char *name;   /* "map", "reduce", "scan"; without a kernel: "copy", "fill", "matmul" */
    const char *ir;     /* canonical IR */
    const char *source; /* what the backend compiles */
    const char *cut;    /* why the graph was cut after it; "" for the last */
    int kept;           /* of the arrays that it writes: stored in addition to the results */
    const char
        *types; /* dtypes found in plain Lua functions: of parameters, variables, results; of a
                   matrix product its shapes and what computes it; "" */
    int staged; /* of the arrays that it reads: elements that are not contiguous, which are
                   copied into the cache, part by part, before it reads them */
    int chain;  /* number, from 1, of the chain that it runs in: neighbours with one number run some
                   rows at a time, so that arrays between them stay in the cache, and bytes_read and
                   bytes_written count only the chain's own traffic; 0: in none */
    int sweep;  /* 1: it reads elements around each index, and the kernels of its chain are
                   blocked in time: each follows the one before some rows behind; else 0 */
    const char
        *space; /* the axes of its n indices, outermost first, "60 x 80": as few as say it, since
                   axes are merged along which the elements of all arrays go on evenly, as
                   "4800"; of a reduction or scan along an axis that is the last one, of a matrix
                   product the space is rows x columns x length of a row, behind the batch */
    const char *labels; /* of the arrays that it reads and writes and that have one: "rho, u"; "" */
} lun_plan_kernel;
/* Elements that are copied between places of a set before a kernel runs.  How many of an exchange,
 * and to which places, depends on elements: `to` is "other places", `bytes` an upper bound; it
 * counts in bytes_exchanged. */
typedef struct lun_plan_move {
    size_t size;           /* sizeof(lun_plan_move) */
    const char *from, *to; /* names of places; "host": the host's memory; "file": a file */
    const char *why;
    int64_t bytes;
    int kernel;   /* number, from 0 */
    int exchange; /* 1: it is one; 0: these bytes move */
} lun_plan_move;
/* Indices of a kernel that a place runs. */
typedef struct lun_plan_place {
    size_t size; /* sizeof(lun_plan_place) */
    const char *name;
    int64_t first, count;
    int kernel; /* number, from 0 */
    /* "": all of their work.  Of a scan that several places share, before that: "totals": their
     * totals are computed; "carries": the totals of all are chained there. Of a segment that they
     * sort: "samples": `count` of its sorted elements there determine the splitters. */
    const char *what;
} lun_plan_place;
/* The plan of an evaluation of these arrays, without running it; released by lun_plan_release. */
LUN_API lun_status lun_explain(lun_engine *e, lun_array *const *arrays, int count, lun_plan **out);
/* The graph that was planned, a line for each node, operands before users; valid until
 * lun_plan_release. */
LUN_API const char *lun_plan_graph(const lun_plan *p);
/* The steps of the plan, a line for each: MOVE of what locations of a set have to get, LAUNCH,
 * CELLS, PRODUCT, ALGORITHM, EXCHANGE, JOIN of what they found; values by numbers, with dtype,
 * shape and distribution where they are named first; below a kernel its IR.  It hangs on the form
 * of the graph, dtypes, shapes, distributions and the kind of devices alone: but for its first
 * line, which has the number of locations, it is the same on any set and machine.  The same
 * lifetime. */
LUN_API const char *lun_plan_text(const lun_plan *p);
/* The number of kernels. */
LUN_API int lun_plan_count(const lun_plan *p);
/* Kernel `index` from 0, in order; valid until lun_plan_release.  NULL past the last. */
LUN_API const lun_plan_kernel *lun_plan_at(const lun_plan *p, int index);
/* Move `index` from 0, in order; valid until lun_plan_release.  NULL past the last. */
LUN_API const lun_plan_move *lun_plan_move_at(const lun_plan *p, int index);
/* Place `index` from 0 of all places of all kernels, in order; the same. */
LUN_API const lun_plan_place *lun_plan_place_at(const lun_plan *p, int index);
/* Releases a plan.  NULL is allowed. */
LUN_API void lun_plan_release(lun_plan *p);

/* The cost of one kernel, matrix product or algorithm (such as sort) while a profile ran.  Times
 * are in seconds. */
typedef struct lun_profile_row {
    size_t size;                /* sizeof(lun_profile_row) */
    const char *name;           /* "map", "reduce", "scan", "matmul", "sort", "group", ... */
    const char *what;           /* its operations, as far as they fit: "sub mul add" */
    const char *where;          /* "script:12" of its last operation, "" if unknown */
    int ops;                    /* operations in it */
    int64_t calls, interpreted; /* runs; of these, by the reference tier */
    int64_t elements, bytes;    /* of its index space; read and written */
    double compile;             /* of the compiler, even in the background */
    double transfer, run;       /* between host and device; of the kernel and of waiting for it */
    const char *labels; /* of arrays that it read or wrote and that have one, as far as they fit:
                           "rho, u"; "" */
} lun_profile_row;
/* Starts recording the cost of each kernel, and clears the previous rows. */
LUN_API lun_status lun_profile_start(lun_engine *e);
/* Stops recording; the rows stay. */
LUN_API void lun_profile_stop(lun_engine *e);
/* Row `index` from 0; false past the last. Its texts are valid until the next lun_profile_start or
 * evaluation. */
LUN_API bool lun_profile_at(const lun_engine *e, int index, lun_profile_row *out);

/* ---- tools -----------------------------------------------------------------------------------
 * A tool is a table of functions that an engine calls where work begins and ends: profilers,
 * traces, counters of hardware.  Without one nothing is measured. */

/* Kinds of work. */
typedef enum lun_tool_kind {
    LUN_TOOL_KERNEL,     /* a run of a kernel, or of kernels that run together */
    LUN_TOOL_PRODUCT,    /* of a matrix product */
    LUN_TOOL_ALGORITHM,  /* of an algorithm, such as sort */
    LUN_TOOL_COPY,       /* elements between host and device, or between locations of a set */
    LUN_TOOL_ALLOCATION, /* memory of elements: begins where it is taken, ends where it is given
                            back */
    LUN_TOOL_COMPILE,    /* of kernels, also in the background */
    LUN_TOOL_MESSAGE,    /* a rank sends, or waits for others */
    LUN_TOOL_PLAN,       /* a graph becomes steps */
    LUN_TOOL_TASK,       /* work of a queue */
    LUN_TOOL_FILE,       /* elements from a file or into it, a file loaded or saved */
    LUN_TOOL_DOOR,       /* another library's work, such as a query */
    LUN_TOOL_SCRIPT,     /* a chunk of Lua runs */
    LUN_TOOL_REGION,     /* a region that a script or a host has named */
    LUN_TOOL_KINDS
} lun_tool_kind;
/* What begins or ends; texts are never NULL, and valid during the call. */
typedef struct lun_tool_event {
    size_t size; /* sizeof(lun_tool_event) */
    lun_tool_kind kind;
    const char *name;  /* "map", "reduce", "matmul", "sort", "read", ...; of a region its own */
    const char *label; /* a kernel's operations "sub mul add", a file's path, ...; "": none */
    const char *place; /* the device or location, "openmp", "opencl:2", "openmp/2"; "": none */
    const char *where; /* "script:12", of a kernel that of its last operation; "": unknown */
    const char *track; /* what does it beside the calling thread, "compiler"; NULL: that thread */
    uint64_t id;       /* with a track, and of an allocation: the same at beginning and end */
    double time;       /* seconds on the monotonic clock */
    int64_t elements, bytes; /* of its index space; read and written, or moved; 0: unknown */
    int operations;          /* in the kernels */
    int interpreted;         /* at the end: 1: the reference tier ran it */
} lun_tool_event;
typedef struct lun_tool_calls {
    void (*begin)(void *ctx, const lun_tool_event *ev); /* NULL: it is not called */
    void (*end)(void *ctx, const lun_tool_event *ev);
} lun_tool_calls;
/* They are called one at a time, kernels, products and algorithms by the thread that is inside of
 * the engine or a queue's, compilations by any; they call no function of that engine.  Beginnings
 * and ends of a thread nest, but for allocations.  A tool that is added or removed in between sees
 * one without the other. */
typedef struct lun_tool {
    size_t size; /* sizeof(lun_tool) */
    void *ctx;
    void (*close)(void *ctx); /* once, where it is removed or the engine closes; NULL: not called */
    lun_tool_calls on[LUN_TOOL_KINDS];
} lun_tool;
/* Adds a tool, which is copied.  LUN_EARG: from a tool's function. */
LUN_API lun_status lun_tool_add(lun_engine *e, const lun_tool *tool);
/* Removes the tools with that ctx.  LUN_EARG: there is none, or from a tool's function. */
LUN_API lun_status lun_tool_remove(lun_engine *e, const void *ctx);
/* The function lunarray_tool of a library that LUNARRAY_TOOL names (paths separated by ":"; not in
 * a sandbox): fills *out, whose size is there, for an engine that opens; false: it does not watch
 * this one. */
typedef bool lun_tool_entry(lun_engine *e, lun_tool *out);
/* A part of the host's work, by a name of its own; regions nest.  Nothing happens without a
 * tool. */
LUN_API lun_status lun_region_begin(lun_engine *e, const char *name);
/* The innermost one ends.  LUN_EARG: none is open. */
LUN_API lun_status lun_region_end(lun_engine *e);
/* Begins a trace: what the engine does from now on, as a tool sees it, into a file of Chrome's
 * trace events as JSON, which Perfetto and chrome://tracing show.  NULL ends it and writes the
 * file, whole or not at all; where the engine closes, too.  Of several ranks each writes its own,
 * rank 0 that of the path, others as "name.rank1.json".  LUN_EARG: one is on, or none is; LUN_EIO:
 * the file cannot be written. */
LUN_API lun_status lun_trace(lun_engine *e, const char *path_or_NULL);

/* ---- ranks -----------------------------------------------------------------------------------
 * Several engines that run one program: threads of this process (lun_ranks_new), or processes that
 * a launcher has started, over MPI, which is found and loaded at run time.  Everything is private
 * to a rank but what these functions move.  A step is something that all ranks do, in one order;
 * before each they agree on what it is. If they do not, or one has ended: LUN_ESCRIPT on all of
 * them, with what each does, and the next step may succeed.  LUN_EBACKEND: the ranks have given up,
 * since one was silent for LUNARRAY_RANK_TIMEOUT seconds or was stopped, and no step succeeds any
 * more.  While a call waits for other ranks it answers them, and heeds
 * lun_cancel and the time limit, which end the steps of all ranks. */

/* So many ranks that are threads of this process, 1 to 4096: each opens an engine with its number
 * in lun_config.ranks and rank, and uses it in a thread of its own.  To be freed once all have
 * called lun_spmd_start. */
LUN_API lun_status lun_ranks_new(int count, lun_ranks **out);
/* Frees what they were made with.  NULL is allowed. */
LUN_API void lun_ranks_free(lun_ranks *ranks);
/* The rank of an engine with this configuration; with none: of this process, as its launcher says;
 * 0 without a launcher. */
LUN_API int lun_rank(const lun_config *config_or_NULL);
/* Makes the engine a rank; does nothing the second time.  If a launcher has started several
 * processes, MPI is loaded and, unless the host has, started: all processes must call this. One
 * process alone loads nothing.  LUN_EBACKEND, with the libraries tried: no MPI could be loaded, or
 * its number of ranks is not the launcher's. */
LUN_API lun_status lun_spmd_start(lun_engine *e);
/* The number of ranks; 1 before lun_spmd_start. */
LUN_API int lun_spmd_npes(lun_engine *e);
/* The number of this one, from 0; 0 before lun_spmd_start. */
LUN_API int lun_spmd_mype(lun_engine *e);
/* Waits until all ranks are here. */
LUN_API lun_status lun_spmd_barrier(lun_engine *e);
/* Begins a barrier; work may stand before its end, and another step ends it too. */
LUN_API lun_status lun_spmd_barrier_begin(lun_engine *e);
/* Waits until all ranks have begun it.  LUN_EARG: this one has not. */
LUN_API lun_status lun_spmd_barrier_end(lun_engine *e);
/* root's bytes to all; count is the same on all. */
LUN_API lun_status lun_spmd_bcast(lun_engine *e, int root, void *bytes, int64_t count);
/* count bytes of each rank to root, in rank order: there `all` has room for npes times as many;
 * NULL elsewhere. */
LUN_API lun_status lun_spmd_gather(lun_engine *e, int root, const void *own, int64_t count,
                                   void *all);
/* count bytes of each rank to all, in rank order: all has room for npes times as many. */
LUN_API lun_status lun_spmd_allgather(lun_engine *e, const void *own, int64_t count, void *all);
/* count bytes for each rank in `given`, as many from each in `got`. */
LUN_API lun_status lun_spmd_alltoall(lun_engine *e, const void *given, int64_t count, void *got);
/* A message to another rank, or to this one, with a tag, 0 to 30000; does not wait for its
 * receiver. */
LUN_API lun_status lun_spmd_send(lun_engine *e, int pe, int tag, const void *bytes, int64_t count);
/* The next message from a rank with that tag.  LUN_ERANGE: it has more than `room` bytes; LUN_EARG:
 * of this one, which has sent none. */
LUN_API lun_status lun_spmd_recv(lun_engine *e, int pe, int tag, void *bytes, int64_t room,
                                 int64_t *count);
/* Elements of all ranks' x, of one dtype and shape, combined in rank order by the pair tree
 * (neighbours, then the results of neighbours): the same bits on all.  op: ADD, MUL, BAND, BOR,
 * BXOR, MIN, MAX, FMIN, FMAX, LAND or LOR (LUN_EARG). */
LUN_API lun_status lun_spmd_allreduce(lun_engine *e, lun_op op, lun_array *x, lun_array **out);
/* The same for root alone; elsewhere *out becomes NULL. */
LUN_API lun_status lun_spmd_reduce(lun_engine *e, lun_op op, lun_array *x, int root,
                                   lun_array **out);
/* Of PE 0 up to this one. */
LUN_API lun_status lun_spmd_scan(lun_engine *e, lun_op op, lun_array *x, lun_array **out);
/* Of PE 0 up to the one before; on PE 0 *out becomes NULL. */
LUN_API lun_status lun_spmd_exscan(lun_engine *e, lun_op op, lun_array *x, lun_array **out);
/* n elements on PE 0 that all ranks read and write, 0 or copied from `first` there; a step. */
LUN_API lun_status lun_spmd_shared(lun_engine *e, lun_dtype t, int64_t n, const void *first_or_NULL,
                                   lun_shared **out);
/* n elements on each rank, which the others read and write; a step. */
LUN_API lun_status lun_spmd_symmetric(lun_engine *e, lun_dtype t, int64_t n,
                                      const void *first_or_NULL, lun_shared **out);
/* Frees them; a step.  lun_close does so without. */
LUN_API lun_status lun_spmd_shared_free(lun_engine *e, lun_shared *s);
/* This rank's elements, to be read and written as any array and not to be released; NULL where it
 * has none; of a blocked array its part. */
LUN_API lun_array *lun_spmd_local(lun_shared *s);
/* Elements first .. first+count-1, counted from 0, of PE pe; of lun_spmd_shared pe does not matter.
 * Elements of another rank take a message each way, which that rank answers while it waits in one
 * of these functions.  LUN_ERANGE: there are no such elements. */
LUN_API lun_status lun_spmd_get(lun_engine *e, lun_shared *s, int pe, int64_t first, int64_t count,
                                void *out);
/* The same way, to PE pe. */
LUN_API lun_status lun_spmd_put(lun_engine *e, lun_shared *s, int pe, int64_t first, int64_t count,
                                const void *elements);
/* Changes one element, one rank at a time, and gives the old one.  op: "add", "sub", "min", "max",
 * "band", "bor", "bxor" or "exchange" (LUN_EARG), on integers and, but for the bits, floats of 32
 * and 64 bits (LUN_EDTYPE). */
LUN_API lun_status lun_spmd_atomic(lun_engine *e, lun_shared *s, int pe, int64_t index,
                                   const char *op, lun_value x, lun_value *old);
/* Blocked arrays: each rank has a part, a box of elements, which lun_spmd_local gives as an array.
 * Elements of other ranks are read, written and changed by lun_spmd_get and its like, at the PE and
 * place that lun_spmd_home tells. */
typedef struct lun_blocking {
    size_t size; /* sizeof(lun_blocking) */
    int rank;    /* at least 1 */
    int64_t extent[LUN_MAX_RANK];
    bool blocked[LUN_MAX_RANK]; /* by axis; at least one */
    const char *rule;           /* sizes of the parts along a blocked axis: "ceiling", "balanced" or
                                   "remainder", as lun_distribution has them; NULL: ceiling for one
                                   axis, balanced for several, over which the ranks form a grid */
} lun_blocking;
/* Zeros; a step.  LUN_EARG: no such rule, or no axis is blocked; LUN_ESHAPE, LUN_ERANGE: the
 * shape. */
LUN_API lun_status lun_spmd_blocked(lun_engine *e, lun_dtype t, const lun_blocking *how,
                                    lun_shared **out);
/* A copy of a, which is the same on all ranks, of which each keeps its part: blocked along one
 * axis, counted from 0, or backwards from -1; a step, without a message. */
LUN_API lun_status lun_spmd_distribute(lun_engine *e, lun_array *a, int axis,
                                       const char *rule_or_NULL, lun_shared **out);
/* A private copy of all elements of a blocked array, on each rank; a step. */
LUN_API lun_status lun_spmd_whole(lun_engine *e, lun_shared *s, lun_array **out);
/* The PE that has an element, with indices from 0, and the element's number there, as lun_spmd_get
 * counts them.  LUN_ERANGE: there is no such element; LUN_EARG: s is not blocked. */
LUN_API lun_status lun_spmd_home(lun_engine *e, const lun_shared *s, const int64_t *index, int *pe,
                                 int64_t *place);
/* A PE's elements along an axis, from 0: the first index and their number; either may be NULL.
 * LUN_EARG: there is no such PE, or s is not blocked; LUN_ESHAPE: no such axis. */
LUN_API lun_status lun_spmd_blksize(lun_engine *e, const lun_shared *s, int axis, int pe,
                                    int64_t *first_or_NULL, int64_t *count_or_NULL);
/* Bytes of a PE's elements; of other arrays than blocked ones too. */
LUN_API lun_status lun_spmd_localsize(lun_engine *e, const lun_shared *s, int pe, int64_t *bytes);
/* A loop that ranks share: indices first[k] .. first[k] + extent[k] - 1 along axis k, from 0.  Each
 * rank runs the rounds whose element of the owner, a blocked array, it has. */
typedef struct lun_spmd_loop {
    size_t size; /* sizeof(lun_spmd_loop) */
    int rank;    /* at least 1 */
    int64_t first[LUN_MAX_RANK], extent[LUN_MAX_RANK];
    lun_shared *owner;
    bool indexed; /* false: the element at the round's indices, in their order; else along axis d */
    int variable[LUN_MAX_RANK]; /* index number variable[d], from 0, each at most once, */
    int64_t factor[LUN_MAX_RANK], offset[LUN_MAX_RANK]; /* times the factor, plus the offset, which
                                                           is all where variable[d] is -1 */
} lun_spmd_loop;
/* What a text takes: a blocked array, or else a number or an array of this rank's own. */
typedef struct lun_spmd_arg {
    size_t size; /* sizeof(lun_spmd_arg) */
    lun_array *array;
    lun_shared *blocked;
    int64_t reach; /* of a blocked one: how far from its rank's part, along each axis, elements are
                      that a round uses, in indices; negative: any distance */
} lun_spmd_arg;
/* lun_each of C text by all ranks, each its rounds; a step, and a barrier at its end.  Pointers to
 * blocked arrays are to all elements, row-major: those in reach are as they were before the loop,
 * the rest is undefined and what is written there lost.  What rounds change goes to the ranks that
 * have it, one message for each pair of ranks each way.  Memory for all elements is reserved on
 * each rank; only the part in reach is touched.
 * LUN_EARG: rounds of two ranks have changed one element; LUN_ERANGE: a round has no element of the
 * owner.  A failure on one rank is that of all, "PE 2: ...", and no blocked array has changed. */
LUN_API lun_status lun_spmd_each(lun_engine *e, lun_function *f, const lun_spmd_loop *loop,
                                 const lun_spmd_arg *args, int count);
/* Begins what PE 0 alone does: *mine is true there.  Steps inside fail. */
LUN_API lun_status lun_spmd_master_begin(lun_engine *e, bool *mine);
/* Its end, for which all wait; PE 0's bytes to all, count the same on all. */
LUN_API lun_status lun_spmd_master_end(lun_engine *e, void *bytes, int64_t count);
/* Waits until no other rank is in a critical section, in a script or in C, and enters it; no step.
 * Steps inside fail.  LUN_EARG: this rank is inside already. */
LUN_API lun_status lun_spmd_critical_begin(lun_engine *e);
/* Leaves it.  LUN_EARG: this rank is in none. */
LUN_API lun_status lun_spmd_critical_end(lun_engine *e);
/* This rank takes no further step; why: told to ranks that do ("out of data"), or NULL.  Returns
 * when all have ended.  lun_close does the same. */
LUN_API lun_status lun_spmd_end(lun_engine *e, const char *why);

/* One engine on all ranks: rank 0 opens it with the backend "mpi", whose places "mpi:1", "mpi:2",
 * ... are the ranks, mpi:1 rank 0 itself; it is used as any other, and takes no steps (it is one
 * rank alone to the functions above).  The other ranks, those with lun_rank(config) > 0, call this
 * instead of lun_open: it does what rank 0 asks for and returns when that engine has been closed.
 * Each rank computes by the backend LUNARRAY_RANK_BACKEND, or the best of its machine; `backend` of
 * the configuration is not used.  LUN_EARG: this is rank 0; LUN_EBACKEND: that backend cannot be
 * used, or the other ranks were lost, with the reason in lun_error(NULL). */
LUN_API lun_status lun_serve(const lun_config *config_or_NULL);

/* ---- Lua ------------------------------------------------------------------------------------- */

/* Runs source text (no bytecode) in the engine's own Lua state, created on first use, with `lun`
 * preset to this engine; it and its globals persist.  LUN_ESCRIPT: a syntax error, or an uncaught
 * error with its traceback, at lun_error_where; an uncaught failure of an evaluation keeps its
 * status (LUN_EZERO, ...); LUN_ECANCEL, LUN_ELIMIT, LUN_ENOMEM if it was stopped.
 */
LUN_API lun_status lun_dostring(lun_engine *e, const char *text);
/* The same with a text of so many bytes, which may contain NUL, and its name as Lua has it:
 * "@rules.lua" is a file's, "=rules" itself; NULL: "=script".  Errors begin with it. */
LUN_API lun_status lun_run(lun_engine *e, const char *text, size_t length,
                           const char *chunkname_or_NULL);
/* The same with a file.  LUN_EIO if it cannot be read. */
LUN_API lun_status lun_dofile(lun_engine *e, const char *path);
/* Chooses the globals of the runs and calls that follow, until the next lun_scope: those of the
 * scope with that name, made at its first use.  NULL or "": the first scope, in use from the
 * beginning.  A new scope has what the first one had before any script ran: globals, tables such
 * as `string` and `lun`, and methods of strings of its own, so that what a script assigns there
 * is seen in its scope alone; what the host sets or registers belongs to the scope that is
 * chosen then.  A script that is running keeps its scope.  All scopes share the engine, its
 * limits and settings (`lun.seed`, `lun.width` ...), and, if the engine is no sandbox, Lua's
 * modules and `debug`: docs/embedding.md. */
LUN_API lun_status lun_scope(lun_engine *e, const char *name);
/* Ends a scope: its globals are lost, and the first scope is chosen if it was this one.
 * LUN_EARG if there is none of that name, or for the first one. */
LUN_API lun_status lun_scope_end(lun_engine *e, const char *name);
/* The same as objects, for thousands of them: some 20 microseconds and 3 KB each.  A scope has
 * globals of its own; Lua's libraries and `lun` are those of the engine until a script writes to
 * one, which is a copy of its own then; methods of texts are those of the engine.  A scope is used
 * as its engine is, and ends before it.  Paths are names of globals and of fields, "cfg.gain".
 * After a limit has stopped a script its scope is usable.  LUN_EARG: there is no scope, or it has
 * ended. */
LUN_API lun_status lun_scope_new(lun_engine *e, lun_globals **out);
/* Ends a scope; what it holds is collected with time, or by lun_trim.  Inside a call of its own it
 * stays, and lun_error says so.  NULL is allowed. */
LUN_API void lun_scope_free(lun_globals *s);
/* lun_run, in that scope. */
LUN_API lun_status lun_scope_run(lun_globals *s, const char *text, size_t length,
                                 const char *chunkname_or_NULL);
/* Sets the value of a path, whose tables are made where there are none. */
LUN_API lun_status lun_scope_set(lun_globals *s, const char *path, const lun_variant *v);
/* The value of a path, nil where there is none; arrays and tables are references to be released,
 * texts are valid until the next call that gives texts. */
LUN_API lun_status lun_scope_get(lun_globals *s, const char *path, lun_variant *out);
/* lun_callglobal of the function at a path. */
LUN_API lun_status lun_scope_call(lun_globals *s, const char *path, const lun_variant *args,
                                  int count, lun_variant *results, int room, int *given);
/* Holds the value of a path, whatever becomes of the path: a function to be called. */
LUN_API lun_status lun_scope_ref(lun_globals *s, const char *path, lun_ref **out);
/* Calls that function.  LUN_EARG: it is none, or its scope has ended. */
LUN_API lun_status lun_ref_call(lun_ref *r, const lun_variant *args, int count,
                                lun_variant *results, int room, int *given);
/* Before lun_close, also after the end of its scope.  NULL is allowed. */
LUN_API void lun_ref_free(lun_ref *r);
/* Sets a global to a; the script shares the array with the host. */
LUN_API lun_status lun_setglobal(lun_engine *e, const char *name, lun_array *a);
/* The array that is the value of a global; LUN_EARG if it is none. */
LUN_API lun_status lun_getglobal(lun_engine *e, const char *name, lun_array **out);
/* Sets a global to x, a float. */
LUN_API lun_status lun_setnumber(lun_engine *e, const char *name, double x);
/* The number, or Scalar, that is the value of a global; LUN_EARG if it is none. */
LUN_API lun_status lun_getnumber(lun_engine *e, const char *name, double *out);
/* Sets a global to a NUL-terminated text, which is copied. */
LUN_API lun_status lun_settext(lun_engine *e, const char *name, const char *text);
/* The text that is the value of a global, and its length in bytes (length may be NULL); LUN_EARG
 * if it is none.  Valid until the next lun_gettext or lun_callglobal. */
LUN_API lun_status lun_gettext(lun_engine *e, const char *name, const char **out, size_t *length);

/* Calls the function that is the value of a global with `count` arguments, and returns `room`
 * results, nil for missing ones; *given (may be NULL): the number that it returned.  Arrays among
 * them are references for lun_release; texts are valid until the next lun_callglobal or
 * lun_gettext.  LUN_EARG: not a function, or a result that is no lun_variant (a table); else as
 * lun_dostring. */
LUN_API lun_status lun_callglobal(lun_engine *e, const char *name, const lun_variant *args,
                                  int count, lun_variant *results, int room, int *given);

/* A host function that scripts call.  Arrays in args are borrowed, texts valid until it returns.
 * It writes up to LUN_MOST_RESULTS results and their number to *given; arrays among them are
 * references that it passes on, texts are copied.  A status other than LUN_OK is raised in the
 * script, with the text of lun_fail.  It may call the engine, except lun_close. */
enum { LUN_MOST_RESULTS = 16 };
typedef lun_status lun_native(void *ctx, lun_engine *e, const lun_variant *args, int count,
                              lun_variant *results, int *given);
/* Sets a global to such a function.  ctx must stay valid until lun_close. */
LUN_API lun_status lun_register(lun_engine *e, const char *name, lun_native *f, void *ctx);
/* The same for the value of a path in a scope.  destroy(ctx) is called once, when no script has the
 * function any more: by lun_trim or a later call after the end of the scope, or by lun_close.
 * NULL: nothing.  After a failure ctx is the host's. */
LUN_API lun_status lun_scope_register(lun_globals *s, const char *path, lun_native *f, void *ctx,
                                      void (*destroy)(void *ctx));

/* ---- the host's own lua_State ---------------------------------------------------------------- */

/* Opens the module in it (for luaL_requiref), with its own engine. */
LUN_API int luaopen_lunarray(struct lua_State *L);
/* That engine; NULL before the module is opened.  It ends with the state. */
LUN_API lun_engine *lun_to_engine(struct lua_State *L);
/* The array at an index of the stack, borrowed while the value lives (lun_retain keeps it); NULL if
 * it is none. */
LUN_API lun_array *lun_to_array(struct lua_State *L, int index);
/* Pushes an array of that engine; the script shares it with the host.  Raises a Lua error if it is
 * of another engine, or out of memory. */
LUN_API void lun_push_array(struct lua_State *L, lun_array *a);

#ifdef __cplusplus
}
#endif
#endif
