/* cells.h - rows of values of any type, which come one after the other, as parts of columns.
 * Within interp/. Knows no Lua.
 *
 * Invariant of a part: rows first .. end - 1 of its piece have a slot, the others are missing; a
 * slot is an integer, or a double where `real`, 0 or 1 of a truth value, and of a text where it
 * stands in the text of the piece (offset << 32 | length), which lun__col_gather_add makes a
 * code. gaps[k], if there are any, is 1 where the row of slot k is missing. */
#ifndef LUN_COLUMN_CELLS_H
#define LUN_COLUMN_CELLS_H

#include "csv/csv.h"

/* What a value is. NESTED: an object or a list, of which the text is taken. */
typedef enum lun__col_type {
    LUN__COL_INTEGER,
    LUN__COL_BEYOND, /* an integer beyond i64, of u64 */
    LUN__COL_OVER,   /* one beyond u64, as the float next to it */
    LUN__COL_REAL,
    LUN__COL_TRUTH,
    LUN__COL_TEXT,
    LUN__COL_NESTED
} lun__col_type;

/* A value and how it is written, which is in the text of the piece. */
typedef struct lun__col_value {
    lun__col_type type;
    union {
        uint64_t bits; /* of integers and truth values */
        double number;
    } as;
    uint32_t start, length; /* of texts without quotes */
    int64_t at;             /* where the value begins in its source */
} lun__col_value;

/* Of these a column has one. */
typedef enum lun__col_class {
    LUN__COL_NUMBERS,
    LUN__COL_TRUTHS,
    LUN__COL_TEXTS,
    LUN__COL_CLASSES
} lun__col_class;

/* Why a value cannot be in its column. */
typedef enum lun__col_what {
    LUN__COL_FINE,
    LUN__COL_CLASS,     /* of another class than the values before it: was, is */
    LUN__COL_ROUNDED,   /* an integer beyond 2^53 in a column that has floats */
    LUN__COL_MIXED,     /* an integer beyond i64 in a column that has negative ones */
    LUN__COL_TOO_LARGE, /* an integer beyond u64 */
    LUN__COL_IS_NESTED,
    LUN__COL_MISFIT,  /* of another kind than its column must be */
    LUN__COL_OFFSETS, /* times with and without an offset from UTC in a column that must be times */
    LUN__COL_TWICE,   /* a second value of the row */
    LUN__COL_WIDE,    /* more columns than LUN__COL_MOST */
    LUN__COL_MANY,    /* more texts than an array can have */
    LUN__COL_MEMORY,  /* none is left */
    LUN__COL_REFUSED  /* by a service, or stopped */
} lun__col_what;

typedef struct lun__col_fault {
    lun__col_what what;
    int64_t at;             /* of the value in its source */
    lun__col_class was, is; /* CLASS */
    lun__csv_kind kind;     /* MISFIT: that it must be */
    char name[64];          /* of the column: its first bytes */
} lun__col_fault;

/* Columns of a table at most. */
#define LUN__COL_MOST (INT64_C(1) << 17)

/* How columns are read: those of some names, and the others. */
typedef struct lun__col_wish {
    const char *name;
    size_t length;
    lun__csv_how how;
    int64_t place; /* among the wishes as they were given */
} lun__col_wish;

typedef struct lun__col_wishes {
    const lun__col_wish *list; /* in the order of lun__col_cells_order */
    int64_t count;
    bool only;        /* others are left out */
    lun__csv_how how; /* of others */
    bool nested;      /* objects and lists are texts */
} lun__col_wishes;

/* The values of a column in a piece. */
typedef struct lun__col_part {
    uint64_t *slots;
    unsigned char *gaps;
    int64_t first, end, room; /* room: slots */
    unsigned seen;            /* flags of csv/csv.h */
    bool left_out, real;
    lun__csv_how how;
    int64_t since[LUN__COL_CLASSES]; /* where the first value of a class is; -1: none */
    int64_t large, beyond, negative; /* the first integer beyond 2^53, beyond i64, below 0 */
    int64_t name, follower;          /* where the name begins; the column behind it in a row */
    uint32_t length, hash;           /* of the name */
    int64_t named;                   /* rows until the last one that has the name */
    int64_t wish;                    /* its place; -1: none */
    int64_t column;                  /* once it is gathered */
} lun__col_part;

/* A piece: some rows of a source. Begins as zeros. */
typedef struct lun__col_cells {
    const lun__col_wishes *wishes;
    lun__col_part *parts;
    int64_t count, room;
    uint32_t *found; /* of hash & mask: the number of a part, from 1 */
    uint32_t mask;
    char *names;
    int64_t names_length, names_room;
    const char *text;   /* what texts stand in; LUN__CSV_MARGIN more bytes are readable */
    int64_t rows, base; /* base: rows before it */
} lun__col_cells;

/* By which the wishes are in order: a comparison for qsort. */
int lun__col_cells_order(const void *a, const void *b);
/* The column of that name, `guess` tried first (-1: none); -1: no memory. */
int64_t lun__col_cells_column(lun__col_cells *c, int64_t guess, const char *name, uint32_t length);
/* The value of a column in row c->rows. False: *fault. */
bool lun__col_cells_put(lun__col_cells *c, int64_t column, const lun__col_value *v,
                        lun__col_fault *fault);
/* Sets a fault of a column. */
void lun__col_cells_blame(const lun__col_cells *c, int64_t column, lun__col_what what, int64_t at,
                          lun__col_fault *fault);
/* Bytes that it takes. */
int64_t lun__col_cells_bytes(const lun__col_cells *c);
void lun__col_cells_end(lun__col_cells *c);

#endif
