/* column_type.c - which column a type of DuckDB's becomes; see column.h. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "csv/number.h"
#include "duckdb/column.h"

/* Types: the bytes of an element, its way, Arrow's format, what it is called; of those that no
 * column has, what may be cast instead. */
typedef struct row {
    int type, bytes;
    lun__duckdb_way way;
    const char *format, *title, *instead;
} row;

#define NUMBER(type, bytes, format)                                        \
    {                                                                      \
        LUN__DUCKDB_##type, bytes, LUN__DUCKDB_COPIED, format, #type, NULL \
    }
#define REFUSED(type, title, instead)                                    \
    {                                                                    \
        LUN__DUCKDB_##type, 0, LUN__DUCKDB_NOTHING, NULL, title, instead \
    }

static const row rows[] = {
    {LUN__DUCKDB_BOOLEAN, 1, LUN__DUCKDB_BITS, "b", "BOOLEAN", NULL},
    NUMBER(TINYINT, 1, "c"),
    NUMBER(SMALLINT, 2, "s"),
    NUMBER(INTEGER, 4, "i"),
    NUMBER(BIGINT, 8, "l"),
    NUMBER(UTINYINT, 1, "C"),
    NUMBER(USMALLINT, 2, "S"),
    NUMBER(UINTEGER, 4, "I"),
    NUMBER(UBIGINT, 8, "L"),
    NUMBER(FLOAT, 4, "f"),
    NUMBER(DOUBLE, 8, "g"),
    NUMBER(TIME, 8, "ttu"),
    NUMBER(TIME_NS, 8, "ttn"),
    {LUN__DUCKDB_DATE, 4, LUN__DUCKDB_TIMES, "tdD", "DATE", NULL},
    {LUN__DUCKDB_TIMESTAMP, 8, LUN__DUCKDB_TIMES, "tsu:", "TIMESTAMP", NULL},
    {LUN__DUCKDB_TIMESTAMP_TZ, 8, LUN__DUCKDB_TIMES, "tsu:", "TIMESTAMP WITH TIME ZONE", NULL},
    {LUN__DUCKDB_TIMESTAMP_S, 8, LUN__DUCKDB_TIMES, "tss:", "TIMESTAMP_S", NULL},
    {LUN__DUCKDB_TIMESTAMP_MS, 8, LUN__DUCKDB_TIMES, "tsm:", "TIMESTAMP_MS", NULL},
    {LUN__DUCKDB_TIMESTAMP_NS, 8, LUN__DUCKDB_TIMES, "tsn:", "TIMESTAMP_NS", NULL},
    {LUN__DUCKDB_INTERVAL, 16, LUN__DUCKDB_SPANS, "tDu", "INTERVAL", NULL},
    {LUN__DUCKDB_HUGEINT, 16, LUN__DUCKDB_HUGE, "l", "HUGEINT", NULL},
    {LUN__DUCKDB_UHUGEINT, 16, LUN__DUCKDB_HUGE, "l", "UHUGEINT", NULL},
    {LUN__DUCKDB_DECIMAL, 16, LUN__DUCKDB_WIDE, "d:38,0", "DECIMAL", NULL},
    {LUN__DUCKDB_VARCHAR, 16, LUN__DUCKDB_TEXTS, "U", "VARCHAR", NULL},
    {LUN__DUCKDB_UUID, 16, LUN__DUCKDB_TEXTS, "U", "UUID", NULL},
    {LUN__DUCKDB_BIT, 16, LUN__DUCKDB_TEXTS, "U", "BIT", NULL},
    {LUN__DUCKDB_ENUM, 16, LUN__DUCKDB_CODES, "U", "ENUM", NULL},
    {LUN__DUCKDB_BLOB, 16, LUN__DUCKDB_BYTES, "Z", "BLOB", NULL},
    {LUN__DUCKDB_GEOMETRY, 16, LUN__DUCKDB_BYTES, "Z", "GEOMETRY", NULL},
    {LUN__DUCKDB_NULL, 1, LUN__DUCKDB_NOTHING, "n", "NULL", NULL},
    REFUSED(LIST, "a list", "unnest"),
    REFUSED(ARRAY, "an array", "unnest"),
    REFUSED(STRUCT, "STRUCT", ""),
    REFUSED(MAP, "MAP", ""),
    REFUSED(UNION, "UNION", ""),
    REFUSED(TIME_TZ, "TIME WITH TIME ZONE", "::time"),
    REFUSED(BIGNUM, "BIGNUM", "::double"),
};

static const row *row_of(int type)
{
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++)
        if (rows[k].type == type)
            return &rows[k];
    return NULL;
}

