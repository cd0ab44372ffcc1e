/* signature.h - the head of a C function: its result's and parameters' types as dtypes. */
#ifndef LUN_CSIGNATURE_H
#define LUN_CSIGNATURE_H

#include "ctext/source.h"
#include "ctext/unit.h"
#include "ir/ir.h"

typedef struct lun_csignature {
    lun_dtype result;
    int count;
    struct {
        int name; /* its token */
        lun_dtype dtype;
        bool array; /* a pointer, or written with [] */
    } param[LUN_MAX_PARAMS];
} lun_csignature;

/* Reads the head of u, a function's definition.  A missing result type is that of the first
 * parameter. LUN_EARG with what is wrong and where in error. */
lun_status lun__csignature_read(lun_csignature *out, const lun_csource *s, const lun_cunit *u,
                                lun_strbuf *error);

/* True if token i is const, static, __global or another word that does not change a dtype. */
bool lun__csignature_qualifier(const lun_ctokens *t, int i);
/* True if it is global, constant or private before a type: elsewhere these are names. */
bool lun__csignature_space(const lun_ctokens *t, int i);
/* True if it is a word of a type or a qualifier, so not the name of a function or parameter. */
bool lun__csignature_reserved(const lun_ctokens *t, int i);

#endif
