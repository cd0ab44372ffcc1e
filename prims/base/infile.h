/* infile.h - a regular file that is only read, by offsets: opened without waiting, read to the last
 * byte or an error, and known again where another process opens it. */
#ifndef LUN_INFILE_H
#define LUN_INFILE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/strbuf.h"

/* What a file is known by: on a file system that several machines have it is the same on all. */
typedef struct lun_infile_mark {
    int64_t size, seconds, nanoseconds; /* bytes; when it was last written to */
    uint64_t inode, ends;               /* ends: a hash of its first and last bytes */
} lun_infile_mark;

/* How elements are stored. */
typedef struct lun_infile_form {
    int bytes;    /* of each: 1, 2, 4 or 8 */
    bool swapped; /* in the other byte order */
    bool truth;   /* any byte but 0 is true */
    int64_t step; /* from the first byte of one to that of the next: `bytes`, or more */
} lun_infile_form;

/* What a read can come to beside 0 and the system's errno: the file ends before; it was written to
 * since. */
enum { LUN_INFILE_SHORT = -1, LUN_INFILE_CHANGED = -2 };

/* A descriptor for the caller and the file's mark, without `ends`; -1 with errno: ESPIPE where it
 * is no regular file. */
int lun__infile_open(const char *path, lun_infile_mark *is);
/* 0, or what reading came to: the mark's `ends`. */
int lun__infile_ends(int descriptor, lun_infile_mark *mark);
/* The path from the root, malloc'd, with its links as they are: they may lead elsewhere on other
 * machines.  NULL: it is not known. */
char *lun__infile_path(const char *path);
bool lun__infile_same(const lun_infile_mark *a, const lun_infile_mark *b);
/* 0, an errno, or LUN_INFILE_CHANGED: the file is not as it was then. */
int lun__infile_check(int descriptor, const lun_infile_mark *then);
/* Bytes at .. at+bytes-1; 0, LUN_INFILE_SHORT or an errno.  From any thread, as the next one. */
int lun__infile_read(int descriptor, int64_t at, int64_t bytes, void *to);
/* `count` elements from byte `at` on, as this machine stores them. */
int lun__infile_elements(int descriptor, int64_t at, int64_t count, lun_infile_form form, void *to);
/* From the first byte of so many elements, 0 or more, to the last one's end; false: beyond what a
 * file has. */
bool lun__infile_span(int64_t count, lun_infile_form form, int64_t *span);
/* Goes on with the CRC-32 of what is before, 0 of nothing, by bytes at .. at+bytes-1. */
int lun__infile_crc(int descriptor, int64_t at, int64_t bytes, uint32_t *crc);
/* Appends what such a failure is called. */
void lun__infile_say(lun_strbuf *to, const char *name, int descriptor, const lun_infile_mark *then,
                     int failure);

#endif
