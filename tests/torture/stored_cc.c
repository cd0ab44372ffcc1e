/* stored_cc.c - a compiler for tests that runs the real one once for each text and copies its
 * output from then on.  STORED_CC_DIR holds the outputs; STORED_CC_LOG gets a line for each
 * call. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include <xxhash.h>

extern char **environ;

static char *slurp(const char *path, size_t *length)
{
    static char bytes[4 << 20];
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t n = fd < 0 ? -1 : read(fd, bytes, sizeof bytes);
    if (fd >= 0)
        close(fd);
    *length = n < 0 ? 0 : (size_t)n;
    return n <= 0 ? NULL : bytes;
}

static int put(const char *path, const void *bytes, size_t length)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    int bad = fd < 0 || write(fd, bytes, length) != (ssize_t)length;
    if (fd >= 0)
        close(fd);
    return bad;
}

static int compile(char **argv)
{
    pid_t pid;
    int status;
    argv[0] = "gcc";
    if (posix_spawnp(&pid, "gcc", NULL, NULL, argv, environ) || waitpid(pid, &status, 0) != pid)
        return 1;
    return status != 0;
}

int main(int argc, char **argv)
{
    const char *dir = getenv("STORED_CC_DIR"), *log = getenv("STORED_CC_LOG");
    const char *out = NULL, *source = NULL;
    char path[512], temporary[560];
    size_t length;
    for (int i = 1; i < argc; i++) {
        if (!strcmp(argv[i], "-o") && i + 1 < argc)
            out = argv[i + 1];
        size_t n = strlen(argv[i]);
        if (n > 2 && !strcmp(argv[i] + n - 2, ".c"))
            source = argv[i];
    }
    if (log) {
        int fd = open(log, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
        if (fd < 0 || write(fd, "x\n", 2) != 2)
            return 1;
        close(fd);
    }
    char *bytes = source ? slurp(source, &length) : NULL;
    if (!dir || !out || !bytes)
        return 1;
    snprintf(path, sizeof path, "%s/%016llx.so", dir,
             (unsigned long long)XXH3_64bits(bytes, length));
    if ((bytes = slurp(path, &length)))
        return put(out, bytes, length);
    if (compile(argv) || !(bytes = slurp(out, &length)))
        return 1;
    snprintf(temporary, sizeof temporary, "%s.%ld", path, (long)getpid());
    return put(temporary, bytes, length) || rename(temporary, path);
}
