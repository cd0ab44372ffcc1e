/* column.c - elements of chunks put behind those of a column; see column.h. */
#include "duckdb/column.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "csv/number.h"
#include "csv/piece.h"

typedef lun__duckdb_column column;
typedef __int128 wide;

/* n elements of a chunk from `first` on, at data; valid has a bit for each of the chunk's, NULL:
 * none is missing among these. */
typedef struct part {
    const void *data;
    const uint64_t *valid;
    int64_t first, n;
} part;

enum { WORD = 64 }; /* bits of a word of a validity */

void lun__duckdb_column_end(column *c)
{
    free(c->name);
    free(c->data);
    free(c->valid);
    free(c->heap);
    free(c->texts);
    lun__csv_dictionary_end(&c->dictionary);
    *c = (column){.rows = 0};
}

void lun__duckdb_column_inherit(column *c, column *from)
{
    if (c->bits == from->bits) {
        c->data = from->data;
        c->room = from->room;
        from->data = NULL;
    }
    c->heap = from->heap;
    c->heap_room = from->heap_room;
    from->heap = NULL;
    lun__duckdb_column_end(from);
}

int64_t lun__duckdb_column_bytes(const column *c)
{
    return c->room / 8 * c->bits + (c->valid ? c->room / 8 : 0) + c->heap_room +
           lun__csv_dictionary_bytes(&c->dictionary);
}

/* ---- room ------------------------------------------------------------------------------------ */

bool lun__duckdb_column_reserve(column *c, int64_t rows)
{
    enum { FIRST = 2048 };
    if (rows <= c->room)
        return true;
    int64_t room = c->room ? 2 * c->room : FIRST;
    room = room < rows ? (rows + WORD - 1) / WORD * WORD : room;
    if (c->bits && room > INT64_MAX / 16 / c->bits)
        return false;
    const size_t bytes = (size_t)(room / 8 * c->bits) + 16; /* BYTES: an offset more */
    unsigned char *data = realloc(c->data, bytes);
    if (!data)
        return false;
    if (!c->data)
        memset(data, 0, 16);
    c->data = data;
    if (c->valid) {
        uint64_t *valid = realloc(c->valid, (size_t)room / 8);
        if (!valid)
            return false;
        c->valid = valid;
    }
    c->room = room;
    return true;
}

static bool room_in_heap(column *c, int64_t bytes)
{
    if (c->heap_length + bytes <= c->heap_room)
        return true;
    if (bytes > INT64_MAX / 4 || c->heap_room > INT64_MAX / 4)
        return false;
    const int64_t room = 2 * c->heap_room + bytes;
    char *heap = realloc(c->heap, (size_t)room);
    if (!heap)
        return false;
    c->heap = heap;
    c->heap_room = room;
    return true;
}

/* ---- what is missing ------------------------------------------------------------------------- */

static bool is_there(const part *p, int64_t k)
{
    const int64_t at = p->first + k;
    return !p->valid || (p->valid[at / WORD] >> at % WORD & 1);
}

/* Sets or clears the bit of a row. */
static void set_bit(void *bits, int64_t row, bool on)
{
    uint8_t *byte = (uint8_t *)bits + row / 8;
    *byte = (uint8_t)((*byte & ~(1u << row % 8)) | (unsigned)on << row % 8);
}

/* Bits of word k of what stands in the way of a part: those of its elements that are missing. */
static uint64_t gaps_of(const part *p, int64_t k)
{
    const int64_t from = k * WORD, end = p->first + p->n;
    uint64_t gaps = ~p->valid[k];
    if (from < p->first)
        gaps &= ~UINT64_C(0) << (p->first - from);
    if (end - from < WORD)
        gaps &= ~(~UINT64_C(0) << (end - from));
    return gaps;
}

static int64_t count_gaps(const part *p)
{
    int64_t count = 0;
    for (int64_t k = p->first / WORD; p->valid && k * WORD < p->first + p->n; k++)
        count += __builtin_popcountll(gaps_of(p, k));
    return count;
}

/* Puts the bits of a part behind those of the rows so far; words, where both begin with one. */
static void append_bits(column *c, const part *p)
{
    if (c->rows % WORD || p->first % WORD) {
        for (int64_t k = 0; k < p->n; k++)
            set_bit(c->valid, c->rows + k, is_there(p, k));
        return;
    }
    const size_t bytes = (size_t)((p->n + WORD - 1) / WORD) * sizeof *c->valid;
    if (p->valid)
        memcpy(c->valid + c->rows / WORD, p->valid + p->first / WORD, bytes);
    else
        memset(c->valid + c->rows / WORD, 255, bytes);
}

