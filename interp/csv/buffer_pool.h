/* buffer_pool.h - the text as it is read: by pieces, each in a place of its own while it is worked
 * on, and where the pieces begin. Within interp/csv. Knows nothing of columns. */
#ifndef LUN_BUFFER_POOL_H
#define LUN_BUFFER_POOL_H

#include <stdatomic.h>

#include "csv/piece.h"

/* A row has fewer bytes. */
#define LUN__CSV_ROW (INT64_C(2) << 30)

/* A place for one piece. */
typedef struct lun__csv_place {
    char *memory;
    uint32_t *ends;
    lun__text *texts;
    char *packed;
    int64_t room, ends_room, texts_room, packed_room; /* bytes, and elements of ends and texts */
} lun__csv_place;

/* Places of a desk: no more than pieces of a batch, or threads that count. */
enum { LUN__CSV_PLACES = 64 };

typedef struct lun__csv_desk {
    const lun__csv_services *services;
    int64_t piece; /* bytes, more or less */
    lun__csv_place places[LUN__CSV_PLACES];
    _Atomic uint64_t taken; /* a bit for each */
} lun__csv_desk;

/* Takes a place, waits for one if need be. */
int lun__csv_take(lun__csv_desk *d);
void lun__csv_give(lun__csv_desk *d, int place);
/* Reads bytes at .. at + length - 1 into a place; added: and a newline after them. Gives p its
 * text, and its ends if it is to have some. */
lun__csv_what lun__csv_fetch(lun__csv_desk *d, int place, int64_t at, int64_t length, bool added,
                             lun__csv_piece *p, lun__csv_fault *fault);
/* Room in a place for so many texts, and for so many bytes to pack them into: false, there is
 * none. */
bool lun__csv_text_room(lun__csv_desk *d, int place, int64_t count, int64_t bytes);
/* Memory of all places. */
void lun__csv_clear(lun__csv_desk *d);

/* Where a piece is, and its rows. */
typedef struct lun__csv_cut {
    int64_t at, row;
} lun__csv_cut;

/* Pieces of the text from `start` to `end`; one more cut tells where the last one ends. */
typedef struct lun__csv_cuts {
    lun__csv_cut *list;
    int64_t count;      /* of pieces */
    int64_t start, end; /* bytes */
    bool added;         /* the newline at the end is not in the file */
    bool known;         /* else they have not been found yet */
    bool exact;
    lun__csv_fault
        open; /* exact: the text ends inside of quotes; `end` is then where their row begins */
} lun__csv_cuts;

/* Finds pieces, which begin with a row. exact: by all rules, one byte after the other; else on
 * all threads, if no field without quotes has a quote inside (LUN__CSV_STRAY tells then). False:
 * *fault. */
bool lun__csv_cut_text(lun__csv_desk *d, lun__csv_cuts *cuts, bool exact, lun__csv_fault *fault);
/* The number of newlines before byte `at`; -1: the text cannot be read. */
int64_t lun__csv_lines(lun__csv_desk *d, int64_t at);

#endif
