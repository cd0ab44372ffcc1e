/* lunarray_bind.h - what a binding to another language needs besides lunarray.h: descriptions of
 * operations, dtypes, skeletons and reductions, the source position of an expression, the operand
 * that an error is about, and hooks for the language's garbage collector and interpreter.  Programs
 * in C do not need it.
 *
 * Errors, NULL, ownership and threads: as in lunarray.h.  lun_host_on_cancel, lun_is_weak and what
 * takes no engine and no array may be called at any time.
 */
#ifndef LUNARRAY_BIND_H
#define LUNARRAY_BIND_H

#include "lunarray.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- tables ---------------------------------------------------------------------------------- */

typedef struct lun_op_info {
    size_t size;                     /* sizeof(lun_op_info) */
    const char *name, *symbol, *doc; /* symbol: the operator's text ("+"), "" if it has none */
    int arity;
    bool reduces; /* associative: may be given to reduce and scan */
} lun_op_info;
/* Describes an operation; the texts stay valid.  False past the last one, and *out is unchanged. */
LUN_API bool lun_op_describe(lun_op op, lun_op_info *out);
/* Finds an operation by its name ("add") or by its operator and arity ("-", 2); arity 0: any, the
 * larger one first.  False if there is none. */
LUN_API bool lun_op_find(const char *name, int arity, lun_op *out);

/* The digest of a version of the bits, 64 hexadecimal digits of what tests/bits computes by it;
 * "" if it is unknown. */
LUN_API const char *lun_bits_digest(const char *version);

/* The name of an operation of lun.atomic, by number from 0; NULL past the last one. */
LUN_API const char *lun_atomic_name(int which);
/* Whether it takes the expected element before the value. */
LUN_API bool lun_atomic_expects(int which);
/* Applies one to an element of a, counted from 0 in row-major order; *old: what it was.  Integers
 * wrap.  LUN_EDTYPE: elements of a's dtype do not have it; LUN_ERANGE: there is no such element, or
 * a value does not fit. */
LUN_API lun_status lun_atomic_apply(lun_engine *e, lun_array *a, int which, int64_t index,
                                    lun_value x, lun_value expected, lun_value *old);

typedef struct lun_dtype_info {
    size_t size;                  /* sizeof(lun_dtype_info) */
    const char *name, *doc, *npy; /* npy: code in a .npy file without the byte order, "": none */
    int bytes;                    /* of one element */
    lun_kind kind;
    int exponent, mantissa; /* bits of a float's fields, the leading 1 not counted; else 0 */
} lun_dtype_info;
/* Describes a dtype; the texts stay valid.  False if t is no dtype, and *out is unchanged. */
LUN_API bool lun_dtype_describe(lun_dtype t, lun_dtype_info *out);
/* Reads one element from memory, of any alignment, as a number: bool, i64, u64 (for u64 only) or
 * f64.  The integer 0 if element is NULL or t is no dtype. */
LUN_API lun_value lun_element_get(lun_dtype t, const void *element);
/* Writes x as an element of dtype t, converted as by lun_cast: floats are rounded to nearest,
 * integers keep their low bits, floats that become integers saturate.  Does nothing if element is
 * NULL or t is no dtype. */
LUN_API void lun_element_set(lun_dtype t, lun_value x, void *element);

/* Generated from the table by tests/lint/header.sh --write. */
/* clang-format off */
/* BEGIN GENERATED SKELETONS */
typedef enum lun_skeleton {
    LUN_SKELETON_MAP,
    LUN_SKELETON_ZIP,
    LUN_SKELETON_REDUCE,
    LUN_SKELETON_SCAN,
    LUN_SKELETON_STENCIL,
    LUN_SKELETON_ALLPAIRS,
    LUN_SKELETON_COUNT
} lun_skeleton;
/* END GENERATED SKELETONS */
/* clang-format on */

typedef struct lun_skeleton_info {
    size_t size; /* sizeof(lun_skeleton_info) */
    const char *name, *doc;
    const char *option; /* options, in a table after the arguments: "name=value, ..."; "": none */
    int arrays;         /* number of arrays that a call takes, element by element */
    int operands;       /* number of elements that the function takes as its first parameters */
    bool extras;        /* more arguments may follow the arrays, for the function's parameters */
    bool folds;         /* the function is associative; an initial value may be given */
    bool combines; /* a second, associative function combines its results; initial value as above */
} lun_skeleton_info;
/* Describes a skeleton; the texts stay valid.  False past the last one, and *out is unchanged. */
LUN_API bool lun_skeleton_describe(lun_skeleton s, lun_skeleton_info *out);

typedef struct lun_reduction_info {
    size_t size; /* sizeof(lun_reduction_info) */
    const char *name, *doc;
    const char *option; /* the name of an optional number, "" if there is none */
    bool index;         /* the result is the position of an element, from 0 */
} lun_reduction_info;
/* Describes a reduction of whole arrays, as lun_skeleton_describe does a skeleton. */
LUN_API bool lun_reduction_describe(lun_reduction r, lun_reduction_info *out);

/* ---- expressions ----------------------------------------------------------------------------- */

/* lun_fail with what lun_error_where is to give then. */
LUN_API lun_status lun_fail_at(lun_engine *e, lun_status s, const char *text, const char *where);
/* An engine is used by one thread at a time: takes it for this thread for more than one call, until
 * lun_thread_leave(&taken).  Calls within calls may take it again.  LUN_EARG: another thread is
 * inside of a call, which is all that is said in lun_error of this thread. */
LUN_API lun_status lun_thread_enter(lun_engine *e, lun_engine **taken);
/* Gives it back. */
LUN_API void lun_thread_leave(lun_engine **taken);
/* Sets the current position in the script ("file:12"): errors of expressions that are built from
 * now on report it. */