/* Notes which elements are there. */
static bool take_validity(column *c, part *p)
{
    const int64_t gaps = count_gaps(p);
    p->valid = gaps ? p->valid : NULL;
    if (!gaps && !c->valid)
        return true;
    if (!c->valid) {
        c->valid = malloc((size_t)c->room / 8);
        if (!c->valid)
            return false;
        memset(c->valid, 255, (size_t)(c->rows + 7) / 8);
    }
    append_bits(c, p);
    c->nulls += gaps;
    return true;
}

/* What stands in the slots of missing elements: NaN, or 0. */
static void blank(const column *c, const part *p)
{
    const float narrow = __builtin_nanf("");
    const double number = __builtin_nan("");
    const int size = c->bits / 8;
    char slot[16] = {0};
    if (*c->format == 'f')
        memcpy(slot, &narrow, sizeof narrow);
    else if (*c->format == 'g')
        memcpy(slot, &number, sizeof number);
    for (int64_t k = p->first / WORD; p->valid && k * WORD < p->first + p->n; k++)
        for (uint64_t gaps = gaps_of(p, k); gaps; gaps &= gaps - 1) {
            const int64_t at = k * WORD + __builtin_ctzll(gaps) - p->first;
            memcpy(c->data + (c->rows + at) * size, slot, (size_t)size);
        }
}

/* ---- numbers --------------------------------------------------------------------------------- */

static bool refuse(const column *c, int64_t row, lun__duckdb_fault *f, const char *what)
{
    return lun__duckdb_fault_of(f, "format", "column '%.200s' %s (row %lld)", c->name, what,
                                (long long)(c->base + row) + 1);
}

/* A chunk's integer of 2 to 16 bytes. */
static wide integer_at(const void *data, int bytes, int64_t k)
{
    wide x = 0;
    int16_t two;
    int32_t four;
    int64_t eight;
    const char *at = (const char *)data + k * bytes;
    switch (bytes) {
    case 2:
        return memcpy(&two, at, 2), two;
    case 4:
        return memcpy(&four, at, 4), four;
    case 8:
        return memcpy(&eight, at, 8), eight;
    default:
        return memcpy(&x, at, 16), x;
    }
}

static bool check_times(const column *c, const part *p, lun__duckdb_fault *f)
{
    const int64_t most = c->from == 4 ? INT32_MAX : INT64_MAX;
    for (int64_t k = 0; k < p->n; k++) {
        const int64_t x = (int64_t)integer_at(p->data, c->from, k);
        if ((x == most || x == -most) && is_there(p, k))
            return refuse(c, c->rows + k, f, x > 0 ? "is infinity" : "is -infinity");
    }
    return true;
}

static bool take_spans(column *c, const part *p, lun__duckdb_fault *f)
{
    const int64_t day = INT64_C(86400000000);
    const lun__duckdb_interval *data = p->data;
    for (int64_t k = 0; k < p->n; k++) {
        int64_t micros = 0;
        if (is_there(p, k)) {
            if (data[k].months)
                return refuse(c, c->rows + k, f, "has months");
            if (__builtin_add_overflow(data[k].days * day, data[k].micros, &micros))
                return refuse(c, c->rows + k, f, "is beyond the range of microseconds");
        }
        memcpy(c->data + (c->rows + k) * 8, &micros, 8);
    }
    return true;
}

/* Writes an integer of 16 bytes in decimal digits. */
static void write_wide(unsigned __int128 x, bool negative, char text[48])
{
    char digits[48];
    int count = 0, at = 0;
    do {
        digits[count++] = (char)('0' + (int)(x % 10));
        x /= 10;
    } while (x);
    if (negative)
        text[at++] = '-';
    while (count)
        text[at++] = digits[--count];
    text[at] = '\0';
}

static bool refuse_wide(const column *c, wide x, int64_t row, lun__duckdb_fault *f)
{
    char text[48];
    const bool negative = c->is_signed && x < 0;
    write_wide(negative ? -(unsigned __int128)x : (unsigned __int128)x, negative, text);
    return lun__duckdb_fault_of(f, "format",
                                "column '%.200s': %s (row %lld) does not fit i64: cast it in the "
                                "query, %.200s::double or %.200s::varchar",
                                c->name, text, (long long)(c->base + row) + 1, c->name, c->name);
}

