/* column_reader.h - a text that columns are read from, in a file of Lua's, read in place, or a
 * string; and the memory of its columns, made Vectors. Within interp/bind.
 *
 * Invariant: blanks, valid and texts have an entry for each wanted column while columns are read
 * and are NULL otherwise; entered is what the memory limit counts of the texts being read; L is the
 * thread of that call. Services run on it but read, which is called by several at once and changes
 * nothing. */
#ifndef LUN_BIND_COLUMN_READER_H
#define LUN_BIND_COLUMN_READER_H

#include <sys/stat.h>

#include "bind/file/gzip.h"
#include "bind/host/bind.h"
#include "csv/csv.h"

typedef struct lun__column_reader {
    lun__host *host;
    lua_State *L; /* while columns are read */
    lun__csv_services services;
    int file;           /* -1: the text is a string */
    struct stat opened; /* the file as it was then */
    const char *text;   /* a user value of the reader, as the rules are */
    lun__unpacked
        *unpacked; /* gzip data in the file or string, which unpacks to the text, or NULL */
    lun_blank **blanks, **valid;
    lun_text_made *texts;         /* of columns of text, whose blanks have codes */
    unsigned char *bytes;         /* of each of them */
    lun_blank *wide;              /* codes that are made narrower */
    int64_t count, rows, entered; /* count: of wanted columns; entered: in bytes */
    bool working;                 /* columns are read: lun_host_work */
    lun_status status;
} lun__column_reader;

/* Of no text yet, with all services. */
void lun__column_reader_begin(lun__column_reader *r, lun__host *h);
/* Frees what it has. */
void lun__column_reader_end(lun__column_reader *r);
/* Takes the text at i, a string, or a file of `size` bytes; something must keep it. */
void lun__column_reader_take(lua_State *L, int i, int64_t size, lun__column_reader *r);
/* Unpacks the text, which is gzip data: 0, or that many values pushed: nil, "packed", message,
 * code. */
int lun__column_reader_unpack(lua_State *L, lun__column_reader *r);
/* Whether the file is unchanged since it was taken. */
bool lun__column_reader_is_same(const lun__column_reader *r);
/* Room for the columns that are read; false: there is no memory. */
bool lun__column_reader_room(lua_State *L, lun__column_reader *r, int64_t count);
/* Frees what reading columns left. */
void lun__column_reader_end_columns(lun__column_reader *r);
/* Puts the columns into the table `list`, their flags into the table `flags`, and the validity of
 * those of numbers and truth values that have one into `valid`. */
void lun__column_reader_make(lua_State *L, lun__column_reader *r, const lun__csv_wanted *wanted,
                             int list, int flags, int valid);
/* Raises the failure of a service. */
int lun__column_reader_refuse(lua_State *L, lun__column_reader *r);
/* The table on the top says how a column is read: kind, low, high (forced), missing (a list). What
 * it needs is put below it. */
lun__csv_how lun__column_reader_how(lua_State *L);

#endif
