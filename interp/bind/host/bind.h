/* bind.h - the interface of the Lua binding's files to each other, a section for each: errors,
 * source lines, values, arrays, layouts, functions, records, opening, the explicit layer, indices,
 * out=, axes. The host is host.h's.
 *
 * Every C function of the binding has the host as its first upvalue. The binding turns Lua's stack
 * into calls of lunarray.h and lunarray_bind.h. */
#ifndef LUN_BIND_H
#define LUN_BIND_H

#include <lauxlib.h>
#include <limits.h>
#include <lua.h>

#include "bind/host/blame.h"
#include "bind/host/host.h"
#include "lunarray_bind.h"

/* ---- errors (error.c) ------------------------------------------------------------------------ */

/* Collections that LUN__TRY makes at most. */
enum { LUN__COLLECTIONS = 2 };
/* After a failed call: true if memory was short and a collection was made; the call may be tried
 * again. *tries starts as 0. */
bool lun__error_again(lua_State *L, lun__host *h, lun_status s, int *tries);
/* lun__blame_argument with "expected ... got" and what the value at `arg` is. */
int lun__error_bad_type(lua_State *L, int arg, const char *expected);
/* "Vector", "View", "Scalar", "Composition". */
const char *lun__error_class_name(const lun_array *a);
/* Pushes what the value at i is: "a Vector f64[3]" for an array, else the name of its type. */
const char *lun__error_push_kind(lua_State *L, lun__host *h, int i);
/* Pushes the value at i as messages show it: as tostring does, but of an array what it is. */
const char *lun__error_push_shown(lua_State *L, int i);
/* Raises the failure: a bad argument number `arg` for a caller's mistake, an error object for a
 * fault in a kernel. */
int lun__error_raise(lua_State *L, lun__host *h, lun_status s, int arg);
/* The same, where a mistake is reported as "bad argument #arg to 'name'". */
int lun__error_raise_as(lua_State *L, lun__host *h, lun_status s, int arg, const char *name);
/* Does nothing if s is LUN_OK. */
void lun__error_check(lua_State *L, lun__host *h, lun_status s, int arg);
/* Raises the failure as an error object, with the source line of the calling script. */
int lun__error_raise_fault(lua_State *L, lun__host *h, lun_status s);
/* Raises a failure of ranks: one that all ranks have with its text only, so that it is the same on
 * all; a mistake of this rank with the source line. */
int lun__spmd_fail(lua_State *L, lun__host *h, lun_status s);
/* The host of the running function; requests that arrive while it waits are answered in L. */
lun__host *lun__here_waiting(lua_State *L);
/* Pushes bytes that the engine has allocated as a string and frees them, also where that fails. */
int lun__push_bytes(lua_State *L, void *bytes, int64_t count);
/* Raises the failure s of lun_host_check; for code that is no function of the binding. */
int lun__error_raise_stop(lua_State *L, lun_status s);
/* The same, pushed on the top and not raised. */
void lun__error_push_stop(lua_State *L, lun_status s);
void lun__error_open(lua_State *L);
/* Whether an error object of the engine's is at i. */
bool lun__error_is_fault(lua_State *L, int i);

/* Repeats a call that ran out of memory, or that would take memory from the system where a
 * collection may free it: LUN__TRY(s, lun_eval(...)). Uses L and h of the caller. */
#define LUN__TRY(s, call)                                                \
    do {                                                                 \
        int tries_ = 0;                                                  \
        do {                                                             \
            lun_thrifty(h->engine, tries_ < LUN__COLLECTIONS);           \
            (s) = (call);                                                \
        } while ((s) != LUN_OK && lun__error_again(L, h, (s), &tries_)); \
        lun_thrifty(h->engine, false);                                   \
    } while (0)

/* ---- source lines (source_line.c)
 * ------------------------------------------------------------------ */

/* The source line of the function at a level, "" if it has none; at level 0, or if that function is
 * of the module's files: of the nearest function of a script. */
enum { LUN__SOURCE_LINE = 256 };
void lun__source_line(lua_State *L, int level, char *line, size_t room);
/* Whether a source, as lua_getinfo shortens it, is of a Lua file of the module. */
bool lun__source_line_is_module(const char *source);

/* ---- values (lua_value.c) -------------------------------------------------------------------- */

