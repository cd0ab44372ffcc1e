/* driver.h - what an API for GPUs offers so that the rest of this folder is a backend on it: a
 * table of functions over void handles and numbers.
 *
 * A further API is a folder that fills lun_gpu_driver, and a lun_backend of the functions of
 * gpu.h.  A driver keeps nothing on disk and has no text of failures but the API's own. */
#ifndef LUN_GPU_DRIVER_H
#define LUN_GPU_DRIVER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/strbuf.h"
#include "render/render.h"

enum { LUN_GPU_DEVICES = 64 };

/* ---- devices --------------------------------------------------------------------------------- */

typedef enum lun_gpu_kind { LUN_GPU_GRAPHICS, LUN_GPU_ACCELERATOR, LUN_GPU_PROCESSOR } lun_gpu_kind;

/* Whether a running kernel sees host writes to shared memory (fine-grained coherence). */
typedef enum lun_gpu_coherence {
    LUN_GPU_UNTRIED,
    LUN_GPU_COHERENT,
    LUN_GPU_NOT_COHERENT
} lun_gpu_coherence;

typedef struct lun_gpu_device {
    void *id;       /* the driver's own */
    void *platform; /* the same for devices that can share memory */
    lun_gpu_kind kind;
    char name[256];
    char driver[768]; /* names and versions of all that compiles for the device; */
    char platform_name[128], version[128], own_driver[96]; /* of these: in parts */
    char extensions[4096];      /* names, with blanks between, as far as they fit */
    const char *options;        /* of the compiler */
    uint64_t host;              /* of processors: a hash of this machine's instructions; else 0 */
    int64_t memory, most_bytes; /* in all; of one buffer */
    int64_t parameter_bytes;    /* of a kernel's arguments */
    int64_t group;              /* work-items of the largest work-group */
    int64_t local_bytes;        /* that a work-group shares */
    int units;
    int vector; /* bytes of a native vector */
    bool fp64;
    bool unified; /* its memory is the host's */
    /* What of IEEE 754's arithmetic it lacks in f32 and in f64, "subnormal numbers"; NULL:
     * nothing. */
    const char *lacks[2];
    bool wide_atomics, more_atomics; /* of integers of 64 bits: add, exchange, compare; all */
    lun_gpu_coherence coherence;     /* UNTRIED: the API does not say */
} lun_gpu_device;

/* What the API answered to the last call that failed. */
typedef struct lun_gpu_failure {
    const char *call; /* "clFinish" */
    const char *name; /* of the code; NULL: unknown */
    const char *hint; /* what to do about it, or "" */
    int code;
    bool memory; /* there was not enough of it */
} lun_gpu_failure;

typedef struct lun_gpu_devices {
    lun_gpu_device device[LUN_GPU_DEVICES];
    int count;
    int silent;              /* devices left out because they do not say what they are, */
    lun_gpu_failure unclear; /* and the answer of the last of them */
} lun_gpu_devices;

/* ---- answers --------------------------------------------------------------------------------- */

/* With all but LUN_GPU_OK the driver fills the failure that it was given by `open`. */
typedef enum lun_gpu_answer {
    LUN_GPU_OK,
    LUN_GPU_FAILED,  /* this call alone */
    LUN_GPU_REFUSED, /* the compiler does not take the text */
    LUN_GPU_FAULT,   /* a kernel failed while it ran; nothing more can be done on the device */
    LUN_GPU_LOST,    /* nothing more can be done on the device */
    LUN_GPU_STUCK    /* nor may anything be released: what was given may not have ended */
} lun_gpu_answer;

/* ---- work ------------------------------------------------------------------------------------ */

/* What a queue is opened on. */
typedef struct lun_gpu_opening {
    const void *library; /* of `list`; outlives the queue, as the failure does */
    const lun_gpu_device *device;
    const void *first; /* a queue whose memory this one shares; or NULL: */
    void *const
        *shared; /* the ids of the devices whose queues can share it, the device's own too */
    int shared_count;
} lun_gpu_opening;

/* What has to end before something begins, by the driver's handles. */
typedef struct lun_gpu_after {
    void *const *mark;
    int count;
} lun_gpu_after;

/* A kernel to run over global work-items in groups of local; room: bytes that each group has beside
 * it, the kernel's last argument, 0: there is none. */
typedef struct lun_gpu_step {
    void *kernel;
    size_t global, local, room;
} lun_gpu_step;

/* The driver's handles of where a batch of steps begins and ends on the device; either may be
 * NULL. */
typedef struct lun_gpu_marks {
    void *first, *last;
} lun_gpu_marks;

/* How far a batch is. */
typedef enum lun_gpu_stage {
    LUN_GPU_GIVEN,   /* as far as known no step of it runs: a compiler may */
    LUN_GPU_RUNNING, /* its first or its last step does */
    LUN_GPU_ENDED
} lun_gpu_stage;

/* Each function with a queue may be called only by the process that opened it, one thread at a
 * time.  Those that call a compiler or start threads keep the host's signal handlers
 * (signal_guard.h); enqueue and wait do not. */