LUN_API lun_status lun_mark(lun_engine *e, const char *place);
/* Sets the number of elements that a work-group of a device computes, for kernels of expressions
 * that are built from now on (LUN_MOST_WORKGROUP at most; a device may support fewer); 0:
 * tuned.  Backends without devices ignore it. */
enum { LUN_MOST_WORKGROUP = 65535 };
LUN_API void lun_workgroup(lun_engine *e, int elements);
/* Records of r, as many as the shape says, of an array for each field, which has that shape and the
 * field's extents behind it.  LUN_ESHAPE, LUN_EDTYPE: it has not; else as lun_wrap_records. */
LUN_API lun_status lun_records_of(lun_engine *e, const lun_struct *r, int rank,
                                  const int64_t *shape, lun_array *const *fields, lun_array **out);
/* lun_copy, which copies elements in memory when one of both arrays is written to: until then they
 * share them. */
LUN_API lun_status lun_copy_later(lun_engine *e, lun_array *a, lun_array **out);
/* An array in its two parts: its slots, of which none is missing, NaN, 0 or false where elements
 * were; and its validity, bools of the same shape, false there; *valid NULL: nothing is missing.
 * Lazy. */
LUN_API lun_status lun_missing_parts(lun_engine *e, lun_array *a, lun_array **slots,
                                     lun_array **valid);
/* The array of two such parts.  LUN_ESHAPE, LUN_EDTYPE: they are none. */
LUN_API lun_status lun_with_parts(lun_engine *e, lun_array *slots, lun_array *valid,
                                  lun_array **out);
/* x's elements, one for each row: group after group, those of each in order as lun_sort has it,
 * NaNs last.  LUN_EARG: some are missing.  Lazy. */
LUN_API lun_status lun_grouping_sort(lun_engine *e, const lun_grouping *g, lun_array *x,
                                     lun_array **out);
/* lun_text of a shape, of as many strings as that has elements; rank 0: a Scalar. */
LUN_API lun_status lun_text_tensor(lun_engine *e, const lun_string *s, int rank,
                                   const int64_t *shape, lun_array **out);
/* A value of texts as a pool keeps it, in Arrow's layout of a string view: a length, then up to 12
 * bytes in place, 0 behind them, or the first 4, the number of a buffer and the offset in it. */
typedef struct lun_text_view {
    int32_t length;
    union {
        char in_place[12];
        struct {
            char prefix[4];
            int32_t buffer, offset;
        } far;
    } as;
} lun_text_view;
typedef struct lun_text_bytes {
    char *bytes;
    int64_t size;
} lun_text_bytes;
/* Values, UTF-8 without NUL, in memory of malloc; distinct: none is there twice. */
typedef struct lun_text_made {
    size_t size; /* sizeof(lun_text_made) */
    lun_text_view *views;
    int64_t count;
    lun_text_bytes *buffers;
    int32_t buffer_count;
    bool distinct;
} lun_text_made;
/* Values that one array can have. */
#define LUN_TEXT_MOST INT64_C(0x7ffffffe)
/* The text array whose elements are the values at codes from 1, which are u8, u16 or u32; its
 * validity is false where the code is 0, NULL: nowhere.  The engine frees the memory of the values,
 * also where this fails, and leaves none. */
LUN_API lun_status lun_text_of_codes(lun_engine *e, lun_array *codes, lun_array *valid,
                                     lun_text_made *values, lun_array **out);
typedef struct lun_text_function_info {
    size_t size; /* sizeof(lun_text_function_info) */
    const char *name, *doc;
    int texts, numbers; /* that a call is given */
} lun_text_function_info;
/* Describes a function of texts by its number from 0; the texts stay valid.  False past the last
 * one, and *out is unchanged. */
LUN_API bool lun_text_function_describe(int which, lun_text_function_info *out);
/* Computes it of the texts of a, with two texts and two numbers of which it takes as many as it
 * says: once for each different text.  Lazy but for that.  LUN_EARG: a text of the call is not
 * UTF-8. */
LUN_API lun_status lun_text_call_function(lun_engine *e, int which, lun_array *a,
                                          const lun_string *texts, const int64_t *numbers,
                                          lun_array **out);
/* The values that the codes of a text array count, from 1, in their pool: n of them from value
 * `first`, from 0; n may be 0, *all: how many there are. */
LUN_API lun_status lun_text_values(lun_engine *e, lun_array *a, int64_t first, int64_t n,
                                   lun_string *values, int64_t *all);
/* lun_time_read, by a format (NULL: without one) that lun_time_check knows; zoned: the text says
 * its offset from UTC, which the element is converted to.  Asks no engine. */
LUN_API bool lun_time_scan(lun_dtype t, const char *format, lun_string s, int64_t *out,
                           bool *zoned);
/* NULL: a format by which texts of dtype t are read, or written; else what is wrong with it, of the
 * conversion *which. */
LUN_API const char *lun_time_check(lun_dtype t, const char *format, bool write, char *which);
/* The texts of numbers and truths: format NULL: the fewest digits that read back; "": as Lua writes
 * them; else one conversion of printf, of floats "eEfFgGaA", of integers "dixXo".  LUN_EARG: it is
 * none of these. */
LUN_API lun_status lun_number_texts(lun_engine *e, lun_array *a, const char *format,
                                    lun_array **out);
/* The bytes of the codes of a text array, and of all values of its pool, which others may share. */
LUN_API lun_status lun_text_memory(lun_engine *e, lun_array *a, int64_t *bytes);
/* The codes of a text array, 0 where an element is missing; lazy. */
LUN_API lun_status lun_text_slots(lun_engine *e, lun_array *a, lun_array **out);
/* What stands in the slot of a missing element of dtype t, a Scalar. */
LUN_API lun_status lun_missing_slot(lun_engine *e, lun_dtype t, lun_array **out);
/* A missing Scalar of dtype t. */
LUN_API lun_status lun_na(lun_engine *e, lun_dtype t, lun_array **out);
/* Whether element `index`, counted as in lun_get, is missing. */
LUN_API lun_status lun_is_missing(lun_engine *e, lun_array *a, int64_t index, bool *out);
/* Makes it missing. */
LUN_API lun_status lun_set_missing(lun_engine *e, lun_array *a, int64_t index);
/* lun_read of slots, and whether there is an element in each. */
LUN_API lun_status lun_read_slots(lun_engine *e, lun_array *a, void *host, bool *there,
                                  int64_t first, int64_t count);
