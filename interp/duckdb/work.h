/* work.h - calls of DuckDB's library that may take long, on a thread of their own, while the thread
 * that is inside of the engine looks whether the engine must stop, and has the library stop then.
 */
#ifndef LUN_DUCKDB_WORK_H
#define LUN_DUCKDB_WORK_H

#include "duckdb/library.h"

typedef struct lun__duckdb_work {
    const lun__duckdb_library *library;
    lun__duckdb_connection connection; /* that is interrupted */
    void (*run)(void *ctx);
    void *ctx;
    bool stop;     /* atomic: run must end */
    int64_t bytes; /* atomic: that run has allocated */
} lun__duckdb_work;

/* Runs it.  What it fails with is why it was stopped, or that the memory limit was reached. */
lun_status lun__duckdb_work_run(lun_engine *e, lun__duckdb_work *w);

#endif
