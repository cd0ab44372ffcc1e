/* signature.h - the head of a C function: its result's and parameters' types as dtypes. */
#ifndef LUN_CSIGNATURE_H
#define LUN_CSIGNATURE_H

#include "ctext/token/source_text.h"
#include "ctext/token/top_level.h"
#include "ctext/token/type.h"
#include "ir/ir.h"

typedef struct lun_csignature {
    lun_dtype result;
    int nothing; /* the token void of a function without a result, -1: it has one */
    int count;
    struct {
        int name; /* its token */
        lun_dtype dtype;
        bool array;    /* a pointer, or written with [] */
        bool constant; /* of const elements, or of some that the text is known not to assign */
        uint8_t atom; /* not constant: 1 + the lun_atomic by which alone it changes them; 0: else */
    } param[LUN_MAX_PARAMS];
} lun_csignature;

/* Reads the head of u, a function's definition.  A missing result type is that of the first
 * parameter. LUN_EARG with what is wrong and where in error. */
lun_status lun__csignature_read(lun_csignature *out, const lun_csource *s, const lun_cunit *u,
                                lun_strbuf *error);
/* LUN_EARG, for a function without a result that has to have one. */
lun_status lun__csignature_void(const lun_csignature *head, const lun_csource *s,
                                lun_strbuf *error);

#endif
