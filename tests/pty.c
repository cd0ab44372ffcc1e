/* Drives a program at a pseudo terminal, for tests: runs the command with a terminal of its own and
 * does what the lines of standard input say; the terminal's output goes to standard output, then a
 * line with how the program ended. Knows nothing of what it runs.
 *
 * usage: pty columns command [arguments], with lines
 *     send TEXT      types it; \n \r \t \e \xHH \\ stand for bytes
 *     wait TEXT      reads until TEXT has appeared since the last wait (PATIENCE, else fails)
 *     idle           reads until the program has taken all input and sleeps (PATIENCE, else fails)
 *     busy           reads until the program has computed for 50 ms since the last send, or is idle
 *     press TEXT     types it again and again until the program has ended (PATIENCE, else fails)
 *     any MS         reads for so long: for what is tried at any moment
 *     time           writes "[ms since the last send, or the start]"
 *     touch NAME     makes a file of that name
 *     mark TEXT      writes TEXT on a line of its own into the output
 *     signal N       sends the program signal number N
 *     columns N      makes the terminal N columns wide
 * At the end of the script the terminal is closed after the program's end, or PATIENCE. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

/* After two minutes a step that does not come is a hang. */
enum { PATIENCE_MS = 120000, SEEN = 1 << 20 };

static char seen[SEEN + 1]; /* since the last wait */
static size_t seen_length;
static int terminal;
static pid_t program;
static double sent_at;
static long sent_ticks; /* what the program had computed then */

static double now_ms(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return 1e3 * (double)t.tv_sec + 1e-6 * (double)t.tv_nsec;
}

/* Reads what is there within ms; false at the end. */
static int pump(int ms)
{
    char bytes[4096];
    struct pollfd p = {.fd = terminal, .events = POLLIN};
    if (poll(&p, 1, ms) <= 0)
        return 1;
    ssize_t n = read(terminal, bytes, sizeof bytes);
    if (n <= 0)
        return n < 0 && errno == EINTR;
    fwrite(bytes, 1, (size_t)n, stdout);
    if (seen_length + (size_t)n > SEEN) {
        size_t kept = SEEN / 2;
        memmove(seen, seen + seen_length - kept, kept);
        seen_length = kept;
    }
    memcpy(seen + seen_length, bytes, (size_t)n);
    seen_length += (size_t)n;
    seen[seen_length] = '\0';
    return 1;
}

/* Turns the escapes of `text`, in place, into bytes; returns how many. */
static size_t unescape(char *text)
{
    char *to = text;
    for (const char *p = text; *p; p++) {
        if (*p != '\\' || !p[1]) {
            *to++ = *p;
            continue;
        }
        switch (*++p) {
        case 'n':
            *to++ = '\n';
            break;
        case 'r':
            *to++ = '\r';
            break;
        case 't':
            *to++ = '\t';
            break;
        case 'e':
            *to++ = '\033';
            break;
        case 'x': {
            char hex[3] = {p[1], p[1] ? p[2] : '\0', '\0'};
            *to++ = (char)strtol(hex, NULL, 16);
            p += strlen(hex);
            break;
        }
        default:
            *to++ = *p;
        }
    }
    *to = '\0';
    return (size_t)(to - text);
}

/* What the kernel says of the program behind its name, which is in parentheses. */
static const char *stat_of_program(char text[512])
{
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/stat", (int)program);
    FILE *f = fopen(path, "re");
    size_t n = f ? fread(text, 1, 511, f) : 0;
    if (f)
        fclose(f);
    text[n] = '\0';
    const char *name = strrchr(text, ')');
    return name ? name + 1 : "";
}

/* How long it has computed, in the kernel's ticks. */
static long ticks(void)
{
    char text[512];
    unsigned long of_user = 0, of_system = 0;
    if (sscanf(stat_of_program(text), " %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %lu %lu",
               &of_user, &of_system) != 2)
        return 0;
    return (long)(of_user + of_system);
}

static void send_bytes(const char *text, size_t n)
{
    sent_at = now_ms();
    sent_ticks = ticks();
    while (n > 0) {
        ssize_t done = write(terminal, text, n);
        if (done <= 0)
            return;
        text += done;
        n -= (size_t)done;
    }
}

/* Waits for the text and drops what came up to its end. */
static int wait_for(const char *text, size_t n)
{
    double start = now_ms();
    for (;;) {
        char *at = memmem(seen, seen_length, text, n);
        if (at) {
            size_t gone = (size_t)(at - seen) + n;
            memmove(seen, seen + gone, seen_length - gone + 1);
            seen_length -= gone;
            return 1;
        }
        double left = PATIENCE_MS - (now_ms() - start);
        if (left <= 0 || !pump((int)left + 1))
            return 0;
    }
}

static int sleeps(void)
{
    char text[512];
    return strncmp(stat_of_program(text), " S", 2) == 0;
}

/* Bytes that the program has not read yet. */
static int unread(void)
{
    int count = 0, fd = open(ptsname(terminal), O_RDWR | O_NOCTTY);
    if (fd >= 0) {
        if (ioctl(fd, FIONREAD, &count))
            count = 0;
        close(fd);
    }
    return count;
}

