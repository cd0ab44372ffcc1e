/* factor.c - internal.factor, for lun.factor: the different texts of a list, in order, and which of
 * them each element is. Lua interns short strings, so most elements are compared by address. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "bind/file/text_columns.h"

/* One text of the list, by its address; equal ones may have several. */
typedef struct level {
    const char *text;
    size_t length;
    int32_t number; /* in order of appearance, from 1 */
} level;

/* A table of the addresses seen, by open addressing; at most half full. */
typedef struct seen {
    level *slots;
    size_t mask;
    int32_t count;
} seen;

/* The stack: the list, codes, the memory of the table, the texts by number. */
enum { LIST = 1, CODES, SLOTS, TEXTS };
enum { TOGETHER = 4096 }; /* levels; more of them become strings only when a script asks for them */

static level *place_of(const seen *s, const char *text)
{
    size_t i = (size_t)(((uint64_t)(uintptr_t)text * UINT64_C(0x9E3779B97F4A7C15)) >> 32);
    while (s->slots[i & s->mask].text && s->slots[i & s->mask].text != text)
        i++;
    return &s->slots[i & s->mask];
}

static level *new_slots(lua_State *L, size_t count)
{
    level *slots = lua_newuserdatauv(L, count * sizeof *slots, 0);
    memset(slots, 0, count * sizeof *slots);
    return slots;
}

static void grow(lua_State *L, seen *s)
{
    const level *old = s->slots;
    size_t count = s->mask + 1;
    s->slots = new_slots(L, 2 * count);
    s->mask = 2 * count - 1;
    for (size_t i = 0; i < count; i++)
        if (old[i].text)
            *place_of(s, old[i].text) = old[i];
    lua_replace(L, SLOTS);
}

/* The number of the text on top of the stack, which it pops; new ones are kept in TEXTS. */
static int32_t number_of(lua_State *L, seen *s)
{
    size_t length;
    const char *text = lua_tolstring(L, -1, &length);
    level *found = place_of(s, text);
    if (found->text) {
        lua_pop(L, 1);
        return found->number;
    }
    *found = (level){text, length, ++s->count};
    lua_rawseti(L, TEXTS, s->count);
    int32_t number = s->count;
    if ((size_t)s->count > s->mask / 2)
        grow(L, s);
    return number;
}

static int by_bytes(const void *p, const void *q)
{
    const level *a = p, *b = q;
    int order = memcmp(a->text, b->text, a->length < b->length ? a->length : b->length);
    return order ? order : (a->length > b->length) - (a->length < b->length);
}

/* Pushes the sorted texts, each once, and a userdata with the index of each number in them. */
static const int32_t *sort_levels(lua_State *L, const seen *s)
{
    int32_t *rank = lua_newuserdatauv(L, ((size_t)s->count + 1) * sizeof *rank, 0);
    level *sorted = lua_newuserdatauv(L, ((size_t)s->count + 1) * sizeof *sorted, 0);
    int32_t n = 0, last = 0;
    for (size_t i = 0; i <= s->mask; i++)
        if (s->slots[i].text)
            sorted[n++] = s->slots[i];
    qsort(sorted, (size_t)n, sizeof *sorted, by_bytes);
    lua_createtable(L, n, 0);
    for (int32_t i = 0; i < n; i++) {
        if (i == 0 || by_bytes(&sorted[i - 1], &sorted[i]) != 0) {
            lua_rawgeti(L, TEXTS, sorted[i].number);
            lua_rawseti(L, -2, ++last);
        }
        rank[sorted[i].number] = last;
    }
    lua_replace(L, -2);
    return rank;
}

static int factor_list(lua_State *L, lun__host *h)
{
    lua_settop(L, LIST);
    int64_t n = (int64_t)lua_rawlen(L, LIST);
    luaL_argcheck(L, n <= INT32_MAX, LIST, "more than 2^31 - 1 elements");
    int32_t *codes = lua_newuserdatauv(L, (size_t)(n ? n : 1) * sizeof *codes, 0);
    seen s = {.mask = 63};
    s.slots = new_slots(L, s.mask + 1);
    lua_newtable(L);
    for (int64_t i = 0; i < n; i++) {
        if (lua_rawgeti(L, LIST, i + 1) != LUA_TSTRING) {
            lua_pushnil(L);
            lua_pushinteger(L, i + 1);
            return 2;
        }
        codes[i] = number_of(L, &s);
    }
    const int32_t *rank = sort_levels(L, &s);
    for (int64_t i = 0; i < n; i++)
        codes[i] = rank[codes[i]];
    lun_array **out = lun__lua_array_new(L, h);
    lun_status status;
    LUN__TRY(status, lun_tensor(h->engine, codes, 1, &n, LUN_I32, out));
    lun__error_check(L, h, status, 1);
    lun__host_report_memory(L, h);
    lua_insert(L, -2);
    return 2;
}

