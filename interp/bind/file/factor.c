/* factor.c - internal.factor, for lun.factor: the different texts of a list, in order, and which of
 * them each element is. Lua interns short strings, so most elements are compared by address. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "bind/host/bind.h"

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

/* internal.factor(list): its codes, an i32 Vector, and the levels, a list; or nil and the number of
 * the first element that is no text. */
static int factor(lua_State *L)
{
    lun__host *h = lun__host_here(L);
    luaL_checktype(L, LIST, LUA_TTABLE);
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

void lun__open_factor(lua_State *L, const lun__parts *p)
{
    static const luaL_Reg internal[] = {{"factor", factor}, {NULL, NULL}};
    lun__register(L, p, p->internal, internal);
}
