/* fault.h - why DuckDB, or a value of its, cannot be had. */
#ifndef LUN_DUCKDB_FAULT_H
#define LUN_DUCKDB_FAULT_H

#include "lunarray_bind.h"

/* Why something failed: of the engine (`status`), or of values or the surroundings (`code`: "sql",
 * "io", "format", "memory", "unsupported", "library"). */
typedef struct lun__duckdb_fault {
    lun_status status;
    const char *code;
    char text[2400];
} lun__duckdb_fault;

/* Sets a fault with a code; false. */
bool lun__duckdb_fault_of(lun__duckdb_fault *f, const char *code, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* Sets the failure of the engine; false. */
bool lun__duckdb_fault_engine(lun__duckdb_fault *f, lun_status s);

#endif
