/* repl_edit.c - reading a line at a terminal by libedit: history, Tab, pasted text, Ctrl-C, Ctrl-Z,
 * a window that changes its size. Keys are read here, so that a signal is handled at once, with the
 * terminal in its old mode. Knows no Lua; without libedit there is no editor.
 *
 * Invariant: between reads the terminal is in the mode that it had before, signals have the
 * caller's handlers, and keys that were read but not used stay in `keys` for the next read. */
#include "program/repl_edit.h"

#ifdef LUN_LIBEDIT

#include <errno.h>
#include <histedit.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <termios.h>
#include <unistd.h>
#include <wchar.h>

#include "program/protected_call.h"

#define PASTE_ON    "\033[?2004h"
#define PASTE_OFF   "\033[?2004l"
#define PASTE_BEGIN "\033[200~"
#define PASTE_END   "\033[201~"

enum { REMEMBERED = 2000, PASTE_MOST = 16 << 20 };

struct lun__editor {
    EditLine *el;
    History *history;
    HistEvent event;
    lun__completer *complete;
    void *ctx;
    char *prompt;
    unsigned char keys[256]; /* read, but not used yet */
    size_t first, count;
    bool interrupted;
};

static void say(const char *text)
{
    fputs(text, stdout);
    fflush(stdout);
}

/* Performs the signal's default action, with the terminal in the shell's mode; returns, if at all,
 * when the process continues. */
static void give_in(lun__editor *ed, int number)
{
    struct sigaction before, action;
    sigset_t mask, old;
    memset(&action, 0, sizeof action);
    action.sa_handler = SIG_DFL;
    sigemptyset(&action.sa_mask);
    say(PASTE_OFF);
    el_set(ed->el, EL_PREP_TERM, 0);
    sigaction(number, &action, &before);
    raise(number);
    sigemptyset(&mask);
    sigaddset(&mask, number);
    pthread_sigmask(SIG_UNBLOCK, &mask, &old);
    pthread_sigmask(SIG_SETMASK, &old, NULL);
    sigaction(number, &before, NULL);
    el_set(ed->el, EL_PREP_TERM, 1);
    say(PASTE_ON);
    el_set(ed->el, EL_REFRESH);
}

/* Handles the signals that arrived; false if the line is abandoned. */
static bool heed_signals(lun__editor *ed)
{
    if (lun__call_was_interrupted()) {
        ed->interrupted = true;
        return false;
    }
    for (int number; (number = lun__repl_signals_next()) != 0;) {
        if (number == SIGWINCH)
            el_resize(ed->el);
        else if (number == SIGCONT)
            el_set(ed->el, EL_REFRESH);
        else
            give_in(ed, number);
    }
    return true;
}

/* ---- keys ------------------------------------------------------------------------------------ */

/* The next byte; -1 at the end of the input or if the line is abandoned. */
static int next_byte(lun__editor *ed)
{
    while (ed->count == 0) {
        if (!heed_signals(ed))
            return -1;
        if (!lun__repl_signals_wait(STDIN_FILENO)) {
            if (errno != EINTR)
                return -1;
            continue;
        }
        if (!heed_signals(ed))
            return -1;
        ssize_t n = read(STDIN_FILENO, ed->keys, sizeof ed->keys);
        if (n < 0 && (errno == EINTR || errno == EAGAIN))
            continue;
        if (n <= 0)
            return -1;
        ed->first = 0;
        ed->count = (size_t)n;
    }
    ed->count--;
    return ed->keys[ed->first++];
}

/* One character for libedit: 1, or 0 at the end. Invalid bytes are skipped. */
static int read_key(EditLine *el, wchar_t *out)
{
    lun__editor *ed = NULL;
    mbstate_t state;
    el_get(el, EL_CLIENTDATA, &ed);
    memset(&state, 0, sizeof state);
    for (;;) {
        int c = next_byte(ed);
        if (c < 0)
            return 0;
        char byte = (char)c;
        size_t n = mbrtowc(out, &byte, 1, &state);
        if (n == 0 || n == 1)
            return 1;
        if (n == (size_t)-1)
            memset(&state, 0, sizeof state);
    }
}

/* Reads what was pasted up to its end mark; NULL if there is none. */
static char *read_paste(lun__editor *ed)
{
    const size_t mark = sizeof PASTE_END - 1;
    size_t room = 4096, n = 0;
    char *text = malloc(room);
    int c = 0;
    while (text && n < PASTE_MOST && (c = next_byte(ed)) >= 0) {
        if (n + 1 == room) {
            char *larger = realloc(text, room *= 2);
            if (!larger)
                break;
            text = larger;
        }
        text[n++] = (char)c;
        if (n >= mark && memcmp(text + n - mark, PASTE_END, mark) == 0) {
            text[n - mark] = '\0';
            return text;
        }
    }
    free(text);
    return NULL;
}

/* Pasted text is inserted as it is, with newlines: nothing of it runs before Enter. */
static unsigned char paste(EditLine *el, int ch)
{
    lun__editor *ed = NULL;
    (void)ch;
    el_get(el, EL_CLIENTDATA, &ed);
    char *text = read_paste(ed), *to = text;
    if (!text)
        return CC_EOF;
    for (const char *p = text; *p; p++) {
        if (*p == '\r')
            *to++ = '\n';
        else if (*p == '\t')
            *to++ = ' ';
        else if ((unsigned char)*p >= ' ' || *p == '\n')
            *to++ = *p;
    }
    while (to > text && to[-1] == '\n')
        to--;
    *to = '\0';
    bool taken = !*text || el_insertstr(el, text) == 0;
    free(text);
    return taken ? CC_REFRESH : CC_ERROR;
}