/* Of 16 bytes the low 8, and which rows need a sign, and which the highest bit. */
static bool take_huge(column *c, const part *p, lun__duckdb_fault *f)
{
    for (int64_t k = 0; k < p->n; k++) {
        const int64_t row = c->rows + k;
        const wide x = is_there(p, k) ? integer_at(p->data, 16, k) : 0;
        const uint64_t low = (uint64_t)x;
        const bool negative = c->is_signed && x < 0, is_narrow = x == (wide)(int64_t)low;
        const bool beyond = !negative && !is_narrow && (x >> 64) == 0;
        if (negative && c->negative < 0)
            c->negative = row;
        if (beyond && c->beyond < 0)
            c->beyond = row;
        if ((!beyond && (!is_narrow || (!c->is_signed && x < 0))) ||
            (c->negative >= 0 && c->beyond >= 0 && (negative || beyond)))
            return refuse_wide(c, x, row, f);
        memcpy(c->data + row * 8, &low, 8);
    }
    return true;
}

static void take_wide(column *c, const part *p)
{
    for (int64_t k = 0; k < p->n; k++) {
        const wide x = integer_at(p->data, c->from, k);
        memcpy(c->data + (c->rows + k) * 16, &x, 16);
    }
}

/* ---- texts and bytes ------------------------------------------------------------------------- */

static const char *start_of(const lun__duckdb_string *s)
{
    return s->near.length <= sizeof s->near.bytes ? s->near.bytes : s->far.at;
}

/* Writes a UUID, whose first bit is stored the other way round. */
static int64_t write_uuid(const void *data, int64_t k, char *to)
{
    static const char hex[] = "0123456789abcdef";
    unsigned __int128 x;
    char *at = to;
    memcpy(&x, (const char *)data + k * 16, 16);
    x ^= (unsigned __int128)1 << 127;
    for (int digit = 0; digit < 32; digit++) {
        if (digit == 8 || digit == 12 || digit == 16 || digit == 20)
            *at++ = '-';
        *at++ = hex[(int)(x >> (124 - 4 * digit)) & 15];
    }
    return at - to;
}

/* Writes bits, before which a byte says how many of the next one are none. */
static int64_t write_bits(const lun__duckdb_string *s, char *to)
{
    const unsigned char *bytes = (const unsigned char *)start_of(s);
    const int64_t none = s->near.length ? bytes[0] : 0, all = ((int64_t)s->near.length - 1) * 8;
    for (int64_t k = none; k < all; k++)
        to[k - none] = (char)('0' + (bytes[1 + k / 8] >> (7 - k % 8) & 1));
    return all > none ? all - none : 0;
}

/* Bytes that text k of a chunk may take. */
static int64_t bound_of(const column *c, const lun__duckdb_string *data, int64_t k)
{
    enum { UUID = 36 };
    return c->type == LUN__DUCKDB_UUID  ? UUID
           : c->type == LUN__DUCKDB_BIT ? (int64_t)data[k].near.length * 8
                                        : (int64_t)data[k].near.length;
}

static int64_t write_text(const column *c, const void *data, int64_t k, char *to)
{
    const lun__duckdb_string *s = (const lun__duckdb_string *)data + k;
    if (c->type == LUN__DUCKDB_UUID)
        return write_uuid(data, k, to);
    if (c->type == LUN__DUCKDB_BIT)
        return write_bits(s, to);
    memcpy(to, start_of(s), s->near.length);
    return s->near.length;
}

/* Whether the texts of a chunk, which stand one behind the other, are texts. */
static bool check_texts(const column *c, int64_t n, int64_t bytes, lun__duckdb_fault *f)
{
    const char *from = c->heap + LUN__CSV_MARGIN;
    bool plain = true;
    for (int64_t k = 0; k < bytes; k++)
        plain &= from[k] > 0;
    for (int64_t k = 0; !plain && k < n; k++) {
        const lun__csv_text *t = &c->texts[k];
        if (t->at && lun__csv_utf8_no_text(t->at, t->length) >= 0)
            return lun__duckdb_fault_of(
                f, "format", "row %lld of '%.200s' %s", (long long)(c->base + c->rows + k) + 1,
                c->name, memchr(t->at, 0, t->length) ? "holds a NUL byte" : "is not UTF-8 text");
    }
    return true;
}

/* Room for what is known of the elements of a chunk. */
static bool room_for_part(column *c, int64_t n)
{
    if (n <= c->part_room)
        return true;
    lun__csv_text *texts = realloc(c->texts, (size_t)n * sizeof *texts);
    c->texts = texts ? texts : c->texts;
    c->part_room = texts ? n : c->part_room;
    return texts;
}

