/* repl_history.c - the history of the prompt: a text file of the user, one entry a line, in which
 * \n and \\ stand for a newline and a backslash. No failure is reported: a prompt works without
 * history.
 *
 * Invariant: the file has complete lines only. Sessions append, each entry in one write, and
 * replace the file by a shorter one, under a lock (flock) on the file that has the name at that
 * time; nothing of the file stays in memory between calls. */
#include "program/repl_edit.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "bind/host/write_signals.h"

/* Entries kept by shortening, entries at which a file is shortened; most bytes of an entry, of a
 * file. */
enum { KEPT = 2000, MOST = 2 * KEPT, LONGEST = 1 << 16, LARGEST = 64 << 20 };

/* ---- the file -------------------------------------------------------------------------------- */

/* Writes the path into `path`, and makes missing directories; false if there is no path. */
static bool find_path(char *path, size_t room)
{
    const char *state = getenv("XDG_STATE_HOME"), *home = getenv("HOME");
    int n = -1;
    if (state && state[0] == '/')
        n = snprintf(path, room, "%s/lunarray/history", state);
    else if (home && home[0] == '/')
        n = snprintf(path, room, "%s/.local/state/lunarray/history", home);
    if (n < 0 || (size_t)n >= room)
        return false;
    for (char *p = path + 1; (p = strchr(p, '/')); p++) {
        *p = '\0';
        mkdir(path, 0700);
        *p = '/';
    }
    return true;
}

/* Opens the file and locks it; -1 if that fails. A file that was replaced meanwhile is opened
 * again. */
static int open_locked(const char *path)
{
    for (int tries = 0; tries < 10; tries++) {
        struct stat held, there;
        int fd = open(path, O_RDWR | O_APPEND | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
        if (fd < 0)
            return -1;
        int locked;
        do
            locked = flock(fd, LOCK_EX);
        while (locked != 0 && errno == EINTR);
        if (locked == 0 && fstat(fd, &held) == 0 && S_ISREG(held.st_mode) &&
            stat(path, &there) == 0 && held.st_ino == there.st_ino && held.st_dev == there.st_dev &&
            fchmod(fd, 0600) == 0)
            return fd;
        close(fd);
    }
    return -1;
}

static bool write_all(int fd, const char *from, size_t n)
{
    lun__held_signal held;
    lun__write_signals_hold(&held);
    while (n > 0) {
        ssize_t done = write(fd, from, n);
        if (done < 0 && errno == EINTR)
            continue;
        if (done <= 0)
            break;
        from += done;
        n -= (size_t)done;
    }
    lun__write_signals_let_go(&held);
    return n == 0;
}

/* The whole file as a string of *length bytes, NULL if it cannot be read. */
static char *read_all(int fd, size_t *length)
{
    struct stat st;
    if (fstat(fd, &st) != 0 || st.st_size < 0 || st.st_size > LARGEST)
        return NULL;
    size_t size = (size_t)st.st_size, got = 0;
    char *text = malloc(size + 1);
    while (text && got < size) {
        ssize_t n = pread(fd, text + got, size - got, (off_t)got);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            break;
        got += (size_t)n;
    }
    if (text)
        text[got] = '\0';
    *length = got;
    return text;
}

/* Replaces the file by the end of the text, by renaming a new file. */
static void shorten(const char *path, const char *text, size_t length)
{
    char fresh[4096];
    int n = snprintf(fresh, sizeof fresh, "%s.%ld", path, (long)getpid());
    if (n < 0 || (size_t)n >= sizeof fresh)
        return;
    int fd = open(fresh, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (fd < 0)
        return;
    bool written = write_all(fd, text, length) && fsync(fd) == 0;
    if (close(fd) != 0 || !written || rename(fresh, path) != 0)
        unlink(fresh);
}

/* ---- entries --------------------------------------------------------------------------------- */

/* The entry in the form of the file, with its newline; NULL without memory. */
static char *encode(const char *text, size_t *length)
{
    char *line = malloc(2 * strlen(text) + 2), *to = line;
    if (!line)
        return NULL;
    for (; *text; text++) {
        if (*text == '\n' || *text == '\\')
            *to++ = '\\';
        *to++ = *text == '\n' ? 'n' : *text;
    }
    *to++ = '\n';
    *length = (size_t)(to - line);
    return line;
}

/* Decodes a line, in place. */
static void decode(char *line)
{
    char *to = line;
    for (const char *p = line; *p; p++) {
        if (*p == '\\' && p[1])
            *to++ = *++p == 'n' ? '\n' : *p;
        else
            *to++ = *p;
    }
    *to = '\0';
}

void lun__repl_history_load(void (*add)(void *ctx, const char *text), void *ctx)
{
    char path[4000];
    size_t length = 0, lines = 0;
    int fd = find_path(path, sizeof path) ? open_locked(path) : -1;
    if (fd < 0)
        return;
    char *text = read_all(fd, &length);
    if (text) {
        char *start = text + length;
        while (start > text && lines <= KEPT) {
            start--;
            if (start == text || start[-1] == '\n')
                lines += *start != '\n' && *start != '\0';
            if (lines == KEPT && (start == text || start[-1] == '\n'))
                break;
        }
        size_t all = 0;
        for (const char *p = text; (p = strchr(p, '\n')); p++)
            all++;
        if (all > MOST)
            shorten(path, start, length - (size_t)(start - text));
        for (char *line = start, *end; (end = strchr(line, '\n')); line = end + 1) {
            *end = '\0';
            decode(line);
            if (*line)
                add(ctx, line);
        }
    }
    free(text);
    close(fd);
}

void lun__repl_history_append(const char *text)
{
    char path[4000];
    size_t length = 0;
    if (!*text || strlen(text) > LONGEST || !find_path(path, sizeof path))
        return;
    char *line = encode(text, &length);
    int fd = line ? open_locked(path) : -1;
    if (fd >= 0) {
        struct stat st;
        /* A partial entry would corrupt the next one. */
        if (fstat(fd, &st) == 0 && !write_all(fd, line, length))
            (void)!ftruncate(fd, st.st_size);
        close(fd);
    }
    free(line);
}
