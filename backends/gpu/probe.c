/* probe.c - the child process that asks first; see probe.h.
 *
 * The child is forked, not spawned: a library has no program of its own to start.  It runs
 * nothing of the host but the loader and the drivers, with default signal handling, outside the
 * terminal's process group, and ends by _exit, so that no exit handler of the host runs.  A
 * child that was forked while another thread loaded a library finds the loader locked, or half
 * changed, and hangs or crashes; this process' own threads are kept from that
 * (base/loading_lock.h), a host's are not: so a second child is asked where the first has not
 * answered in half the time, or has ended. */
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

#include "base/loading_lock.h"

enum { LIMIT_SECONDS = 15, TRIALS = 2 };

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

/* A child and the pipe through which it answers; -1: it is not there any more. */
typedef struct trial {
    pid_t child;
    int fd;
} trial;

/* False: no child can be made. */
static bool begin(trial *t, const lun_gpu_question *question, int seconds)
{
    int ends[2];
    if (pipe2(ends, O_CLOEXEC))
        return false;
    lun__loading_lock_begin();
    t->child = fork();
    lun__loading_lock_end();
    if (t->child == 0)
        run_child(question, ends[1], seconds);
    close(ends[1]);
    if (t->child < 0) {
        close(ends[0]);
        return false;
    }
    t->fd = ends[0];
    return true;
}

/* The child's end; gives its status. */
static int end(trial *t)
{
    if (t->fd >= 0) {
        close(t->fd);
        kill(t->child, SIGKILL);
    }
    t->fd = -1;
    return status_of(t->child);
}

/* What a child says until that time: 1 that no harm was done, 0 nothing, and it has ended, -1
 * nothing so far. *which: of the trials that go on. */
static int hear(const trial *t, int count, int64_t until, int *which)
{
    struct pollfd p[TRIALS];
    for (int i = 0; i < count; i++)
        p[i] = (struct pollfd){.fd = t[i].fd, .events = POLLIN};
    for (int64_t left; (left = until - now_ms()) > 0;) {
        if (poll(p, (nfds_t)count, (int)left) <= 0)
            continue;
        for (int i = 0; i < count; i++) {
            char answer;
            *which = i;
            ssize_t n = t[i].fd >= 0 && p[i].revents ? read(t[i].fd, &answer, 1) : -1;
            if (n >= 0)
                return n == 1;
        }
    }
    return -1;
}

/* 1: a child answered; 0: all have ended, the last one with *status; -1: the time is over.  1 also
 * where no child can be made: then it is asked here. */
static int ask_children(const lun_gpu_question *question, int seconds, int *status)
{
    trial t[TRIALS];
    int count = 0, most = TRIALS, alive = 0, answer = -1, which;
    const int64_t start = now_ms(), limit = (int64_t)seconds * 1000;
    while (answer < 0 && now_ms() - start < limit) {
        if (count < most && (!alive || now_ms() - start >= limit / 2)) {
            if (!begin(&t[count], question, seconds))
                most = count;
            else
                count += 1, alive += 1;
        }
        if (!alive)
            return count ? 0 : 1;
        answer = hear(t, count, start + (count < most ? limit / 2 : limit), &which);
        if (answer == 0) {
            *status = end(&t[which]);
            answer = --alive || count < most ? -1 : 0;
        }
    }
    for (int i = 0; i < count; i++)
        if (t[i].fd >= 0)
            end(&t[i]);
    return answer;
}

bool lun__gpu_probe(const lun_gpu_question *question, lun_strbuf *why)
{
    int status = 0, seconds = limit_seconds(question->timeout);
    const int answer = ask_children(question, seconds, &status);
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
