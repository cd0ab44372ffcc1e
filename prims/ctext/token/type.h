/* type.h - the types of numbers in C and OpenCL C, word by word, as dtypes. */
#ifndef LUN_CTYPE_H
#define LUN_CTYPE_H

#include "ctext/token/source_text.h"

/* A type while its words come in: {0, -1, -1} at first. */
typedef struct lun_ctype {
    unsigned bits;
    int named; /* a dtype that has a name of one word, or -1 */
    int first; /* token, or -1: no word of a type yet */
} lun_ctype;

/* Takes token i, a reserved word, into a type.  LUN_EARG with what is wrong and where in error. */
lun_status lun__ctype_add(const lun_csource *s, lun_ctype *y, int i, lun_strbuf *error);
/* void gives false with *out untouched and nothing written; so does a type that does not exist,
 * with its error in *status. */
bool lun__ctype_complete(const lun_csource *s, const lun_ctype *y, lun_dtype *out,
                         lun_status *status, lun_strbuf *error);
/* LUN_EARG for token i, which is no type. */
lun_status lun__ctype_unknown(const lun_csource *s, int i, lun_strbuf *error);
/* The type that tokens first .. end - 1 are; failures as above. */
lun_status lun__ctype_read(const lun_csource *s, int first, int end, lun_dtype *out,
                           lun_strbuf *error);

/* True if token i is const, static, __global or another word that does not change a dtype. */
bool lun__ctype_qualifier(const lun_ctokens *t, int i);
/* True if it is global, constant or private before a type: elsewhere these are names. */
bool lun__ctype_space(const lun_ctokens *t, int i);
/* True if it is a word of a type or a qualifier, so not the name of a function or parameter. */
bool lun__ctype_reserved(const lun_ctokens *t, int i);

#endif