/* lun_take with indices that count from `first`, 0 or 1; if they count from 1, index 0 gives
 * `missing`. */
LUN_API lun_status lun_take_from(lun_engine *e, lun_array *a, lun_array *i, int axis, int first,
                                 const lun_value *missing, lun_array **out);
/* lun_put where indices count from `first`, 0 or 1. */
LUN_API lun_status lun_put_from(lun_engine *e, lun_array *a, lun_array *i, lun_array *x, int axis,
                                int first, lun_op op);
/* The same with f, a function of the host's language: a[i] = f(a[i], x), one after the other in the
 * order of the indices. */
LUN_API lun_status lun_put_by(lun_engine *e, lun_array *a, lun_array *i, lun_array *x, int axis,
                              int first, lun_function *f);
/* A scan of `count` arrays of equal shape (numbers stand for such), at most LUN_MOST_VALUES, by a
 * function of the host's language f(a1, ..., an, b1, ..., bn, extra...) of as many results,
 * associative; ids: a first value for each; along an axis, from 0, or of all elements in row-major
 * order (axis -1).  In outs as many arrays. */
enum { LUN_MOST_VALUES = 8 };
LUN_API lun_status lun_scan_several(lun_engine *e, lun_function *f, lun_array *const *ids,
                                    lun_array *const *arrays, int count, lun_array *const *extra,
                                    int extras, int axis, bool inclusive, lun_array **outs);
/* A reduction by such a function along some axes, from 0 (none: all); keep: as that of lun_along.
 * In outs as many arrays, Scalars where no axis is left. */
LUN_API lun_status lun_reduce_several(lun_engine *e, lun_function *f, lun_array *const *ids,
                                      lun_array *const *arrays, int count, lun_array *const *extra,
                                      int extras, const int *axes, int axis_count, bool keep,
                                      lun_array **outs);
/* A function of the host's language called once, on one thread, with numbers and whole arrays,
 * which it indexes: its results as Vectors of one element, at most `room`, and how many there are
 * in *results. */
LUN_API lun_status lun_call_alone(lun_engine *e, lun_function *f, lun_array *const *operands,
                                  int count, lun_array **outs, int room, int *results);
/* A map, zip, reduce or scan by f, which is borrowed like the first values: what a call of it needs
 * beside its arrays. */
typedef struct lun_skeleton_use {
    size_t size; /* sizeof(lun_skeleton_use) */
    lun_skeleton kind;
    lun_function *f;
    int elements;                   /* arrays that it takes, element by element */
    lun_array *id[LUN_MOST_VALUES]; /* first values of reduce and scan; NULL: the operation's */
    int axes, axis[LUN_MAX_RANK];   /* of these, from 0; none: all, or row-major order */
    bool keep, inclusive;           /* of reduce; of scan */
    /* of packages: dtypes to which results are cast, one for each; -1: out[0] for all; 0: none */
    int outs;
    lun_dtype out[LUN_MAX_OUTPUTS];
} lun_skeleton_use;
/* Its results for so many operands, arrays first, at most `room`, and how many there are in
 * *results, also where that is more (LUN_EARG).  None is cast. */
LUN_API lun_status lun_skeleton_call(lun_engine *e, const lun_skeleton_use *u,
                                     lun_array *const *operands, int count, lun_array **outs,
                                     int room, int *results);
/* The skeleton as bytes for lun_unpack, and their number, for lun_bytes_free: its function for
 * `variants` times as many dtypes as it takes arrays, one variant behind the other, with what it
 * captures as it is now; axis -1 is the last one, and so on.  LUN_EARG, LUN_EDTYPE: C text, more
 * than elements and captured values, what the function refuses; LUN_ELIMIT: a captured array of
 * more than a MB. */
LUN_API lun_status lun_pack(lun_engine *e, const lun_skeleton_use *u, const lun_dtype *dtypes,
                            int variants, void **bytes, size_t *length);
/* What a package has: *out until its release. */
LUN_API void lun_package_describe(const lun_package *p, lun_skeleton_use *out);
/* What can be told of a stencil of f, which takes so many arrays, before there are any: LUN_EARG if
 * each call would fail, because f reads no elements around an index, asks for some beyond the
 * radius (of each of LUN_MAX_RANK axes; NULL: not given), or not by as many offsets as its options
 * list axes (0: they list none). */
LUN_API lun_status lun_stencil_foresee(lun_engine *e, lun_function *f, int elements, int axes,
                                       const int64_t *radius);
typedef enum lun_lines_give { LUN_LINES_BEHIND, LUN_LINES_BEFORE, LUN_LINES_ENDS } lun_lines_give;
/* f(value, element) along lines of a Vector, one element after the other, f any function of the
 * host's language: line k has the elements from number first[k], from 0, on, counts[k] of them
 * (these are trusted), and begins with id, or with id's element k.  Gives the values behind each
 * element or before it, of x's length, or those at the ends of the lines. */
LUN_API lun_status lun_run_lines(lun_engine *e, lun_function *f, lun_array *id, lun_array *x,
                                 lun_array *first, lun_array *counts, lun_lines_give give,
                                 lun_array **out);

