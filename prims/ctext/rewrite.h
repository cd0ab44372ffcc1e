/* rewrite.h - a C text as kernels hold it: the entry's head in their terms, and for every name of
 * the text's top level one that no other text has. */
#ifndef LUN_CREWRITE_H
#define LUN_CREWRITE_H

#include "ctext/maker.h"

/* Fills m->text from all else in m.  LUN_ENOMEM. */
lun_status lun__crewrite(lun_cmaker *m);

#endif