static unsigned char tab(EditLine *el, int ch)
{
    lun__editor *ed = NULL;
    const char *insert = NULL, *show = NULL;
    const LineInfo *line = el_line(el);
    (void)ch;
    el_get(el, EL_CLIENTDATA, &ed);
    ed->complete(ed->ctx, line->buffer, (size_t)(line->cursor - line->buffer), &insert, &show);
    if (insert && *insert && el_insertstr(el, insert) != 0)
        return CC_ERROR;
    if (show && *show) {
        printf("\n%s\n", show);
        fflush(stdout);
        return CC_REDISPLAY;
    }
    return insert && *insert ? CC_REFRESH : CC_ERROR;
}

/* ---- the editor ------------------------------------------------------------------------------ */

static char *prompt_of(EditLine *el)
{
    lun__editor *ed = NULL;
    el_get(el, EL_CLIENTDATA, &ed);
    return ed->prompt;
}

static void bind_keys(EditLine *el)
{
    static const char *const keys[][2] = {
        {"^I", "lunarray-complete"},        {PASTE_BEGIN, "lunarray-paste"},
        {"^R", "em-inc-search-prev"},       {"^W", "ed-delete-prev-word"},
        {"\033[H", "ed-move-to-beg"},       {"\033[F", "ed-move-to-end"},
        {"\033[1~", "ed-move-to-beg"},      {"\033[4~", "ed-move-to-end"},
        {"\033[3~", "ed-delete-next-char"}, {"\033[1;5D", "ed-prev-word"},
        {"\033[1;5C", "em-next-word"},
    };
    el_set(el, EL_ADDFN, "lunarray-complete", "Complete the name before the cursor", tab);
    el_set(el, EL_ADDFN, "lunarray-paste", "Insert what was pasted", paste);
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++)
        el_set(el, EL_BIND, keys[i][0], keys[i][1], NULL);
}

static void add_to_history(void *ctx, const char *text)
{
    lun__editor *ed = ctx;
    history(ed->history, &ed->event, H_ENTER, text);
}

lun__editor *lun__repl_edit_open(lun__completer *complete, void *ctx)
{
    const char *term = getenv("TERM");
    if (!isatty(STDIN_FILENO) || !isatty(STDOUT_FILENO) || !term || !*term ||
        strcmp(term, "dumb") == 0)
        return NULL;
    lun__editor *ed = calloc(1, sizeof *ed);
    if (!ed)
        return NULL;
    ed->complete = complete;
    ed->ctx = ctx;
    ed->el = el_init("lunarray", stdin, stdout, stderr);
    ed->history = history_init();
    if (!ed->el || !ed->history) {
        lun__repl_edit_close(ed);
        return NULL;
    }
    history(ed->history, &ed->event, H_SETSIZE, REMEMBERED);
    history(ed->history, &ed->event, H_SETUNIQUE, 1);
    el_set(ed->el, EL_CLIENTDATA, ed);
    el_set(ed->el, EL_EDITOR, "emacs");
    el_set(ed->el, EL_SIGNAL, 0);
    el_set(ed->el, EL_GETCFN, read_key);
    el_set(ed->el, EL_PROMPT_ESC, prompt_of, '\1');
    el_set(ed->el, EL_HIST, history, ed->history);
    bind_keys(ed->el);
    el_source(ed->el, NULL);
    lun__repl_history_load(add_to_history, ed);
    return ed;
}

void lun__repl_edit_close(lun__editor *ed)
{
    if (!ed)
        return;
    if (ed->el)
        el_end(ed->el);
    if (ed->history)
        history_end(ed->history);
    free(ed->prompt);
    free(ed);
}

/* libedit prints the prompt before it changes the mode: keys typed in between would be read, and
 * echoed, by the terminal. */
static void leave_line_mode(void)
{
    struct termios mode;
    if (tcgetattr(STDIN_FILENO, &mode) != 0)
        return;
    mode.c_lflag &= ~(tcflag_t)(ICANON | ECHO);
    mode.c_cc[VMIN] = 1;
    mode.c_cc[VTIME] = 0;
    tcsetattr(STDIN_FILENO, TCSADRAIN, &mode);
}

lun__reading lun__repl_edit_read(lun__editor *ed, const char *prompt, const char **line,
                                 size_t *length)
{
    lun__signals held;
    int count = 0;
    free(ed->prompt);
    ed->prompt = strdup(prompt);
    if (!ed->prompt)
        return LUN__ENDED;
    ed->interrupted = false;
    lun__repl_signals_hold(&held);
    leave_line_mode();
    say(PASTE_ON);
    const char *text = el_gets(ed->el, &count);
    say(PASTE_OFF);
    lun__repl_signals_let(&held);
    if (ed->interrupted) {
        el_reset(ed->el);
        say("\n");
        return LUN__INTERRUPTED;
    }
    if (!text || count <= 0)
        return LUN__ENDED;
    *length = (size_t)count - (text[count - 1] == '\n');
    *line = text;
    return LUN__LINE;
}

void lun__repl_edit_remember(lun__editor *ed, const char *text)
{
    add_to_history(ed, text);
    lun__repl_history_append(text);
}

#else

lun__editor *lun__repl_edit_open(lun__completer *complete, void *ctx)
{
    (void)complete;
    (void)ctx;
    return NULL;
}

void lun__repl_edit_close(lun__editor *ed)
{
    (void)ed;
}

lun__reading lun__repl_edit_read(lun__editor *ed, const char *prompt, const char **line,
                                 size_t *length)
{
    (void)ed;
    (void)prompt;
    (void)line;
    (void)length;
    return LUN__ENDED;
}

void lun__repl_edit_remember(lun__editor *ed, const char *text)
{
    (void)ed;
    (void)text;
}

#endif