/* Complex numbers and their lanes: what computes on pairs of real numbers takes a complex array
 * apart by lun_complex_lanes and makes one of its result by lun_complex_of.
 *
 * The lanes of a complex array of shape [.., n]: an array of f32 or f64 of shape [.., n, 2], the
 * real part first.  An array that lun_complex_of made gives the array that it was made of, unless
 * it was written to; of others, whose parts are apart, they are put together, as a lazy copy.
 * LUN_EDTYPE if a is not complex, LUN_ESHAPE if it has LUN_MAX_RANK axes. */
LUN_API lun_status lun_complex_lanes(lun_engine *e, lun_array *a, lun_array **out);
/* The complex array of such lanes, whose elements are not copied: LUN_C64 of f32, LUN_C128 of f64;
 * others are refused by LUN_EDTYPE, another last extent than 2 by LUN_ESHAPE.  Writing to one of
 * both does not change the other. */
LUN_API lun_status lun_complex_of(lun_engine *e, lun_array *lanes, lun_array **out);
/* The complex array whose parts are in the host's memory that re and im wrap, arrays of f32 or f64
 * in one shape (lun_wrap_strided): writes to it go there.  LUN_EARG if they wrap none. */
LUN_API lun_status lun_complex_joined(lun_engine *e, lun_array *re, lun_array *im, lun_array **out);
/* The dtype of the parts of a complex one; LUN_DTYPE_COUNT: it is none. */
LUN_API lun_dtype lun_complex_part(lun_dtype t);
/* Room for the text of any function of complex numbers whose name has up to 64 bytes. */
#define LUN_COMPLEX_TEXT 20000
/* The definition in C, in a line, of the operation `name`, "mul" or "exp", on structs "c64" or
 * "c128", as t says, with members re and im, as function `symbol`: for texts of lun_function_c,
 * which have the functions of real numbers that it calls, and with the bits of arrays.  It gives
 * such a struct, a part (abs, angle) or an int (tests such as isnan).  LUN_EARG if there is no such
 * operation of complex numbers, LUN_ERANGE if the text needs more than `room` bytes. */
LUN_API lun_status lun_complex_text(const char *name, const char *symbol, lun_dtype t, size_t room,
                                    char *text);

/* Whether a has a dtype that kernels do not know, such as LUN_TEXT; asks no engine. */
LUN_API bool lun_is_logical(const lun_array *a);
/* True for a number of a script. */
LUN_API bool lun_is_weak(const lun_array *a);

/* The numbers of the order of combination (chunks, lanes and so on), which reductions that a
 * binding makes of several arrays repeat: the name and the value of number i >= 0, in no
 * particular order.  False: there is no such number. */
LUN_API bool lun_order_number(int i, const char **name, int64_t *value);

/* Memory for the elements of a Vector that does not exist yet: it is filled first, and the dtype
 * may be chosen afterwards. */
typedef struct lun_blank lun_blank;
/* Allocates n elements of `bytes` bytes each, uninitialised, at *data.  LUN_EARG if no dtype has
 * that size; otherwise fails as lun_vector does. */
LUN_API lun_status lun_blank_new(lun_engine *e, int64_t n, int bytes, lun_blank **out, void **data);
/* Frees it, at any time and from any thread.  NULL is allowed. */
LUN_API void lun_blank_drop(lun_engine *e, lun_blank *b);
/* Makes a Vector of the elements that were written.  LUN_EDTYPE if t has another size.  On success
 * b is freed. */
LUN_API lun_status lun_blank_vector(lun_engine *e, lun_blank *b, lun_dtype t, lun_array **out);
/* Calls task(ctx, k) for each k from 0 to count - 1 on the threads of the current backend, or of
 * the native one if it has none, and waits; on this thread while another one is inside of the
 * engine.  Worthwhile for tasks of about 100 microseconds or more; a task must not call the
 * engine. */
LUN_API void lun_host_share(lun_engine *e, int64_t count, void *ctx,
                            void (*task)(void *ctx, int64_t k));

/* Whether stencils that follow one another are blocked in time wherever they can be, of small
 * arrays as of large ones, though one by one those are quicker: for tests, which then need no large
 * ones. */
LUN_API void lun_block_all(lun_engine *e, bool on);

/* ---- loops on parts of arrays ---------------------------------------------------------------- */

/* A loop of which some rounds run here, with a function of the host's language, on arrays of which
 * parts are here.  Of axis k rounds first[k] .. first[k] + extent[k] - 1 run, of those from
 * whole_first[k] on, whole_extent[k].  In the place of such an array the function captures a
 * stand-in, of its shape and dtype, whose elements mean nothing. */
typedef struct lun_part_loop {
    size_t size; /* sizeof(lun_part_loop) */
    int rank;
    int64_t whole_first[LUN_MAX_RANK], whole_extent[LUN_MAX_RANK];
    int64_t first[LUN_MAX_RANK], extent[LUN_MAX_RANK];
    lun_array *const *arrays; /* the stand-ins, at most LUN_MAX_OPERANDS */
    int count;
} lun_part_loop;

/* Elements that each round reads, or assigns: the index along axis d of the array is that of the
 * loop's axis param[d] times factor[d], plus shift[d]; with param[d] -1 it is shift[d].  A factor
 * is 1 unless the index is computed.  Reads come first. */
typedef struct lun_reach {
    size_t size; /* sizeof(lun_reach) */
    int array;
    bool assigned, computed;
    int param[LUN_MAX_RANK];
    int64_t factor[LUN_MAX_RANK], shift[LUN_MAX_RANK];
} lun_reach;
enum { LUN_MAX_REACHES = 160 };

/* Whether a loop reads an array at computed indices too. */
typedef enum lun_computed {
    LUN_COMPUTED_NONE,
    LUN_COMPUTED_BOX,  /* what is reached says which elements: the same params and factors each */
    LUN_COMPUTED_SOME, /* lun_loop_wanted tells which elements */
    LUN_COMPUTED_ALL   /* that hangs on its elements: it may be any */
} lun_computed;

