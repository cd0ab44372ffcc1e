/* query.c - see query.h. */
#include "duckdb/query.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef lun__duckdb_query query;
typedef lun__duckdb_instance instance;

/* ---- instances ------------------------------------------------------------------------------- */

/* A fault with a message of the library's, by which its code is known. */
static bool quote(lun__duckdb_fault *f, const char *message)
{
    static const char *const kinds[][2] = {
        {"Out of Memory Error", "memory"},
        {"INTERRUPT Error", "interrupt"},
        {"Interrupt Error", "interrupt"},
        {"IO Error", "io"},
        {"HTTP Error", "io"},
        {"Permission Error", "unsupported"},
        {"Missing Extension Error", "unsupported"},
        {"Not implemented Error", "unsupported"},
    };
    const char *code = "sql";
    message = message && *message ? message : "no reason given";
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++)
        if (strncmp(message, kinds[k][0], strlen(kinds[k][0])) == 0)
            code = kinds[k][1];
    return lun__duckdb_fault_of(f, code, "DuckDB: %.2000s", message);
}

bool lun__duckdb_query_open(lun_engine *e, instance *d, const char *const *settings, int count,
                            lun__duckdb_fault *f)
{
    lun__duckdb_config config = NULL;
    char *why = NULL;
    *d = (instance){.library = lun__duckdb_library_open(e)};
    f->code = NULL;
    if (!d->library)
        return lun__duckdb_fault_of(f, "library", "%s", lun_error(e));
    bool good = d->library->create_config(&config) == 0;
    for (int k = 0; good && k < count; k++)
        if (d->library->set_config(config, settings[2 * k], settings[2 * k + 1]) != 0)
            good = lun__duckdb_fault_of(f, "sql", "the setting %s is not '%.200s'", settings[2 * k],
                                        settings[2 * k + 1]);
    if (good && d->library->open_ext(NULL, &d->database, config, &why) != 0) {
        good = quote(f, why);
        d->library->free(why);
    } else if (!good && !f->code) {
        (void)lun__duckdb_fault_engine(f, LUN_ENOMEM);
    }
    d->library->destroy_config(&config);
    if (good)
        lun__duckdb_scan_begin(d->library, d->database, &d->tables);
    return good;
}

void lun__duckdb_query_close(instance *d)
{
    if (d->database)
        d->library->close(&d->database);
    d->database = NULL;
    lun__duckdb_scan_end(&d->tables);
}

lun__duckdb_connection lun__duckdb_query_connect(instance *d, lun__duckdb_fault *f)
{
    lun__duckdb_connection c = NULL;
    if (d->library->connect(d->database, &c) == 0 && lun__duckdb_scan_register(&d->tables, c))
        return c;
    if (c)
        d->library->disconnect(&c);
    (void)lun__duckdb_fault_of(f, "sql", "DuckDB gives no connection");
    return NULL;
}

/* ---- statements ------------------------------------------------------------------------------ */

/* Does run(q) as work. */
static lun_status work(lun_engine *e, query *q, void (*run)(void *q))
{
    lun__duckdb_work w = {
        .library = q->instance->library, .connection = q->connection, .run = run, .ctx = q};
    q->work = &w;
    q->fault.code = NULL;
    q->fault.status = LUN_OK;
    const lun_status s = lun__duckdb_work_run(e, &w);
    q->work = NULL;
    return s != LUN_OK ? s : q->fault.status;
}

static void prepare(void *of)
{
    query *q = of;
    const lun__duckdb_library *d = q->instance->library;
    lun__duckdb_statements list = NULL;
    const uint64_t count = d->extract_statements(q->connection, q->text, &list);
    const char *wrong = count == 0 && list ? d->extract_statements_error(list) : NULL;
    if (wrong && *wrong)
        (void)quote(&q->fault, wrong);
    else if (count != 1)
        (void)lun__duckdb_fault_of(&q->fault, "sql",
                                   count ? "one statement expected, got %llu"
                                         : "one statement expected, got none",
                                   (unsigned long long)count);
    else if (d->prepare_extracted_statement(q->connection, list, 0, &q->prepared) != 0)
        (void)quote(&q->fault, q->prepared ? d->prepare_error(q->prepared) : NULL);
    d->destroy_extracted(&list);
}

lun_status lun__duckdb_query_prepare(lun_engine *e, query *q, const char *text)
{
    q->text = text;
    return work(e, q, prepare);
}

/* Whether rows have texts, which a complete result has beside those that are codes already, in
 * twice the time and memory; false where the library is too old to say. */
static bool has_texts(const query *q)
{
    const lun__duckdb_library *d = q->instance->library;
    bool has = false;
    if (!d->prepared_statement_column_count || !d->prepared_statement_column_type)
        return false;
    const uint64_t count = d->prepared_statement_column_count(q->prepared);
    for (uint64_t k = 0; !has && k < count; k++)
        has = d->prepared_statement_column_type(q->prepared, k) == LUN__DUCKDB_VARCHAR;
    return has;
}

