/* query.h - an instance of DuckDB, its connections, and statements whose rows become columns.
 * Knows no Lua.
 *
 * Invariant: a query uses its connection alone while it runs; rows of a stream are lost where the
 * connection runs another statement. */
#ifndef LUN_DUCKDB_QUERY_H
#define LUN_DUCKDB_QUERY_H

#include "duckdb/column.h"
#include "duckdb/scan.h"
#include "duckdb/work.h"

/* An instance, in memory. */
typedef struct lun__duckdb_instance {
    const lun__duckdb_library *library;
    lun__duckdb_database database;
    lun__duckdb_tables tables;
} lun__duckdb_instance;

/* Begins one with `count` settings, names and values in turn.  False: *f. */
bool lun__duckdb_query_open(lun_engine *e, lun__duckdb_instance *d, const char *const *settings,
                            int count, lun__duckdb_fault *f);
void lun__duckdb_query_close(lun__duckdb_instance *d);
/* A connection, on which our tables are seen; NULL: *f. */
lun__duckdb_connection lun__duckdb_query_connect(lun__duckdb_instance *d, lun__duckdb_fault *f);

/* How rows come: as they are computed, or all of them at once. */
typedef enum lun__duckdb_how {
    LUN__DUCKDB_AS_SUITS, /* the first if there are texts among them */
    LUN__DUCKDB_STREAM,
    LUN__DUCKDB_COMPLETE
} lun__duckdb_how;

/* A statement and its result.  Begins as zeros but for instance and connection. */
typedef struct lun__duckdb_query {
    lun__duckdb_instance *instance;
    lun__duckdb_connection connection;
    lun__duckdb_prepared prepared;
    lun__duckdb_result result;
    lun__duckdb_chunk chunk; /* of which `used` rows are taken */
    int64_t used;
    lun__duckdb_column *columns;
    int64_t width, rows, before; /* before: rows that were fetched, these too */
    bool has_result, has_rows, ended;
    int64_t changed; /* rows, of a statement that gives none */
    const char *text;
    int64_t most;
    lun__duckdb_how how;
    bool streams; /* its result */
    lun__duckdb_fault fault;
    lun__duckdb_work *work;
} lun__duckdb_query;

/* Prepares a text of one statement.  LUN_OK: q->fault.code says what is wrong with it. */
lun_status lun__duckdb_query_prepare(lun_engine *e, lun__duckdb_query *q, const char *text);
lun_status lun__duckdb_query_run(lun_engine *e, lun__duckdb_query *q, lun__duckdb_how how);
/* Takes the next rows, `most` at most (-1: all), into columns; q->rows: how many; q->ended: no more
 * come. */
lun_status lun__duckdb_query_fetch(lun_engine *e, lun__duckdb_query *q, int64_t most);
/* Frees the result, and the columns. */
void lun__duckdb_query_end(lun__duckdb_query *q);
void lun__duckdb_query_end_columns(lun__duckdb_query *q);
void lun__duckdb_query_end_result(lun__duckdb_query *q);

#endif
