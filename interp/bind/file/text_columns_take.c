/* text_columns_take.c - rows of a column of text, in any order, for lun.rows: internal.texts_take.
 * They are looked up and packed on all threads; no strings are made. */
#include <stdlib.h>
#include <string.h>

#include "bind/file/text_columns.h"

enum {
    TAKEN = 8192, /* rows that a task takes */
    TASKS = 16
};

/* What rows a batch takes from a column, each task into a place of its own. */
typedef struct taking {
    const lun__column *from;
    lun__column *to;
    int64_t *rows; /* from 1; 0: a missing one */
    int64_t first, count;
    void *rooms[TASKS];
    lun__texts_part parts[TASKS];
} taking;

static void take_rows(void *of, int64_t task)
{
    taking *t = of;
    const lun__texts *from = &t->from->texts;
    int64_t first = task * TAKEN, last = t->count - first < TAKEN ? t->count : first + TAKEN;
    int64_t part = 0, n = last - first;
    size_t bytes = 0;
    lun__text *texts = malloc((size_t)n * sizeof *texts);
    free(t->rooms[task]);
    t->rooms[task] = NULL;
    for (int64_t r = first; texts && r < last; r++) {
        int64_t row = t->rows[r];
        texts[r - first] = (lun__text){.at = ""};
        if (row < 1 || row > from->rows)
            continue;
        part = lun__texts_find(from, row - 1, part);
        const lun__texts_part *p = &from->parts[part];
        lun__text x = lun__texts_kept(p, lun__texts_level(p, row - 1 - p->first));
        x.hash = lun__text_hash(x.at, x.length);
        texts[r - first] = x;
        bytes += x.length;
    }
    if (texts && bytes < UINT32_MAX)
        t->rooms[task] = malloc(lun__texts_room(n, bytes) + 1);
    if (t->rooms[task])
        lun__texts_pack(texts, t->first + first, n, t->rooms[task], &t->parts[task]);
    free(texts);
}

static int end_taking(lua_State *L)
{
    taking *t = lua_touserdata(L, 1);
    for (int k = 0; k < TASKS; k++)
        free(t->rooms[k]);
    free(t->rows);
    lun__column_end(t->to);
    memset(t, 0, sizeof *t);
    return 0;
}

static taking *new_taking(lua_State *L)
{
    taking *t = lua_newuserdatauv(L, sizeof *t, 0);
    memset(t, 0, sizeof *t);
    lua_createtable(L, 0, 1);
    lua_pushcfunction(L, end_taking);
    lua_setfield(L, -2, "__gc");
    lua_setmetatable(L, -2);
    t->rows = malloc(sizeof *t->rows * TAKEN * TASKS);
    if (!t->rows)
        luaL_error(L, "not enough memory");
    return t;
}

/* Takes the rows of a batch; the array of their numbers is at 2. */
static lun_status take_batch(lua_State *L, lun__host *h, taking *t)
{
    lun_status s;
    int64_t tasks = (t->count + TAKEN - 1) / TAKEN;
    LUN__TRY(s, lun_read(h->engine, lun__check_array(L, h, 2), t->rows, t->first, t->count));
    if (s != LUN_OK)
        return s;
    lun_host_share(h->engine, tasks, t, take_rows);
    for (int64_t k = 0; k < tasks; k++)
        if (!t->rooms[k])
            return LUN_ENOMEM;
    LUN__TRY(s, lun__column_add(t->to, t->parts, tasks));
    return s == LUN_OK ? lun_host_check(h->engine) : s;
}

/* internal.texts_take(list, rows): of a column without strings those of an i64 Vector of row
 * numbers, "" for 0; nil for any other list. */
static int texts_take(lua_State *L)
{
    lun__host *h = lun__here(L);
    lua_settop(L, 2);
    const lun__column *from = lun__to_column(L, 1);
    if (!from)
        return 0;
    lun_array *rows = lun__check_array(L, h, 2);
    int64_t n = lun_size(rows);
    lun_dtype type = lun_dtype_of(rows);
    luaL_argcheck(L, lun_dtype_kind(type) == LUN_KIND_SIGNED && lun_dtype_size(type) == 8, 2,
                  "not i64");
    taking *t = new_taking(L);
    t->from = from;
    t->to = lun__column_new(h);
    lun_status s = t->to ? LUN_OK : LUN_ENOMEM;
    for (; s == LUN_OK && t->first < n; t->first += t->count) {
        t->count = n - t->first < TAKEN * TASKS ? n - t->first : TAKEN * TASKS;
        s = take_batch(L, h, t);
    }
    if (s == LUN_ECANCEL || s == LUN_ELIMIT)
        return lun__raise_stop(L, s);
    if (s == LUN_ENOMEM)
        return luaL_error(L, "not enough memory");
    lun__check(L, h, s, 2);
    lun__push_column(L, &t->to);
    lun__report_memory(L, h);
    return 1;
}

void lun__open_texts_take(lua_State *L, const lun__parts *p)
{
    static const luaL_Reg inside[] = {{"texts_take", texts_take}, {NULL, NULL}};
    lun__register(L, p, p->internal, inside);
}