/* ---- columns that have no strings ------------------------------------------------------------ */

/* A column of levels, which may be many. */
static lun_status add_levels(lun__column *c, lun__texts_levels *levels)
{
    lun_status s = LUN_OK;
    for (int64_t first = 0, n; s == LUN_OK && first < levels->count; first += n) {
        size_t bytes = 0;
        lun__texts_part part;
        for (n = 0; n < TOGETHER && first + n < levels->count && bytes < UINT32_MAX / 2; n++)
            bytes += levels->levels[first + n].length;
        void *room = malloc(lun__texts_room(n, bytes));
        if (!room)
            return LUN_ENOMEM;
        lun__texts_pack(levels->levels + first, first, n, room, &part);
        s = lun__text_column_add(c, &part, 1);
        free(room);
    }
    return s;
}

/* (levels, host): pushes the list of them. */
static int make_levels(lua_State *L)
{
    lun__texts_levels *levels = lua_touserdata(L, 1);
    lun__host *h = lua_touserdata(L, 2);
    if (levels->count > TOGETHER) {
        lun__column *c = lun__text_column_new(h);
        lun_status s = c ? LUN_OK : LUN_ENOMEM;
        if (s == LUN_OK)
            s = add_levels(c, levels);
        if (s != LUN_OK) {
            lun__text_column_end(c);
            return luaL_error(L, "not enough memory");
        }
        lun__text_column_push(L, &c);
        return 1;
    }
    lua_createtable(L, (int)levels->count, 0);
    for (int64_t k = 0; k < levels->count; k++) {
        lua_pushlstring(L, levels->levels[k].at, levels->levels[k].length);
        lua_rawseti(L, -2, k + 1);
    }
    return 1;
}

static int factor_columns(lua_State *L, lun__host *h, const lun__texts *const *columns, int count)
{
    int64_t n = 0;
    for (int c = 0; c < count; c++)
        n += columns[c]->rows;
    luaL_argcheck(L, n <= INT32_MAX, LIST, "more than 2^31 - 1 elements");
    lun_array **out = lun__lua_array_new(L, h);
    lun__texts_levels levels;
    lun_blank *blank = NULL;
    lun_status s;
    void *codes;
    LUN__TRY(s, lun_blank_new(h->engine, n, sizeof(int32_t), &blank, &codes));
    lun__error_check(L, h, s, 1);
    if (!lun__distinct_texts(columns, count, lun__text_column_share, h, codes, &levels)) {
        lun_blank_drop(h->engine, blank);
        return luaL_error(L, "not enough memory");
    }
    s = lun_blank_vector(h->engine, blank, LUN_I32, out);
    if (s != LUN_OK)
        lun_blank_drop(h->engine, blank);
    lua_pushcfunction(L, make_levels);
    lua_pushlightuserdata(L, &levels);
    lua_pushlightuserdata(L, h);
    int failed = lua_pcall(L, 2, 1, 0);
    free(levels.levels);
    if (failed)
        return lua_error(L);
    lun__error_check(L, h, s, 1);
    lun__host_report_memory(L, h);
    return 2;
}

/* internal.factor(list [, list]): the codes of both, one after the other, an i32 Vector, and the
 * levels, a list; or nil and the number of the first element that is no text. The second list is a
 * column without strings, and so is the first then. */
static int factor(lua_State *L)
{
    lun__host *h = lun__host_here(L);
    const lun__texts *columns[2];
    luaL_checktype(L, LIST, LUA_TTABLE);
    lua_settop(L, 2);
    int count = lua_isnil(L, 2) ? 1 : 2;
    for (int c = 0; c < count; c++) {
        const lun__column *column = lun__text_column_at(L, c + 1);
        luaL_argcheck(L, column || count == 1, c + 1, "not a column without strings");
        if (!column)
            return factor_list(L, h);
        columns[c] = &column->texts;
    }
    return factor_columns(L, h, columns, count);
}

void lun__open_factor(lua_State *L, const lun__parts *p)
{
    static const luaL_Reg internal[] = {{"factor", factor}, {NULL, NULL}};
    lun__register(L, p, p->internal, internal);
}
