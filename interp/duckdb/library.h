/* library.h - the functions of DuckDB's library, which is opened when they are first needed: those
 * of its C interface that every version from 1.1 on has, and a few newer ones.  Its types are
 * opaque here; numbers are those of its documented interface. */
#ifndef LUN_DUCKDB_LIBRARY_H
#define LUN_DUCKDB_LIBRARY_H

#include <stdbool.h>
#include <stdint.h>

#include "lunarray_bind.h"

/* What the library makes, each of which it ends by the address of the variable that has it. */
typedef struct lun__duckdb_database_of *lun__duckdb_database;
typedef struct lun__duckdb_connection_of *lun__duckdb_connection;
typedef struct lun__duckdb_config_of *lun__duckdb_config;
typedef struct lun__duckdb_statements_of *lun__duckdb_statements;
typedef struct lun__duckdb_prepared_of *lun__duckdb_prepared;
typedef struct lun__duckdb_chunk_of *lun__duckdb_chunk;
typedef struct lun__duckdb_vector_of *lun__duckdb_vector;
typedef struct lun__duckdb_type_of *lun__duckdb_type;
typedef struct lun__duckdb_value_of *lun__duckdb_value;
typedef struct lun__duckdb_function_of *lun__duckdb_function;
/* Of a call of a function of ours. */
typedef struct lun__duckdb_info_of *lun__duckdb_info;

typedef struct lun__duckdb_result {
    uint64_t counts[3]; /* not used any more */
    void *columns, *message, *data;
} lun__duckdb_result;

/* A text, or bytes: up to 12 in place, or where they are. */
typedef union lun__duckdb_string {
    struct {
        uint32_t length;
        char bytes[12];
    } near;
    struct {
        uint32_t length;
        char prefix[4];
        const char *at;
    } far;
} lun__duckdb_string;

typedef struct lun__duckdb_interval {
    int32_t months, days;
    int64_t micros;
} lun__duckdb_interval;

/* Types by their numbers. */
enum {
    LUN__DUCKDB_BOOLEAN = 1,
    LUN__DUCKDB_TINYINT,
    LUN__DUCKDB_SMALLINT,
    LUN__DUCKDB_INTEGER,
    LUN__DUCKDB_BIGINT,
    LUN__DUCKDB_UTINYINT,
    LUN__DUCKDB_USMALLINT,
    LUN__DUCKDB_UINTEGER,
    LUN__DUCKDB_UBIGINT,
    LUN__DUCKDB_FLOAT,
    LUN__DUCKDB_DOUBLE,
    LUN__DUCKDB_TIMESTAMP,
    LUN__DUCKDB_DATE,
    LUN__DUCKDB_TIME,
    LUN__DUCKDB_INTERVAL,
    LUN__DUCKDB_HUGEINT,
    LUN__DUCKDB_VARCHAR,
    LUN__DUCKDB_BLOB,
    LUN__DUCKDB_DECIMAL,
    LUN__DUCKDB_TIMESTAMP_S,
    LUN__DUCKDB_TIMESTAMP_MS,
    LUN__DUCKDB_TIMESTAMP_NS,
    LUN__DUCKDB_ENUM,
    LUN__DUCKDB_LIST,
    LUN__DUCKDB_STRUCT,
    LUN__DUCKDB_MAP,
    LUN__DUCKDB_UUID,
    LUN__DUCKDB_UNION,
    LUN__DUCKDB_BIT,
    LUN__DUCKDB_TIME_TZ,
    LUN__DUCKDB_TIMESTAMP_TZ,
    LUN__DUCKDB_UHUGEINT,
    LUN__DUCKDB_ARRAY,
    LUN__DUCKDB_BIGNUM = 35,
    LUN__DUCKDB_NULL = 36,
    LUN__DUCKDB_TIME_NS = 39,
    LUN__DUCKDB_GEOMETRY = 40
};

/* Kinds of results. */
enum { LUN__DUCKDB_CHANGED_ROWS = 1, LUN__DUCKDB_ROWS = 3 };

typedef void (*lun__duckdb_call)(lun__duckdb_info);
typedef void (*lun__duckdb_fill)(lun__duckdb_info, lun__duckdb_chunk);
typedef void (*lun__duckdb_free)(void *);
typedef void (*lun__duckdb_find)(lun__duckdb_info, const char *, void *);

