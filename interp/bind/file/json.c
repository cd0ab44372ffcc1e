/* json.c - JSON text to columns and to values of Lua, for lua/lunarray/format/json.lua:
 * internal.json_columns and json_decode. */
#include "json/json.h"

#include <stdlib.h>
#include <string.h>

#include "bind/file/column_reader.h"
#include "csv/piece.h"

/* Sources that are read into one table. */
typedef struct job {
    lun__column_reader *readers; /* of each source; the first one has the columns */
    int64_t count;
    lun__col_gather *gather;
    lun__col_wish *list;
    lun__col_wishes wishes;
    int64_t at, pieces; /* the source that is read; pieces so far */
} job;

static int end_job(lua_State *L)
{
    job *j = lua_touserdata(L, 1);
    lun__col_gather_end(j->gather);
    for (int64_t k = 0; k < j->count; k++)
        lun__column_reader_end(&j->readers[k]);
    free(j->readers);
    free(j->list);
    memset(j, 0, sizeof *j);
    return 0;
}

static job *new_job(lua_State *L)
{
    job *j = lua_newuserdatauv(L, sizeof *j, 0);
    memset(j, 0, sizeof *j);
    lua_createtable(L, 0, 1);
    lua_pushcfunction(L, end_job);
    lua_setfield(L, -2, "__gc");
    lua_setmetatable(L, -2);
    return j;
}

/* ---- faults ---------------------------------------------------------------------------------- */

/* Pushes nil, the source's number, what is wrong: "text", its message; "unread", errno, the
 * system's text; a word for the value of a column, its name, what it was and is, the kind that it
 * must be. Behind them line and column. */
static int push_fault(lua_State *L, job *j, int64_t source, lun__json_fault *f)
{
    static const char *const names[] = {
        [LUN__COL_CLASS] = "class",      [LUN__COL_ROUNDED] = "rounded",
        [LUN__COL_MIXED] = "mixed",      [LUN__COL_TOO_LARGE] = "large",
        [LUN__COL_IS_NESTED] = "nested", [LUN__COL_MISFIT] = "misfit",
        [LUN__COL_OFFSETS] = "offsets",  [LUN__COL_TWICE] = "twice",
        [LUN__COL_WIDE] = "wide",        [LUN__COL_MANY] = "many",
        [LUN__COL_MEMORY] = "memory",    [LUN__COL_REFUSED] = "refused"};
    static const char *const classes[] = {"a number", "a truth value", "a text"};
    if (f->what == LUN__JSON_VALUE && f->value.what == LUN__COL_MEMORY)
        return luaL_error(L, "not enough memory");
    if (f->what == LUN__JSON_VALUE && f->value.what == LUN__COL_REFUSED)
        return lun__column_reader_refuse(L, &j->readers[j->at]);
    if (f->what != LUN__JSON_UNREAD)
        lun__json_read_place(&j->readers[source].services, f);
    luaL_pushfail(L);
    lua_pushinteger(L, source + 1);
    if (f->what == LUN__JSON_UNREAD) {
        lua_pushliteral(L, "unread");
        lua_pushinteger(L, f->error);
        lua_pushstring(L, f->error > 0 ? strerror(f->error) : "");
        return 5;
    }
    const bool value = f->what == LUN__JSON_VALUE;
    lua_pushstring(L, value ? names[f->value.what] : "text");
    lua_pushinteger(L, f->line);
    lua_pushinteger(L, f->column);
    lua_pushstring(L, value ? f->value.name : lun__json_token_message(f->what));
    lua_pushstring(L, classes[f->value.was]);
    lua_pushstring(L, classes[f->value.is]);
    return 8;
}

/* ---- columns --------------------------------------------------------------------------------- */

/* Takes the wishes at 3: a list of {name, how or false}; 4: the others are left out; 5: how these
 * are read; 6: objects and lists are texts. */
