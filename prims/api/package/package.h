/* package.h - skeletons as bytes: what the files of this room share. Private to prims/.
 *
 * A package holds what a front end answers to the questions that calls of the skeleton ask it: the
 * IR of the function for the dtypes that it was packed for, and what the function captures. Calls
 * of what is read are answered from it, so no front end is needed.
 *
 * The bytes, little endian:
 *
 *    0  8  "lunpack" and a zero
 *    8  4  version of the format, LUN_PACKAGE_VERSION
 *   12  4  CRC-32 of the names of operations, instructions and dtypes, whose numbers stand below
 *   16  8  version of the bits, a text filled up with zeros
 *   24 16  version of the library, the same
 *   40  8  bytes from byte 52 on
 *   48  4  CRC-32 of these
 *   52     1 kind, 1 elements, 1 keep, 1 inclusive, n[4 axis]
 *          n[1 which first value there is, 1 dtype, 8 cell]
 *          n[1 dtype]  dtypes of results that are cast; 1 whether the first one is that of all
 *          n[1 dtype, n[8 extent], 8 l, l bytes of the elements]  arrays
 *          text: the name of an operation, or NULL and n[answer]
 *   answer n[1 dtype, 1 weak]  parameters
 *          n[1 dtype, 8 cell]  captured numbers
 *          n[4 array]  captured arrays
 *          n[text]  messages
 *          kernel  of no instruction with one function, packed_ir.c
 *
 * n[...]: a number of 4 bytes and so many of what stands in the brackets. */
#ifndef LUN_PACKAGE_H
#define LUN_PACKAGE_H

#include "base/bytes.h"
#include "engine/state.h"
#include "graph/function_ref.h"
#include "ir/packed_ir.h"
#include "lunarray_bind.h"

enum {
    LUN_PACKAGE_VERSION = 1,
    LUN_PACKAGE_HEADER = 52,
    LUN_PACKAGE_BITS = 8, /* bytes of these texts */
    LUN_PACKAGE_LIBRARY = 16,
    LUN_PACKAGE_ARRAY = 1 << 20, /* bytes of an array that is packed, at most */
    LUN_PACKAGE_ANSWERS = 64     /* answers of one package, at most */
};

/* First values of folds: the operation's own, a number of a script, one of a dtype. */
enum { LUN_FIRST_NONE, LUN_FIRST_WEAK, LUN_FIRST_TYPED };

/* What a front end answered. */
typedef struct lun_answer {
    lun_front_param *param;
    int params;
    lun_value *scalar;
    uint8_t *scalar_dtype;
    int scalars;
    int32_t *array; /* numbers of arrays of the package */
    int arrays;
    char **note;
    int notes;
    lun_ir_packed packed; /* its function number 0 */
} lun_answer;

/* What functions of packages answer from; the function owns it. */
typedef struct lun_answers {
    lun_answer *at;
    int count;
    lun_array **array; /* references */
    int arrays;
} lun_answers;

struct lun_package {
    lun_engine *engine;
    lun_skeleton_use use; /* with references */
};

void lun__answer_function_free(lun_answers *a);
/* A function of the engine that answers from a, which it takes in every case. */
lun_status lun__answer_function_new(lun_engine *e, lun_answers *a, lun_function **out);

/* What is recorded: answers as bytes, each once, and the captured arrays. */
typedef struct lun_recording {
    lun_function *f;
    lun_strbuf answers;
    int count;
    lun_array *array[LUN_FRONT_ARRAYS]; /* references */
    int arrays;
} lun_recording;
/* A function that passes questions on to r->f, a front end's, and records the answers in r, which
 * outlives its calls. */
lun_status lun__record_function_new(lun_engine *e, lun_recording *r, lun_function **out);
void lun__record_function_free(lun_recording *r);

/* Makes elements that f gathers ones of arrays with so many elements, for any index: a check goes
 * before each.  note: the number of the message for it.  LUN_EARG with the reason in why: f does
 * what no function of elements does. */
lun_status lun__guard_body(lun_ir_function *f, const int64_t *sizes, int arrays, int note,
                           lun_strbuf *why);

/* The CRC-32 of byte 12. */
uint32_t lun__write_package_names(void);
/* Appends what is behind the header.  Errors are the engine's. */
lun_status lun__write_package(lun_engine *e, const lun_skeleton_use *u, const lun_recording *r,
                              lun_strbuf *to);
/* Reads what is behind the header.  LUN_EARG with the reason in why. */
lun_status lun__read_package(lun_engine *e, lun_bytes *from, lun_package *p, lun_strbuf *why);

#endif
