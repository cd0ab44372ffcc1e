/* maker.h - a user's C text on its way to a function of kernels, and how its words are written
 * there: what the files share that read it and those that write it. */
#ifndef LUN_CMAKER_H
#define LUN_CMAKER_H

#include "ctext/checks.h"
#include "ctext/edits.h"
#include "ctext/neighbour_params.h"
#include "ctext/scratch.h"
#include "ctext/token/names.h"
#include "ctext/token/signature.h"
#include "ctext/token/source_text.h"
#include "ctext/token/top_level.h"

/* A text on its way to a function. */
typedef struct lun_cmaker {
    lun_csource source;
    lun_cunits units;
    lun_csignature head;
    lun_cnames names;
    bool *own; /* by token, see scopes.c */
    lun_cchecks checks;
    lun_cneighbours neighbours;
    lun_cedits edits;
    /* A function of teams, made for one division; NULL: none, or not yet. */
    const lun_cdivision *division;
    lun_cscratches scratches;
    /* A function that is called for each index and writes arrays; its first parameters are indices
     * of a loop of so many axes. */
    bool in_place;
    int axes;
    bool has_barriers; /* its threads wait for each other at a LUN_BARRIER */
    bool plain;        /* w[i] is checked */
    bool asks;         /* loops ask whether they shall stop */
    int entry;         /* its unit */
    uint64_t hash;
    bool pastes; /* it has macros that put names together with ## */
    lun_strbuf text, *error;
} lun_cmaker;

/* The name of the text's top level that token i is, or NULL. */
lun_cname *lun__cmaker_name(const lun_cmaker *m, int i);
/* Whether unit i defines the entry: in branches of an #if there may be several. */
bool lun__cmaker_defines(const lun_cmaker *m, int i);
/* What the function that is made gives: 0 where the text gives nothing. */
lun_dtype lun__cmaker_result(const lun_cmaker *m);
/* Fills m->hash and m->pastes from the source and the division. */
void lun__cmaker_identify(lun_cmaker *m);
/* Appends the name that a token has in the function; also what else it becomes there. */
void lun__cmaker_put_name(const lun_cmaker *m, int token, lun_strbuf *out);
void lun__cmaker_put_word(const lun_cmaker *m, int token, lun_strbuf *out);
void lun__cmaker_free(lun_cmaker *m);

/* Makes the function, for m->division if there is one; m can do so again.  LUN_EARG with what is
 * wrong and where in m->error; LUN_ENOMEM. */
lun_status lun__cwrite_function(lun_cmaker *m, lun_ir_function **out);

/* A front end of the text in m, which it takes over, also where it fails. */
lun_status lun__cteam_make(lun_cmaker *m, lun_front *out);

#endif
