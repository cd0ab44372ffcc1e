/* rules.h - the types of operations. */
#ifndef LUAFN_RULES_H
#define LUAFN_RULES_H

#include "luafn/graph/compile.h"

/* The join of two types. */
lf_type luafn_type_join(lf_type a, lf_type b);
/* The type in which two numbers are computed or compared. */
lf_type luafn_rules_common(const lf_compile *c, const lf_value *a, const lf_value *b);
/* The type to which the operands of an operation of table/ops.def (LF_APPLY) are converted, as the
 * row's rule says; truth values become booleans. */
lf_type luafn_rules_operand(const lf_compile *c, const lf_value *v);
/* The type of an operation on operands of their present types; LF_NONE: not known yet. Leaves if
 * there is none. */
lf_type luafn_rules_op(lf_compile *c, const lf_value *v);
/* Leaves with "what on a boolean (local 'x'): hint". */
_Noreturn void luafn_type_join_mistyped(lf_compile *c, const lf_value *v, int operand,
                                        const char *what);

/* ---- complex_rules.c ---- */

/* The type of an operation with a complex operand, or that makes a complex number. */
lf_type luafn_complex_rules(lf_compile *c, const lf_value *v);
/* Leaves if v takes what only complex numbers have from another one. */
void luafn_complex_rules_check(lf_compile *c, const lf_value *v);
/* The operation of table/ops.def that LF_ARITH v is for complex numbers, LUN_OP_COUNT: none. */
lun_op luafn_complex_rules_arith(const lf_value *v);

/* ---- team_memory_type.c: memory of a team whose dtype is that of what is assigned to it ---- */

/* The type of v, an assignment to such memory, whose type grows to hold it. */
lf_type luafn_team_memory_open(lf_compile *c, const lf_value *v);
/* Of LF_IDENTITY v. */
lf_type luafn_team_memory_identity(lf_compile *c, const lf_value *v);
/* Sets its dtypes from the types found. */
void luafn_team_memory_settle(lf_compile *c);

#endif
