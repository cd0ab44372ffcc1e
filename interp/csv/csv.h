/* csv.h - CSV text (RFC 4180) to columns: the services that it needs, and its functions.
 *
 * Bytes come from services.read, in pieces and from several threads; the memory of columns and the
 * threads from the other services. Numbers are those of Lua's tonumber for decimal text, besides
 * nan and inf. Knows neither Lua nor arrays nor files. */
#ifndef LUN_CSV_H
#define LUN_CSV_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lunarray_bind.h"

/* The kinds of columns. BOOL has one byte an element, DATE 4, its days, TEXT 4, its codes, the
 * others 8; STAMP and DURATION are microseconds. */
typedef enum lun__csv_kind {
    LUN__CSV_I64,
    LUN__CSV_U64,
    LUN__CSV_F64,
    LUN__CSV_BOOL,
    LUN__CSV_TEXT,
    LUN__CSV_DATE,
    LUN__CSV_STAMP,
    LUN__CSV_DURATION /* only where it is asked for */
} lun__csv_kind;

/* Bytes of an element. */
static inline int64_t lun__csv_kind_bytes(lun__csv_kind kind)
{
    return kind == LUN__CSV_BOOL ? 1 : kind == LUN__CSV_TEXT || kind == LUN__CSV_DATE ? 4 : 8;
}

/* A byte that no text has: there is no such character. */
#define LUN__CSV_NONE '\xff'

typedef enum lun__csv_header {
    LUN__CSV_NAMES_OR_NUMBERS, /* a first line of numbers alone is a row, unless they are 0, 1, 2 */
    LUN__CSV_NAMES,
    LUN__CSV_NO_NAMES /* the first line is a row */
} lun__csv_header;

/* What becomes of a row of other than the header's number of fields. */
typedef enum lun__csv_ragged { LUN__CSV_REFUSE, LUN__CSV_FILL, LUN__CSV_SKIP } lun__csv_ragged;

/* How a text is written. */
typedef struct lun__csv_rules {
    /* Between fields; 0: what the header has most of among `;`, tab and `|` outside of quotes, but
     * a comma if it has one, or none of them. */
    char separator;
    char quote, escape;      /* escape: the byte after it stands for itself */
    char decimal, thousands; /* of numbers */
    bool trim;               /* blanks around texts go */
    lun__csv_header header;
    lun__csv_ragged ragged; /* FILL: missing fields of short rows are empty */
    int64_t skip;           /* lines before the header */
    int64_t most;           /* rows that are read; -1: all */
    const char *comment;    /* at the beginning of lines that are left out; lives as long */
    size_t comment_length;  /* 0: none */
} lun__csv_rules;

/* The rules of RFC 4180. */
#define LUN__CSV_RULES                                                                     \
    {                                                                                      \
        .quote = '"', .escape = LUN__CSV_NONE, .decimal = '.', .thousands = LUN__CSV_NONE, \
        .most = -1                                                                         \
    }

/* Texts that stand for a missing element, one after the other. */
typedef struct lun__csv_words {
    const char *bytes;
    const uint32_t *ends; /* of each */
    int64_t count;
} lun__csv_words;

/* How a column is read. */
typedef struct lun__csv_how {
    const lun__csv_words *missing; /* also in columns of text; NULL: NA and others, in columns of
                                      numbers and truth values */
    bool forced;                   /* to be of a kind; a field that does not fit is a fault */
    lun__csv_kind kind;
    int64_t low; /* bounds of forced integers */
    uint64_t high;
    const char *format; /* of forced dates and times; NULL: ISO 8601 */
    bool undated;       /* dates and times are texts, unless they are forced */
    unsigned seen;      /* flags of fields of the column that are not among those read now */
} lun__csv_how;