void lun__lua_value_push(lua_State *L, lun_value x);
/* Pushes the element at p. */
void lun__lua_value_push_element(lua_State *L, lun_dtype t, const void *p);
/* The Lua number or boolean at i; false for anything else. */
bool lun__lua_value_at(lua_State *L, int i, lun_value *out);
/* Pushes the text of the value at i as tostring writes it, and gives it: in every locale a float
 * has a decimal point. */
const char *lun__value_text(lua_State *L, int i);
/* The elements beyond the ends of an axis: "wrap", "nearest" or a number, at the top of the stack;
 * a bad argument number `arg` otherwise, with `what` in front (lua_pad.c). */
void lun__lua_pad_edge(lua_State *L, int arg, const char *what, lun_edge *edge, lun_value *x);
/* A bad argument unless elements of dtype t can be NaN: `what` is required, and what it can be. */
void lun__lua_pad_check_nan(lua_State *L, int arg, const char *what, lun_dtype t);
/* Stores x as an element of dtype t; NULL, or why it does not fit. */
const char *lun__lua_value_pack(lun_dtype t, lun_value x, void *to);
/* The dtype named at i; a bad argument otherwise. */
lun_dtype lun__lua_value_dtype(lua_State *L, int i);
/* The same, which may also be one of arrays alone: text. */
lun_dtype lun__lua_value_any_dtype(lua_State *L, int i);
/* Whether elements of arrays of that dtype are texts; whether they are missing where nothing else
 * stands beyond the ends, as those of all dtypes that kernels do not know. */
bool lun__lua_value_is_text(lun_dtype t);
bool lun__lua_value_has_gaps(lun_dtype t);
/* Whether they are dates, timestamps or durations; pushes one as it is stored: an ISO text, or
 * seconds. */
bool lun__lua_value_is_time(lun_dtype t);
/* The dtype of numbers, real or complex, that is named at i. */
lun_dtype lun__lua_value_number_dtype(lua_State *L, int i);
void lun__lua_value_push_time(lua_State *L, lun_dtype t, int64_t x);
/* The shape at i: n or {n1, n2, ...}. Returns the rank. */
int lun__lua_value_shape(lua_State *L, int i, int64_t shape[LUN_MAX_RANK]);
/* The same for an array of `size` elements: one extent may be -1 and follows from the others. */
int lun__lua_value_new_shape(lua_State *L, int i, int64_t size, int64_t shape[LUN_MAX_RANK]);
/* Replaces the numbers from i on, extents written one by one, by a table of them. */
void lun__lua_value_gather_shape(lua_State *L, int i);

/* ---- arrays (lua_array.c and its neighbours) ------------------------------------------------- */

/* Pushes a userdata for an array that a call puts into *result. Valid until the next one. */
lun_array **lun__lua_array_new(lua_State *L, lun__host *h);
/* Ends a function whose array is on top of the stack: returns 1, or raises s, blamed on argument
 * `arg`. */
int lun__lua_array_give(lua_State *L, lun__host *h, lun_status s, int arg);
/* How a blocked array is divided, at i. */
const lun_blocks *lun__check_blocks(lua_State *L, int i);
/* The pointer in the userdata at i, made by lun__lua_array_new, to its array. Valid until the next
 * one. */
lun_array **lun__lua_array_slot(lua_State *L, lun__host *h, int i);
/* The array of the userdata at i, NULL if it is none. Raises nothing. */
lun_array *lun__lua_array_at(lua_State *L, int i);
bool lun__lua_array_is(lua_State *L, lun__host *h, int i);
/* The array at i; a bad argument if it is none, an error if it is freed.  An array of unknown
 * length is evaluated. */
lun_array *lun__lua_array_check(lua_State *L, lun__host *h, int i);
/* The same, but does not evaluate: for functions that do not need the length. */
lun_array *lun__lua_array_unevaluated(lua_State *L, lun__host *h, int i);
/* The array at i, NULL for a number or a boolean; a bad argument for anything else. */
lun_array *lun__lua_array_operand(lua_State *L, lun__host *h, int i);
/* The operand at i as an array; *own: to be released by the caller. Raises nothing. */
lun_status lun__lua_array_load(lua_State *L, lun__host *h, int i, lun_array **out, bool *own);
/* The value at i: number, boolean or array of one element; a bad argument otherwise. */
lun_value lun__lua_array_value(lua_State *L, lun__host *h, int i);
/* Pushes element (or row) i, from 0. */
void lun__index_push(lua_State *L, lun__host *h, lun_array *a, int64_t i, int arg);