/* What the rounds reach, in list, with room for LUN_MAX_REACHES, all of the size in the first one;
 * computed: of each array.  Fails as lun_each does. */
LUN_API lun_status lun_loop_reach(lun_engine *e, lun_function *f, const lun_part_loop *loop,
                                  lun_reach *list, int *length, lun_computed *computed);

/* What is here of an array that a loop reads: for what rounds read at their own indices a box, for
 * computed indices a Vector. */
typedef struct lun_part {
    size_t size; /* sizeof(lun_part); of a list that of the first one counts */
    int array;
    lun_array *elements;
    int64_t first[LUN_MAX_RANK]; /* of a box: the indices of its first element, from 0 */
    bool computed;
    int64_t from;     /* of a Vector: elements from that place on, row-major, from 0; */
    lun_array *words; /* unless NULL: those that lun_marks_fill has marked; */
    /* or, unless step[0] is 0, those of a box with so many along each axis, every step-th one */
    int64_t count[LUN_MAX_RANK], step[LUN_MAX_RANK];
} lun_part;

/* How blocked arrays are divided, by array, and the PE whose elements are here. */
struct lun_blocks;
typedef struct lun_whose {
    size_t size; /* sizeof(lun_whose) */
    const struct lun_blocks *const *blocks;
    int pe;
} lun_whose;

/* What the rounds read at computed indices of arrays that have no Vector among the parts, and that
 * this PE has not: marks[k], of each array, the bits of its elements, a Vector of u32, its first
 * element's the lowest of the first; NULL of other arrays.  *gets: how often they read such
 * elements.  The parts have all else that this hangs on. */
LUN_API lun_status lun_loop_wanted(lun_engine *e, lun_function *f, const lun_part_loop *loop,
                                   const lun_part *parts, int count, const lun_whose *whose,
                                   lun_array **marks, int64_t *gets);
/* A further handle on the elements that a has now: a write to a changes others then.  NULL: they
 * may change all the same. */
LUN_API lun_status lun_snapshot(lun_engine *e, lun_array *a, lun_array **out);
/* Whether two arrays are handles on the same elements. */
LUN_API bool lun_same_elements(const lun_array *a, const lun_array *b);
enum { LUN_MOST_CELLS = 64 };
/* What the marks of lun_loop_wanted hang on, besides the loop and the arrays' shapes: numbers, and
 * elements of stand-ins and other arrays. */
typedef struct lun_depends {
    size_t size; /* sizeof(lun_depends) */
    bool lasts;  /* it can be told whether these change */
    bool stand_in[LUN_MAX_OPERANDS];
    lun_array *array[LUN_MAX_OPERANDS]; /* snapshots, in the order in which f captures them */
    int arrays;
    uint64_t cell[LUN_MOST_CELLS];
    int cells;
} lun_depends;
/* computed: as lun_loop_reach has said.  *out: to be released. */
LUN_API lun_status lun_loop_depends(lun_engine *e, lun_function *f, const lun_part_loop *loop,
                                    const lun_computed *computed, lun_depends *out);
/* Releases the snapshots. */
LUN_API void lun_depends_release(lun_depends *x);
/* Marked elements of a PE, as it is asked for them: *bytes, to be freed, NULL where there are none;
 * how many there are. */
LUN_API lun_status lun_marks_request(lun_engine *e, lun_array *marks, const struct lun_blocks *b,
                                     int pe, void **bytes, int64_t *count, int64_t *wanted);
/* The elements that such bytes ask this part for, of so many, in their order: a Vector of i64, from
 * 1.  LUN_EARG: the bytes are something else. */
LUN_API lun_status lun_marks_asked(lun_engine *e, int64_t size, const void *bytes, int64_t count,
                                   lun_array **places);
/* *out, whose array is 0: a part for computed indices, of this PE's elements and those that are
 * marked, whose bytes each PE has sent, in order; its arrays are the caller's.  LUN_EARG: they are
 * not as many as were asked for. */
LUN_API lun_status lun_marks_fill(lun_engine *e, lun_array *marks, const struct lun_blocks *b,
                                  int pe, lun_array *own, const void *const *bytes,
                                  const int64_t *counts, lun_part *out);

/* What a statement of a loop assigns.  At its rounds' own indices: values for a box of elements. At
 * computed ones: in each of `rounds`, which ascend, a value to the element at a place, row-major
 * from 0; Vectors of one length, or places and values in the loop's shape. */
typedef struct lun_logged {
    size_t size; /* sizeof(lun_logged); of a list that of the first one counts */
    int array;   /* which one of the loop's arrays it is */
    bool boxed;
    int64_t first[LUN_MAX_RANK], count[LUN_MAX_RANK]; /* of a box: from 0 */
    int how;        /* 0: the value replaces the element; else how they are combined, */
    bool behind;    /* the element being the second operand */
    char note[248]; /* "script:line: message" of an integer that does not fit; "": all do */
    lun_array *rounds, *places; /* i64; NULL of a box */
    lun_array *values;
} lun_logged;

/* Runs the rounds on the parts; list, with room for LUN_MAX_OUTPUTS, has then what they assign to
 * the arrays, of which none changes; other arrays that the function assigns are assigned.  Places
 * are -1 where nothing is assigned; rounds are NULL; the rest is the caller's. */
LUN_API lun_status lun_loop_run(lun_engine *e, lun_function *f, const lun_part_loop *loop,
                                const lun_part *parts, int count, lun_logged *list, int *length);
/* Releases what entries hold. */
LUN_API void lun_logged_release(lun_logged *list, int length);
/* *out: a Vector of `to`'s elements, row-major, after all that the logs say has been stored, round
 * by round, of one round log by log: what one loop over all these rounds would leave.  `to` keeps
 * its elements.  LUN_EBOUNDS: an integer does not fit; LUN_EARG: an element that is not there. */
