/* lua_terminal.c - the terminal: its size, and what it answers to a question. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

#include "bind/host/bind.h"

enum { ANSWER = 256, ESCAPE = 27, LONGEST_MS = 60000 };

/* internal.terminal(): columns and rows of the window, whether stdout is one, and the width and the
 * height of the window in pixels; nil for what is not known. A pseudo-terminal that a launcher only
 * reads from is none. */
static int terminal(lua_State *L)
{
    struct winsize size;
    const bool hidden = lun_launched() && !isatty(STDIN_FILENO);
    const bool known = !hidden && ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0;
    if (known) {
        lua_pushinteger(L, size.ws_col);
        lua_pushinteger(L, size.ws_row);
    } else {
        lua_pushnil(L);
        lua_pushnil(L);
    }
    lua_pushboolean(L, !hidden && isatty(STDOUT_FILENO));
    if (!known || size.ws_xpixel == 0 || size.ws_ypixel == 0)
        return 3;
    lua_pushinteger(L, size.ws_xpixel);
    lua_pushinteger(L, size.ws_ypixel);
    return 5;
}

static int64_t now_ms(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

/* Whether the terminal has something to read by `deadline`. */
static bool has_input(int fd, int64_t deadline)
{
    struct pollfd p = {.fd = fd, .events = POLLIN};
    int ready;
    do {
        const int64_t left = deadline - now_ms();
        ready = poll(&p, 1, left > 0 ? (int)left : 0);
    } while (ready < 0 && errno == EINTR && now_ms() < deadline);
    return ready > 0;
}

/* What has come from the terminal: keys, and the answer, which begins with an escape. */
typedef struct answer {
    size_t keys, length;
    char key[ANSWER], text[ANSWER];
} answer;

/* Reads an answer to `question` up to a byte `last`, for so long; without it a->length is 0. Asks
 * nothing where something has been typed already: that is the script's. */
static void ask(int fd, const char *question, size_t length, char last, int ms, answer *a)
{
    char c;
    if (has_input(fd, 0) || write(fd, question, length) != (ssize_t)length)
        return;
    const int64_t deadline = now_ms() + ms;
    while (a->keys < ANSWER && a->length < ANSWER && has_input(fd, deadline) &&
           read(fd, &c, 1) == 1) {
        if (a->length == 0 && c != ESCAPE) {
            a->key[a->keys++] = c;
            continue;
        }
        a->text[a->length++] = c;
        if (c == last)
            return;
    }
    a->length = 0;
}

/* Gives keys back to the terminal, where the system lets a process do that. */
static void type_again(int fd, const answer *a)
{
    for (size_t i = 0; i < a->keys && ioctl(fd, TIOCSTI, &a->key[i]) == 0; i++)
        continue;
}

/* internal.ask_terminal(question, last, ms): what the terminal of this process answers within so
 * many milliseconds, up to the byte `last`; nil if it does not, or if this process is not in front
 * of it. */
static int ask_terminal(lua_State *L)
{
    size_t length = 0, n = 0;
    answer a = {.length = 0};
    const char *question = luaL_checklstring(L, 1, &length);
    const char *last = luaL_checklstring(L, 2, &n);
    const lua_Integer ms = luaL_checkinteger(L, 3);
    luaL_argcheck(L, n == 1, 2, "one byte expected");
    luaL_argcheck(L, ms >= 0 && ms <= LONGEST_MS, 3, "not from 0 to 60000");
    struct termios before, mode;
    const int fd = open("/dev/tty", O_RDWR | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    if (fd < 0)
        return 0;
    if (tcgetpgrp(fd) == getpgrp() && tcgetattr(fd, &before) == 0) {
        mode = before;
        mode.c_lflag &= ~(tcflag_t)(ICANON | ECHO);
        mode.c_cc[VMIN] = 1;
        mode.c_cc[VTIME] = 0;
        fflush(stdout);
        if (tcsetattr(fd, TCSANOW, &mode) == 0) {
            ask(fd, question, length, *last, (int)ms, &a);
            tcsetattr(fd, TCSANOW, &before);
            type_again(fd, &a);
        }
    }
    close(fd);
    if (a.length == 0)
        return 0;
    lua_pushlstring(L, a.text, a.length);
    return 1;
}

void lun__open_terminal(lua_State *L, const lun__parts *p)
{
    static const luaL_Reg internal[] = {
        {"terminal", terminal}, {"ask_terminal", ask_terminal}, {NULL, NULL}};
    lun__register(L, p, p->internal, internal);
}