/* Until it has nothing to read, to write or to do, in several looks one after the other, or has
 * computed for so many ticks since the last send. */
static int wait_until_idle(long computed)
{
    enum { LOOKS = 5 };
    double end = now_ms() + PATIENCE_MS;
    for (int quiet = 0; quiet < LOOKS;) {
        struct pollfd p = {.fd = terminal, .events = POLLIN};
        if (now_ms() > end)
            return 0;
        if (ticks() - sent_ticks >= computed)
            return 1;
        if (poll(&p, 1, 5) > 0) {
            if (!pump(0))
                return 1; /* it has ended */
            quiet = 0;
        } else {
            quiet = sleeps() && unread() == 0 ? quiet + 1 : 0;
        }
    }
    return 1;
}

/* Types it until the program has ended. */
static int press(const char *text, size_t n)
{
    const double end = now_ms() + PATIENCE_MS;
    while (now_ms() < end) {
        send_bytes(text, n);
        if (!pump(20) || strncmp(stat_of_program((char[512]){0}), " Z", 2) == 0)
            return 1;
    }
    return 0;
}

static int resize(int columns)
{
    struct winsize size = {.ws_col = (unsigned short)columns, .ws_row = 24};
    return ioctl(terminal, TIOCSWINSZ, &size);
}

static int follow(char *line)
{
    char *text = strchr(line, ' ');
    size_t n = 0;
    if (text) {
        *text++ = '\0';
        n = unescape(text);
    }
    if (strcmp(line, "send") == 0 && text) {
        send_bytes(text, n);
    } else if (strcmp(line, "wait") == 0 && text) {
        if (!wait_for(text, n)) {
            printf("\n[never came: %s]\n", text);
            return 0;
        }
    } else if (strcmp(line, "idle") == 0) {
        if (!wait_until_idle(LONG_MAX)) {
            printf("\n[never idle]\n");
            return 0;
        }
    } else if (strcmp(line, "busy") == 0) {
        if (!wait_until_idle(sysconf(_SC_CLK_TCK) / 20)) {
            printf("\n[never busy]\n");
            return 0;
        }
    } else if (strcmp(line, "press") == 0 && text) {
        if (!press(text, n)) {
            printf("\n[never ended]\n");
            return 0;
        }
    } else if (strcmp(line, "any") == 0 && text) {
        const double end = now_ms() + atof(text);
        while (now_ms() < end && pump((int)(end - now_ms()) + 1))
            ;
    } else if (strcmp(line, "time") == 0) {
        printf("\n[%.1f ms]\n", now_ms() - sent_at);
    } else if (strcmp(line, "mark") == 0 && text) {
        printf("\n%s\n", text);
    } else if (strcmp(line, "touch") == 0 && text) {
        close(open(text, O_CREAT | O_WRONLY | O_CLOEXEC, 0600));
    } else if (strcmp(line, "signal") == 0 && text) {
        kill(program, atoi(text));
    } else if (strcmp(line, "columns") == 0 && text) {
        resize(atoi(text));
    } else {
        printf("\n[unknown: %s]\n", line);
        return 0;
    }
    return 1;
}

static pid_t start(char **argv, int columns)
{
    terminal = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
    if (terminal < 0 || grantpt(terminal) || unlockpt(terminal) || resize(columns))
        return -1;
    const char *name = ptsname(terminal);
    pid_t pid = name ? fork() : -1;
    if (pid != 0)
        return pid;
    setsid();
    signal(SIGINT, SIG_DFL);
    int fd = open(name, O_RDWR); /* becomes the controlling terminal */
    if (fd < 0 || dup2(fd, 0) < 0 || dup2(fd, 1) < 0 || dup2(fd, 2) < 0)
        _exit(126);
    if (fd > 2)
        close(fd);
    execvp(argv[0], argv);
    _exit(127);
}

int main(int argc, char **argv)
{
    char *line = NULL;
    size_t room = 0;
    ssize_t n;
    int status = 0, ok = 1;
    sent_at = now_ms();
    pid_t pid = program = argc > 2 ? start(argv + 2, atoi(argv[1])) : -1;
    if (pid < 0) {
        fprintf(stderr, "pty: usage: pty columns command [arguments]; or no terminal can be had\n");
        return 2;
    }
    while (ok && (n = getline(&line, &room, stdin)) > 0) {
        if (line[n - 1] == '\n')
            line[n - 1] = '\0';
        if (line[0])
            ok = follow(line);
    }
    double end = now_ms() + PATIENCE_MS;
    while (ok && now_ms() < end && pump(100) && waitpid(pid, &status, WNOHANG) != pid)
        ;
    while (waitpid(pid, &status, WNOHANG) == 0) {
        if (now_ms() > end || !ok) {
            kill(pid, SIGKILL);
            ok = 0;
        }
        usleep(10000);
    }
    struct pollfd rest = {.fd = terminal, .events = POLLIN}; /* what it wrote before it ended */
    while (poll(&rest, 1, 0) > 0 && pump(0))
        ;
    free(line);
    if (WIFSIGNALED(status))
        printf("\n[signal %d]\n", WTERMSIG(status));
    else
        printf("\n[exit %d]\n", WEXITSTATUS(status));
    return ok ? 0 : 1;
}
