/* scan.c - see scan.h. */
#include "duckdb/scan.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define FUNCTION "lunarray_table"

typedef lun__duckdb_given given;
typedef lun__duckdb_given_column column;
typedef lun__duckdb_tables tables;

enum { CLAIM = 122880 }; /* rows that a thread takes at a time */

/* What DuckDB reads of a table: of which columns, and from which row on nobody does so yet. */
typedef struct scan {
    const given *of;
    int64_t next; /* atomic */
    int64_t count;
    int64_t columns[];
} scan;

/* What one thread reads of it. */
typedef struct share {
    int64_t next, end;
} share;

/* What binding a table gives to its scans. */
typedef struct bound {
    tables *all;
    const given *of;
} bound;

/* ---- which type ------------------------------------------------------------------------------ */

/* By kind and bytes; 0: there is none. */
static int type_of(lun_dtype t)
{
    static const struct {
        lun_kind kind;
        int bytes, type;
    } rows[] = {
        {LUN_KIND_BOOL, 1, LUN__DUCKDB_BOOLEAN},       {LUN_KIND_SIGNED, 1, LUN__DUCKDB_TINYINT},
        {LUN_KIND_SIGNED, 2, LUN__DUCKDB_SMALLINT},    {LUN_KIND_SIGNED, 4, LUN__DUCKDB_INTEGER},
        {LUN_KIND_SIGNED, 8, LUN__DUCKDB_BIGINT},      {LUN_KIND_UNSIGNED, 1, LUN__DUCKDB_UTINYINT},
        {LUN_KIND_UNSIGNED, 2, LUN__DUCKDB_USMALLINT}, {LUN_KIND_UNSIGNED, 4, LUN__DUCKDB_UINTEGER},
        {LUN_KIND_UNSIGNED, 8, LUN__DUCKDB_UBIGINT},   {LUN_KIND_FLOAT, 4, LUN__DUCKDB_FLOAT},
        {LUN_KIND_FLOAT, 8, LUN__DUCKDB_DOUBLE}};
    if (t == LUN_TEXT)
        return LUN__DUCKDB_VARCHAR;
    if (t == LUN_DATE)
        return LUN__DUCKDB_DATE;
    if (t == LUN_TIMESTAMP)
        return LUN__DUCKDB_TIMESTAMP;
    if (t == LUN_DURATION)
        return LUN__DUCKDB_INTERVAL;
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++)
        if (rows[k].kind == lun_dtype_kind(t) && rows[k].bytes == lun_dtype_size(t))
            return rows[k].type;
    return 0;
}

bool lun__duckdb_scan_takes(lun_dtype t)
{
    return type_of(t) != 0;
}

/* ---- elements -------------------------------------------------------------------------------- */

static bool bit_at(const void *bits, int64_t k)
{
    return ((const uint8_t *)bits)[k / 8] >> k % 8 & 1;
}

static void fill_spans(const int64_t *from, int64_t n, lun__duckdb_interval *to)
{
    const int64_t day = INT64_C(86400000000);
    for (int64_t k = 0; k < n; k++)
        to[k] = (lun__duckdb_interval){0, (int32_t)(from[k] / day), from[k] % day};
}

static uint64_t code_at(const void *codes, int size, int64_t k)
{
    uint64_t code = 0;
    memcpy(&code, (const char *)codes + k * size, (size_t)size);
    return code;
}

/* Texts, which stay where they are: they are there for longer than the query runs. */
static void fill_texts(const column *c, int64_t first, int64_t n, lun__duckdb_string *to)
{
    const struct ArrowArray *a = &c->array, *values = a->dictionary ? a->dictionary : a;
    const lun_text_view *views = values->buffers[1];
    const char *format = c->schema.format;
    const int size = strchr("cC", *format) ? 1 : strchr("sS", *format) ? 2 : 4;
    for (int64_t k = 0; k < n; k++) {
        const int64_t at = a->offset + first + k;
        const lun_text_view *v =
            &views[a->dictionary ? values->offset + (int64_t)code_at(a->buffers[1], size, at) : at];
        if (v->length <= (int32_t)sizeof v->as.in_place) {
            memcpy(&to[k], v, sizeof to[k]);
            continue;
        }
        to[k].far.length = (uint32_t)v->length;
        memcpy(to[k].far.prefix, v->as.far.prefix, sizeof to[k].far.prefix);
        to[k].far.at = (const char *)values->buffers[2 + v->as.far.buffer] + v->as.far.offset;
    }
}