/* ---- missing elements (lua_missing.c) -------------------------------------------------------- */

/* Whether lun.na is at i; pushes it. */
bool lun__lua_missing_at(lua_State *L, lun__host *h, int i);
void lun__lua_missing_push(lua_State *L, lun__host *h);
/* Replaces the array on the top by one of its elements where `there`, of that shape, is true. */
void lun__lua_missing_with(lua_State *L, lun__host *h, int rank, const int64_t *shape,
                           const bool *there);
/* Replaces lun.na at i by a missing Scalar of dtype t. */
void lun__lua_missing_replace(lua_State *L, lun__host *h, int i, lun_dtype t);

/* ---- texts (lua_text.c) ---------------------------------------------------------------------- */

/* The string at i. */
lun_string lun__lua_text_at(lua_State *L, int i);
/* Pushes it, or nil if it is missing. */
void lun__lua_text_push(lua_State *L, lun_string s);
/* Replaces the string at i by a Scalar of dtype text. */
void lun__lua_text_replace(lua_State *L, lun__host *h, int i);
/* A bad argument number `arg` if elements of a are missing there, and a value was given. */
void lun__lua_text_refuse_value(lua_State *L, int arg, const char *what, const lun_array *a);

/* ---- dates, timestamps, durations (lua_time.c) ----------------------------------------------- */

/* The element of dtype t at i, as it is stored: given as a text, of durations as a number of
 * seconds, or as an array of one element. */
lun_value lun__lua_time_value(lua_State *L, lun__host *h, int i, lun_dtype t);
/* Replaces a text or a number at i by a Scalar of dtype t. */
void lun__lua_time_replace(lua_State *L, lun__host *h, int i, lun_dtype t);

/* ---- options of what makes arrays (lua_layout.c) --------------------------------------------- */

/* The options layout, align, label and readonly. */
typedef struct lun__making {
    bool given; /* a layout, or an alignment */
    int align;  /* bytes that the address of each row is a multiple of; 0: not given */
    lun_layout_kind kind;
    int count; /* strides */
    int64_t strides[LUN_MAX_RANK];
    bool readonly;
    char label[LUN_LABEL_MOST + 1]; /* "": none */
} lun__making;

/* The option of that name, whose value is on the top; false: it is none of these.  A bad argument
 * number `arg` if the value is not one of its. */
bool lun__lua_layout_read(lua_State *L, const char *name, lun__making *out, int arg);
/* Those in the table of options at i, which may be missing and may hold no other option. */
lun__making lun__lua_layout_options(lua_State *L, int i);
/* Converts the array on the top to the layout, if one was given; copy: into memory at once.  Gives
 * it the label, and replaces it by a read-only view. */
void lun__lua_layout_apply(lua_State *L, lun__host *h, const lun__making *layout, bool copy,
                           int arg);

/* Pushes op applied to the operands at 1 .. count of the stack; numbers alone give a number
 * (ops.c). may_trap: its kernel can fail, so the node gets the source line. */
int lun__ops_apply(lua_State *L, lun__host *h, lun_op op, int count, bool may_trap);

/* The operation that the value at i is: a function such as lun.erf, or one of lun.op (ops.c); or a
 * function that is also a reduction, such as lun.min (lua_reduce.c). False: it is none. Raises
 * nothing. */
bool lun__ops_at(lua_State *L, int i, lun_op *op);
bool lun__lua_reduce_op_at(lua_State *L, int i, lun_op *op);

/* ---- complex numbers (lua_complex_number.c, lua_complex.c) ----------------------------------- */

/* The complex number at i; false: there is none.  The same of a number, too. */
bool lun__lua_complex_number_at(lua_State *L, const lun__host *h, int i, double z[2]);
bool lun__lua_complex_number_or_real(lua_State *L, lun__host *h, int i, double z[2]);
void lun__lua_complex_number_push(lua_State *L, lun__host *h, double re, double im);
/* Pushes the element of such a dtype at p. */
void lun__lua_complex_number_push_at(lua_State *L, lun__host *h, lun_dtype t, const void *p);
/* Whether a has a complex dtype. */
bool lun__lua_complex_number_is_of(const lun_array *a);
/* Exchanges the lanes on the top for the complex array of them. */
void lun__lua_complex_of_lanes(lua_State *L, lun__host *h, int arg);
/* Pushes an array of z everywhere. */
void lun__lua_complex_full(lua_State *L, lun__host *h, int rank, const int64_t *shape, lun_dtype t,
                           const double z[2]);