typedef struct lun__csv_services {
    void *ctx;
    int64_t size;  /* bytes of the text */
    int64_t piece; /* of a piece, about; 0: as many as fit a core's private cache */
    /* Bytes at .. at+count-1 into `to`, from any thread: 0, or an errno (-1: there are fewer). */
    int (*read)(void *ctx, int64_t at, int64_t count, void *to);
    /* Calls task(of, k) for each k < count, on several threads, and waits. */
    void (*share)(void *ctx, int64_t count, void *of, void (*task)(void *of, int64_t k));
    /* Whether to end early; from the calling thread, as are the next four. */
    bool (*stop)(void *ctx);
    /* Is given how many bytes of so many are read; NULL: nobody asks. */
    void (*progress)(void *ctx, int64_t done, int64_t size);
    /* Memory for all rows of wanted column k. False: refused. */
    bool (*column)(void *ctx, int64_t k, lun__csv_kind kind, int64_t rows, void **memory);
    /* Memory for the validity of wanted column k, a byte for each row. False: refused. */
    bool (*validity)(void *ctx, int64_t k, int64_t rows, void **memory);
    /* Receives the values of wanted column k, a column of text, and with them their memory. *codes
     * is the memory of the column; where codes take 1 or 2 bytes and not 4, it becomes other memory
     * for all rows, and the first one stays until the next such call. False: refused. */
    bool (*texts)(void *ctx, int64_t k, lun_text_made *values, int bytes, void **codes);
    /* Bytes that the texts which are read take now. False: refused. */
    bool (*memory)(void *ctx, int64_t bytes);
} lun__csv_services;

typedef enum lun__csv_what {
    LUN__CSV_FINE,
    LUN__CSV_EMPTY,       /* there is not even a header */
    LUN__CSV_RAGGED,      /* a row of other than the header's number of fields */
    LUN__CSV_OPEN_QUOTE,  /* never closed */
    LUN__CSV_AFTER_QUOTE, /* text between a closing quote and the field's end */
    LUN__CSV_LATE_QUOTE,  /* an opening quote after blanks */
    LUN__CSV_RETURN,      /* a carriage return that ends no line; a line feed where returns do */
    LUN__CSV_NUL,
    LUN__CSV_ENCODING,    /* not UTF-8 */
    LUN__CSV_LONG,        /* a row longer than 2 GB */
    LUN__CSV_MISFIT,      /* a field that is not of the kind that its column must be */
    LUN__CSV_OFFSETS,     /* times with and without an offset from UTC in a column of times */
    LUN__CSV_RECODE,      /* bytes that the encoding does not have */
    LUN__CSV_NO_ENCODING, /* of that name */
    LUN__CSV_UNREAD,      /* services.read failed */
    LUN__CSV_MANY,        /* more different texts in a column than an array can have */
    LUN__CSV_MEMORY,      /* none is left */
    LUN__CSV_REFUSED,     /* by a service, or stopped */
    LUN__CSV_STRAY        /* within: a quote inside of a field without quotes */
} lun__csv_what;

typedef struct lun__csv_fault {
    lun__csv_what what;
    int64_t at, line;   /* byte, from 0; line, from 1 */
    int64_t column;     /* of the header, from 0; -1: none */
    int64_t fields;     /* RAGGED: of this row */
    int error;          /* UNREAD: the result of services.read */
    unsigned char byte; /* ENCODING, RETURN, RECODE: the wrong one */
    char field[64];     /* MISFIT: its first bytes */
} lun__csv_fault;

typedef struct lun__csv lun__csv;

/* Makes *text, which the caller frees, of all bytes, which are of that encoding; NULL: UTF-16 if
 * they begin with its byte order mark, else *text is NULL and they are to be read as they are.
 * False: *fault. */
bool lun__csv_encoding_recode(const lun__csv_services *services, const char *encoding, char **text,
                              int64_t *length, lun__csv_fault *fault);
/* Reads the header. NULL: *fault says why. The services must live as long. */
lun__csv *lun__csv_open(const lun__csv_services *services, const lun__csv_rules *rules,
                        lun__csv_fault *fault);
void lun__csv_close(lun__csv *c);
/* The columns of the header. */
int64_t lun__csv_width(const lun__csv *c);
const char *lun__csv_name(const lun__csv *c, int64_t column, size_t *length);
/* Whether the first line is a row, and no header. */
bool lun__csv_is_nameless(const lun__csv *c);
/* What separates fields. */
char lun__csv_separator(const lun__csv *c);
/* Whether the last line lacks its newline. */
bool lun__csv_is_unended(const lun__csv *c);
/* Rows that were left out by the last reading. */
int64_t lun__csv_skipped(const lun__csv *c);