static void take_wishes(lua_State *L, job *j)
{
    const int64_t count = (int64_t)lua_rawlen(L, 3);
    j->list = calloc((size_t)count + 1, sizeof *j->list);
    if (!j->list)
        luaL_error(L, "not enough memory");
    for (int64_t k = 0; k < count; k++) {
        lun__col_wish *w = &j->list[k];
        lua_rawgeti(L, 3, k + 1);
        lua_rawgeti(L, -1, 1);
        w->name = luaL_checklstring(L, -1, &w->length); /* the list keeps it */
        w->place = k;
        lua_rawgeti(L, -2, 2);
        if (lua_istable(L, -1))
            w->how = lun__column_reader_how(L);
        lua_pop(L, 3);
    }
    j->wishes = (lun__col_wishes){.list = j->list, .count = count};
    j->wishes.only = lua_toboolean(L, 4);
    j->wishes.nested = lua_toboolean(L, 6);
    lua_pushvalue(L, 5);
    j->wishes.how = lun__column_reader_how(L);
    lua_pop(L, 1);
    if (count)
        qsort(j->list, (size_t)count, sizeof *j->list, lun__col_cells_order);
}

/* Takes the sources at 1, a list of {text or file, size, packed}; 0, or values pushed that say why
 * not. */
static int take_sources(lua_State *L, lun__host *h, job *j)
{
    const int64_t count = (int64_t)lua_rawlen(L, 1);
    j->readers = calloc((size_t)count + 1, sizeof *j->readers);
    if (!j->readers)
        return luaL_error(L, "not enough memory");
    for (int64_t k = 0; k < count; k++) {
        lun__column_reader *r = &j->readers[k];
        lun__column_reader_begin(r, h);
        r->L = L;
        j->count = k + 1;
        lua_rawgeti(L, 1, k + 1);
        lua_rawgeti(L, -1, 1);
        lua_rawgeti(L, -2, 2);
        lua_rawgeti(L, -3, 3);
        lun__column_reader_take(L, lua_gettop(L) - 2, luaL_optinteger(L, -2, 0), r);
        r->services.piece = luaL_optinteger(L, 8, 0);
        if (lua_toboolean(L, -1) && lun__column_reader_unpack(L, r)) {
            lua_pushinteger(L, k + 1); /* nil, number, "packed", message, code */
            lua_insert(L, -4);
            return 5;
        }
        lua_pop(L, 4);
    }
    return 0;
}

/* Reads all sources at most so many rows; false: *f of source *source. Counts of rows go into the
 * list at the top. */
static bool read_sources(lua_State *L, job *j, lun__json_form form, int64_t most, int64_t *starts,
                         int64_t *source, lun__json_fault *f)
{
    int64_t rows = 0;
    for (j->at = 0; j->at < j->count; j->at++) {
        const int64_t left = most < 0 ? -1 : most - rows;
        starts[j->at] = j->pieces;
        *source = j->at;
        if (!lun__json_read(&j->readers[j->at].services, form, left, &j->wishes, j->gather,
                            &j->pieces, f))
            return false;
        const int64_t now = lun__col_gather_rows(j->gather);
        lua_pushinteger(L, now - rows);
        lua_rawseti(L, -2, j->at + 1);
        rows = now;
    }
    j->at = 0;
    return true;
}

/* The source that has that piece, of `count` that begin at such. */
static int64_t source_of(const int64_t *starts, int64_t count, int64_t piece)
{
    int64_t k = count - 1;
    while (k > 0 && starts[k] > piece)
        k--;
    return k;
}

/* The first fault of all: that of the text, unless values before it do not fit each other. */
static bool settle(job *j, bool ok, const int64_t *starts, int64_t *source, lun__json_fault *f)
{
    lun__col_fault value;
    int64_t piece = 0;
    const bool stopped =
        !ok && (f->what == LUN__JSON_UNREAD ||
                (f->what == LUN__JSON_VALUE &&
                 (f->value.what == LUN__COL_REFUSED || f->value.what == LUN__COL_MEMORY)));
    if (stopped || lun__col_gather_settle(j->gather, &j->readers[0].services, ok, &piece, &value))
        return ok;
    const bool earlier = piece < f->piece || (piece == f->piece && value.at < f->at);
    if (ok || (value.what < LUN__COL_MEMORY && earlier)) {
        *source = source_of(starts, ok ? j->count : *source + 1, piece);
        *f = (lun__json_fault){.what = LUN__JSON_VALUE, .at = value.at, .value = value};
    }
    return false;
}

/* Pushes names, columns, their validity, the rows of each source and the places of wishes; the rows
 * are at `rows`. */
