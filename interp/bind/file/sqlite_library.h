/* sqlite_library.h - the functions of SQLite's library, which is opened when they are first needed.
 * Its types are opaque here; numbers are those of its documented interface. Within interp/bind. */
#ifndef LUN_BIND_SQLITE_LIBRARY_H
#define LUN_BIND_SQLITE_LIBRARY_H

#include "bind/host/bind.h"

typedef struct lun__sqlite_db lun__sqlite_db;
typedef struct lun__sqlite_statement lun__sqlite_statement;

/* Results, types of values, ways to open. */
enum {
    LUN__SQLITE_BUSY = 5,
    LUN__SQLITE_INTERRUPT = 9,
    LUN__SQLITE_ROW = 100,
    LUN__SQLITE_DONE = 101,
    LUN__SQLITE_INTEGER = 1,
    LUN__SQLITE_FLOAT = 2,
    LUN__SQLITE_TEXT = 3,
    LUN__SQLITE_BLOB = 4,
    LUN__SQLITE_NULL = 5,
    LUN__SQLITE_READ = 1,
    LUN__SQLITE_WRITE = 2,
    LUN__SQLITE_CREATE = 4
};

#define LUN__SQLITE_FUNCTIONS(X)                                                           \
    X(int, open_v2, (const char *, lun__sqlite_db **, int, const char *))                  \
    X(int, close_v2, (lun__sqlite_db *))                                                   \
    X(const char *, errmsg, (lun__sqlite_db *))                                            \
    X(int, exec, (lun__sqlite_db *, const char *, void *, void *, char **))                \
    X(int, busy_handler, (lun__sqlite_db *, int (*)(void *, int), void *))                 \
    X(void, progress_handler, (lun__sqlite_db *, int, int (*)(void *), void *))            \
    X(int, get_autocommit, (lun__sqlite_db *))                                             \
    X(int, total_changes, (lun__sqlite_db *))                                              \
    X(int, prepare_v2,                                                                     \
      (lun__sqlite_db *, const char *, int, lun__sqlite_statement **, const char **))      \
    X(int, finalize, (lun__sqlite_statement *))                                            \
    X(int, step, (lun__sqlite_statement *))                                                \
    X(int, reset, (lun__sqlite_statement *))                                               \
    X(int, stmt_readonly, (lun__sqlite_statement *))                                       \
    X(int, bind_parameter_count, (lun__sqlite_statement *))                                \
    X(const char *, bind_parameter_name, (lun__sqlite_statement *, int))                   \
    X(int, bind_int64, (lun__sqlite_statement *, int, int64_t))                            \
    X(int, bind_double, (lun__sqlite_statement *, int, double))                            \
    X(int, bind_null, (lun__sqlite_statement *, int))                                      \
    X(int, bind_text, (lun__sqlite_statement *, int, const char *, int, void (*)(void *))) \
    X(int, column_count, (lun__sqlite_statement *))                                        \
    X(const char *, column_name, (lun__sqlite_statement *, int))                           \
    X(const char *, column_decltype, (lun__sqlite_statement *, int))                       \
    X(int, column_type, (lun__sqlite_statement *, int))                                    \
    X(int64_t, column_int64, (lun__sqlite_statement *, int))                               \
    X(double, column_double, (lun__sqlite_statement *, int))                               \
    X(const char *, column_text, (lun__sqlite_statement *, int))                           \
    X(const void *, column_blob, (lun__sqlite_statement *, int))                           \
    X(int, column_bytes, (lun__sqlite_statement *, int))

typedef struct lun__sqlite {
#define LUN__SQLITE_FIELD(type, name, arguments) type(*name) arguments;
    LUN__SQLITE_FUNCTIONS(LUN__SQLITE_FIELD)
#undef LUN__SQLITE_FIELD
} lun__sqlite;

/* Opens the library. NULL: there is none that will do, as lun_error says. */
bool lun__sqlite_library_open(lun__host *h, lun__sqlite *out);

#endif
