/* quiet_stderr.c - stderr kept apart; see quiet_stderr.h.  Knows no OpenCL. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* memfd_create, memmem */
#endif
#include "opencl/quiet_stderr.h"

#include <fcntl.h>
#include <stdbool.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "backend.h"

void lun__quiet_enter(lun_quiet *q)
{
    q->caught = memfd_create("lunarray-stderr", MFD_CLOEXEC);
    q->kept = q->caught < 0 ? -1 : fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 3);
    if (q->kept >= 0 && dup2(q->caught, STDERR_FILENO) >= 0)
        return;
    if (q->kept >= 0)
        close(q->kept);
    if (q->caught >= 0)
        close(q->caught);
    q->kept = q->caught = -1;
}

/* "2 warnings and 1 error generated.": clang's summary. */
static bool is_summary(const char *line, size_t n)
{
    static const char end[] = " generated.";
    size_t m = sizeof end - 1;
    return n > m && line[0] >= '0' && line[0] <= '9' && !memcmp(line + n - m, end, m) &&
           (memmem(line, n, "error", 5) || memmem(line, n, "warning", 7));
}

/* Writes the lines but for summaries. */
static void pass_on(const char *text, size_t length)
{
    while (length) {
        const char *newline = memchr(text, '\n', length);
        size_t n = newline ? (size_t)(newline - text) : length, whole = n + (newline ? 1 : 0);
        if (!is_summary(text, n) && !lun__write_all(STDERR_FILENO, text, whole))
            return;
        text += whole;
        length -= whole;
    }
}

void lun__quiet_leave(lun_quiet *q)
{
    if (q->kept < 0)
        return;
    dup2(q->kept, STDERR_FILENO);
    close(q->kept);
    off_t length = lseek(q->caught, 0, SEEK_END);
    char *text =
        length > 0 ? mmap(NULL, (size_t)length, PROT_READ, MAP_PRIVATE, q->caught, 0) : MAP_FAILED;
    if (text != MAP_FAILED) {
        pass_on(text, (size_t)length);
        munmap(text, (size_t)length);
    }
    close(q->caught);
}
