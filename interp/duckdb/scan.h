/* scan.h - columns of the engine's as tables of a query: a table function, to which DuckDB's search
 * for a name leads.
 *
 * Invariant: the list of tables is changed by the thread of the engine alone, between queries; what
 * stands in an exported column does not change. Columns are exported before a query runs, for the
 * functions here run on threads of DuckDB's, which must not call the engine. */
#ifndef LUN_DUCKDB_SCAN_H
#define LUN_DUCKDB_SCAN_H

#include "duckdb/library.h"
#include "lunarray_arrow.h"

typedef struct lun__duckdb_given_column {
    const char *name;
    lun_dtype dtype;
    bool is_out; /* schema and array are there */
    bool wanted; /* a query wanted it while it was not */
    struct ArrowSchema schema;
    struct ArrowArray array;
} lun__duckdb_given_column;

typedef struct lun__duckdb_given {
    const char *name;
    lun__duckdb_given_column *columns;
    int64_t width, rows;
} lun__duckdb_given;

/* The tables of the queries that run. */
typedef struct lun__duckdb_tables {
    lun__duckdb_given *list;
    int64_t count;
    bool missed; /* a wanted column was not there */
    bool registered;
} lun__duckdb_tables;

/* Whether elements of that dtype can be those of a query. */
bool lun__duckdb_scan_takes(lun_dtype t);
/* Has names be looked for in the tables, which live as long as the instance. */
void lun__duckdb_scan_begin(const lun__duckdb_library *d, lun__duckdb_database of,
                            lun__duckdb_tables *t);
/* Makes the table function known, once. False: it cannot be. */
bool lun__duckdb_scan_register(lun__duckdb_tables *t, lun__duckdb_connection c);
/* Releases what is exported, and frees the list. */
void lun__duckdb_scan_end(lun__duckdb_tables *t);

#endif
