/* text_function.h - a user's C text, in SkelCL's form, made into a function of kernels
 * (lun_ir_function's C form).  What the body says is judged when a kernel is built. */
#ifndef LUN_TEXT_FUNCTION_H
#define LUN_TEXT_FUNCTION_H

#include "base/strbuf.h"
#include "ir/ir.h"
#include "lunarray.h"

/* text is one function, "(float x, float y) { return x * y; }", with or without a result type and
 * a name; a missing result type is that of the first parameter.  Pointers, and parameters written
 * with [], are whole arrays.  Helper functions, constants, types and macros may stand beside it.
 * The entry is then the function whose name is written <f>, or the one called f, or the one
 * without a name, or else the one that no other mentions.
 *
 * Types of parameters: bool, int8_t ... uint64_t, float, double, C's and OpenCL's integers (a
 * plain char is signed, long has 64 bits).  const, restrict, volatile, static, inline, __global
 * are allowed.
 *
 * The result's name is unique: equal names mean equal texts, so a kernel holds one of each.  Its
 * text defines that function as static, and its helpers under names of their own; macros that it
 * defines end with it.  #line says for each line where it was written ("C function" for a
 * string); what a renderer puts behind the text counts on from there.
 *
 * The text relies on names that the dialect declares before it: int8_t ... uint64_t, bool, true,
 * false, uchar, ushort, uint, ulong, the mathematical functions, and two macros: LUN_GLOBAL,
 * which stands before the type that an array parameter points to (OpenCL: __global; C: nothing),
 * and LUN_CONSTANT, before a constant beside the functions (OpenCL: __constant; C: nothing).  In
 * C it also defines OpenCL's own words, __global as nothing and __constant as const.  Arrays of
 * bool are passed as their C type in table/dtypes.def.
 *
 * What may fail while it runs is checked (ctext/checks.h), and loops ask whether they shall stop
 * (ctext/stop_checks.h): such a text relies on the macros of backends/render/user/faults.c too, and
 * the function's last parameters may be lengths.  plain: indices w[i] of the entry's arrays are
 * checked too.
 *
 * LUN_EARG for a text that is no such function, LUN_EIO for a file that cannot be read,
 * LUN_ENOMEM; then error gets what is wrong and where ("C function, line 2: ...") and *out is
 * untouched.
 *
 * A function that writes arrays, or has no result, is made by *team (team_front_end.c), if
 * that is given: its front end, and *out is untouched; else one without a result is an error. */
lun_status lun__cfunc_parse(const char *text, bool plain, lun_ir_function **out, lun_front *team,
                            lun_strbuf *error);

/* The same from a file.  #include "x" is relative to the including file; each file is included
 * once. Conditionals do not hide includes. */
lun_status lun__cfunc_file(const char *path, bool plain, lun_ir_function **out, lun_front *team,
                           lun_strbuf *error);

/* Frees what these two gave; NULL is allowed. */
void lun__cwrite_function_free(lun_ir_function *f);

#endif
