/* repl_edit.h - reading a line at a terminal, with an editor where there is one: the editor, its
 * history, signals meanwhile. Knows no Lua. */
#ifndef LUN_REPL_EDIT_H
#define LUN_REPL_EDIT_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>

typedef struct lun__editor lun__editor;

typedef enum lun__reading { LUN__LINE, LUN__ENDED, LUN__INTERRUPTED } lun__reading;

/* Answers Tab: `text` is the text before the cursor. Sets what to insert and what to show below the
 * line, each NULL for nothing; valid until the next call. */
typedef void lun__completer(void *ctx, const char *text, size_t length, const char **insert,
                            const char **show);

/* An editor for the terminal; NULL if there can be none (a dumb terminal, redirected, built
 * without). */
lun__editor *lun__repl_edit_open(lun__completer *complete, void *ctx);
void lun__repl_edit_close(lun__editor *ed);
/* Reads one line, without its newline; a pasted one may hold newlines. The prompt may hold colours,
 * between bytes \1. Valid until the next call. */
lun__reading lun__repl_edit_read(lun__editor *ed, const char *prompt, const char **line,
                                 size_t *length);
/* Adds a text to the history of the arrow keys. */
void lun__repl_edit_remember(lun__editor *ed, const char *text);

/* ---- its history (repl_history.c) ------------------------------------------------------------ */

/* Passes the last entries of the file, oldest first, to `add`, and shortens a file that has grown
 * far beyond them. The file: lunarray/history in $XDG_STATE_HOME, else in ~/.local/state. */
void lun__repl_history_load(void (*add)(void *ctx, const char *text), void *ctx);
/* Appends an entry. Several sessions may do so at once. A failure leaves the file unchanged. */
void lun__repl_history_append(const char *text);

/* ---- signals while a line is read (repl_signals.c) ------------------------------------------- */

enum { LUN__SIGNALS = 7 };

/* The mask and the actions before. */
typedef struct lun__signals {
    sigset_t mask;
    struct sigaction actions[LUN__SIGNALS];
} lun__signals;

/* From here to lun__repl_signals_let signals of the terminal are delivered only during
 * lun__repl_signals_wait.  The action of SIGINT stays the caller's. */
void lun__repl_signals_hold(lun__signals *before);
void lun__repl_signals_let(const lun__signals *before);

/* Waits for bytes in the file or a signal: false with errno, EINTR after a signal.  A signal that
 * arrived before is noted in either case. */
bool lun__repl_signals_wait(int file);

/* The number of a signal that arrived, SIGINT left out, each once; 0: none is left. */
int lun__repl_signals_next(void);

#endif
