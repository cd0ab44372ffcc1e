/* checks.h - where a C text may fail while it runs: integer divisions, and indices: LUN_AT(w, i)
 * and, where asked for, w[i].  Finds these tokens and what to write around them. */
#ifndef LUN_CCHECKS_H
#define LUN_CCHECKS_H

#include "base/strbuf.h"
#include "ctext/edits.h"
#include "ctext/token/signature.h"
#include "ctext/token/source_text.h"
#include "ctext/token/top_level.h"
#include "ir/ir.h"

typedef struct lun_cchecks {
    lun_ir_slip *faults; /* owned, with their texts; number k is known as k + 1 in the text */
    int count;
    bool indexed[LUN_MAX_PARAMS]; /* parameters of the entry whose indices are checked */
} lun_cchecks;

/* Fills an empty *out, to be freed in every case, and edits the text.  Divisions become
 *
 *   LUN_DIVIDE(k, (a), (b))   LUN_MODULO(k, (a), (b))   (a) = LUN_DIVIDE(k, (a), (b))
 *
 * where operands are unambiguous: none has a macro at its outside that is no primary
 * expression, nor a parameter of the macro in whose definition it stands.  What cannot be zero (a
 * number, sizeof) and what must be constant (a case, text outside of bodies) stays as it is.
 * LUN_AT(w, i) becomes w[LUN_WITHIN(k, (i), lun_length_w)]; so does a plain w[i], if `plain`, in
 * the body of the entry where w is surely its array: nothing else in the body has the name, it is
 * no operand of &, no macro forms it, and a parameter for the length is to be had.  LUN_EARG for a
 * LUN_AT of something else than an array parameter of the entry, with what and where in error;
 * LUN_ENOMEM. */
lun_status lun__cchecks_find(lun_cchecks *out, lun_cedits *edits, const lun_csource *s,
                             const lun_cunits *units, int entry, bool plain, lun_strbuf *error);
void lun__cchecks_free(lun_cchecks *c);

#endif