LUN_API lun_status lun_store_logged(lun_engine *e, lun_array *to, const lun_logged *logs, int count,
                                    lun_array **out);

/* ---- ranks ----------------------------------------------------------------------------------- */

/* The agreement before a step: what this rank does ("sums f64[100]"), the step as a noun ("a sum"),
 * and what must be the same besides, or NULL.  The functions below move bytes of any number, which
 * may differ from rank to rank; each follows an agreement. */
LUN_API lun_status lun_spmd_step(lun_engine *e, const char *doing, const char *noun,
                                 const char *options);
/* What ranks learn in such an agreement besides. */
typedef struct lun_agreed {
    size_t size;   /* sizeof(lun_agreed) */
    int64_t value; /* this rank's */
    int64_t
        most;  /* this rank's, from 0 on; then what no rank has more of, less than twice the most */
    bool yes;  /* this rank's answer; then whether all have said yes */
    bool same; /* then: whether the value is everyone's */
} lun_agreed;
/* lun_spmd_step, and what is asked besides. */
LUN_API lun_status lun_spmd_agree(lun_engine *e, const char *doing, const char *noun,
                                  const char *options, lun_agreed *io);
/* The words of an agreement, as lun_spmd_step takes them. */
typedef struct lun_said {
    size_t size; /* sizeof(lun_said) */
    const char *doing, *noun, *options;
} lun_said;
/* The agreement, unless `said` is NULL, since it was before; then as lun_spmd_gather_bytes. */
LUN_API lun_status lun_spmd_gather_said(lun_engine *e, const lun_said *said, const void *own,
                                        int64_t count, int64_t **counts, void **all);
/* In the place of it: this rank cannot take the step, for this reason, which the others are told
 * where they take theirs; this one fails as they do.  LUN_OK: no other rank takes one, or this one
 * is inside a region. */
LUN_API lun_status lun_spmd_unable(lun_engine *e, const char *why);
/* Everyone's bytes, in rank order; *counts: of each rank.  Both are freed by the caller. */
LUN_API lun_status lun_spmd_gather_bytes(lun_engine *e, const void *own, int64_t count,
                                         int64_t **counts, void **all);
/* root's bytes; on the other ranks *bytes is set, to be freed by the caller. */
LUN_API lun_status lun_spmd_bcast_bytes(lun_engine *e, int root, void **bytes, int64_t *count);
/* The same where all ranks know how many bytes these are: they come into that memory.  Where it
 * fails the transport may still write there (lun_spmd_lingers). */
LUN_API lun_status lun_spmd_bcast_into(lun_engine *e, int root, void *bytes, int64_t count);
/* Whether memory of calls that have failed is to stay, as the transport may still use it; true
 * while another thread is inside of the engine. */
LUN_API bool lun_spmd_lingers(const lun_engine *e);
/* A part for each rank, one after the other in `given`, a part from each in *got. */
LUN_API lun_status lun_spmd_exchange_bytes(lun_engine *e, const void *given,
                                           const int64_t *given_counts, int64_t **got_counts,
                                           void **got);
/* More of a message, to another rank: bytes whose number the receiver knows, which stay as they are
 * until release(held), which this call or a later one calls once, also where it fails. */
LUN_API lun_status lun_spmd_send_lent(lun_engine *e, int pe, int tag, const void *bytes,
                                      int64_t count, void (*release)(void *held), void *held);
/* The same on the other side, into memory for them. */
LUN_API lun_status lun_spmd_receive_into(lun_engine *e, int pe, int tag, void *bytes,
                                         int64_t count);
/* What this rank gives to others and gets from them, all ranks together, after an agreement: to or
 * from which one, where, how many bytes, more than 0, which both know; first `given` that go, then
 * `got` that come, those of each pair in the order in which they are given.  Returns once all have
 * gone and come; where it fails the transport may still use their memory (lun_spmd_lingers). */
LUN_API lun_status lun_spmd_move(lun_engine *e, const int *pes, void *const *bytes,
                                 const int64_t *counts, int given, int got);
/* lun_spmd_exchange_bytes where each rank knows how many bytes it gets of which. */
LUN_API lun_status lun_spmd_exchange_known(lun_engine *e, const void *given,
                                           const int64_t *given_counts, const int64_t *got_counts,
                                           void **got);
/* The next message from a rank; *bytes: to be freed by the caller, a zero byte behind it. */
LUN_API lun_status lun_spmd_receive(lun_engine *e, int pe, int tag, void **bytes, int64_t *count);
/* Sets what answers the requests of other ranks, by lun_spmd_reply, at once or later; called while
 * a call above waits; with bytes NULL: that rank, or this one, has ended. */
LUN_API void lun_spmd_serve(lun_engine *e,
                            void (*serve)(void *ctx, int from, const void *bytes, int64_t count),
                            void *ctx);
/* Answers what has been asked so far, without waiting; for work that asks nobody. */
LUN_API lun_status lun_spmd_listen(lun_engine *e);
/* From now on, until it is called with false, requests of other ranks wait for their answers: what
 * all ranks have agreed to do with the elements has not been done here yet. */
LUN_API lun_status lun_spmd_hold(lun_engine *e, bool on);
/* Answers a request of that rank. */
LUN_API lun_status lun_spmd_reply(lun_engine *e, int pe, const void *bytes, int64_t count);
/* Asks a rank, which may be this one, and waits for its answer; *reply: to be freed. */
LUN_API lun_status lun_spmd_request(lun_engine *e, int pe, const void *bytes, int64_t count,
                                    void **reply, int64_t *reply_count);
/* From here on steps fail, since the script is inside such a region: a text that lives on; NULL:
 * it has left it. */
LUN_API void lun_spmd_inside(lun_engine *e, const char *region);

/* How the elements of a blocked array are divided: the ranks form a grid, in whose numbers the
 * first axis changes fastest; along each axis the extent is cut by one rule. */
