/* barrier.h - the body of a function of teams whose threads wait at a LUN_BARRIER, as one call for
 * a whole team: the statements between two barriers become a loop over the threads.
 *
 * Blocks, branches and loops that contain a barrier run once for the team; each thread computes
 * their conditions, and where these differ the function returns the source line. A variable that is
 * declared before a barrier and used behind it becomes private memory: an element of an array, one
 * for each thread. */
#ifndef LUN_BARRIER_H
#define LUN_BARRIER_H

#include "ctext/maker.h"

/* Whether the entry has a barrier. */
bool lun__cbarrier_has(const lun_csource *s, const lun_cunit *entry);
/* Edits the entry's text, for m->division; the macros are lun__cbarrier_macros's.  LUN_EARG with
 * what cannot be cut so, and where, in m->error; LUN_ENOMEM. */
lun_status lun__cbarrier_find(lun_cmaker *m);
/* Appends the macros that the text relies on; or takes them back. */
void lun__cbarrier_macros(const lun_cmaker *m, bool before, lun_strbuf *out);

#endif
