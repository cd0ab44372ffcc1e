/* row_writer.h - rows of columns into a file of Lua's as text: loaded in batches from the engine,
 * and formatted on all threads. Within interp/bind.
 *
 * Invariant: while a batch is formatted the columns' memory is not changed, and each part is one
 * thread's. */
#ifndef LUN_BIND_ROW_WRITER_H
#define LUN_BIND_ROW_WRITER_H

#include <stdio.h>

#include "bind/host/bind.h"
#include "csv/csv.h"

enum { LUN__ROW_PARTS = 16 }; /* tasks of a batch */

typedef struct lun__row_part {
    char *text;
    size_t room, length;
    char *packed; /* of a file of gzip data: the packed text */
    size_t packed_room, packed_length;
    int64_t odd; /* counted by the format */
    bool failed;
} lun__row_part;

typedef struct lun__row_writer {
    lun__csv_column *columns;
    void **memory;              /* of each column: the elements or texts of a batch */
    unsigned char **valid;      /* of columns of numbers with missing elements */
    int64_t count, first, rows; /* columns; the first row of the batch, and how many it has */
    int columns_at, valid_at;   /* lists on Lua's stack: the columns, the validity of some */
    bool packs;
    const void *form;
    /* What `write` may write for rows first .. last - 1 of the batch; false: beyond a size_t. */
    bool (*bound)(const struct lun__row_writer *w, int64_t first, int64_t last, size_t *bytes);
    /* Writes them to p->text; the end. */
    char *(*write)(const struct lun__row_writer *w, lun__row_part *p, int64_t first, int64_t last);
    lun__row_part parts[LUN__ROW_PARTS];
} lun__row_writer;

/* Pushes a writer; columns are at 3 and validity at 7, if nothing else is set. */
lun__row_writer *lun__row_writer_new(lua_State *L, int64_t count);
/* Makes memory for column k, which is on the top, for batches of so many rows. */
void lun__row_writer_column(lua_State *L, lun__host *h, lun__row_writer *w, int64_t k,
                            int64_t rows);
/* Room for so many bytes, whose contents are lost; false: there is no memory. */
bool lun__row_writer_grow(char **memory, size_t *room, size_t needed);
/* Writes a text. False: errno says why. */
bool lun__row_writer_text(lua_State *L, lun__row_writer *w, const char *text, size_t length,
                          FILE *to);
/* Loads the batch that begins with row `first` of so many. */
void lun__row_writer_load(lua_State *L, lun__host *h, lun__row_writer *w, int64_t first,
                          int64_t rows);
/* Writes all rows. False: as above. */
bool lun__row_writer_rows(lua_State *L, lun__host *h, lun__row_writer *w, int64_t rows, FILE *to);

#endif