/* Puts results together that are two parts, at the top from `first` on; a bit in `pairs` for each
 * real part. How many there are then. */
int lun__lua_complex_pairs(lua_State *L, lun__host *h, int first, int results, uint32_t pairs);
/* Whether a complex number or array is at i. */
bool lun__lua_complex_is(lua_State *L, int i);
/* Which of lun.complex, real, imag, conj and angle the function at i is, from 0; -1: none. */
int lun__lua_complex_former(lua_State *L, int i);
/* Ends a call of that name, of which a complex array is the first argument, by the function of
 * core.internal.complex_methods with all arguments: the number of results; -1: it is none. */
int lun__lua_complex_divert(lua_State *L, lun__host *h, const char *name);
/* Ends a call so whatever its arguments are. */
int lun__lua_complex_method(lua_State *L, const char *name);
/* Pushes the reduction of all elements of a complex array. */
int lun__lua_complex_total(lua_State *L, lun__host *h, lun_reduction r, lun_array *a,
                           const lun_along_options *o);

/* ---- user functions (lua_function.c) --------------------------------------------------------- */

/* Pushes a box with the function that the value at i is; arity: its elementwise operands; folds: it
 * has to be associative. */
lun_function *lun__lua_function_at(lua_State *L, lun__host *h, int i, int arity, bool folds);
/* Pushes the Lua function or C string that f was made of; false, and nothing: it is not known. */
bool lun__lua_function_push_code(lua_State *L, lun__host *h, const lun_function *f);
/* Whether it is known: f is no operation and of no file. */
bool lun__lua_function_is_code(lua_State *L, lun__host *h, const lun_function *f);

/* Whether an offset view is at i. Raises nothing. */
bool lun__lua_offset_is(lua_State *L, int i);
/* The array of the offset view at i, and for each axis what an index has more than one that counts
 * from 1; NULL: it is none, or of complex numbers. Raises nothing. */
lun_array *lun__lua_offset_at(lua_State *L, int i, int64_t *shift);

/* ---- variants (lua_variant.c) ---------------------------------------------------------------- */

/* Whether a variant is at i. */
bool lun__lua_variant_is(lua_State *L, const lun__host *h, int i);
/* Replaces a variant at i, which is absolute, by its function for the places in use. */
void lun__lua_variant_settle(lua_State *L, lun__host *h, int i);
/* Pushes the table of its functions by platform. */
void lun__lua_variant_push(lua_State *L, int i);
/* Pushes the results of a call with the function at `text` and returns their number. */
typedef int lun__lua_variant_build(lua_State *L, lun__host *h, int text, const void *data);
/* The same of the variant at i, whose functions all have to give the same dtypes; argument: its
 * number in the call of that name, 0 if it is none of its arguments. */
int lun__lua_variant_run(lua_State *L, lun__host *h, int i, const char *call, int argument,
                         lun__lua_variant_build *build, const void *data);

/* ---- records (record_calls.c) ---------------------------------------------------------------- */

/* Whether records or a struct are at i; the first such argument from `first` on, 0: there is none;
 * whether the list at i begins with objects of which some are records. */
bool lun__record_is_at(lua_State *L, int i);
/* Whether what is at i is divided over ranks. */
bool lun__record_is_blocked(lua_State *L, int i);
int lun__record_among(lua_State *L, int first);
bool lun__record_is_listed(lua_State *L, int i);
/* The first argument whose metatable overrides the function of that name; 0: none. */
int lun__record_override_at(lua_State *L, const char *name);
/* Ends the call of a function of that name if an extent of the shape that is its first argument
 * overrides it: the number of results; -1: none does. */
int lun__record_call_shape(lua_State *L, const char *name);
/* Ends the call of a function of that name whose argument i is records or a struct: the function of
 * lua/lunarray for records gives the results, else it is a bad argument. The same if argument i is
 * a list with records. */
