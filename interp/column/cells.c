/* cells.c - values into the parts of columns; see cells.h. */
#include "column/cells.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define EXACT (INT64_C(1) << 53) /* integers up to it are floats */

enum { FIRST = 64 }; /* slots at first */

static int compare(const char *a, size_t n, const char *b, size_t m)
{
    const int order = memcmp(a, b, n < m ? n : m);
    return order ? order : (n > m) - (n < m);
}

int lun__col_cells_order(const void *a, const void *b)
{
    const lun__col_wish *x = a, *y = b;
    return compare(x->name, x->length, y->name, y->length);
}

static const lun__col_wish *wish_of(const lun__col_wishes *w, const char *name, size_t length)
{
    const lun__col_wish key = {.name = name, .length = length};
    return w->count ? bsearch(&key, w->list, (size_t)w->count, sizeof key, lun__col_cells_order)
                    : NULL;
}

/* ---- columns --------------------------------------------------------------------------------- */

static uint32_t hash_of(const char *p, uint32_t n)
{
    uint64_t h = UINT64_C(0xcbf29ce484222325);
    for (uint32_t k = 0; k < n; k++)
        h = (h ^ (unsigned char)p[k]) * UINT64_C(0x100000001b3);
    return (uint32_t)(h ^ h >> 32);
}

static bool is_named(const lun__col_cells *c, int64_t k, const char *name, uint32_t length)
{
    const lun__col_part *p = &c->parts[k];
    return p->length == length && memcmp(c->names + p->name, name, length) == 0;
}

/* Room for one more part and its name. */
static bool grow(lun__col_cells *c, uint32_t length)
{
    if (c->count == c->room) {
        const int64_t room = c->room ? 2 * c->room : 8;
        lun__col_part *parts = realloc(c->parts, (size_t)room * sizeof *parts);
        if (!parts)
            return false;
        c->parts = parts;
        uint32_t *found = calloc((size_t)room * 2, sizeof *found);
        if (!found)
            return false;
        free(c->found);
        c->found = found;
        c->room = room;
        c->mask = (uint32_t)(2 * room - 1);
        for (int64_t k = 0; k < c->count; k++) {
            uint32_t at = c->parts[k].hash & c->mask;
            while (found[at])
                at = (at + 1) & c->mask;
            found[at] = (uint32_t)k + 1;
        }
    }
    if (c->names_room - c->names_length < (int64_t)length + 1) {
        const int64_t room = 2 * c->names_room + length + 64;
        char *names = realloc(c->names, (size_t)room);
        if (!names)
            return false;
        c->names = names;
        c->names_room = room;
    }
    return true;
}

static int64_t add_column(lun__col_cells *c, const char *name, uint32_t length, uint32_t hash)
{
    if (!grow(c, length))
        return -1;
    const lun__col_wish *wish = wish_of(c->wishes, name, length);
    lun__col_part *p = &c->parts[c->count];
    *p = (lun__col_part){.name = c->names_length, .length = length, .hash = hash, .follower = -1};
    for (int k = 0; k < LUN__COL_CLASSES; k++)
        p->since[k] = -1;
    p->large = p->beyond = p->negative = -1;
    p->how = wish ? wish->how : c->wishes->how;
    p->wish = wish ? wish->place : -1;
    p->left_out = !wish && c->wishes->only;
    memcpy(c->names + c->names_length, name, length);
    c->names_length += length;
    uint32_t at = hash & c->mask;
    while (c->found[at])
        at = (at + 1) & c->mask;
    c->found[at] = (uint32_t)++c->count;
    return c->count - 1;
}

int64_t lun__col_cells_column(lun__col_cells *c, int64_t guess, const char *name, uint32_t length)
{
    if (guess >= 0 && is_named(c, guess, name, length))
        return guess;
    const uint32_t hash = hash_of(name, length);
    uint32_t at = hash & c->mask;
    for (; c->found && c->found[at]; at = (at + 1) & c->mask)
        if (is_named(c, c->found[at] - 1, name, length))
            return c->found[at] - 1;
    return add_column(c, name, length, hash);
}

