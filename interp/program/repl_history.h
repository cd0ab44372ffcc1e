/* repl_history.h - the history of the prompt in a file of the user's; knows no editor. */
#ifndef LUN_REPL_HISTORY_H
#define LUN_REPL_HISTORY_H

#include <stddef.h>

/* Hands the last entries of the file, oldest first, to `add`, and shortens a file that has grown
 * far beyond them. The file: lunarray/history in $XDG_STATE_HOME, else in ~/.local/state. */
void lun__history_load(void (*add)(void *ctx, const char *text), void *ctx);
/* Appends an entry. Several sessions may do so at once. What fails leaves the file as it was. */
void lun__history_append(const char *text);

#endif