int lun__record_call(lua_State *L, const char *name, int i);
int lun__record_call_list(lua_State *L, const char *name, int i);
/* Turns the results at `first` and above, fields of records of the struct on the top, arrays or
 * numbers, into those records or one record. Returns their number: 1. */
int lun__record_gather(lua_State *L, int first);
/* Of a call that failed, if its function gives records of more than `most` elements, how many these
 * are; then pushes their struct. Else 0. */
int lun__record_too_wide(lua_State *L, int most);
/* Replaces such a struct and the function above it, by the records: build() gives the results of
 * functions around it, which give `most` of the elements each; kept: and take as many arguments
 * more, in front. Returns their number: 1. */
int lun__record_in_groups(lua_State *L, lun__host *h, int most, bool kept,
                          lun__lua_variant_build *build, const void *data);
/* Pops the table of the functions that lua/lunarray has for records, and keeps it. */
void lun__record_set_overrides(lua_State *L);
/* Replaces a C text at i that takes records or complex numbers by a function that takes only
 * records, and is true: the text is compiled when the structs are known. */
bool lun__record_defer_text(lua_State *L, int i);
/* Whether one record of a struct is at i; among the arguments from `first` on. */
bool lun__record_one_is_at(lua_State *L, int i);
bool lun__record_one_among(lua_State *L, int first);
/* Ends a call with such a text, or such a record, as lun__record_call does. */
int lun__record_call_text(lua_State *L, const char *name);

/* The number of the operation that the function at i, of lun.atomic, is; -1: it is none. */
int lun__lua_atomic_at(lua_State *L, int i);

/* ---- tables (lua_table.c) -------------------------------------------------------------------- */

/* Pushes a userdata for a table that a call puts into *result; its end releases that. */
lun_table **lun__lua_table_new(lua_State *L);
/* Releases the table in such a userdata before its end. */
void lun__lua_table_end(const lun__host *h, lun_table **t);
/* Pushes such a userdata for a table of the names and arrays in two lists, at absolute indices. */
lun_status lun__lua_table_make(lua_State *L, lun__host *h, int names, int arrays);
/* Pushes these two lists of a table. */
void lun__lua_table_lists(lua_State *L, lun__host *h, lun_table *t);

/* ---- opening: each part adds its functions to the tables at these stack indices
 * --------------------- */

typedef struct lun__parts {
    lun__host *host;
    int host_at;      /* the host's userdata, upvalue of everything */
    int core;         /* the module's table */
    int internal;     /* core.internal: for lua/lunarray only */
    int array;        /* metatable of arrays */
    int methods;      /* their methods */
    int text_methods; /* of arrays of dtype text: looked at first */
    int time_methods; /* of dates, timestamps and durations: the same */
    int skeleton;     /* metatable of skeletons */
    int skeleton_methods;
} lun__parts;

/* Pushes a complex number while functions are added, of which none runs. */
void lun__lua_complex_number_first(lua_State *L, const lun__parts *p, double re, double im);

/* Adds functions to the table at `table`, each with the host as upvalue. */
void lun__register(lua_State *L, const lun__parts *p, int table, const luaL_Reg *functions);

/* A function for scripts: its first upvalue is the host. */
typedef struct lun__entry {
    const char *name; /* NULL ends a list */
    lua_CFunction call;
    int most; /* arguments that it takes, the array or skeleton of a method counted */
} lun__entry;
/* `most` of a function that takes any number. */
enum { LUN__ANY = INT_MAX };

