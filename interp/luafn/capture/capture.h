/* capture.h - values that a Lua function captures: upvalues, globals, fields of tables.
 *
 * Each is a source: its path (upvalue or field of another source) and the capture of it when the
 * function was compiled. Code stays valid as long as every source has the same kind of value;
 * numbers, booleans and arrays may change at will. */
#ifndef LUAFN_CAPTURE_H
#define LUAFN_CAPTURE_H

#include <lauxlib.h>
#include <lua.h>
#include <stdbool.h>

#include "ir/ir.h"
#include "luafn/capture/binding.h"
#include "luafn/capture/builtin.h"
#include "table/atomic.h"

/* Decoded functions with their compiled forms; see decoded_functions.h. */
struct lf_program;

typedef enum lf_capture_kind {
    LF_CAPTURE_NIL,
    LF_CAPTURE_BOOL,
    LF_CAPTURE_INT24, /* an integer that f32 holds exactly */
    LF_CAPTURE_INT30, /* up to 2^30: counting up to it cannot leave i32 */
    LF_CAPTURE_INT32,
    LF_CAPTURE_INT64,
    LF_CAPTURE_FLOAT,
    LF_CAPTURE_FIXED, /* math.pi and other constants: this number only */
    LF_CAPTURE_STRING,
    LF_CAPTURE_TABLE,
    LF_CAPTURE_STRUCT,   /* a struct, whose calls make records: closure */
    LF_CAPTURE_BLOCKED,  /* a blocked array, which no kernel reads */
    LF_CAPTURE_RECORDS,  /* a table whose fields are arrays, and whose elements are records */
    LF_CAPTURE_FUNCTION, /* a plain Lua function: program */
    LF_CAPTURE_BUILTIN,  /* a function of the math library: math */
    LF_CAPTURE_ROW,      /* an operation of table/ops.def: op */
    LF_CAPTURE_ATOMIC,   /* an operation of table/atomics.def: atomic */
    LF_CAPTURE_ARRAY,
    LF_CAPTURE_COMPLEX, /* a complex number (rank -1) or array: its fields re and im are sources */
    LF_CAPTURE_FORMER,  /* a function of complex numbers: former */
    LF_CAPTURE_PARAM,   /* what stands in records for an argument of the call: argument */
    LF_CAPTURE_OTHER
} lf_capture_kind;

typedef struct lf_capture {
    lf_capture_kind kind;
    struct lf_program *program;
    const void *closure; /* which function or struct it is; of records: the struct */
    lf_math math;
    lun_op op;
    lun_atomic atomic;
    int former;              /* lf_form */
    int argument;            /* its number, from 0 */
    const char *word;        /* a string that names an operation or a dtype: that name; else NULL */
    bool strict;             /* op as a function of math, which takes numbers only */
    bool kernel_form;        /* the function is compiled in place of one of the library */
    lun_value value;         /* numbers and booleans */
    bool pinned;             /* code is valid for this value alone */
    bool whole;              /* of records: code is valid for this struct alone */
    lun_array *array;        /* borrowed: alive while the source shows it */
    lun_dtype dtype, stored; /* dtype in which it is computed; of its elements */
    int rank;
    bool small; /* none of its extents is more than 2^30 */
    int64_t shape[LUN_MAX_RANK];
    int64_t shift[LUN_MAX_RANK]; /* of an array: what its indices have more than those from 1 */
} lf_capture;

typedef struct lf_source {
    int parent;        /* source; -1 for the first, the function itself */
    int upvalue;       /* of a function, from 1, or 0 */
    const char *field; /* of a table */
    int64_t key;       /* an integer key, if it has neither upvalue nor field */
    const char *name;  /* for messages */
    /* of a struct and of records, while they are compiled: the struct's fields as a text, and each
     * one's name and form: "", "[3]", or that text of a struct */
    const char *form, **field_name, **field_form;
    int names;
    int assigned;      /* of records, likewise: what is younger than the last of their elements that
                          has been assigned as a whole has a higher id */
    const void *known; /* address of a function that need not be decoded again */
    lf_capture capture;
} lf_source;

/* The state in which sources are read: the value of source i is at stack index base + i. */
typedef struct lf_capture_context {
    lua_State *L;
    struct lf_host *host;
    lf_binding ask;
    int base;
} lf_capture_context;

/* Pushes the value of source i, which is not the first, and classifies it. A program in *out
 * is a new reference. May raise a Lua error (memory). */
lun_status luafn_capture(const lf_capture_context *v, const lf_source *list, int i, lf_capture *out,
                         lun_strbuf *error);
/* Is code made for `then` valid for `now`? */
bool luafn_capture_same(const lf_capture *then, const lf_capture *now);

#endif
