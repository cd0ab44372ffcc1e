/* decode.c - reads binary chunks of Lua 5.4 (the same format from 5.4.0 to 5.4.8).
 *
 * The chunks come from lua_dump in this process, but what it dumps may be bytes that a script
 * loaded: every size and count is checked against the bytes that are left. */
#include "luafn/bytecode/load.h"

#include <string.h>

/* Lua's parser nests functions at most 200 deep. */
enum { LF_DEPTH = 250 };

typedef struct reader {
    lf_unit *u;
    const unsigned char *at, *end;
    int depth;
} reader;

static _Noreturn void stop(reader *r, const char *why)
{
    luafn_debug_fail(r->u, NULL, -1, "the bytecode of this Lua function is invalid: %s", why);
}

static const unsigned char *take(reader *r, size_t n)
{
    const unsigned char *p = r->at;
    if ((size_t)(r->end - p) < n)
        stop(r, "it is truncated");
    r->at += n;
    return p;
}

static uint8_t byte(reader *r)
{
    return *take(r, 1);
}

/* Big-endian groups of seven bits; the last one is marked. */
static size_t size(reader *r)
{
    size_t x = 0;
    for (;;) {
        uint8_t b = byte(r);
        if (x >> 50)
            stop(r, "a size is too large");
        x = x << 7 | (b & 0x7f);
        if (b & 0x80)
            return x;
    }
}

static int integer(reader *r)
{
    size_t x = size(r);
    if (x > INT32_MAX / 2)
        stop(r, "a number is too large");
    return (int)x;
}

/* A count of things that take at least one byte each. */
static int count(reader *r)
{
    int n = integer(r);
    if (n > r->end - r->at)
        stop(r, "it is truncated");
    return n;
}

static const char *string(reader *r)
{
    size_t n = size(r);
    if (n == 0)
        return NULL;
    return luafn_arena_copy(r->u, (const char *)take(r, n - 1), n - 1);
}

static void read_string(reader *r, lf_const *k)
{
    size_t n = size(r);
    if (n == 0)
        stop(r, "a string is missing");
    const unsigned char *text = take(r, n - 1);
    k->tag = memchr(text, 0, n - 1) ? LF_K_BYTES : LF_K_STRING;
    k->as.s = luafn_arena_copy(r->u, (const char *)text, n - 1);
}

static void read_code(reader *r, lf_proto *p)
{
    p->codes = count(r);
    p->code = LF_NEW(r->u, uint32_t, p->codes);
    memcpy(p->code, take(r, 4 * (size_t)p->codes), 4 * (size_t)p->codes);
}

static void read_constants(reader *r, lf_proto *p)
{
    p->ks = count(r);
    p->k = LF_NEW(r->u, lf_const, p->ks);
    for (int i = 0; i < p->ks; i++) {
        lf_const *k = &p->k[i];
        uint8_t tag = byte(r);
        switch (tag) {
        case 0x00:
            k->tag = LF_K_NIL;
            break;
        case 0x01:
            k->tag = LF_K_FALSE;
            break;
        case 0x11:
            k->tag = LF_K_TRUE;
            break;
        case 0x03:
            k->tag = LF_K_INT;
            memcpy(&k->as.i, take(r, 8), 8);
            break;
        case 0x13:
            k->tag = LF_K_FLOAT;
            memcpy(&k->as.n, take(r, 8), 8);
            break;
        case 0x04:
        case 0x14:
            read_string(r, k);
            break;
        default:
            stop(r, "a constant of an unknown kind");
        }
    }
}

/* Lines come as differences, with whole numbers now and then. */
static void read_lines(reader *r, lf_proto *p)
{
    int n = count(r), line = p->line_defined, wholes;
    if (n != 0 && n != p->codes)
        stop(r, "wrong number of lines");
    const signed char *step = (const signed char *)take(r, (size_t)n);
    if (n)
        p->line = LF_NEW(r->u, int, n);
    wholes = count(r);
    for (int i = 0, pc = 0; i <= wholes; i++) {
        int next = i < wholes ? integer(r) : n;
        int whole = i < wholes ? integer(r) : 0;
        if (next > n - (i < wholes) || next < pc)
            stop(r, "wrong number of lines");
        for (; pc < next; pc++)
            p->line[pc] = line = (int)((unsigned)line + (unsigned)step[pc]);
        if (i < wholes)
            p->line[pc++] = line = whole;
    }
}

static void read_debug(reader *r, lf_proto *p)
{
    read_lines(r, p);
    p->locals = count(r);
    p->local = LF_NEW(r->u, lf_local, p->locals);
    for (int i = 0; i < p->locals; i++) {
        p->local[i].name = string(r);
        p->local[i].start = integer(r);
        p->local[i].end = integer(r);
        int below = i - 1;
        while (below >= 0 && p->local[below].end <= p->local[i].start)
            below = p->local[below].below;
        p->local[i].below = below;
    }
    int names = count(r);
    for (int i = 0; i < names; i++) {
        const char *name = string(r);
        if (i < p->upvals && name)
            p->upval[i].name = name;
    }
}

static lf_proto *read_function(reader *r, const char *source)
{
    lf_proto *p = LF_NEW(r->u, lf_proto, 1);
    const char *own = string(r);
    if (++r->depth > LF_DEPTH)
        stop(r, "functions are nested too deeply");
    p->source = own ? own : source;
    p->line_defined = integer(r);
    integer(r); /* the last line */
    p->params = byte(r);
    p->vararg = byte(r);
    p->stack = byte(r);
    read_code(r, p);
    read_constants(r, p);
    p->upvals = count(r);
    p->upval = LF_NEW(r->u, lf_upval, p->upvals);
    for (int i = 0; i < p->upvals; i++) {
        p->upval[i].in_stack = byte(r) != 0;
        p->upval[i].index = byte(r);
        p->upval[i].name = "?";
        byte(r); /* kind */
    }
    p->ps = count(r);
    p->p = LF_NEW(r->u, lf_proto *, p->ps);
    for (int i = 0; i < p->ps; i++)
        p->p[i] = read_function(r, p->source);
    read_debug(r, p);
    r->depth--;
    return p;
}

lf_proto *luafn_decode(lf_unit *u, const char *bytes, size_t length)
{
    static const unsigned char magic[] = "\x1bLua", data[] = "\x19\x93\r\n\x1a\n";
    reader r = {.u = u, .at = (const unsigned char *)bytes};
    int64_t i = 0;
    double n = 0;
    r.end = r.at + length;
    if (memcmp(take(&r, 4), magic, 4) != 0)
        stop(&r, "not a binary chunk");
    if (byte(&r) != 0x54)
        stop(&r, "it was not compiled by Lua 5.4");
    if (byte(&r) != 0 || memcmp(take(&r, 6), data, 6) != 0)
        stop(&r, "unknown format");
    if (byte(&r) != 4 || byte(&r) != 8 || byte(&r) != 8)
        stop(&r, "sizes of numbers differ");
    memcpy(&i, take(&r, 8), 8);
    memcpy(&n, take(&r, 8), 8);
    if (i != 0x5678 || n != 370.5)
        stop(&r, "the formats of numbers differ");
    byte(&r); /* number of upvalues, repeated below */
    return read_function(&r, NULL);
}
