/* repl_edit.h - reading a line at a terminal, with an editor where there is one; knows no Lua. */
#ifndef LUN_REPL_EDIT_H
#define LUN_REPL_EDIT_H

#include <stdbool.h>
#include <stddef.h>

typedef struct lun__editor lun__editor;

typedef enum lun__reading { LUN__LINE, LUN__ENDED, LUN__INTERRUPTED } lun__reading;

/* Answers Tab: `text` is what stands before the cursor. Sets what to insert and what to show below
 * the line, each NULL for nothing; valid until the next call. */
typedef void lun__completer(void *ctx, const char *text, size_t length, const char **insert,
                            const char **show);

/* An editor for the terminal; NULL where it allows none (dumb, not both ways, built without). */
lun__editor *lun__editor_open(lun__completer *complete, void *ctx);
void lun__editor_close(lun__editor *ed);
/* Reads one line, without its newline; a pasted one may hold newlines. The prompt may hold colours,
 * between bytes \1. Valid until the next call. */
lun__reading lun__editor_read(lun__editor *ed, const char *prompt, const char **line,
                              size_t *length);
/* Adds a text to what the arrow keys bring back. */
void lun__editor_remember(lun__editor *ed, const char *text);

#endif