/* Marks what is missing among the rows; nothing, if all are there. */
static void fill_validity(const lun__duckdb_library *d, const column *c, int64_t first, int64_t n,
                          lun__duckdb_vector to)
{
    const struct ArrowArray *a = &c->array;
    if (!a->null_count || !a->buffers[0])
        return;
    d->vector_ensure_validity_writable(to);
    uint64_t *valid = d->vector_get_validity(to);
    for (int64_t k = 0; k < n; k++) {
        const uint64_t bit = UINT64_C(1) << k % 64;
        valid[k / 64] = bit_at(a->buffers[0], a->offset + first + k) ? valid[k / 64] | bit
                                                                     : valid[k / 64] & ~bit;
    }
}

/* Rows of a column into a vector. */
static void fill(const lun__duckdb_library *d, const column *c, int64_t first, int64_t n,
                 lun__duckdb_vector to)
{
    const struct ArrowArray *a = &c->array;
    const int64_t at = a->offset + first;
    void *data = d->vector_get_data(to);
    fill_validity(d, c, first, n, to);
    if (c->dtype == LUN_TEXT) {
        fill_texts(c, first, n, data);
    } else if (lun_dtype_kind(c->dtype) == LUN_KIND_BOOL) {
        for (int64_t k = 0; k < n; k++)
            ((uint8_t *)data)[k] = bit_at(a->buffers[1], at + k);
    } else if (c->dtype == LUN_DURATION) {
        fill_spans((const int64_t *)a->buffers[1] + at, n, data);
    } else {
        const int size = c->dtype == LUN_DATE        ? 4
                         : c->dtype == LUN_TIMESTAMP ? 8
                                                     : lun_dtype_size(c->dtype);
        memcpy(data, (const char *)a->buffers[1] + at * size, (size_t)(n * size));
    }
}

/* ---- functions that DuckDB calls ------------------------------------------------------------- */

/* The table of that name, or else of that name in other letters; -1: none. */
static int64_t find(const tables *t, const char *name)
{
    for (int64_t k = 0; k < t->count; k++)
        if (strcmp(t->list[k].name, name) == 0)
            return k;
    for (int64_t k = 0; k < t->count; k++)
        if (strcasecmp(t->list[k].name, name) == 0)
            return k;
    return -1;
}

static void replace(lun__duckdb_info info, const char *name, void *data)
{
    const lun__duckdb_library *d = lun__duckdb_library_here();
    const tables *t = data;
    const int64_t k = find(t, name);
    if (k < 0)
        return;
    lun__duckdb_value number = d->create_int64(k);
    d->replacement_scan_set_function_name(info, FUNCTION);
    d->replacement_scan_add_parameter(info, number);
    d->destroy_value(&number);
}

static void bind(lun__duckdb_info info)
{
    const lun__duckdb_library *d = lun__duckdb_library_here();
    tables *t = d->bind_get_extra_info(info);
    lun__duckdb_value number = d->bind_get_parameter(info, 0);
    const int64_t k = d->get_int64(number);
    d->destroy_value(&number);
    bound *b = k >= 0 && k < t->count ? malloc(sizeof *b) : NULL;
    if (!b) {
        d->bind_set_error(info, "there is no such table");
        return;
    }
    *b = (bound){t, &t->list[k]};
    for (int64_t i = 0; i < b->of->width; i++) {
        lun__duckdb_type type = d->create_logical_type(type_of(b->of->columns[i].dtype));
        d->bind_add_result_column(info, b->of->columns[i].name, type);
        d->destroy_logical_type(&type);
    }
    d->bind_set_cardinality(info, (uint64_t)b->of->rows, true);
    d->bind_set_bind_data(info, b, free);
}