static bool take_texts(column *c, const part *p, lun__duckdb_fault *f)
{
    int64_t bytes = 0;
    bool gaps = false;
    for (int64_t k = 0; k < p->n; k++)
        bytes += is_there(p, k) ? bound_of(c, p->data, k) : 0;
    c->heap_length = 0;
    if (!room_for_part(c, p->n) || !room_in_heap(c, bytes + 2 * LUN__CSV_MARGIN))
        return lun__duckdb_fault_engine(f, LUN_ENOMEM);
    char *first = c->heap + LUN__CSV_MARGIN, *to = first;
    for (int64_t k = 0; k < p->n; k++) {
        c->texts[k] = (lun__csv_text){NULL, 0};
        if (!is_there(p, k))
            continue;
        c->texts[k] = (lun__csv_text){to, (uint32_t)write_text(c, p->data, k, to)};
        to += c->texts[k].length;
    }
    memset(to, 0, LUN__CSV_MARGIN);
    if (!check_texts(c, p->n, to - first, f))
        return false;
    if (lun__csv_dictionary_add(&c->dictionary, c->texts, p->n,
                                (uint32_t *)(void *)c->data + c->rows, &gaps))
        return true;
    if (lun__csv_dictionary_full(&c->dictionary) == LUN__CSV_MANY)
        return refuse(c, c->rows, f, "has more different texts than an array can have");
    return lun__duckdb_fault_engine(f, LUN_ENOMEM);
}

/* Codes of an enumeration, from 1. */
static bool take_codes(column *c, const part *p)
{
    uint32_t *to = (uint32_t *)(void *)c->data + c->rows;
    for (int64_t k = 0; k < p->n; k++) {
        uint32_t code = 0;
        memcpy(&code, (const char *)p->data + k * c->from, (size_t)c->from);
        to[k] = is_there(p, k) ? code + 1 : 0;
    }
    return true;
}

static bool take_bytes(column *c, const part *p, lun__duckdb_fault *f)
{
    const lun__duckdb_string *data = p->data;
    int64_t *offsets = (int64_t *)(void *)c->data + c->rows;
    for (int64_t k = 0; k < p->n; k++) {
        const int64_t length = is_there(p, k) ? data[k].near.length : 0;
        if (!room_in_heap(c, length))
            return lun__duckdb_fault_engine(f, LUN_ENOMEM);
        if (length)
            memcpy(c->heap + c->heap_length, start_of(&data[k]), (size_t)length);
        c->heap_length += length;
        offsets[k + 1] = c->heap_length;
    }
    return true;
}

/* ---- all of them ----------------------------------------------------------------------------- */

static bool take(column *c, const part *p, lun__duckdb_fault *f)
{
    switch (c->way) {
    case LUN__DUCKDB_TIMES:
    case LUN__DUCKDB_COPIED:
        memcpy(c->data + c->rows * c->from, p->data, (size_t)(p->n * c->from));
        return c->way == LUN__DUCKDB_COPIED || check_times(c, p, f);
    case LUN__DUCKDB_BITS:
        for (int64_t k = 0; k < p->n; k++)
            set_bit(c->data, c->rows + k, is_there(p, k) && ((const uint8_t *)p->data)[k] != 0);
        return true;
    case LUN__DUCKDB_SPANS:
        return take_spans(c, p, f);
    case LUN__DUCKDB_HUGE:
        return take_huge(c, p, f);
    case LUN__DUCKDB_WIDE:
        take_wide(c, p);
        return true;
    case LUN__DUCKDB_TEXTS:
        return take_texts(c, p, f);
    case LUN__DUCKDB_CODES:
        return take_codes(c, p);
    case LUN__DUCKDB_BYTES:
        return take_bytes(c, p, f);
    case LUN__DUCKDB_NOTHING:
        break;
    }
    return true;
}

bool lun__duckdb_column_take(const lun__duckdb_library *d, column *c, lun__duckdb_vector v,
                             int64_t first, int64_t n, lun__duckdb_fault *f)
{
    const char *data = d->vector_get_data(v);
    part p = {data + first * c->from, d->vector_get_validity(v), first, n};
    if (!lun__duckdb_column_reserve(c, c->rows + n) || !take_validity(c, &p))
        return lun__duckdb_fault_engine(f, LUN_ENOMEM);
    if (!take(c, &p, f))
        return false;
    if (c->way == LUN__DUCKDB_COPIED || c->way == LUN__DUCKDB_TIMES || c->way == LUN__DUCKDB_WIDE)
        blank(c, &p);
    c->rows += n;
    return true;
}
