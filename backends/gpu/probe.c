/* probe.c - the child process that asks first; see probe.h.
 *
 * The child is forked, not spawned: a library has no program of its own to start.  It runs
 * nothing of the host but the loader and the drivers, with default signal handling, outside the
 * terminal's process group, and ends by _exit, so that no exit handler of the host runs.  A
 * child forked while another thread of the host holds the loader's lock hangs, and is killed. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* pipe2 */
#endif
#include "gpu/probe.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { LIMIT_SECONDS = 15 };

/* How long drivers may take: some wake a whole device up. */
static int limit_seconds(const char *timeout)
{
    const char *s = getenv(timeout);
    int n = s ? atoi(s) : 0;
    return n > 0 && n < 3600 ? n : LIMIT_SECONDS;
}

/* The child's own signals and output: nothing of the host's may run or be written. */
static void detach(int seconds)
{
    struct rlimit none = {0, 0};
    sigset_t empty;
    for (int s = 1; s < NSIG; s++)
        signal(s, SIG_DFL);
    sigemptyset(&empty);
    sigprocmask(SIG_SETMASK, &empty, NULL);
    setpgid(0, 0);
    setrlimit(RLIMIT_CORE, &none);
    alarm((unsigned)seconds + 5); /* should the parent be gone */
    int nowhere = open("/dev/null", O_RDWR);
    for (int fd = 0; fd < 3 && nowhere >= 0; fd++)
        dup2(nowhere, fd);
}

static int64_t now_ms(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

/* Waits for the child's answer: 1 it came, 0 the child has ended without one, -1 the time is
 * over. */
static int wait_answer(int fd, int seconds)
{
    int64_t end = now_ms() + (int64_t)seconds * 1000;
    for (;;) {
        int64_t left = end - now_ms();
        struct pollfd p = {.fd = fd, .events = POLLIN};
        char answer;
        if (left <= 0)
            return -1;
        if (poll(&p, 1, (int)left) <= 0)
            continue;
        ssize_t n = read(fd, &answer, 1);
        if (n < 0 && errno == EINTR)
            continue;
        return n == 1;
    }
}

static void run_child(const lun_gpu_question *question, int fd, int seconds)
{
    detach(seconds);
    question->ask();
    ssize_t put = write(fd, "y", 1);
    _exit(put == 1 ? 0 : 1);
}

/* The status of a child that has ended; 0: it cannot be had. */
static int status_of(pid_t child)
{
    int status = 0;
    pid_t ended;
    do
        ended = waitpid(child, &status, 0);
    while (ended < 0 && errno == EINTR);
    return ended == child ? status : 0;
}

bool lun__gpu_probe(const lun_gpu_question *question, lun_strbuf *why)
{
    int ends[2], seconds = limit_seconds(question->timeout);
    if (pipe2(ends, O_CLOEXEC))
        return true;
    pid_t child = fork();
    if (child == 0)
        run_child(question, ends[1], seconds);
    close(ends[1]);
    int answer = child < 0 ? 1 : wait_answer(ends[0], seconds);
    close(ends[0]);
    if (child < 0)
        return true; /* without a process it is asked here */
    if (answer <= 0)
        kill(child, SIGKILL);
    int status = status_of(child);
    if (answer > 0)
        return true;
    lun__strbuf_puts(why, question->who);
    if (answer < 0)
        lun__strbuf_printf(why, " did not answer within %d seconds (%s)", seconds,
                           question->timeout);
    else if (WIFSIGNALED(status) && WTERMSIG(status) != SIGKILL)
        lun__strbuf_printf(why, " crashes when it lists its devices or runs a first kernel (%s)",
                           strsignal(WTERMSIG(status)));
    else
        lun__strbuf_puts(why, " ends the process when it lists its devices or runs a first kernel");
    lun__strbuf_printf(why, ": %s", question->hint);
    return false;
}