void lun__col_cells_blame(const lun__col_cells *c, int64_t column, lun__col_what what, int64_t at,
                          lun__col_fault *fault)
{
    const lun__col_part *p = &c->parts[column];
    size_t n = p->length;
    *fault = (lun__col_fault){.what = what, .at = at, .kind = p->how.kind};
    if (n >= sizeof fault->name) {
        n = sizeof fault->name - 1;
        while (n > 0 && (c->names[p->name + (int64_t)n] & 0xC0) == 0x80)
            n--; /* whole characters */
    }
    memcpy(fault->name, c->names + p->name, n);
}

/* ---- values ---------------------------------------------------------------------------------- */

/* Room for slots up to row `row`, the rows between the last one and it missing. */
static bool reach(lun__col_part *p, int64_t row)
{
    if (!p->slots)
        p->first = p->end = row;
    if (row - p->first >= p->room) {
        int64_t room = 2 * p->room > row - p->first ? 2 * p->room : row - p->first + 1;
        room = room < FIRST ? FIRST : room;
        uint64_t *slots = realloc(p->slots, (size_t)room * sizeof *slots);
        if (!slots)
            return false;
        p->slots = slots;
        unsigned char *gaps = p->gaps ? realloc(p->gaps, (size_t)room) : NULL;
        if (p->gaps && !gaps)
            return false;
        p->gaps = gaps;
        if (gaps)
            memset(gaps + p->room, 0, (size_t)(room - p->room));
        p->room = room;
    }
    if (p->end == row)
        return true;
    if (!p->gaps)
        p->gaps = calloc((size_t)p->room, 1);
    if (!p->gaps)
        return false;
    for (; p->end < row; p->end++) {
        p->slots[p->end - p->first] = 0;
        p->gaps[p->end - p->first] = 1;
    }
    p->seen |= LUN__CSV_HOLES;
    return true;
}

