/* client.h - what rank 0 keeps of a rank that serves it.  Knows nothing of how that computes. */
#ifndef LUN_MPI_CLIENT_H
#define LUN_MPI_CLIENT_H

#include "backend.h"
#include "base/bytes.h"
#include "mpi/wire.h"

/* Numbers of things, of which those that are free are given again. */
typedef struct lun_mpi_numbers {
    int32_t *free, next;
    int count, room;
} lun_mpi_numbers;

/* A file that the rank was asked for. */
typedef struct lun_mpi_file {
    int64_t number;
    bool seen; /* it has the file open */
} lun_mpi_file;

/* Elements that are on their way here. */
typedef struct lun_mpi_fetch {
    void *host;
    int64_t bytes;
} lun_mpi_fetch;

typedef struct lun_mpi lun_mpi;
struct lun_mpi {
    const lun_services *services;
    int rank;      /* that serves; -1: this state lists ranks, and computes nothing */
    lun_mpi *next; /* the states of the engine, in a ring */
    /* Requests that are not sent yet; a launch behind them, which was submitted, after the padded
     * arrays that it reads: it sets out with those of other ranks, and until then others may ask
     * for what it does not write, so that no rank waits for what another one waits for. */
    lun_strbuf out, launched;
    bool awaited;  /* another rank waits for what is in `out`, or a launch is in it */
    bool brings;   /* there are elements in it */
    bool asked;    /* something was sent since its last answer */
    bool counting; /* the next answer is that to COUNT */
    lun_mpi_numbers buffers, kernels;
    bool multiplies, takes, turns; /* matrices; algorithms; it runs launches with turns */
    char by[40];                   /* the backend and the device by which it computes, */
    int64_t memory;                /* the bytes of that, */
    int units;                     /* its threads or compute units */
    lun_mpi_file *files;
    int file_count, file_room;
    bool looks;             /* its next answer is whether it sees a file */
    bool loads;             /* the next launch may have to read files: its answer is awaited */
    lun_mpi_fetch *fetches; /* the answers come before any other; */
    int fetch_count, fetch_room;
    lun_work_mark marked, fetching, working; /* the last; of fetches; of what is under way */
    lun_status fetch_failed;                 /* how those that have come have failed */
    double unheard_work; /* plain operations of runs since its last answer, about */
    int64_t unheard;     /* bytes of elements sent since its last answer */
    /* A launch that was submitted, or a product or an algorithm that has begun, until it is
     * collected or settled; its answer, once another one behind it was waited for. */
    lun_kernel *kernel;
    lun_launch *launch;           /* NULL: it is no launch */
    lun_algorithm_run *algorithm; /* NULL: it is none */
    const lun_buffer *product;    /* where it goes; NULL: it is none */
    void *kept;
    int64_t kept_count;
    bool under_way;    /* and its answer is to come, */
    lun_status unsent; /* unless this happened: there was no memory for what was to be sent */
};

struct lun_buffer {
    int32_t number;
    int64_t bytes;
    bool padded; /* a padded array is made in it */
};

struct lun_kernel {
    int32_t number;
    lun_ir ir;    /* without functions */
    bool waits;   /* a run is answered: it may fail, or be long */
    int64_t cost; /* of an index, in plain operations */
};

/* An answer: what follows its status, trap and text is at `rest`. */
typedef struct lun_mpi_answer {
    void *bytes; /* to be freed */
    lun_bytes rest;
    int trap;
    int64_t trap_value;
} lun_mpi_answer;

/* A failure of this rank's own. */
lun_status lun__mpi_fail(lun_mpi *m, lun_status s, const char *text);
/* The launch that has not set out goes behind what there is. */
void lun__mpi_join_launch(lun_mpi *m);
/* Begins a request. */
void lun__mpi_ask(lun_mpi *m, lun_mpi_word word);
/* The same of one that reads a buffer, or none and writes none that is in use: before a launch that
 * has not set out and does not write it. */
