/* replacing_file.h - a file that is written beside another one and takes its place when it is
 * whole: there is never half of it under that name. */
#ifndef LUN_REPLACING_FILE_H
#define LUN_REPLACING_FILE_H

#include <stdbool.h>
#include <stddef.h>

typedef struct lun_replacing_file {
    const char *path; /* what it replaces, borrowed */
    char *beside;
    int fd, error; /* errno of the first failure, 0: none */
} lun_replacing_file;

/* Also where it fails it is to be ended. */
void lun__replacing_file_open(lun_replacing_file *f, const char *path);
void lun__replacing_file_write(lun_replacing_file *f, const void *bytes, size_t count);
/* take: it takes the place of the other one, unless something has failed; else it is removed.
 * Returns the errno of the first failure, 0: none. */
int lun__replacing_file_end(lun_replacing_file *f, bool take);

#endif