static void run(void *of)
{
    query *q = of;
    const lun__duckdb_library *d = q->instance->library;
    q->streams = q->how == LUN__DUCKDB_STREAM || (q->how == LUN__DUCKDB_AS_SUITS && has_texts(q));
    const int failed = q->streams ? d->execute_prepared_streaming(q->prepared, &q->result)
                                  : d->execute_prepared(q->prepared, &q->result);
    q->has_result = true;
    if (failed) {
        (void)quote(&q->fault, d->result_error(&q->result));
        return;
    }
    const int kind = d->result_return_type(q->result);
    q->has_rows = kind == LUN__DUCKDB_ROWS;
    q->width = q->has_rows ? (int64_t)d->column_count(&q->result) : 0;
    q->changed = kind == LUN__DUCKDB_CHANGED_ROWS ? (int64_t)d->rows_changed(&q->result) : 0;
}

lun_status lun__duckdb_query_run(lun_engine *e, query *q, lun__duckdb_how how)
{
    q->how = how;
    q->before = 0;
    q->ended = false;
    return work(e, q, run);
}

/* ---- rows ------------------------------------------------------------------------------------ */

static void end_columns(lun__duckdb_column *list, int64_t width)
{
    for (int64_t k = 0; list && k < width; k++)
        lun__duckdb_column_end(&list[k]);
    free(list);
}

void lun__duckdb_query_end_columns(query *q)
{
    end_columns(q->columns, q->width);
    q->columns = NULL;
}

void lun__duckdb_query_end_result(query *q)
{
    const lun__duckdb_library *d = q->instance->library;
    if (q->chunk)
        d->destroy_data_chunk(&q->chunk);
    q->chunk = NULL;
    if (q->has_result)
        d->destroy_result(&q->result);
    q->has_result = false;
}

void lun__duckdb_query_end(query *q)
{
    lun__duckdb_query_end_columns(q);
    lun__duckdb_query_end_result(q);
    if (q->prepared)
        q->instance->library->destroy_prepare(&q->prepared);
    q->prepared = NULL;
}

/* Makes columns without rows, in the memory of those before. */
static bool begin_columns(query *q)
{
    const lun__duckdb_library *d = q->instance->library;
    enum { PART = 1 << 20 }; /* rows that are reserved for those that may come */
    const int64_t known = q->most >= 0                  ? (q->most < PART ? q->most : PART)
                          : !q->streams && d->row_count ? (int64_t)d->row_count(&q->result)
                                                        : 0;
    lun__duckdb_column *old = q->columns;
    bool good = true;
    q->rows = 0;
    q->columns = calloc((size_t)q->width + 1, sizeof *q->columns);
    if (!q->columns) {
        end_columns(old, q->width);
        return lun__duckdb_fault_engine(&q->fault, LUN_ENOMEM);
    }
    for (int64_t k = 0; good && k < q->width; k++) {
        lun__duckdb_type type = d->column_logical_type(&q->result, (uint64_t)k);
        const char *name = d->column_name(&q->result, (uint64_t)k);
        good = lun__duckdb_column_type_begin(d, name ? name : "", type, &q->columns[k], &q->fault);
        d->destroy_logical_type(&type);
        q->columns[k].base = q->before;
        if (old)
            lun__duckdb_column_inherit(&q->columns[k], &old[k]);
        if (good && !lun__duckdb_column_reserve(&q->columns[k], known))
            good = lun__duckdb_fault_engine(&q->fault, LUN_ENOMEM);
    }
    end_columns(old, q->width);
    return good;
}

/* The next chunk, unless rows of this one are left; false: there is none, or a fault. */
static bool next_chunk(query *q)
{
    const lun__duckdb_library *d = q->instance->library;
    if (q->chunk && q->used < (int64_t)d->data_chunk_get_size(q->chunk))
        return true;
    if (q->chunk)
        d->destroy_data_chunk(&q->chunk);
    q->used = 0;
    q->chunk = d->fetch_chunk(q->result);
    if (q->chunk && d->data_chunk_get_size(q->chunk) > 0)
        return true;
    q->ended = true;
    const char *wrong = q->chunk ? NULL : d->result_error(&q->result);
    if (wrong && *wrong)
        (void)quote(&q->fault, wrong);
    return false;
}

static void fetch(void *of)
{
    query *q = of;
    const lun__duckdb_library *d = q->instance->library;
    bool good = begin_columns(q);
    while (good && !q->ended && (q->most < 0 || q->rows < q->most) && next_chunk(q)) {
        int64_t n = (int64_t)d->data_chunk_get_size(q->chunk) - q->used, bytes = 0;
        n = q->most >= 0 && n > q->most - q->rows ? q->most - q->rows : n;
        for (int64_t k = 0; good && k < q->width; k++) {
            good = lun__duckdb_column_take(d, &q->columns[k],
                                           d->data_chunk_get_vector(q->chunk, (uint64_t)k), q->used,
                                           n, &q->fault);
            bytes += lun__duckdb_column_bytes(&q->columns[k]);
        }
        q->used += n;
        q->rows += n;
        q->before += n;
        __atomic_store_n(&q->work->bytes, bytes, __ATOMIC_RELAXED);
        good = good && !__atomic_load_n(&q->work->stop, __ATOMIC_RELAXED);
    }
}

lun_status lun__duckdb_query_fetch(lun_engine *e, query *q, int64_t most)
{
    q->most = most;
    return work(e, q, fetch);
}
