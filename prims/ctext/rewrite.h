/* rewrite.h - a C text as kernels hold it: the entry's head in their terms, and for every name of
 * the text's top level one that no other text has. */
#ifndef LUN_CREWRITE_H
#define LUN_CREWRITE_H

#include "ctext/checks.h"
#include "ctext/edits.h"
#include "ctext/names.h"
#include "ctext/neighbours.h"
#include "ctext/signature.h"
#include "ctext/source.h"
#include "ctext/unit.h"

/* A text on its way to a function. */
typedef struct lun_cmaker {
    lun_csource source;
    lun_cunits units;
    lun_csignature head;
    lun_cnames names;
    lun_cchecks checks;
    lun_cneighbours neighbours;
    lun_cedits edits;
    bool plain; /* w[i] is checked */
    bool asks;  /* loops ask whether they shall stop */
    int entry;  /* its unit */
    uint64_t hash;
    bool pastes; /* it has macros that put names together with ## */
    lun_strbuf text, *error;
} lun_cmaker;

/* The name of the text's top level that token i is, or NULL. */
lun_cname *lun__cmaker_name(const lun_cmaker *m, int i);
/* Whether unit i defines the entry: in branches of an #if there may be several. */
bool lun__cmaker_defines(const lun_cmaker *m, int i);
/* Fills m->hash and m->text from all else in m.  LUN_ENOMEM. */
lun_status lun__crewrite(lun_cmaker *m);

#endif