/* Adds functions for scripts to the table at `table`; `functions` has to stay. */
void lun__register_offer(lua_State *L, const lun__parts *p, int table, const lun__entry *functions);
/* Raises an error unless the arguments beyond `most` are nil; pops those. */
void lun__register_too_many(lua_State *L, const char *name, int most);
/* The same, for every call. */
static inline void lun__bind_count(lua_State *L, const char *name, int most)
{
    if (lua_gettop(L) > most)
        lun__register_too_many(L, name, most);
}
void lun__open_array(lua_State *L, const lun__parts *p);
void lun__open_layout(lua_State *L, const lun__parts *p);
void lun__open_memory(lua_State *L, const lun__parts *p);
void lun__open_concat(lua_State *L, const lun__parts *p);
void lun__open_pad(lua_State *L, const lun__parts *p);
void lun__open_histogram(lua_State *L, const lun__parts *p);
void lun__open_take(lua_State *L, const lun__parts *p);
void lun__open_cache(lua_State *L, const lun__parts *p);
void lun__open_matmul(lua_State *L, const lun__parts *p);
void lun__open_record(lua_State *L, const lun__parts *p);
void lun__open_factor(lua_State *L, const lun__parts *p);
void lun__open_date(lua_State *L, const lun__parts *p);
void lun__open_group(lua_State *L, const lun__parts *p);
void lun__open_running(lua_State *L, const lun__parts *p);
void lun__open_compress(lua_State *L, const lun__parts *p);
void lun__open_zlib(lua_State *L, const lun__parts *p);
void lun__open_sort(lua_State *L, const lun__parts *p);
void lun__open_dense(lua_State *L, const lun__parts *p);
void lun__open_fourier(lua_State *L, const lun__parts *p);
void lun__open_index(lua_State *L, const lun__parts *p);
void lun__open_missing(lua_State *L, const lun__parts *p);
void lun__open_text(lua_State *L, const lun__parts *p);
void lun__open_time(lua_State *L, const lun__parts *p);
void lun__open_complex(lua_State *L, const lun__parts *p);
void lun__open_window(lua_State *L, const lun__parts *p);
void lun__open_bytes(lua_State *L, const lun__parts *p);
void lun__open_ops(lua_State *L, const lun__parts *p);
void lun__open_reduce(lua_State *L, const lun__parts *p);
void lun__open_make(lua_State *L, const lun__parts *p);
void lun__open_function(lua_State *L, const lun__parts *p);
void lun__open_offset(lua_State *L, const lun__parts *p);
void lun__open_variant(lua_State *L, const lun__parts *p);
void lun__open_skeleton(lua_State *L, const lun__parts *p);
void lun__open_generate(lua_State *L, const lun__parts *p);
void lun__open_partloop(lua_State *L, const lun__parts *p);
void lun__open_partmarks(lua_State *L, const lun__parts *p);
void lun__open_teams(lua_State *L, const lun__parts *p);
void lun__open_atomic(lua_State *L, const lun__parts *p);
void lun__open_use(lua_State *L, const lun__parts *p);
void lun__open_arrow(lua_State *L, const lun__parts *p);
void lun__open_memory_file(lua_State *L, const lun__parts *p);
void lun__open_table(lua_State *L, const lun__parts *p);
void lun__open_arrow_file(lua_State *L, const lun__parts *p);
void lun__open_door(lua_State *L, const lun__parts *p);
void lun__open_terminal(lua_State *L, const lun__parts *p);
void lun__open_buffer(lua_State *L, const lun__parts *p);
void lun__open_queue(lua_State *L, const lun__parts *p);
void lun__open_call_skeleton(lua_State *L, const lun__parts *p);
void lun__open_compose(lua_State *L, const lun__parts *p);
void lun__open_package(lua_State *L, const lun__parts *p);
void lun__open_blocked(lua_State *L, const lun__parts *p);
void lun__open_spmd(lua_State *L, const lun__parts *p);
void lun__open_rankbytes(lua_State *L, const lun__parts *p);
void lun__open_blocks(lua_State *L,
                      const lun__parts *p); /* after open_spmd, whose table it fills */
void lun__open_engine(lua_State *L, const lun__parts *p);
void lun__open_evaluation(lua_State *L, const lun__parts *p);
void lun__open_explain(lua_State *L, const lun__parts *p);
void lun__open_tool(lua_State *L, const lun__parts *p);
void lun__open_png(lua_State *L, const lun__parts *p);
void lun__open_csv(lua_State *L, const lun__parts *p);
void lun__open_csv_write(lua_State *L, const lun__parts *p);
void lun__open_json(lua_State *L, const lun__parts *p);
void lun__open_json_write(lua_State *L, const lun__parts *p);
void lun__open_sqlite(lua_State *L, const lun__parts *p);
void lun__open_duckdb(lua_State *L, const lun__parts *p);
void lun__open_hdf5(lua_State *L, const lun__parts *p);
void lun__open_file(lua_State *L, const lun__parts *p);
void lun__open_path(lua_State *L, const lun__parts *p);
void lun__open_scratch_file(lua_State *L, const lun__parts *p);
/* Makes the userdata s on top of the stack a file of Lua's, of fd, which is closed if that fails;
 * false: errno says why. */
