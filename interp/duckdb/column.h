/* column.h - columns that grow by the chunks of a result, and then are arrays of the engine's. */
#ifndef LUN_DUCKDB_COLUMN_H
#define LUN_DUCKDB_COLUMN_H

#include "csv/dictionary.h"
#include "duckdb/fault.h"
#include "duckdb/library.h"

/* How the elements of a type become those of a column. */
typedef enum lun__duckdb_way {
    LUN__DUCKDB_COPIED,
    LUN__DUCKDB_BITS,   /* of truth values */
    LUN__DUCKDB_TIMES,  /* copied; the largest number and its opposite are infinite */
    LUN__DUCKDB_SPANS,  /* intervals */
    LUN__DUCKDB_HUGE,   /* integers of 16 bytes that fit 8 */
    LUN__DUCKDB_WIDE,   /* decimals, of 2 to 16 bytes, to 16 */
    LUN__DUCKDB_TEXTS,  /* codes of a dictionary */
    LUN__DUCKDB_CODES,  /* the same of an enumeration, which has codes */
    LUN__DUCKDB_BYTES,  /* offsets, and bytes */
    LUN__DUCKDB_NOTHING /* all missing */
} lun__duckdb_way;

/* A column.  `data` has room for `room` elements of `bits` bits; of BYTES for the offsets, of which
 * there is one more.  `valid` has a bit for each row, NULL: none is missing so far. */
typedef struct lun__duckdb_column {
    char *name;
    lun__duckdb_way way;
    int type, bits, from; /* from: bytes of an element in a chunk */
    bool is_signed;       /* of HUGE */
    char format[16];      /* of Arrow, but for texts */
    unsigned char *data;
    uint64_t *valid;
    int64_t rows, room, nulls;
    int64_t base;             /* rows of the result before */
    int64_t negative, beyond; /* HUGE: the first row below 0, and beyond i64; -1: none */
    char *heap;               /* BYTES; and the texts of a chunk */
    int64_t heap_length, heap_room;
    lun__csv_text *texts; /* of a chunk */
    int64_t part_room;
    lun__csv_dictionary dictionary;
} lun__duckdb_column;

/* Begins the column of that name and type, which the caller ends.  False: *f says why there is
 * none. */
bool lun__duckdb_column_type_begin(const lun__duckdb_library *d, const char *name,
                                   lun__duckdb_type type, lun__duckdb_column *c,
                                   lun__duckdb_fault *f);
void lun__duckdb_column_end(lun__duckdb_column *c);
/* Gives the memory of a column, which ends, to one of the same type that begins. */
void lun__duckdb_column_inherit(lun__duckdb_column *c, lun__duckdb_column *from);
/* Makes room for so many rows before the first one comes. */
bool lun__duckdb_column_reserve(lun__duckdb_column *c, int64_t rows);
/* Takes n elements of a vector from `first` on. */
bool lun__duckdb_column_take(const lun__duckdb_library *d, lun__duckdb_column *c,
                             lun__duckdb_vector v, int64_t first, int64_t n, lun__duckdb_fault *f);
/* Bytes that it takes. */
int64_t lun__duckdb_column_bytes(const lun__duckdb_column *c);
/* The array of the rows, whose memory the column gives up, or, copied, keeps: then the elements
 * are in memory of the engine's, which its limit counts and which it uses again.  options: as of
 * lun_from_arrow_stream. */
bool lun__duckdb_column_make(lun_engine *e, lun__duckdb_column *c, const char *options, bool copied,
                             lun_array **out, lun__duckdb_fault *f);

#endif
