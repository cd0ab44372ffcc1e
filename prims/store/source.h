/* source.h - a file that elements are read from where they are used: opened once, never written,
 * never mapped, so that a file which shrinks is a failed read and no signal.  Knows bytes only.
 * Private to prims/. */
#ifndef LUN_SOURCE_H
#define LUN_SOURCE_H

#include <stdint.h>

#include "lunarray.h"

typedef struct lun_source lun_source;

/* What a read can come to beside 0 and the system's errno. */
enum { LUN_SOURCE_SHORT = -1 };

/* Opens a regular file; *size: its bytes.  LUN_EIO with errno set, or LUN_ENOMEM. */
lun_status lun__source_open(lun_engine *e, const char *path, lun_source **out, int64_t *size);
lun_source *lun__source_retain(lun_source *s);
/* NULL is allowed. */
void lun__source_release(lun_source *s);
/* LUN_EIO if the file is not the one that was opened: written to since, or cut off. */
lun_status lun__source_check(lun_engine *e, const lun_source *s);
/* Bytes at .. at+bytes-1; 0, LUN_SOURCE_SHORT or an errno.  From any thread. */
int lun__source_read(const lun_source *s, int64_t at, int64_t bytes, void *to);
/* What such a failure is, as the engine's. */
lun_status lun__source_fail(lun_engine *e, const lun_source *s, int failure);

#endif