static uint64_t bits_of(double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

/* The slots of a part as floats. */
static void make_real(lun__col_part *p)
{
    p->real = true;
    for (int64_t k = 0; k < p->end - p->first; k++)
        p->slots[k] = bits_of((double)(int64_t)p->slots[k]);
}

static double number_of(const lun__col_value *v)
{
    return v->type == LUN__COL_INTEGER  ? (double)(int64_t)v->as.bits
           : v->type == LUN__COL_BEYOND ? (double)v->as.bits
                                        : v->as.number;
}

/* A value of a column that must be of a kind; false: it is not. */
static bool force(lun__col_part *p, const lun__col_value *v, const char *text, uint64_t *slot)
{
    const lun__csv_how *how = &p->how;
    const bool integer = v->type == LUN__COL_INTEGER || v->type == LUN__COL_BEYOND;
    const int64_t x = (int64_t)v->as.bits;
    *slot = v->as.bits;
    if (how->kind == LUN__CSV_TEXT) {
        *slot = (uint64_t)v->start << 32 | v->length;
        return true;
    }
    if (how->kind == LUN__CSV_BOOL)
        return v->type == LUN__COL_TRUTH;
    if (how->kind == LUN__CSV_F64) {
        *slot = bits_of(number_of(v));
        p->real = true;
        return v->type <= LUN__COL_REAL;
    }
    if (how->kind >= LUN__CSV_DATE) {
        const lun_dtype t = how->kind == LUN__CSV_DATE    ? LUN_DATE
                            : how->kind == LUN__CSV_STAMP ? LUN_TIMESTAMP
                                                          : LUN_DURATION;
        bool zoned = false;
        int64_t time;
        if (v->type == LUN__COL_TRUTH || v->type == LUN__COL_NESTED ||
            !lun_time_scan(t, how->format, (lun_string){text + v->start, v->length}, &time, &zoned))
            return false;
        p->seen |= zoned ? LUN__CSV_ZONED : LUN__CSV_STAMPS;
        *slot = (uint64_t)time;
        return true;
    }
    if (v->type == LUN__COL_BEYOND)
        return how->kind == LUN__CSV_U64 && v->as.bits <= how->high;
    return integer && x >= how->low && (x < 0 || (uint64_t)x <= how->high);
}

/* A number of a column of any kind. */
static bool put_number(lun__col_part *p, const lun__col_value *v, uint64_t *slot)
{
    *slot = v->as.bits;
    if (v->type == LUN__COL_OVER)
        return false;
    if (v->type == LUN__COL_REAL) {
        if (!p->real)
            make_real(p);
        p->seen |= LUN__CSV_FLOATS;
        *slot = bits_of(v->as.number);
        return true;
    }
    const int64_t x = (int64_t)v->as.bits;
    const bool beyond = v->type == LUN__COL_BEYOND;
    p->seen |= LUN__CSV_INTS | (beyond ? LUN__CSV_BEYOND : x < 0 ? LUN__CSV_SIGNS : 0);
    if ((beyond || x > EXACT || x < -EXACT) && p->large < 0)
        p->large = v->at;
    if (beyond && p->beyond < 0)
        p->beyond = v->at;
    if (!beyond && x < 0 && p->negative < 0)
        p->negative = v->at;
    if (p->real)
        *slot = bits_of(number_of(v));
    return true;
}

static lun__col_class class_of(lun__col_type type)
{
    return type <= LUN__COL_REAL    ? LUN__COL_NUMBERS
           : type == LUN__COL_TRUTH ? LUN__COL_TRUTHS
                                    : LUN__COL_TEXTS;
}

/* A value of a column of any kind; what is wrong with it. */
static lun__col_what put_any(lun__col_part *p, const lun__col_value *v, lun__col_class class,
                             uint64_t *slot)
{
    for (int k = 0; k < LUN__COL_CLASSES; k++)
        if (k != (int)class && p->since[k] >= 0)
            return LUN__COL_CLASS;
    if (p->since[class] < 0)
        p->since[class] = v->at;
    if (class == LUN__COL_NUMBERS)
        return put_number(p, v, slot) ? LUN__COL_FINE : LUN__COL_TOO_LARGE;
    p->seen |= class == LUN__COL_TRUTHS ? LUN__CSV_BOOLS : LUN__CSV_OTHERS;
    *slot = class == LUN__COL_TRUTHS ? v->as.bits : (uint64_t)v->start << 32 | v->length;
    return LUN__COL_FINE;
}

bool lun__col_cells_put(lun__col_cells *c, int64_t column, const lun__col_value *v,
                        lun__col_fault *fault)
{
    lun__col_part *p = &c->parts[column];
    const lun__col_class class = class_of(v->type);
    lun__col_what what = LUN__COL_FINE;
    uint64_t slot = 0;
    if (p->left_out)
        return true;
    if (!reach(p, c->rows))
        what = LUN__COL_MEMORY;
    else if (v->type == LUN__COL_NESTED && !c->wishes->nested)
        what = LUN__COL_IS_NESTED;
    else if (p->how.forced)
        what = force(p, v, c->text, &slot) ? LUN__COL_FINE : LUN__COL_MISFIT;
    else
        what = put_any(p, v, class, &slot);
    if (what) {
        lun__col_cells_blame(c, column, what, v->at, fault);
        fault->is = class;
        for (int k = 0; k < LUN__COL_CLASSES; k++)
            fault->was = p->since[k] >= 0 && k != (int)class ? (lun__col_class)k : fault->was;
        return false;
    }
    p->slots[p->end++ - p->first] = slot;
    return true;
}

int64_t lun__col_cells_bytes(const lun__col_cells *c)
{
    int64_t bytes = c->room * (int64_t)(sizeof *c->parts + 2 * sizeof *c->found) + c->names_room;
    for (int64_t k = 0; k < c->count; k++)
        bytes += c->parts[k].room * (c->parts[k].gaps ? 9 : 8);
    return bytes;
}

void lun__col_cells_end(lun__col_cells *c)
{
    for (int64_t k = 0; k < c->count; k++) {
        free(c->parts[k].slots);
        free(c->parts[k].gaps);
    }
    free(c->parts);
    free(c->found);
    free(c->names);
    *c = (lun__col_cells){0};
}