typedef struct lun_blocks {
    size_t size; /* sizeof(lun_blocks) */
    int rank, npes;
    int rule; /* of spread/spread.h */
    int64_t extent[LUN_MAX_RANK];
    int grid[LUN_MAX_RANK]; /* ranks along each axis: 1 if it is not blocked */
} lun_blocks;
/* Of one blocked axis all ranks stand along it; of several they form the grid with the least sum of
 * ranks to elements over the axes, of equal ones that with the fewest ranks along the first axis.
 * LUN_EARG: no such rule, or no axis is blocked; LUN_ESHAPE, LUN_ERANGE: the shape. */
LUN_API lun_status lun_blocks_cut(lun_engine *e, const lun_blocking *how, int npes,
                                  lun_blocks *out);
/* A PE's elements: the first index, from 0, and the number along each axis. */
LUN_API void lun_blocks_box(const lun_blocks *b, int pe, int64_t *first, int64_t *count);
/* The PE that has the element with these indices, from 0 and within the shape, and its indices
 * there. */
LUN_API int lun_blocks_home(const lun_blocks *b, const int64_t *index, int64_t *inside);
/* The agreement, unless `said` is NULL; then the whole array on each rank, of everyone's part. */
LUN_API lun_status lun_blocks_gather(lun_engine *e, const lun_said *said, const lun_blocks *b,
                                     lun_array *part, lun_array **out);

/* ---- the parts of all ranks as one array (api/spmd/over_ranks.c) -------------------------------
 * Such an array is evaluated by all ranks in step, between begin and end, with whatever is made of
 * it: it moves what it needs from rank to rank, as on any set of locations.  Arrays that every rank
 * has are evaluated before.  Not for one rank alone. */

/* Rank k has slices bound[k] .. bound[k + 1] - 1 of the first axis; so many bounds as ranks, and
 * one more. */
typedef struct lun_slices {
    size_t size; /* sizeof(lun_slices) */
    int rank;
    int64_t shape[LUN_MAX_RANK];
    const int64_t *bound;
} lun_slices;
/* The array of everyone's parts; the part stays, and stays as it is, until this is freed. */
LUN_API lun_status lun_over_ranks(lun_engine *e, const lun_slices *at, lun_array *part,
                                  lun_array **out);
/* From here on the ranks are the locations in use. */
LUN_API lun_status lun_over_ranks_begin(lun_engine *e);
/* What was in use before is so again.  s: how this rank has fared; where it has failed for want of
 * memory or time and others do not know, all give up.  Returns how many more bytes are in use than
 * when it began. */
LUN_API int64_t lun_over_ranks_end(lun_engine *e, lun_status s);
/* Evaluates a: *out is this rank's part of it, if it is divided as `all`, such an array, is; else
 * NULL, and a is on all ranks. */
LUN_API lun_status lun_over_ranks_own(lun_engine *e, lun_array *all, lun_array *a, lun_array **out);

/* This rank's rows of a scan along the first axis of such a matrix, of which it has `part`, whose
 * dtype is the one in which f combines elements, from `first` on, an array of one such element;
 * NULL: from an operation's identity.  Rows stay where they are.  f is no fmin or fmax; a function,
 * which fails on all ranks if it does on one, takes as many rows as a chunk of a scan at most. */
LUN_API lun_status lun_scan_rows(lun_engine *e, const lun_slices *at, lun_array *part,
                                 lun_function *f, lun_array *first, bool inclusive,
                                 lun_array **out);

/* Elements as lun_file_elements gives them, but read now: the places in use have a block each,
 * which ranks that see the file read themselves.  step: from the first byte of an element to that
 * of the next; 0: they stand side by side. */
LUN_API lun_status lun_file_load(lun_engine *e, lun_array *bytes, int64_t offset, int64_t step,
                                 lun_dtype t, bool swapped, int rank, const int64_t *shape,
                                 lun_array **out);
/* The CRC-32, as in zip archives, of `count` of such bytes; such ranks read a part each. */
LUN_API lun_status lun_file_crc(lun_engine *e, lun_array *bytes, int64_t offset, int64_t count,
                                uint32_t *out);
/* Whether there are such ranks among the places in use. */
LUN_API bool lun_ranks_read(const lun_engine *e);

/* A file that is open for writing, and how ranks find it. */
typedef struct lun_write_to {
    size_t size; /* sizeof(lun_write_to) */
    int descriptor;
    const char *path; /* that it has now */
    int64_t at;       /* the byte to which the first element goes */
    int64_t mark_at;  /* where the file has bytes that no other file has there: at most 64 */
    const void *mark;
    int64_t mark_bytes;
} lun_write_to;
/* Writes all elements of a, in row-major order, as this machine stores them.  Ranks that have some
 * and see the file, by its mark, write these.  LUN_EIO: errno says why, or is 0 where a file that
 * elements are in could not be read. */
LUN_API lun_status lun_write_file(lun_engine *e, lun_array *a, const lun_write_to *to);

/* Whether a set of places, as lun_use takes it, names ranks ("mpi", "mpi:1,mpi:2"). */
LUN_API bool lun_names_ranks(const char *places);
/* How many ranks there are, with this one, if the others serve it (lun_serve); else 0. */
LUN_API int lun_linked(const lun_engine *e);
/* Whether a launcher has started this process as one of several: what it writes goes to the
 * launcher first, even if standard output is a terminal, which Open MPI gives each of them. */
LUN_API bool lun_launched(void);
/* What carries messages between ranks, for people ("threads of one process", or the MPI and its
 * file); "" where there is one rank alone. */
LUN_API const char *lun_ranks_transport(const lun_engine *e);
/* Counts elements of other ranks that were read and written. */
LUN_API void lun_spmd_count(lun_engine *e, int64_t gets, int64_t puts);

/* ---- libraries of the system ----------------------------------------------------------------- */

