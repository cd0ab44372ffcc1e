/* desk.h - a rank that serves: the memory and the kernels that rank 0 has here, by their numbers.
 * A backend on host memory is given memory of its own here, so that all are alike.  Knows no
 * message but as bytes. */
#ifndef LUN_MPI_DESK_H
#define LUN_MPI_DESK_H

#include "backend.h"
#include "ir/packed_ir.h"
#include "mpi/hands.h"
#include "mpi/wire.h"

/* Why something cannot be used. */
typedef struct lun_desk_flaw {
    lun_status status; /* LUN_OK: it can */
    char *text;
} lun_desk_flaw;

typedef struct lun_desk_buffer {
    bool used; /* there is one of that number */
    lun_desk_flaw flaw;
    int64_t bytes;
    char *data;         /* on the host, or */
    lun_buffer *buffer; /* the backend's */
} lun_desk_buffer;

typedef struct lun_desk_kernel {
    bool used;
    lun_desk_flaw flaw;
    lun_ir_packed packed;
    lun_kernel *kernel;
    bool lasts; /* a run may last: it has loops, or calls functions */
} lun_desk_kernel;

/* Elements that another rank gives, which have not been taken yet. */
typedef struct lun_desk_take {
    int32_t buffer;
    int from;
    int64_t offset, bytes;
} lun_desk_take;

/* A file that is open. */
typedef struct lun_desk_file {
    int64_t number; /* that rank 0 gave it */
    int descriptor;
    lun_infile_mark is;
    char *name; /* as the user gave it */
} lun_desk_file;

/* Elements of an open file that have not been read yet. */
typedef struct lun_desk_load {
    int32_t buffer;
    int64_t file, offset, at, count;
    lun_infile_form form;
} lun_desk_load;

typedef struct lun_desk {
    /* as the engine's, but for the math mode, that of the kernel that is built, and the tick, which
     * is for the thread that serves */
    lun_services own;
    void (*listen)(void *ctx, const char *what, int64_t done, int64_t total);
    lun_hands hands;
    const lun_backend *by;
    int device;
    char name[40]; /* of both */
    void *state;
    lun_abilities can;
    lun_desk_buffer *buffers;
    int buffer_count, buffer_room;
    lun_desk_kernel *kernels;
    int kernel_count, kernel_room;
    lun_desk_take *takes;
    int take_count, take_room;
    lun_desk_file *files;
    int file_count, file_room;
    lun_desk_load *loads;
    int load_count, load_room;
    bool stops;      /* what is done is answered: it may be stopped, and rank 0 hears of it */
    lun_stats told;  /* what rank 0 knows of the counters */
    lun_strbuf rest; /* of the answer */
    int trap;
    int64_t trap_value;
} lun_desk;

/* A request makes no sense: the bytes are not rank 0's. */
lun_status lun__desk_strange(lun_desk *d, lun_bytes *in);
/* The failure with that text. */
lun_status lun__desk_fail(const lun_desk *d, lun_status s, const char *text);
/* What cannot be used any more, since a request failed: takes the failure's text. */
void lun__desk_spoil(const lun_desk *d, lun_desk_flaw *flaw, lun_status s);
void lun__desk_mend(lun_desk_flaw *flaw);
/* The failure that it was spoilt by, LUN_OK if it was not. */
lun_status lun__desk_check(const lun_desk *d, const lun_desk_flaw *flaw);
/* The same of a buffer that is about to be used, into which what is to be loaded is read now. */
lun_status lun__desk_ready(lun_desk *d, lun_desk_buffer *b);

/* The buffer, or kernel, that is named next; NULL: there is none, and the reader is bad. */
lun_desk_buffer *lun__desk_buffer(lun_desk *d, lun_bytes *in);
lun_desk_kernel *lun__desk_kernel(lun_desk *d, lun_bytes *in);
/* Whether so many bytes from there on are in it. */
bool lun__desk_fits(const lun_desk_buffer *b, int64_t offset, int64_t bytes);
/* Whether places low .. high, or those of a layout, counted from `origin`, are elements of so many
 * bytes of a buffer. */
bool lun__desk_reaches(const lun_desk_buffer *b, int64_t origin, int bytes, int64_t low,
                       int64_t high);
bool lun__desk_layout_fits(const lun_desk_buffer *b, int64_t origin, int bytes,
                           const lun_layout *l);
/* What was written is usable, or has the flaw of the failure, which it gives. */
lun_status lun__desk_done(const lun_desk *d, lun_desk_buffer *to, lun_status s);
/* Bytes from there on to memory, and from memory. */
lun_status lun__desk_read(lun_desk *d, const lun_desk_buffer *b, int64_t offset, void *to,
                          int64_t bytes);
lun_status lun__desk_write(lun_desk *d, lun_desk_buffer *b, int64_t offset, const void *from,
                           int64_t bytes);
/* Does it, with so many bytes of memory beside, which *scratch has; `steps`, about, are few or may
 * last: then another thread does it, and this one listens. */
lun_status lun__desk_work(lun_desk *d, int64_t room, void **scratch, double steps,
                          lun_hands_work *does, void *ctx);
/* Takes what other ranks give and has not been taken, in its order: what fails is the buffers'
 * flaw.  Fails where the ranks have given up. */
lun_status lun__desk_take_all(lun_desk *d);
/* What is to be loaded into the buffer never is. */
void lun__desk_forget(lun_desk *d, const lun_desk_buffer *b);
void lun__desk_close_files(lun_desk *d);
/* All of them end. */
void lun__desk_close(lun_desk *d);

/* What answers a request, by its row: reads it, and appends to the answer.  *answers: whether there
 * is one.  LUN_EARG with a bad reader: it makes no sense. */
typedef lun_status lun_desk_fn(lun_desk *d, lun_bytes *in, bool *answers);
lun_desk_fn lun__desk_new, lun__desk_free, lun__desk_upload, lun__desk_download;
lun_desk_fn lun__desk_give, lun__desk_take;
lun_desk_fn lun__desk_open, lun__desk_load, lun__desk_shut, lun__desk_read_all, lun__desk_crc,
    lun__desk_store;
lun_desk_fn lun__desk_pad, lun__desk_transfer, lun__desk_product, lun__desk_algorithm;
lun_desk_fn lun__desk_build, lun__desk_release, lun__desk_prepare, lun__desk_source;
lun_desk_fn lun__desk_run, lun__desk_combine;

#endif
