/* source_text.h - the text of a user's C function with its includes expanded, and where each byte
 * of it was written. */
#ifndef LUN_SOURCE_TEXT_H
#define LUN_SOURCE_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/strbuf.h"
#include "ctext/token/token.h"
#include "lunarray.h"

enum {
    LUN_CSOURCE_BYTES = 1 << 20, /* of all texts of one function together */
    LUN_CSOURCE_DEPTH = 32       /* of includes within includes */
};

/* From offset on, the text is what stands in file `name` from line `line` on. */
typedef struct lun_csource_mark {
    size_t offset;
    int name, line;
} lun_csource_mark;

/* A file that was read; the first is the function's own (or stands for its string). */
typedef struct lun_csource_file {
    char *name; /* as messages and #line show it */
    uint64_t device, inode;
} lun_csource_file;

typedef struct lun_csource {
    bool string;     /* not from a file */
    size_t bytes;    /* of all texts, as they were written */
    lun_strbuf text; /* with a #line wherever the file changes; ends in a newline */
    lun_ctokens tokens;
    lun_csource_mark *marks;
    int mark_count, mark_room;
    lun_csource_file *files;
    int file_count, file_room;
} lun_csource;

/* Both fill an empty *s, to be freed in every case.  On failure error gets what is wrong and
 * where. A string may not include anything but <math.h>, <stdint.h>, <stdbool.h>, which are
 * dropped, as they are in files: kernels have what they declare. */
lun_status lun__csource_string(lun_csource *s, const char *text, lun_strbuf *error);
/* #include "x" is read relative to the including file, each file once. */
lun_status lun__csource_path(lun_csource *s, const char *path, lun_strbuf *error);
void lun__csource_free(lun_csource *s);

/* The line on which a byte of the text was written. */
int lun__csource_line(const lun_csource *s, size_t offset);
/* Writes "FILE, line N: " of a token and what is wrong there; returns LUN_EARG. */
lun_status lun__csource_error(const lun_csource *s, int token, lun_strbuf *error,
                              const char *format, ...) __attribute__((format(printf, 4, 5)));

#endif
