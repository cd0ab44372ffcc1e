/* names.h - the names that a C text defines at its top level, which are renamed, as no others are;
 * and what is checked by them: names hidden in scopes, recursion, words of OpenCL C. */
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
 * scopes.c. */
void lun__cnames_mark(lun_cnames *n, const lun_ctokens *t, const lun_cunits *units,
                      const bool *own);

/* ---- scopes.c -------------------------------------------------------------------------------- */

/* *own, by token: it is the name of a function, but names a parameter, a local variable, a member,
 * a label or a tag.  What is ambiguous is not. To be freed; LUN_ENOMEM. */
lun_status lun__cscopes_read(bool **own, const lun_ctokens *t, const lun_cunits *units,
                             const lun_cnames *names);

/* ---- call_graph.c ---------------------------------------------------------------------------- */

/* LUN_EARG with what and where in error if a function calls itself, also through others: OpenCL has
 * no recursion, and a driver may end the process over it.  own: see scopes.c.  LUN_ENOMEM. */
lun_status lun__ccall_graph_check(const lun_csource *s, const lun_cunits *units,
                                  const lun_cnames *names, const bool *own, lun_strbuf *error);

/* ---- words.c --------------------------------------------------------------------------------- */

/* LUN_EARG with the line, the word and what to write instead in error for a text that uses such a
 * word without defining it, or a static variable in a function, which OpenCL lacks: functions given
 * as C text run on every backend. */
lun_status lun__cwords_check(const lun_csource *s, const lun_cunits *units, const lun_cnames *names,
                             lun_strbuf *error);

#endif
