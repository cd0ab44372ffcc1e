/* scratch.h - what the text of a function of teams asks for: memory of a team, LUN_SCRATCH(type,
 * name, n, ...), and the words by which a thread knows where it is. */
#ifndef LUN_CSCRATCH_H
#define LUN_CSCRATCH_H

#include "ctext/edits.h"
#include "ctext/token/constant.h"
#include "ctext/token/signature.h"
#include "ctext/token/source_text.h"
#include "ctext/token/top_level.h"
#include "ir/ir.h"

/* The division that a text is made for: what is constant in it. */
typedef struct lun_cdivision {
    int64_t threads[LUN_TEAM_AXES], elements[LUN_TEAM_AXES];
    int64_t rank; /* extents of the league that are not 1 from there on */
} lun_cdivision;

typedef struct lun_cscratch {
    int name; /* its token */
    lun_dtype dtype;
    int rank;
    int64_t extent[LUN_MAX_RANK];
    int64_t count;     /* 0: the first extent is that of a launch: */
    lun_clinear first; /* from a parameter of the text */
} lun_cscratch;

typedef struct lun_cscratches {
    lun_cscratch at[LUN_FRONT_SCRATCHES];
    int count;
} lun_cscratches;

/* Finds the LUN_SCRATCH of the entry, at the top level of its body, and takes them out of the text.
 * Extents are constants: numbers, macros of the text, LUN_THREADS(d), LUN_ELEMENTS(d), + - * / % (
 * ); the first one may have a parameter that is a number.  LUN_EARG with what is wrong and where in
 * error; LUN_ENOMEM. */
lun_status lun__cscratch_find(lun_cscratches *out, lun_cedits *edits, const lun_csource *s,
                              const lun_csignature *head, const lun_cunit *entry,
                              const lun_cdivision *d, lun_strbuf *error);

/* Refuses words of a thread's position outside of the entry and of macros, and outside of functions
 * of teams (division NULL).  LUN_EARG. */
lun_status lun__cscratch_words(const lun_csource *s, const lun_cunits *units, int entry, bool teams,
                               lun_strbuf *error);

/* Appends the macros of these words; takes them back. */
void lun__cscratch_macros(const lun_cdivision *d, lun_strbuf *out);
void lun__cscratch_forget(lun_strbuf *out);

#endif