void lun__mpi_ask_early(lun_mpi *m, lun_mpi_word word, const lun_buffer *reads);
/* Ends one without an answer, which may be sent later. */
lun_status lun__mpi_asked(lun_mpi *m);
/* Whether what there is for that rank goes with requests for others. */
bool lun__mpi_sets_out(const lun_mpi *m);
/* Sends what there is for that rank, and what others wait for or have been given to run. */
lun_status lun__mpi_send(lun_mpi *m);
/* Sends it and waits for the answer to the last request, whose failure is the failure. */
lun_status lun__mpi_hear(lun_mpi *m, lun_mpi_answer *out);
/* The answer to the last request, which was sent, and is behind a launch under way. */
lun_status lun__mpi_hear_asked(lun_mpi *m, lun_mpi_answer *out);
/* The answer to the launch under way. */
lun_status lun__mpi_hear_launch(lun_mpi *m, lun_mpi_answer *out);
/* The same of an answer without a rest. */
lun_status lun__mpi_hear_status(lun_mpi *m);
/* An answer that does not say what it should; frees it. */
lun_status lun__mpi_strange(lun_mpi *m, lun_mpi_answer *a);

/* Takes the answers to what is fetched, which were sent for. */
void lun__mpi_take_fetched(lun_mpi *m);

/* A number for something new; -1 without memory. */
int32_t lun__mpi_number(lun_mpi_numbers *n);
void lun__mpi_number_free(lun_mpi_numbers *n, int32_t number);

/* memory.c, kernel.c: as in lun_backend */
lun_status lun__mpi_build(void *state, const lun_ir *ir, const char *text, lun_kernel **out);
void lun__mpi_release(void *state, lun_kernel *k);
lun_status lun__mpi_prepare(void *state, lun_kernel *k, lun_kernel_facts *out);
lun_status lun__mpi_source(void *state, const lun_ir *ir, lun_strbuf *out);
lun_status lun__mpi_buffer_new(void *state, int64_t bytes, lun_buffer **out);
void lun__mpi_buffer_free(void *state, lun_buffer *b);
lun_status lun__mpi_write(void *state, lun_buffer *to, int64_t offset, const void *host,
                          int64_t bytes, lun_work_mark *mark);
lun_status lun__mpi_read(void *state, lun_buffer *from, int64_t offset, void *host, int64_t bytes,
                         lun_work_mark *mark);
lun_status lun__mpi_copy(void *state, lun_buffer *to, int64_t to_offset, void *other,
                         lun_buffer *from, int64_t from_offset, int64_t bytes, bool *done);
/* Waits until the rank has done all, and hears of it. */
lun_status lun__mpi_finish(lun_mpi *m);
/* The same, with the counters of all ranks, which are asked at once. */
lun_status lun__mpi_count(lun_mpi *m);
/* Waits for what is read with a mark. */
lun_status lun__mpi_fetched(lun_mpi *m);

/* memory.c, kernel.c, works.c: work that begins, and the waits for its end */
lun_status lun__mpi_submit(lun_mpi *m, lun_kernel *k, lun_launch *l, lun_work_mark *mark);
/* Takes the answer to it, which was heard so. */
lun_status lun__mpi_take_launch(lun_mpi *m, lun_status s, lun_mpi_answer *a, lun_launch *l);
lun_status lun__mpi_combine(lun_mpi *m, const lun_work_run *w);
bool lun__mpi_takes(lun_algorithm which);
lun_status lun__mpi_algorithm(lun_mpi *m, lun_algorithm_run *r, lun_work_mark *mark);
lun_status lun__mpi_product(lun_mpi *m, const lun_product *p, lun_work_mark *mark);
/* Waits for the end of the launch, product or algorithm under way, if there is one. */
lun_status lun__mpi_end(lun_mpi *m);
lun_status lun__mpi_pad(lun_mpi *m, const lun_work_pad *w);
lun_status lun__mpi_transfer(lun_mpi *m, const lun_transfer *t);

/* loads.c: as in lun_remote */
lun_status lun__mpi_load(void *state, lun_buffer *to, int64_t offset, const lun_file *file,
                         int64_t at, int64_t count, lun_infile_form form, bool *done);
void lun__mpi_unload(void *state, int64_t number);
lun_status lun__mpi_loaded(void *state);
lun_status lun__mpi_crc(void *state, const lun_file *file, int64_t at, int64_t bytes, bool *begun);
lun_status lun__mpi_crc_found(void *state, uint32_t *crc);
lun_status lun__mpi_store(void *state, lun_buffer *from, int64_t offset, int64_t bytes,
                          const lun_outfile *to, int64_t at);
lun_status lun__mpi_stored(void *state, bool *done, int *failure);

#endif
