/* op_types.h - what the expressions of ops.def need to be compiled for a dtype: the C types of
 * dtypes.def by dtype, the column that serves a kind, the types of operands and results by rule.
 * Who includes ops.def says for T, U, WIDTH and M what it says they are. */
#ifndef LUN_OP_TYPES_H
#define LUN_OP_TYPES_H

#include "table/op.h"

#define JOIN_(a, b) a##b
#define JOIN(a, b)  JOIN_(a, b)

enum { COMM = LUN_OPF_COMM, ASSOC = LUN_OPF_ASSOC, TRAP0 = LUN_OPF_TRAP0 };
enum { VEC = LUN_OPF_VEC, HEAVY = LUN_OPF_HEAVY };

#define LUN_DTYPE(ID, name, ctype, utype, bytes, kind, ...) \
    typedef ctype type_##ID;                                \
    typedef utype unsigned_##ID;                            \
    enum { width_##ID = 8 * bytes, kind_##ID = LUN_KIND_##kind };
#include "table/dtypes.def"
#undef LUN_DTYPE

/* The column of table/ops.def that serves a kind; a row that says NONE gets no entry in the
 * table. */
#define PICK_BOOL(flt, integer)     integer
#define PICK_SIGNED(flt, integer)   integer
#define PICK_UNSIGNED(flt, integer) integer
#define PICK_FLOAT(flt, integer)    flt
#define NONE                        0
#define HAS_TEXT(text)              (sizeof(text) != sizeof "NONE" || (text)[0] != 'N')

/* What is stored: a bool is 0 or 1 whatever the expression gave. */
#define VALUE_BOOL(expression)     ((expression) != 0)
#define VALUE_SIGNED(expression)   (expression)
#define VALUE_UNSIGNED(expression) (expression)
#define VALUE_FLOAT(expression)    (expression)

/* C types of the first operand and of the result, by the row's rule. */
#define FIRST_ARITH   T
#define FIRST_PICK    T
#define FIRST_FLOAT   T
#define FIRST_INT     T
#define FIRST_CMP     T
#define FIRST_LOGIC   T
#define FIRST_TEST    T
#define FIRST_SELECT  uint8_t
#define RESULT_ARITH  T
#define RESULT_PICK   T
#define RESULT_FLOAT  T
#define RESULT_INT    T
#define RESULT_CMP    uint8_t
#define RESULT_LOGIC  uint8_t
#define RESULT_TEST   uint8_t
#define RESULT_SELECT T

#endif
