/* repl_signals.c - handlers that note signals, and a wait that unblocks them.
 *
 * Invariant: between hold and let the signals are blocked but in lun__repl_signals_wait; a
 * handler only sets its signal's note, which lun__repl_signals_next clears. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* ppoll */
#endif
#include "program/repl_edit.h"

#include <poll.h>
#include <string.h>

static const int watched[LUN__SIGNALS] = {SIGINT,  SIGWINCH, SIGCONT, SIGTSTP,
                                          SIGTERM, SIGHUP,   SIGQUIT};
static volatile sig_atomic_t came[LUN__SIGNALS];

static void note_signal(int number)
{
    for (int i = 0; i < LUN__SIGNALS; i++)
        if (watched[i] == number)
            came[i] = 1;
}

void lun__repl_signals_hold(lun__signals *before)
{
    struct sigaction action;
    sigset_t mask;
    memset(&action, 0, sizeof action);
    action.sa_handler = note_signal;
    sigemptyset(&action.sa_mask);
    sigemptyset(&mask);
    for (int i = 0; i < LUN__SIGNALS; i++) {
        came[i] = 0;
        sigaddset(&mask, watched[i]);
        if (watched[i] != SIGINT)
            sigaction(watched[i], &action, &before->actions[i]);
    }
    pthread_sigmask(SIG_BLOCK, &mask, &before->mask);
}

void lun__repl_signals_let(const lun__signals *before)
{
    pthread_sigmask(SIG_SETMASK, &before->mask, NULL);
    for (int i = 0; i < LUN__SIGNALS; i++)
        if (watched[i] != SIGINT)
            sigaction(watched[i], &before->actions[i], NULL);
}

bool lun__repl_signals_wait(int file)
{
    struct pollfd terminal = {.fd = file, .events = POLLIN};
    sigset_t open, closed;
    pthread_sigmask(SIG_SETMASK, NULL, &closed);
    open = closed;
    for (int i = 0; i < LUN__SIGNALS; i++)
        sigdelset(&open, watched[i]);
    if (ppoll(&terminal, 1, NULL, &open) < 0)
        return false;
    /* a signal before these keys: if there are some, ppoll leaves it pending */
    pthread_sigmask(SIG_SETMASK, &open, NULL);
    pthread_sigmask(SIG_SETMASK, &closed, NULL);
    return true;
}

int lun__repl_signals_next(void)
{
    for (int i = 0; i < LUN__SIGNALS; i++)
        if (came[i]) {
            came[i] = 0;
            return watched[i];
        }
    return 0;
}