bool lun__path_stream_opens(lua_State *L, luaL_Stream *s, int fd, const char *mode);

/* lun.vector(t [, dtype]) of a Lua table (from_table.c). */
int lun__from_table(lua_State *L);

LUN_API int luaopen_lunarray_core(lua_State *L);

/* ---- the explicit layer (lua_teams.c, lua_buffer.c) ------------------------------------------ */

/* The division of work in the table at arg. */
void lun__lua_teams_division(lua_State *L, int arg, lun_workdiv *w);
/* The name of a device at i: a string, or a row of lun.devices(). */
const char *lun__lua_buffer_device(lua_State *L, int i);
/* The entry of the userdata at i, of that kind and not freed, or an error, in which it is called
 * `name`. */
lun__held *lun__lua_buffer_held(lua_State *L, lun__host *h, int i, lun__kind kind,
                                const char *name);
/* Pushes the metatable of a kind of userdata with these methods, and its name. */
void lun__lua_buffer_methods(lua_State *L, const lun__parts *p, lun__kind kind, const char *name,
                             const lun__entry *methods);
/* Does nothing if s is LUN_OK; else raises the failure: a mistake as a bad argument of `name`. */
void lun__lua_buffer_check(lua_State *L, lun__host *h, lun_status s, const char *name);

/* ---- indices (lua_take.c) -------------------------------------------------------------------- */

/* Replaces the table or number at i by an array of indices; a bad argument if it is none of these
 * and no array. */
void lun__lua_take_indices(lua_State *L, lun__host *h, int i);
/* The axis, from 0, of the array at 1 that the option at the top names; a bad argument number i
 * otherwise. */
int lun__lua_take_axis(lua_State *L, lun__host *h, int i);

/* ---- the option out= (out_option.c) ---------------------------------------------------------- */

#define LUN__MOST_TARGETS 64

/* Pushes the arrays of `out`, at i, one or a list, for a call of that name. Returns their
 * number. */
int lun__out_option_push(lua_State *L, lun__host *h, int i, const char *call);
/* Stores the results from `first` on into the `count` arrays at the top, as one assignment: old
 * elements are read before any is written, and none is written if one does not fit. */
void lun__out_option_store(lua_State *L, lun__host *h, const char *call, int first, int results,
                           int count);

/* ---- axes (lua_along.c) ---------------------------------------------------------------------- */

/* Axes and options as a script gives them. */
typedef struct lun__axes {
    lua_Integer named[LUN_MAX_RANK]; /* from 1, or from -1 at the end */
    int count;                       /* 0: none is named; LUN_NO_AXES: an empty list */
    lun_along_options options;
    bool inclusive;
} lun__axes;

/* Axis `axis` of a script as the axis, from 0, of the array at `array`. NULL, or pushes why there
 * is none. */
const char *lun__lua_along_resolve(lua_State *L, lun__host *h, int array, lua_Integer axis,
                                   int *out);
/* The same of several axes. */
const char *lun__lua_along_resolve_all(lua_State *L, lun__host *h, int array, const lun__axes *axes,
                                       int *out);
/* The name of the option whose key and value are at the top, in the table at i; options: an example
 * of those that are known, "axis=2, keep=true". */
const char *lun__lua_along_option(lua_State *L, int i, const char *options);
/* Fails if the value at i is no table of options, such as that example. */
void lun__lua_along_check(lua_State *L, int i, const char *options);
/* Makes options {axis=number} of a number at i. */
void lun__lua_along_positional(lua_State *L, int i);
/* Reads the number at i as the ddof of a variance; false: it is none. */
bool lun__lua_along_ddof(lua_State *L, int i, lun_along_options *out);
/* Reads the option of that name, whose value is at the top; false: it is none of these. */
bool lun__lua_along_axes(lua_State *L, int i, const char *name, lun__axes *out);
/* Whether the value at i gives axes or options for the reduction of the array at 1. */
bool lun__lua_along_takes(lua_State *L, lun__host *h, const lun_reduction_info *row, int i);
/* Pushes the reduction of the array at 1 with the axes or options at i; true: a Scalar, of all its
 * elements. */
bool lun__lua_along_push(lua_State *L, lun__host *h, lun_reduction r, int i);
/* Adds 1 to *out, an index from 0. */
lun_status lun__lua_along_from_1(lun_engine *e, lun_array **out);

#endif