/* Which columns a scan reads; those that are not there are marked, for another try. */
static void begin_scan(lun__duckdb_info info)
{
    const lun__duckdb_library *d = lun__duckdb_library_here();
    const bound *b = d->init_get_bind_data(info);
    const int64_t count = (int64_t)d->init_get_column_count(info), rows = b->of->rows;
    scan *s = malloc(sizeof *s + (size_t)count * sizeof *s->columns);
    bool missed = false;
    if (!s) {
        d->init_set_error(info, "not enough memory");
        return;
    }
    *s = (scan){.of = b->of, .count = count};
    for (int64_t i = 0; i < count; i++) {
        const uint64_t k = d->init_get_column_index(info, (uint64_t)i);
        s->columns[i] = k < (uint64_t)b->of->width ? (int64_t)k : -1; /* -1: the number of a row */
        column *c = s->columns[i] < 0 ? NULL : &b->of->columns[k];
        if (c && !c->is_out) {
            __atomic_store_n(&c->wanted, true, __ATOMIC_RELAXED);
            missed = true;
        }
    }
    if (missed)
        __atomic_store_n(&b->all->missed, true, __ATOMIC_RELAXED);
    if (missed)
        d->init_set_error(info, "a column is not there yet");
    d->init_set_max_threads(info, (uint64_t)(rows / CLAIM) + 1);
    d->init_set_init_data(info, s, free);
}

static void begin_share(lun__duckdb_info info)
{
    const lun__duckdb_library *d = lun__duckdb_library_here();
    share *s = calloc(1, sizeof *s);
    if (s)
        d->init_set_init_data(info, s, free);
    else
        d->init_set_error(info, "not enough memory");
}

/* The next rows of a thread's share; it claims another one where that is empty. */
static void give_rows(lun__duckdb_info info, lun__duckdb_chunk to)
{
    const lun__duckdb_library *d = lun__duckdb_library_here();
    scan *s = d->function_get_init_data(info);
    share *mine = d->function_get_local_init_data(info);
    const int64_t rows = s->of->rows, most = (int64_t)d->vector_size();
    if (mine->next == mine->end) {
        mine->next = __atomic_fetch_add(&s->next, CLAIM, __ATOMIC_RELAXED);
        mine->next = mine->next < rows ? mine->next : rows;
        mine->end = rows - mine->next > CLAIM ? mine->next + CLAIM : rows;
    }
    const int64_t n = mine->end - mine->next < most ? mine->end - mine->next : most;
    for (int64_t i = 0; i < s->count; i++)
        if (s->columns[i] >= 0)
            fill(d, &s->of->columns[s->columns[i]], mine->next, n,
                 d->data_chunk_get_vector(to, (uint64_t)i));
    mine->next += n;
    d->data_chunk_set_size(to, (uint64_t)n);
}

/* ---- tables ---------------------------------------------------------------------------------- */

void lun__duckdb_scan_begin(const lun__duckdb_library *d, lun__duckdb_database of, tables *t)
{
    *t = (tables){.count = 0};
    d->add_replacement_scan(of, replace, t, NULL);
}

bool lun__duckdb_scan_register(tables *t, lun__duckdb_connection c)
{
    const lun__duckdb_library *d = lun__duckdb_library_here();
    if (t->registered)
        return true;
    lun__duckdb_function f = d->create_table_function();
    lun__duckdb_type number = d->create_logical_type(LUN__DUCKDB_BIGINT);
    d->table_function_set_name(f, FUNCTION);
    d->table_function_add_parameter(f, number);
    d->table_function_set_extra_info(f, t, NULL);
    d->table_function_set_bind(f, bind);
    d->table_function_set_init(f, begin_scan);
    d->table_function_set_local_init(f, begin_share);
    d->table_function_set_function(f, give_rows);
    d->table_function_supports_projection_pushdown(f, true);
    t->registered = d->register_table_function(c, f) == 0;
    d->destroy_logical_type(&number);
    d->destroy_table_function(&f);
    return t->registered;
}

static void end_column(column *c)
{
    if (c->is_out && c->schema.release)
        c->schema.release(&c->schema);
    if (c->is_out && c->array.release)
        c->array.release(&c->array);
    c->is_out = false;
}

void lun__duckdb_scan_end(tables *t)
{
    for (int64_t k = 0; k < t->count; k++) {
        for (int64_t i = 0; i < t->list[k].width; i++)
            end_column(&t->list[k].columns[i]);
        free(t->list[k].columns);
    }
    free(t->list);
    t->list = NULL;
    t->count = 0;
}
