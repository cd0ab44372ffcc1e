/* text_columns.h - a column of text as a list of Lua's: its cells stay bytes until a script goes
 * through them. Within interp/bind. */
#ifndef LUN_TEXT_COLUMNS_H
#define LUN_TEXT_COLUMNS_H

#include "bind/host/bind.h"
#include "csv/text_cells.h"

/* The cells are memory of the engine's. */
typedef struct lun__column {
    lun__host *host;
    lun__texts texts;
    lun_blank **blanks; /* which hold them */
    int64_t count, room;
    int64_t served, part; /* cells given to scripts; the part of the last one */
} lun__column;

/* NULL: there is no memory. */
lun__column *lun__text_column_new(lun__host *h);
void lun__text_column_end(lun__column *c);
/* Adds parts, which are copied: their rows follow those that are there. */
lun_status lun__text_column_add(lun__column *c, const lun__texts_part *parts, int64_t count);
/* Pushes *c as a list, which Lua owns then, and makes *c NULL. */
void lun__text_column_push(lua_State *L, lun__column **c);
/* The column of the list at i while it has no strings, alive as long as the value pushed for it;
 * else NULL, and nothing is pushed. */
lun__column *lun__text_column_at(lua_State *L, int i);
/* Makes a list of strings of the value at i, if it is such a column. */
void lun__text_column_list(lua_State *L, int i);
/* Runs tasks on the threads of the host `h`: lun__texts_share. */
void lun__text_column_share(void *h, int64_t count, void *of, void (*task)(void *of, int64_t k));

#endif