typedef struct lun_gpu_driver {
    const char *name;     /* of the backend: "opencl" */
    const char *title;    /* of the API: "OpenCL" */
    const char *settings; /* what its environment variables begin with: "LUNARRAY_OPENCL" */

    /* Loads the API's library and lists the devices that compile and run kernels: graphics
     * first, then accelerators, then processors, each in the API's order.  What it gives is for
     * open, and ends with free; NULL with the reason appended to why, also if there is no
     * device. */
    void *(*list)(lun_gpu_devices *out, lun_strbuf *why);
    /* Makes `parts` devices of one, each with the same number of its units, that can share memory:
     * their ids, with a reference to each, which keep and drop count.  NULL: the API has none. */
    lun_gpu_answer (*split)(const void *library, const lun_gpu_device *device, int parts,
                            void **ids, lun_gpu_failure *failure);
    void (*keep)(const void *library, void *const *ids, int parts);
    void (*drop)(const void *library, void *const *ids, int parts);
    /* IR to text, as lun__cl_dialect_render. */
    lun_status (*render)(const lun_ir *ir, const lun_cl_target *target, lun_strbuf *out,
                         lun_cl_shape *shape);
    /* A builtin text that moves elements, as lun__cl_dialect_builtin. */
    lun_status (*render_builtin)(lun_cl_builtin which, lun_cl_form form, int bytes,
                                 lun_strbuf *out);
    /* The text that measures whether a device is coherent, as lun__cl_dialect_coherence. */
    lun_status (*render_coherence)(lun_strbuf *out);
    /* The text of a math function by itself, as lun__cl_dialect_math. */
    lun_status (*render_math)(lun_op op, lun_dtype dtype, int version, lun_strbuf *out);
    /* The text that multiplies matrices, as lun__cl_dialect_product. */
    lun_status (*render_product)(lun_dtype a, lun_dtype b, lun_dtype c, lun_strbuf *out);

    /* A queue on a device: what is given to it runs in order. */
    lun_gpu_answer (*open)(const lun_gpu_opening *o, lun_gpu_failure *failure, void **queue);
    /* release: false: the API is not called, only the host's memory ends. */
    void (*close)(void *queue, bool release);

    /* Memory.  Ends when the work before has ended. */
    lun_gpu_answer (*allocate)(void *queue, int64_t bytes, void **memory);
    lun_gpu_answer (*allocate_host)(void *queue, int64_t bytes, void **memory); /* pinned, there */
    void (*free)(void *queue, void *memory);
    /* Memory that kernels read while the host writes it, at *host; only a coherent device sees
     * that at once. */
    lun_gpu_answer (*share)(void *queue, int64_t bytes, void **host, void **memory);
    /* When the work before has ended. */
    void (*unshare)(void *queue, void *host, void *memory);
    /* From offset on.  wait: returns when `from` may change; else it may when the queue has done
     * this and all before. */
    lun_gpu_answer (*write)(void *queue, void *memory, int64_t offset, const void *from,
                            int64_t bytes, bool wait);
    /* From offset on, when the work before has ended. */
    lun_gpu_answer (*read)(void *queue, void *memory, int64_t offset, void *to, int64_t bytes);

    /* Compiles a text.  LUN_GPU_REFUSED: words is what the compiler had to say, without a limit. */
    lun_gpu_answer (*build)(void *queue, const char *text, void **program, lun_strbuf *words);
    /* A program of the bytes that `binary` gave, NULL if they are not taken. */
    void *(*load)(void *queue, const void *bytes, size_t length);
    /* The compiled program as malloc'd bytes; NULL if there are none to be had. */
    void *(*binary)(void *queue, void *program, size_t *length);
    void (*unload)(void *queue, void *program);
    /* One kernel of a program; most: the largest work-group it can have, 0: unknown. */
    lun_gpu_answer (*kernel)(void *queue, void *program, const char *name, void **kernel,
                             int64_t *most);
    void (*kernel_free)(void *queue, void *kernel);

    /* Gives steps to the device, each with the memories as its arguments.  After a failure there
     * are no marks, and steps may have been given. */
    lun_gpu_answer (*enqueue)(void *queue, const lun_gpu_step *steps, int count,
                              void *const *memory, int memories, lun_gpu_after after,
                              lun_gpu_marks *marks);
    lun_gpu_answer (*poll)(void *queue, const lun_gpu_marks *marks, lun_gpu_stage *stage);
    /* Waits for the end of the batch, however it ends. */
    lun_gpu_answer (*wait)(void *queue, const lun_gpu_marks *marks);
    /* Nanoseconds from the start to the end of a batch that has ended; 0: unknown. */
    int64_t (*elapsed)(void *queue, const lun_gpu_marks *marks);
    void (*marks_free)(void *queue, lun_gpu_marks *marks);
    /* Begins what was given, without waiting. */
    lun_gpu_answer (*flush)(void *queue);
    /* Waits for the end of all that was given. */
    lun_gpu_answer (*finish)(void *queue);

    /* Transfers, beside what the queue runs and in the order among themselves in which they were
     * given to it; they begin without a flush.  *mark: where this one ends; until then
     * `from` must not change.  NULL after a failure: nothing of it is under way then, unless the
     * answer is LUN_GPU_STUCK. */
    lun_gpu_answer (*send)(void *queue, void *memory, int64_t offset, const void *from,
                           int64_t bytes, lun_gpu_after after, void **mark);
    /* Between memories of queues that share. */
    lun_gpu_answer (*copy)(void *queue, void *to, int64_t to_offset, void *from,
                           int64_t from_offset, int64_t bytes, lun_gpu_after after, void **mark);
    /* Whether they share memory. */
    bool (*shares)(const void *queue, const void *other);
    lun_gpu_answer (*mark_keep)(void *queue, void *mark); /* it has one owner more, */
    void (*mark_free)(void *queue, void *mark);           /* and one less */
    lun_gpu_answer (*mark_wait)(void *queue, void *mark);
} lun_gpu_driver;

#endif