static int push_columns(lua_State *L, lun__host *h, job *j, int rows)
{
    lun__json_fault f = {.what = LUN__JSON_VALUE};
    const int64_t width = lun__col_gather_width(j->gather);
    const int size = width < INT_MAX ? (int)width : INT_MAX, first = lua_gettop(L) + 1;
    lun__csv_wanted *wanted = lua_newuserdatauv(L, ((size_t)width + 1) * sizeof *wanted, 0);
    memset(wanted, 0, ((size_t)width + 1) * sizeof *wanted);
    for (int k = 0; k < 5; k++)
        lua_createtable(L, size, 0); /* names, columns, flags, validity, places */
    for (int64_t k = 0; k < width; k++) {
        size_t length;
        const char *name = lun__col_gather_name(j->gather, k, &length);
        lua_pushlstring(L, name, length);
        lua_rawseti(L, first + 1, k + 1);
        lua_pushinteger(L, lun__col_gather_wish(j->gather, k) + 1);
        lua_rawseti(L, first + 5, k + 1);
    }
    lun__column_reader *r = &j->readers[0];
    if (!lun__column_reader_room(L, r, width))
        return luaL_error(L, "not enough memory");
    if (!lun__col_gather_finish(j->gather, &r->services, wanted, &f.value))
        return push_fault(L, j, 0, &f);
    luaL_checkstack(L, 8, NULL);
    lun__column_reader_make(L, r, wanted, first + 2, first + 3, first + 4);
    lun__host_report_memory(L, h);
    const int order[] = {first + 1, first + 2, first + 4, rows, first + 5};
    for (int k = 0; k < 5; k++)
        lua_pushvalue(L, order[k]);
    return 5;
}

/* internal.json_columns(sources, lines, wishes, only, how, nested, most [, bytes of a piece]):
 * lists of names, of columns, of the validity of those that need one, of the rows of each source,
 * and of the places of wishes; or nil and what push_fault pushes; or nil, number, "packed",
 * message, code. sources: {text or file, size, packed}; lines: an object a line; most: rows, -1:
 * all. */
static int json_columns(lua_State *L)
{
    lun__host *h = lun__host_here(L);
    lun__json_fault f = {0};
    int64_t source = 0;
    luaL_checktype(L, 1, LUA_TTABLE);
    luaL_checktype(L, 3, LUA_TTABLE);
    luaL_checktype(L, 5, LUA_TTABLE);
    lua_settop(L, 8);
    const lun__json_form form = lua_toboolean(L, 2) ? LUN__JSON_LINES : LUN__JSON_TABLE;
    const int64_t most = luaL_checkinteger(L, 7);
    job *j = new_job(L);
    const int at = lua_gettop(L);
    take_wishes(L, j);
    const int refused = take_sources(L, h, j);
    if (refused)
        return refused;
    j->gather = lun__col_gather_new(&j->wishes);
    if (!j->gather)
        return luaL_error(L, "not enough memory");
    int64_t *starts = lua_newuserdatauv(L, ((size_t)j->count + 1) * sizeof *starts, 0);
    lua_createtable(L, 1, 0);
    const int rows = lua_gettop(L);
    bool ok = read_sources(L, j, form, most, starts, &source, &f);
    ok = settle(j, ok, starts, &source, &f);
    const int results = ok ? push_columns(L, h, j, rows) : push_fault(L, j, source, &f);
    lua_pushcfunction(L, end_job);
    lua_pushvalue(L, at);
    lua_call(L, 1, 0);
    return results;
}

/* ---- values of Lua --------------------------------------------------------------------------- */

/* A text that becomes values. On Lua's stack stand the lists and objects that are open, each object
 * with the key whose value comes. */
typedef struct decoding {
    lua_State *L;
    lun__host *host;
    lun__json_text t;
    char *text;
    int depth, null, mark; /* where lun.json.null and the metatable of empty objects are */
    unsigned char objects[LUN__JSON_DEPTH];
    int64_t count[LUN__JSON_DEPTH]; /* elements of a list; nulls of an object */
    int64_t values;
} decoding;

static bool push_string(decoding *d)
{
    lun__json_string s;
    if (!lun__json_token_string(&d->t, &s))
        return false;
    if (s.escaped)
        s.length = lun__json_token_unescape(&s, d->text + (s.at - d->text));
    lua_pushlstring(d->L, s.at, (size_t)s.length);
    return true;
}

