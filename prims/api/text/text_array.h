/* text_array.h - arrays of dtype text from inside: codes, pools, tables of results by code. */
#ifndef LUN_TEXT_ARRAY_H
#define LUN_TEXT_ARRAY_H

#include "api/array/array.h"
#include "base/strbuf.h"
#include "lunarray_bind.h"
#include "text/texts.h"

/* The narrowest dtype of codes up to `most`. */
lun_dtype lun__text_array_codes(int64_t most);
/* The pool of a text array; NULL: it has no values. */
static inline lun_text_pool *lun__text_array_pool(const lun_array *a)
{
    return lun__array_top(a)->texts;
}
/* LUN_EDTYPE unless a is of dtype text. */
lun_status lun__text_array_check(lun_engine *e, lun_array *a);
/* An array of dtype text with these codes (plain, of any shape), a validity or NULL, and the
 * pool. */
lun_status lun__text_array(lun_engine *e, lun_array *codes, lun_array *valid, lun_text_pool *t,
                           lun_array **out);
/* The elements of a table by code, of n + 1 elements of dtype t, at the codes: lazy. */
lun_status lun__text_array_by_code(lun_engine *e, const void *table, int64_t n, lun_dtype t,
                                   lun_array *codes, lun_array **out);
/* The same of truths. */
lun_status lun__text_array_mask(lun_engine *e, const bool *truths, int64_t n, lun_array *codes,
                                lun_array **out);
/* The same of numbers of codes, in the narrowest dtype; `most` is the largest. */
lun_status lun__text_array_recoded(lun_engine *e, const uint32_t *to, int64_t n, int64_t most,
                                   lun_array *codes, lun_array **out);

/* How one element is written, behind what is in `to`. */
typedef struct lun__text_writer {
    void (*write)(const struct lun__text_writer *by, const void *x, lun_strbuf *to);
    lun_dtype t;        /* the writer's own */
    const char *format; /* the same; NULL: none */
    int size;           /* bytes of an element */
    bool ordered;       /* equal elements have one text */
} lun__text_writer;
/* The texts of the elements of a, missing where these are (text_written.c). */
lun_status lun__text_written(lun_engine *e, lun_array *a, const lun__text_writer *by,
                             lun_array **out);

/* What the kind TEXT does (text_kind.c). */
extern const lun_logical_kind lun__text_kind;

#endif
