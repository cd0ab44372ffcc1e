/* function_ref.h - a user's function as the engine holds it: an operation, C text, or a front
 * end's. Private to prims/. */
#ifndef LUN_FUNCTION_REF_H
#define LUN_FUNCTION_REF_H

#include "ir/ir.h"
#include "lunarray.h"

struct lun_function {
    int refs;
    struct lun_account *account; /* where it counts; a reference */
    lun_op op;                   /* LUN_OP_COUNT: not an operation */
    lun_ir_function *text;       /* C form, or NULL */
    lun_front front;             /* front.specialise is NULL for the other forms */
    /* A combiner with the extra arguments of its use and what it captured then: what it was made
     * from; numbers as cells, for the body's parameters from the third on; LEAFs for its slots,
     * with references that front.release ends. */
    lun_function *of;
    uint64_t *cells;
    int captured;
    struct lun_node **arrays;
    int array_count;
};

/* Gives a front end's body its number, see lun_ir_function. */
void lun__function_ref_number(lun_engine *e, lun_ir_function *body);

/* Whether both bring the same captured numbers and arrays to a body that they share. */
bool lun__function_ref_same(const lun_function *a, const lun_function *b);

/* Numbers behind the two values that a function combines. */
typedef struct lun_extras {
    lun_array *const *at;
    int count;
} lun_extras;

/* The body of f (no operation) as a combiner of two values of dtype *t; *t becomes the dtype in
 * which it really combines.  *owner, a new reference, keeps the body and the extra arguments. */
lun_status lun__combine_body(lun_engine *e, lun_function *f, lun_extras extras, lun_dtype *t,
                             const lun_ir_function **body, lun_function **owner);

/* A function that makes of some values, and of elements, as many new values. */
enum { LUN_MAX_VALUES = 8 };
typedef struct lun_merger {
    int values, elements;
    bool pairs; /* elements are values, too: as many, of the same dtypes; else a value has a dtype
                   that also holds what it begins with */
    lun_dtype value[LUN_MAX_VALUES], element[LUN_MAX_VALUES]; /* as f takes them */
    const lun_ir_function *body;
    lun_function *owner; /* of body; a reference */
} lun_merger;

/* Completes m: the values get the dtypes in which f really gives them.  LUN_EARG, LUN_EDTYPE. */
lun_status lun__combine_merger(lun_engine *e, lun_function *f, lun_extras extras, lun_merger *m);

#endif