/* The flags of the fields seen in a column; lun__csv_column_kind says what they make of it. */
enum {
    LUN__CSV_INTS = 1,       /* integers, as 64 bits each */
    LUN__CSV_SIGNS = 2,      /* some have a sign */
    LUN__CSV_BEYOND = 4,     /* some need u64 */
    LUN__CSV_MINUS_ZERO = 8, /* some are -0, written as 0 */
    LUN__CSV_FLOATS = 16,    /* all are written as floats */
    LUN__CSV_BOOLS = 32,
    LUN__CSV_OTHERS = 64, /* text: nothing is written */
    LUN__CSV_HOLES = 128, /* missing */
    LUN__CSV_ZEROS = 256, /* integers that begin with a 0 and go on */
    LUN__CSV_REAL = 512,  /* numbers that are written as no integer */
    LUN__CSV_DATES = 2048,
    LUN__CSV_STAMPS = 4096, /* dates with a time of day */
    LUN__CSV_ZONED = 8192,  /* the same with an offset from UTC */
    LUN__CSV_FULL = 1024,   /* within: no memory to mark what is missing */
    LUN__CSV_WORDS = 32768  /* the first one of lun__csv_words_defaults; next to it the others */
};

enum { LUN__CSV_WORD_COUNT = 8 };

/* The words that are missing elements where none are given. */
extern const char lun__csv_words_defaults[LUN__CSV_WORD_COUNT][5];
/* The kind of a column with these flags. */
lun__csv_kind lun__csv_column_kind(unsigned seen);

/* A column to be read. */
typedef struct lun__csv_wanted {
    int64_t column; /* its number, from 0 */
    lun__csv_how how;
    lun__csv_kind kind; /* set: what it is */
    unsigned seen;      /* set: the flags of its fields, while it is not forced */
    bool missing;       /* set: whether it has a validity */
} lun__csv_wanted;

/* From now on rows in turn are read: the next ones behind those read last, or, first, those from
 * the first row on, at most so many. False: there are no more. */
bool lun__csv_next(lun__csv *c, int64_t rows);
/* From now on all rows are read; the next ones in turn are the first. */
void lun__csv_rewind(lun__csv *c);
/* The bytes before the rows that are read next in turn, and those of the text. */
void lun__csv_place(const lun__csv *c, int64_t *at, int64_t *size);

/* Reads columns; sets *rows to their length. False: *fault says why, and the memory from the
 * services is undefined. */
bool lun__csv_read(lun__csv *c, lun__csv_wanted *wanted, int64_t count, int64_t *rows,
                   lun__csv_fault *fault);

/* ---- writing --------------------------------------------------------------------------------- */

/* A column to be written: elements of 8 bytes, or truth values; of TEXT: lun_string, missing ones
 * with NULL. valid: a byte for each row, 0 where one is missing; NULL: all are there. */
typedef struct lun__csv_column {
    lun__csv_kind kind;
    const void *data;
    const unsigned char *valid;
} lun__csv_column;

/* Which fields get quotes. NEVER: texts that need them are not given
 * (lun__csv_write_rows_is_bare). */
typedef enum lun__csv_quotes { LUN__CSV_NEEDED, LUN__CSV_ALL, LUN__CSV_NEVER } lun__csv_quotes;

/* How rows are written. */
typedef struct lun__csv_form {
    char separator, decimal;
    lun__csv_quotes quotes;
    const char *floats;  /* a conversion of printf of one double; NULL: digits that read back */
    const char *missing; /* stands for an element that is */
    size_t missing_length;
    int64_t last; /* row of a single column of text with an element that is there, -1: none */
} lun__csv_form;

/* How many bytes lun__csv_write_rows may write for rows first .. last - 1; false: beyond a
 * size_t. */
bool lun__csv_write_rows_bound(const lun__csv_form *form, const lun__csv_column *columns,
                               int64_t count, int64_t first, int64_t last, size_t *bytes);
/* Writes these rows, a line each; the end. */
char *lun__csv_write_rows(char *to, const lun__csv_form *form, const lun__csv_column *columns,
                          int64_t count, int64_t first, int64_t last);
/* Whether a text needs no quotes. */
bool lun__csv_write_rows_is_bare(const lun__csv_form *form, const char *text, size_t length);

#endif