/* X(result, name, arguments): 0 is success where the result is an int. */
#define LUN__DUCKDB_FUNCTIONS(X)                                                             \
    X(int, create_config, (lun__duckdb_config *))                                            \
    X(int, set_config, (lun__duckdb_config, const char *, const char *))                     \
    X(void, destroy_config, (lun__duckdb_config *))                                          \
    X(int, open_ext, (const char *, lun__duckdb_database *, lun__duckdb_config, char **))    \
    X(void, close, (lun__duckdb_database *))                                                 \
    X(int, connect, (lun__duckdb_database, lun__duckdb_connection *))                        \
    X(void, disconnect, (lun__duckdb_connection *))                                          \
    X(void, interrupt, (lun__duckdb_connection))                                             \
    X(void, free, (void *))                                                                  \
    X(uint64_t, extract_statements,                                                          \
      (lun__duckdb_connection, const char *, lun__duckdb_statements *))                      \
    X(const char *, extract_statements_error, (lun__duckdb_statements))                      \
    X(void, destroy_extracted, (lun__duckdb_statements *))                                   \
    X(int, prepare_extracted_statement,                                                      \
      (lun__duckdb_connection, lun__duckdb_statements, uint64_t, lun__duckdb_prepared *))    \
    X(const char *, prepare_error, (lun__duckdb_prepared))                                   \
    X(void, destroy_prepare, (lun__duckdb_prepared *))                                       \
    X(uint64_t, nparams, (lun__duckdb_prepared))                                             \
    X(const char *, parameter_name, (lun__duckdb_prepared, uint64_t))                        \
    X(int, bind_boolean, (lun__duckdb_prepared, uint64_t, bool))                             \
    X(int, bind_int64, (lun__duckdb_prepared, uint64_t, int64_t))                            \
    X(int, bind_double, (lun__duckdb_prepared, uint64_t, double))                            \
    X(int, bind_varchar_length, (lun__duckdb_prepared, uint64_t, const char *, uint64_t))    \
    X(int, bind_null, (lun__duckdb_prepared, uint64_t))                                      \
    X(int, execute_prepared, (lun__duckdb_prepared, lun__duckdb_result *))                   \
    X(int, execute_prepared_streaming, (lun__duckdb_prepared, lun__duckdb_result *))         \
    X(const char *, result_error, (lun__duckdb_result *))                                    \
    X(int, result_return_type, (lun__duckdb_result))                                         \
    X(uint64_t, rows_changed, (lun__duckdb_result *))                                        \
    X(uint64_t, column_count, (lun__duckdb_result *))                                        \
    X(const char *, column_name, (lun__duckdb_result *, uint64_t))                           \
    X(lun__duckdb_type, column_logical_type, (lun__duckdb_result *, uint64_t))               \
    X(void, destroy_result, (lun__duckdb_result *))                                          \
    X(lun__duckdb_chunk, fetch_chunk, (lun__duckdb_result))                                  \
    X(uint64_t, data_chunk_get_size, (lun__duckdb_chunk))                                    \
    X(void, data_chunk_set_size, (lun__duckdb_chunk, uint64_t))                              \
    X(lun__duckdb_vector, data_chunk_get_vector, (lun__duckdb_chunk, uint64_t))              \
    X(void, destroy_data_chunk, (lun__duckdb_chunk *))                                       \
    X(void *, vector_get_data, (lun__duckdb_vector))                                         \
    X(uint64_t *, vector_get_validity, (lun__duckdb_vector))                                 \
    X(void, vector_ensure_validity_writable, (lun__duckdb_vector))                           \
    X(uint64_t, vector_size, (void))                                                         \
    X(int, get_type_id, (lun__duckdb_type))                                                  \
    X(lun__duckdb_type, create_logical_type, (int))                                          \
    X(void, destroy_logical_type, (lun__duckdb_type *))                                      \
    X(int, decimal_internal_type, (lun__duckdb_type))                                        \
    X(uint8_t, decimal_scale, (lun__duckdb_type))                                            \
    X(int, enum_internal_type, (lun__duckdb_type))                                           \
    X(uint32_t, enum_dictionary_size, (lun__duckdb_type))                                    \
    X(char *, enum_dictionary_value, (lun__duckdb_type, uint64_t))                           \
    X(lun__duckdb_type, list_type_child_type, (lun__duckdb_type))                            \
    X(lun__duckdb_type, array_type_child_type, (lun__duckdb_type))                           \
    X(uint64_t, array_type_array_size, (lun__duckdb_type))                                   \
    X(lun__duckdb_function, create_table_function, (void))                                   \
    X(void, destroy_table_function, (lun__duckdb_function *))                                \
    X(void, table_function_set_name, (lun__duckdb_function, const char *))                   \
    X(void, table_function_add_parameter, (lun__duckdb_function, lun__duckdb_type))          \
    X(void, table_function_set_extra_info, (lun__duckdb_function, void *, lun__duckdb_free)) \
    X(void, table_function_set_bind, (lun__duckdb_function, lun__duckdb_call))               \
    X(void, table_function_set_init, (lun__duckdb_function, lun__duckdb_call))               \
    X(void, table_function_set_local_init, (lun__duckdb_function, lun__duckdb_call))         \
    X(void, table_function_set_function, (lun__duckdb_function, lun__duckdb_fill))           \
    X(void, table_function_supports_projection_pushdown, (lun__duckdb_function, bool))       \
    X(int, register_table_function, (lun__duckdb_connection, lun__duckdb_function))          \
    X(void *, bind_get_extra_info, (lun__duckdb_info))                                       \
    X(lun__duckdb_value, bind_get_parameter, (lun__duckdb_info, uint64_t))                   \
    X(void, bind_add_result_column, (lun__duckdb_info, const char *, lun__duckdb_type))      \
    X(void, bind_set_bind_data, (lun__duckdb_info, void *, lun__duckdb_free))                \
    X(void, bind_set_cardinality, (lun__duckdb_info, uint64_t, bool))                        \
    X(void, bind_set_error, (lun__duckdb_info, const char *))                                \
    X(void *, init_get_bind_data, (lun__duckdb_info))                                        \
    X(uint64_t, init_get_column_count, (lun__duckdb_info))                                   \
    X(uint64_t, init_get_column_index, (lun__duckdb_info, uint64_t))                         \
    X(void, init_set_init_data, (lun__duckdb_info, void *, lun__duckdb_free))                \
    X(void, init_set_max_threads, (lun__duckdb_info, uint64_t))                              \
    X(void, init_set_error, (lun__duckdb_info, const char *))                                \
    X(void *, function_get_init_data, (lun__duckdb_info))                                    \
    X(void *, function_get_local_init_data, (lun__duckdb_info))                              \
    X(void, add_replacement_scan,                                                            \
      (lun__duckdb_database, lun__duckdb_find, void *, lun__duckdb_free))                    \
    X(void, replacement_scan_set_function_name, (lun__duckdb_info, const char *))            \
    X(void, replacement_scan_add_parameter, (lun__duckdb_info, lun__duckdb_value))           \
    X(lun__duckdb_value, create_int64, (int64_t))                                            \
    X(int64_t, get_int64, (lun__duckdb_value))                                               \
    X(void, destroy_value, (lun__duckdb_value *))

/* Those that a version may lack, where they are NULL: newer ones, and row_count, which is to go. */
#define LUN__DUCKDB_LATER_FUNCTIONS(X)                                   \
    X(uint64_t, row_count, (lun__duckdb_result *))                       \
    X(uint64_t, prepared_statement_column_count, (lun__duckdb_prepared)) \
    X(int, prepared_statement_column_type, (lun__duckdb_prepared, uint64_t))

typedef struct lun__duckdb_library {
#define LUN__DUCKDB_FIELD(type, name, arguments) type(*name) arguments;
    LUN__DUCKDB_FUNCTIONS(LUN__DUCKDB_FIELD)
    LUN__DUCKDB_LATER_FUNCTIONS(LUN__DUCKDB_FIELD)
#undef LUN__DUCKDB_FIELD
} lun__duckdb_library;

/* Opens the library.  NULL: there is none that will do, as lun_error says. */
const lun__duckdb_library *lun__duckdb_library_open(lun_engine *e);
/* The one that is open: for functions that the library calls, which are given nothing of ours
 * before they call it. */
const lun__duckdb_library *lun__duckdb_library_here(void);

#endif
