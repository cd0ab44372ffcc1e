/* element_file.h - a file that elements are read from where they are used: opened once, never
 * written, never mapped, so that a file which shrinks is a failed read and no signal.  Private to
 * prims/. */
#ifndef LUN_ELEMENT_FILE_H
#define LUN_ELEMENT_FILE_H

#include <stdint.h>

#include "backend.h"
#include "base/infile.h"
#include "lunarray.h"

typedef struct lun_source lun_source;

/* Opens a regular file; *size: its bytes.  LUN_EIO with errno set, or LUN_ENOMEM. */
lun_status lun__element_file_open(lun_engine *e, const char *path, lun_source **out, int64_t *size);
lun_source *lun__element_file_retain(lun_source *s);
/* NULL is allowed. */
void lun__element_file_release(lun_engine *e, lun_source *s);
/* LUN_EIO if the file is not the one that was opened: written to since, or cut off. */
lun_status lun__element_file_check(lun_engine *e, const lun_source *s);
/* `count` elements from byte `at` on; 0, or what lun__element_file_fail takes.  From any thread. */
int lun__element_file_read(const lun_source *s, int64_t at, int64_t count, lun_infile_form form,
                           void *to);
/* Goes on with a CRC-32 by so many bytes, as lun__infile_crc. */
int lun__element_file_crc(const lun_source *s, int64_t at, int64_t bytes, uint32_t *crc);
/* By what devices' machines open it, as long as there is the source; NULL: its path is not known,
 * or it cannot be read. */
const lun_file *lun__element_file_of(lun_source *s);
/* What such a failure is, as the engine's. */
lun_status lun__element_file_fail(lun_engine *e, const lun_source *s, int failure);

#endif