/* Pushes the key that begins here, and passes over its colon. */
static bool push_key(decoding *d)
{
    lua_State *L = d->L;
    lun__json_text *t = &d->t;
    lun__json_token_blanks(t);
    const char *at = t->at;
    if (*at != '"')
        return lun__json_token_unexpected(t, LUN__JSON_NO_KEY);
    if (!push_string(d))
        return false;
    lua_pushvalue(L, -1);
    if (lua_rawget(L, -3) != LUA_TNIL)
        return lun__json_token_fail(t, LUN__JSON_TWICE, at);
    lua_pop(L, 1);
    lun__json_token_blanks(t);
    if (*t->at != ':')
        return lun__json_token_unexpected(t, LUN__JSON_NO_COLON);
    t->at++;
    return true;
}

static bool push_scalar(decoding *d)
{
    lua_State *L = d->L;
    lun__col_value v;
    bool null;
    if (!lun__json_token_scalar(&d->t, &v, &null))
        return false;
    if (null)
        lua_pushvalue(L, d->null);
    else if (v.type == LUN__COL_INTEGER)
        lua_pushinteger(L, (lua_Integer)v.as.bits);
    else if (v.type == LUN__COL_TRUTH)
        lua_pushboolean(L, v.as.bits != 0);
    else
        lua_pushnumber(L, v.type == LUN__COL_BEYOND ? (double)v.as.bits : v.as.number);
    return true;
}

/* Marks the object on the top, which has no fields. */
static void mark_object(const decoding *d)
{
    lua_pushvalue(d->L, d->mark);
    lua_setmetatable(d->L, -2);
}

/* Takes the fields that are null out of the object on the top. */
static void drop_nulls(const decoding *d)
{
    lua_State *L = d->L;
    bool some = false;
    for (lua_pushnil(L); lua_next(L, -2); lua_pop(L, 1)) {
        if (!lua_rawequal(L, -1, d->null)) {
            some = true;
            continue;
        }
        lua_pushvalue(L, -2);
        lua_pushnil(L);
        lua_rawset(L, -5);
    }
    if (!some)
        mark_object(d);
}

/* Begins the list or object here; *more: it has elements. */
static bool open_value(decoding *d, bool *more)
{
    lun__json_text *t = &d->t;
    const bool object = *t->at == '{';
    if (d->depth >= LUN__JSON_DEPTH)
        return lun__json_token_fail(t, LUN__JSON_DEEP, t->at);
    d->objects[d->depth] = object;
    d->count[d->depth++] = 0;
    t->at++;
    lua_createtable(d->L, 0, 0);
    lun__json_token_blanks(t);
    *more = *t->at != (object ? '}' : ']');
    if (!*more && object)
        mark_object(d);
    return !*more || !object || push_key(d);
}

/* Puts the value on the top into what is open. */
static void store(decoding *d)
{
    lua_State *L = d->L;
    int64_t *count = &d->count[d->depth - 1];
    if (d->objects[d->depth - 1]) {
        *count += lua_rawequal(L, -1, d->null);
        lua_rawset(L, -3);
    } else {
        lua_rawseti(L, -2, ++*count);
    }
}

/* Behind a value, which is on the top: puts it away and goes on to the next one; *done: it is the
 * whole. */
static bool go_on(decoding *d, bool *done)
{
    lun__json_text *t = &d->t;
    while (d->depth > 0) {
        const bool object = d->objects[d->depth - 1];
        const char close = object ? '}' : ']';
        store(d);
        lun__json_token_blanks(t);
        if (*t->at == ',') {
            const char *comma = t->at++;
            lun__json_token_blanks(t);
            if (*t->at == close)
                return lun__json_token_fail(t, LUN__JSON_LAST_COMMA, comma);
            return !object || push_key(d);
        }
        if (*t->at != close)
            return lun__json_token_unexpected(t, LUN__JSON_NO_COMMA);
        t->at++;
        if (object && d->count[d->depth - 1])
            drop_nulls(d);
        d->depth--;
    }
    *done = true;
    return true;
}