/* Bits of an element of a column. */
static int bits_of(const row *r)
{
    switch (r->way) {
    case LUN__DUCKDB_BITS:
        return 1;
    case LUN__DUCKDB_TEXTS:
    case LUN__DUCKDB_CODES:
        return 32;
    case LUN__DUCKDB_SPANS:
    case LUN__DUCKDB_HUGE:
    case LUN__DUCKDB_BYTES:
        return 64;
    default:
        return 8 * r->bytes;
    }
}

/* The values of an enumeration, whose codes count from 0, in the dictionary, whose codes count from
 * 1. */
static bool take_values(const lun__duckdb_library *d, lun__duckdb_type type, lun__duckdb_column *c,
                        lun__duckdb_fault *f)
{
    const uint32_t count = d->enum_dictionary_size(type);
    bool good = true, gaps = false;
    for (uint32_t k = 0; good && k < count; k++) {
        uint32_t code = 0;
        char *value = d->enum_dictionary_value(type, k);
        const size_t length = value ? strlen(value) : 0;
        char *text = value ? calloc(length + 2 * (size_t)LUN__CSV_MARGIN, 1) : NULL;
        if (text)
            memcpy(text + LUN__CSV_MARGIN, value, length);
        const lun__csv_text one = {text + LUN__CSV_MARGIN, (uint32_t)length};
        good = text && lun__csv_dictionary_add(&c->dictionary, &one, 1, &code, &gaps);
        free(text);
        d->free(value);
    }
    return good || lun__duckdb_fault_engine(f, LUN_ENOMEM);
}

/* The type of the elements of a list or an array; NULL: it is neither. Writes its mark. */
static lun__duckdb_type type_inside(const lun__duckdb_library *d, lun__duckdb_type type,
                                    char mark[24])
{
    const int id = d->get_type_id(type);
    snprintf(mark, 24, "[]");
    if (id == LUN__DUCKDB_ARRAY)
        snprintf(mark, 24, "[%llu]", (unsigned long long)d->array_type_array_size(type));
    return id == LUN__DUCKDB_LIST    ? d->list_type_child_type(type)
           : id == LUN__DUCKDB_ARRAY ? d->array_type_child_type(type)
                                     : NULL;
}

/* What a type without a column is called, and what to do. */
static bool refuse(const lun__duckdb_library *d, const char *name, lun__duckdb_type type,
                   lun__duckdb_fault *f)
{
    enum { DEEP = 8 };
    char marks[24 * DEEP] = "", mark[24], before[24 * DEEP], instead[300] = "", number[32];
    const row *outer = row_of(d->get_type_id(type));
    lun__duckdb_type inner = type_inside(d, type, mark), last = NULL;
    for (int k = 0; k < DEEP && inner; k++) {
        memcpy(before, marks, sizeof before);
        snprintf(marks, sizeof marks, "%s%.150s", mark, before);
        d->destroy_logical_type(&last);
        last = inner;
        inner = type_inside(d, last, mark);
    }
    const int id = d->get_type_id(last ? last : type);
    const row *r = row_of(id);
    snprintf(number, sizeof number, "of type number %d", id);
    if (outer && outer->instead && *outer->instead == 'u')
        snprintf(instead, sizeof instead, "unnest(%.200s), or ", name);
    else if (outer && outer->instead && *outer->instead)
        snprintf(instead, sizeof instead, "%.200s%s, or ", name, outer->instead);
    d->destroy_logical_type(&inner);
    d->destroy_logical_type(&last);
    return lun__duckdb_fault_of(f, "unsupported", "column '%.200s' is %s%s: %s%.200s::varchar",
                                name, r ? r->title : number, marks, instead, name);
}

bool lun__duckdb_column_type_begin(const lun__duckdb_library *d, const char *name,
                                   lun__duckdb_type type, lun__duckdb_column *c,
                                   lun__duckdb_fault *f)
{
    const int id = d->get_type_id(type);
    const row *r = row_of(id);
    *c = (lun__duckdb_column){.type = id, .negative = -1, .beyond = -1};
    if (!r || !r->format)
        return refuse(d, name, type, f);
    c->name = strdup(name);
    c->way = r->way;
    c->bits = bits_of(r);
    c->from = r->bytes;
    c->is_signed = id == LUN__DUCKDB_HUGEINT;
    snprintf(c->format, sizeof c->format, "%s", r->format);
    if (!c->name)
        return lun__duckdb_fault_engine(f, LUN_ENOMEM);
    if (id != LUN__DUCKDB_ENUM && id != LUN__DUCKDB_DECIMAL)
        return true;
    const row *inside = row_of(id == LUN__DUCKDB_ENUM ? d->enum_internal_type(type)
                                                      : d->decimal_internal_type(type));
    c->from = inside ? inside->bytes : 0;
    if (id == LUN__DUCKDB_ENUM)
        return take_values(d, type, c, f);
    snprintf(c->format, sizeof c->format, "d:38,%d", d->decimal_scale(type));
    return true;
}
