/* file_fault.h - why reading or writing a file failed: the first reason stays.  Functions give
 * false, so that what failed can return them. */
#ifndef LUN_FILE_FAULT_H
#define LUN_FILE_FAULT_H

#include "lunarray_bind.h"

/* Of the engine (`status`), of the system (`reason`, an errno), or of the bytes or surroundings
 * (`code`: "format", "short", "unsupported", "library"). */
typedef struct lun_file_fault {
    lun_status status;
    int reason;
    const char *code;
    char text[640];
} lun_file_fault;

__attribute__((format(printf, 3, 4))) bool lun__file_fault(lun_file_fault *f, const char *code,
                                                           const char *format, ...);
bool lun__file_fault_of(lun_file_fault *f, lun_status s);
/* reason: an errno, -1: the file has ended early; 0 is none, and gives true. */
bool lun__file_fault_read(lun_file_fault *f, int reason);

#endif