/* A library that data come and go by: nothing is linked with it, it is opened when first needed. */
typedef struct lun_door {
    size_t size;                /* sizeof(lun_door) */
    const char *name, *use;     /* "duckdb"; what it is needed for */
    const char *version, *path; /* NULL while it is not open; live as long as the process */
} lun_door;
/* Describes the library number `k` from 0 without opening it; false beyond the last one. */
LUN_API bool lun_door_describe(int k, lun_door *out);
/* Opens the library of that name and describes it in *out, if that is not NULL.  LUN_EIO: there is
 * none, it is too old, or another file; the message says which, and where it is to be had. */
LUN_API lun_status lun_door_open(lun_engine *e, const char *name, lun_door *out);
/* The address of a function of the library of that name, which lun_door_open has opened.  LUN_EIO:
 * it is not open, or has none of that name. */
LUN_API lun_status lun_door_function(lun_engine *e, const char *name, const char *function,
                                     void **out);

/* ---- errors ---------------------------------------------------------------------------------- */

/* lun_error where the numbers of axes, elements, arguments and so on count from `first`, as those
 * of the host's language do. */
LUN_API const char *lun_error_from(const lun_engine *e, int first);
/* The operand, from 1, that caused the last failure of an elementwise operation; 0: none; -1: the
 * cause is in the elements of an expression that was built before. */
LUN_API int lun_error_operand(const lun_engine *e);

/* ---- a garbage collector --------------------------------------------------------------------- */

/* Bytes of elements allocated since the last call, minus those freed, for the garbage collector's
 * accounting. */
LUN_API int64_t lun_pressure(lun_engine *e);
/* With `on`, the next call fails with LUN_ENOMEM if it needs a large block of memory and the pool
 * has none, or if it copies a large array before a write because other handles share its elements.
 * Returns the number of bytes that such a call has needed since the last lun_thrifty, or 0: the
 * host then collects garbage and repeats the call.  For such a host lun_pressure leaves large
 * blocks out. */
LUN_API int64_t lun_thrifty(lun_engine *e, bool on);

/* What lun_teams says of a division: LUN_EARG, LUN_ELIMIT. */
LUN_API lun_status lun_workdiv_check(lun_engine *e, const lun_workdiv *w);

/* ---- the calendar ---------------------------------------------------------------------------- */

/* The days from 1970-01-01 to a date of the proleptic Gregorian calendar, whose month and day may
 * be beyond their ends; of years, months and days within 2^40. */
LUN_API int64_t lun_civil_days(int64_t year, int64_t month, int64_t day);
/* The date of a day within 2^40. */
LUN_API void lun_civil_of(int64_t days, int64_t *year, int *month, int *day);

/* ---- an interpreter -------------------------------------------------------------------------- */

/* Stores one pointer of the host in the engine; lun_close calls close(data) before it frees
 * anything.  Nothing is stored while another thread is inside of the engine, which
 * lun_thread_enter tells. */
LUN_API void lun_host_set(lun_engine *e, void *data, void (*close)(void *data));
/* Has lun_cancel call stop(data), with the pointer of lun_host_set, after it has told running work
 * to stop; from any thread or signal handler.  NULL: no longer. */
LUN_API void lun_host_on_cancel(lun_engine *e, void (*stop)(void *data));
/* Gives a message to the engine's log: lun_on_log. */
LUN_API void lun_host_log(lun_engine *e, lun_log_level level, const char *subject,
                          const char *text);
/* Tells the tools (lun_tool) that work of the binding's begins or ends. */
LUN_API void lun_host_event(lun_engine *e, bool begins, lun_tool_kind kind, const char *name,
                            const char *label);
/* Not 0 while there are tools, until lun_close: a binding then marks each line (lun_mark). */
LUN_API const int *lun_host_watched(const lun_engine *e);
/* Has lun_trim call collect(data), with the pointer of lun_host_set, before it returns memory. */
LUN_API void lun_host_on_trim(lun_engine *e, void (*collect)(void *data));
/* The pointer of lun_host_set, NULL if there is none. */
LUN_API void *lun_host_get(lun_engine *e);
/* Begins a stretch of work, such as a script: one time limit applies to all evaluations up to
 * lun_host_end, and lun_cancel stays in effect until then.  Stretches nest; the outermost one
 * counts.  Where several threads use the engine a stretch stands between lun_thread_enter and
 * lun_thread_leave: while another thread is inside, neither begins nor ends one. */
LUN_API void lun_host_begin(lun_engine *e);
/* Ends the innermost stretch. */
LUN_API void lun_host_end(lun_engine *e);
/* Enters bytes of the host's own, such as an interpreter's heap, in the account that the memory
 * limit holds for, before they are allocated: false where the limit would be passed.  This and
 * lun_memory_give are for the thread that is inside of the engine (lun_thread_enter), for an
 * allocator calls them often: they look for no other. */
LUN_API bool lun_memory_take(lun_engine *e, int64_t bytes);
/* They are given back. */
LUN_API void lun_memory_give(lun_engine *e, int64_t bytes);
/* Bytes of all that counts: elements, objects, and what lun_memory_take has entered.  May be called
 * at any time. */
LUN_API int64_t lun_memory_used(const lun_engine *e);
/* Work of the host's, of which evaluations may be a part, begins or ends; works may be one in the
 * other. */
LUN_API void lun_host_work(lun_engine *e, bool begins);
/* `done` of `total` units of that work are done: calls what lun_on_progress set, as evaluations do,
 * once the outermost work has taken a second, and for the outermost alone. */
LUN_API void lun_host_progress(lun_engine *e, const char *what, const char *unit, int64_t done,
                               int64_t total);
/* LUN_OK, or LUN_ECANCEL or LUN_ELIMIT if the stretch must end.  To be called from time to time. */
LUN_API lun_status lun_host_check(lun_engine *e);

#ifdef __cplusplus
}
#endif
#endif