/* Raises where the script is to stop. */
static void check_stop(decoding *d)
{
    enum { STEP = 20000 };
    if (++d->values % STEP)
        return;
    const lun_status s = lun_host_check(d->host->engine);
    if (s != LUN_OK)
        lun__error_raise_stop(d->L, s);
}

/* Pushes the value of the whole text. */
static bool push_value(decoding *d)
{
    lun__json_text *t = &d->t;
    bool done = false;
    lun__json_token_blanks(t);
    if (t->at >= t->end)
        return lun__json_token_fail(t, LUN__JSON_EMPTY, t->at);
    while (!done) {
        bool more = false;
        check_stop(d);
        lun__json_token_blanks(t);
        const char c = *t->at;
        if (c == '{' || c == '[') {
            if (!open_value(d, &more))
                return false;
            if (more)
                continue;
            t->at++;
            d->depth--;
        } else if (c == '"' ? !push_string(d) : !push_scalar(d)) {
            return false;
        }
        if (!go_on(d, &done))
            return false;
    }
    lun__json_token_blanks(t);
    return t->at >= t->end || lun__json_token_unexpected(t, LUN__JSON_BEHIND);
}

static int read_copy(void *ctx, int64_t at, int64_t count, void *to)
{
    memcpy(to, (const char *)ctx + at, (size_t)count);
    return 0;
}

/* internal.json_decode(text, null, mark): the value; or nil, message, line, column. mark: the
 * metatable of objects without fields. */
static int json_decode(lua_State *L)
{
    size_t length;
    const char *text = luaL_checklstring(L, 1, &length);
    lua_settop(L, 3);
    char *copy = lua_newuserdatauv(L, length + (size_t)2 * LUN__CSV_MARGIN, 0);
    memset(copy, 0, LUN__CSV_MARGIN);
    memcpy(copy + LUN__CSV_MARGIN, text, length);
    memset(copy + LUN__CSV_MARGIN + length, 0, LUN__CSV_MARGIN);
    decoding *d = lua_newuserdatauv(L, sizeof *d, 0);
    *d = (decoding){.L = L, .host = lun__host_here(L), .null = 2, .mark = 3};
    d->text = copy + LUN__CSV_MARGIN;
    const int64_t mark = length >= 3 && memcmp(d->text, "\357\273\277", 3) == 0 ? 3 : 0;
    d->t = (lun__json_text){.at = d->text + mark, .end = d->text + length, .nul = true};
    luaL_checkstack(L, 3 * LUN__JSON_DEPTH, NULL);
    const int64_t wrong = lun__csv_utf8_no_text(d->text, (int64_t)length);
    const bool odd = wrong >= 0 && d->text[wrong] != '\0';
    const bool ok = push_value(d);
    if (ok && !odd)
        return 1;
    lun__json_fault f = {.what = d->t.what, .at = d->t.at - d->text};
    if (odd && f.at >= wrong)
        f = (lun__json_fault){.what = LUN__JSON_ENCODING, .at = wrong};
    lun__csv_services s = {.ctx = (void *)(uintptr_t)text, .read = read_copy};
    lun__json_read_place(&s, &f);
    luaL_pushfail(L);
    lua_pushstring(L, lun__json_token_message(f.what));
    lua_pushinteger(L, f.line);
    lua_pushinteger(L, f.column);
    return 4;
}

static int null_text(lua_State *L)
{
    lua_pushliteral(L, "null");
    return 1;
}

/* Pushes lun.json.null, a value that a script cannot change. */
static void push_null(lua_State *L)
{
    lua_newuserdatauv(L, 1, 0);
    lua_createtable(L, 0, 2);
    lua_pushliteral(L, "json.null");
    lua_setfield(L, -2, "__name");
    lua_pushcfunction(L, null_text);
    lua_setfield(L, -2, "__tostring");
    lua_pushboolean(L, 0);
    lua_setfield(L, -2, "__metatable");
    lua_setmetatable(L, -2);
}

void lun__open_json(lua_State *L, const lun__parts *p)
{
    static const luaL_Reg inside[] = {
        {"json_columns", json_columns}, {"json_decode", json_decode}, {NULL, NULL}};
    lun__register(L, p, p->internal, inside);
    push_null(L);
    lua_setfield(L, p->internal, "json_null");
}
