/* csv.h - a reader of CSV text: the services of the format's reader (csv_services.c), and its
 * functions for Lua (csv.c). Within interp/bind. */
#ifndef LUN_BIND_CSV_H
#define LUN_BIND_CSV_H

#include <sys/stat.h>

#include "bind/file/gzip.h"
#include "bind/file/text_columns.h"
#include "bind/host/bind.h"
#include "csv/csv.h"

typedef struct lun__csv_reader {
    lun__host *host;
    lua_State *L; /* while columns are read */
    lun__csv_services services;
    lun__csv *csv;
    int file;           /* -1: the text is a string */
    struct stat opened; /* the file as it was then */
    const char *text;   /* a user value of the reader */
    lun__unpacked
        *unpacked; /* gzip data in the file or string, which unpacks to the text, or NULL */
    lun_blank **blanks;
    lun__column **texts; /* of a column of text, in place of a blank */
    int64_t count;       /* of wanted columns */
    lun_status status;
} lun__csv_reader;

/* Sets the services of the format's reader: the text, threads, memory for columns. r->blanks and
 * texts are set while columns are read. */
void lun__csv_serve(lun__csv_reader *r);
/* Frees what reading columns left. */
void lun__csv_end_columns(lun__csv_reader *r);
/* services.read: of the file or string, or of its unpacked text. */
int lun__csv_read_text(void *reader, int64_t at, int64_t count, void *to);
int lun__csv_read_unpacked(void *reader, int64_t at, int64_t count, void *to);

#endif
