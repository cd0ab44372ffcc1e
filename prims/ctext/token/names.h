/* names.h - the names that a C text defines at its top level: these are renamed, no others. */
#ifndef LUN_CNAMES_H
#define LUN_CNAMES_H

#include "ctext/token/source_text.h"
#include "ctext/token/top_level.h"

typedef struct lun_cname {
    const char *text; /* in the source's text */
    uint32_t length;
    int unit;  /* the function's definition, or -1 */
    bool used; /* see lun__cnames_mark */
} lun_cname;

typedef struct lun_cnames {
    lun_cname *at; /* sorted, each once */
    int count;
} lun_cnames;

/* Fills an empty *out, to be freed in every case. */
lun_status lun__cnames_read(lun_cnames *out, const lun_csource *s, const lun_cunits *units);
void lun__cnames_free(lun_cnames *n);

/* The name that token i is, or NULL. */
lun_cname *lun__cnames_find(const lun_cnames *n, const lun_ctokens *t, int i);

/* Marks the functions that another definition, a macro or an initial value mentions; own: see
 * scopes.h. */
void lun__cnames_mark(lun_cnames *n, const lun_ctokens *t, const lun_cunits *units,
                      const bool *own);

#endif
