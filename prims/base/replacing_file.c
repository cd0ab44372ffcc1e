/* replacing_file.c - see replacing_file.h.  Its name while it is written has the process's number;
 * one that is there already is of an earlier process and is not touched. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* asprintf */
#endif
#include "base/replacing_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "backend.h"

void lun__replacing_file_open(lun_replacing_file *f, const char *path)
{
    *f = (lun_replacing_file){.path = path, .fd = -1};
    if (asprintf(&f->beside, "%s.%ld.tmp", path, (long)getpid()) < 0) {
        f->beside = NULL;
        f->error = ENOMEM;
        return;
    }
    f->fd = open(f->beside, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0644);
    f->error = f->fd < 0 ? errno : 0;
}

void lun__replacing_file_write(lun_replacing_file *f, const void *bytes, size_t count)
{
    if (!f->error && !lun__write_bytes(f->fd, bytes, count))
        f->error = errno;
}

int lun__replacing_file_end(lun_replacing_file *f, bool take)
{
    const bool made = f->fd >= 0;
    if (made && close(f->fd) && !f->error)
        f->error = errno;
    if (!f->error && take && rename(f->beside, f->path))
        f->error = errno;
    if (made && (f->error || !take))
        unlink(f->beside);
    free(f->beside);
    f->beside = NULL;
    f->fd = -1;
    return f->error;
}
