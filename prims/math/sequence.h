/* sequence.h - the math functions as fixed sequences of IEEE operations: the same bits on every
 * machine, in every tier and on every device.
 *
 * functions.def has a row for each function and dtype, texts.def the texts that define them.  A
 * text is C over few words (F64 I64 FMA SEL ANY ...; tests/lint/sequences.sh reads it):
 * gnu_words.h, scalar_words.h and cl_words.h say what they are on vectors, on one element in C and
 * in OpenCL C.  MIN(a, b) and MAX(a, b) are b where both are equal or one is NaN.  ANY(m): m holds
 * for some lane; ANYNOT(m): for some it does not; ANYS(m): for some by its sign, as with SELS.
 *
 * What holds for every text: the result of an element depends on its operands alone.  `if (ANY(m))`
 * is only speed: what stands in it changes no bit of an element for which m does not hold.  A
 * result that is NaN is the canonical one (kernels/canonical_nan.h), by choice: what an operation
 * gives differs among processors. */
#ifndef LUN_SEQUENCE_H
#define LUN_SEQUENCE_H

#include "base/strbuf.h"
#include "table/op.h"

/* Texts as bits: 1 << LUN__TEXT_exp_f64. */
enum {
#define LUN_MATH_TEXT(name, wide, far, needs) LUN__TEXT_##name,
#include "math/texts.def"
#undef LUN_MATH_TEXT
    LUN__TEXTS
};

typedef struct lun_sequence {
    const char
        *name;    /* the function is lun_seq_<name>; NULL: the operation has none in this dtype */
    int text;     /* LUN__TEXT_... */
    double bound; /* of its error, in ULP */
} lun_sequence;

/* Of a version, version.h; of LUN_VERSION_NONE no operation has one. */
const lun_sequence *lun__sequence(lun_op op, lun_dtype t, int version);
/* Whether a set of texts, with those that they need, computes in f64. */
bool lun__sequence_wide(unsigned texts);

/* What the texts become: functions on native vectors of `bytes` bytes (INLINE is defined before),
 * or, 0, on one element, in OpenCL C.  by_library: rare arguments are left to the library's loops,
 * LUN_SEQUENCE_LOOPS. */
typedef struct lun_sequence_form {
    int bytes;
    bool by_library;
} lun_sequence_form;

/* Appends the words, the texts of a set with those that they need, and the end of the words. */
void lun__sequence_write(lun_strbuf *out, unsigned texts, lun_sequence_form form);

/* A variable of a compiled kernel, weak, that its loader sets: lun_loops.math, flat
 * (reference/instruction_loops.h). */
#define LUN_SEQUENCE_LOOPS "lun_sequence_loops"

#endif
