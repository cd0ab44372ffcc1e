/* repl_signals.h - signals while a line is read at a terminal: held back, and looked at between
 * keys, so that each finds the terminal in a known state.  Knows no editor and no Lua. */
#ifndef LUN_REPL_SIGNALS_H
#define LUN_REPL_SIGNALS_H

#include <signal.h>
#include <stdbool.h>

enum { LUN__SIGNALS = 7 };

/* What held before: the mask and the actions. */
typedef struct lun__signals {
    sigset_t mask;
    struct sigaction actions[LUN__SIGNALS];
} lun__signals;

/* From here to lun__signals_let the signals that concern a terminal arrive only during
 * lun__signals_wait.  The action of SIGINT stays the caller's. */
void lun__signals_hold(lun__signals *before);
void lun__signals_let(const lun__signals *before);

/* Waits for bytes in the file or a signal: false with errno, EINTR after a signal.  A signal that
 * came first is there afterwards in either case. */
bool lun__signals_wait(int file);

/* The number of a signal that came, but for SIGINT's, once for each; 0: none is left. */
int lun__signals_next(void);

#endif
