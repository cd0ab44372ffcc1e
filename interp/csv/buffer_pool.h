/* buffer_pool.h - the text as it is read: in pieces, each in a buffer of its own while it is worked
 * on, and the cuts between pieces. Within interp/csv. Knows nothing of columns.
 *
 * Invariant: a buffer whose bit in `taken` is set belongs to the thread that took it, which alone
 * reads and changes it; the others keep their memory for the next taker and have no piece. Bits are
 * set and cleared atomically, without a lock. */
#ifndef LUN_BUFFER_POOL_H
#define LUN_BUFFER_POOL_H

#include "csv/piece.h"

/* A row must have fewer bytes. */
#define LUN__CSV_ROW (INT64_C(2) << 30)

/* A buffer for one piece. */
typedef struct lun__csv_buffer {
    char *memory;
    uint32_t *ends;
    int64_t room, ends_room; /* bytes, and elements of ends */
} lun__csv_buffer;

/* Buffers of a pool: no more than pieces of a batch, or threads that matter. */
enum { LUN__CSV_BUFFERS = 64 };

typedef struct lun__csv_pool {
    const lun__csv_services *services;
    int64_t piece; /* bytes, more or less */
    char separator;
    bool returns; /* lines end in carriage returns */
    lun__csv_rules rules;
    lun__csv_buffer buffers[LUN__CSV_BUFFERS];
    _Atomic uint64_t taken; /* a bit for each */
} lun__csv_pool;

/* Takes a buffer, waits until one is free. */
int lun__csv_buffer_take(lun__csv_pool *d);
void lun__csv_buffer_give(lun__csv_pool *d, int buffer);
/* Reads bytes at .. at + length - 1 into a buffer; added: and a newline after them. Sets p's text,
 * and memory for its ends if it has any, and the separator. */
lun__csv_what lun__csv_buffer_fetch(lun__csv_pool *d, int buffer, int64_t at, int64_t length,
                                    bool added, lun__csv_piece *p, lun__csv_fault *fault);
/* Frees the memory of all buffers. */
void lun__csv_buffer_clear(lun__csv_pool *d);

/* The start of a piece, and its rows. */
typedef struct lun__csv_cut {
    int64_t at, row;
} lun__csv_cut;

/* Pieces of the text from `start` to `end`; one more cut is the end of the last one. */
typedef struct lun__csv_cuts {
    lun__csv_cut *list;
    int64_t count;      /* of pieces */
    int64_t start, end; /* bytes */
    int64_t most;       /* rows, at most; -1: all */
    int64_t row_bytes;  /* of a row, about, as found before; 0: not known */
    bool added;         /* the newline at the end is not in the file */
    bool known;         /* else they are not found yet */
    bool exact;
    int64_t width;   /* fields of a row */
    int64_t skipped; /* exact: rows left out */
} lun__csv_cuts;

/* Finds pieces, which begin with a row, and the end of the last row that is wanted. exact: by all
 * rules, byte after byte; else on all threads, which fails with LUN__CSV_STRAY if a field without
 * quotes has a quote inside. False: *fault. */
bool lun__csv_split_text(lun__csv_pool *d, lun__csv_cuts *cuts, bool exact, lun__csv_fault *fault);
/* The number of newlines before byte `at`; -1: the text cannot be read. */
int64_t lun__csv_split_text_lines(lun__csv_pool *d, int64_t at);

#endif
