/* user_atomics.h - the words by which users' texts change an element at once: LUN_ATOMIC_ADD(w, i,
 * x).
 */
#ifndef LUN_USER_ATOMICS_H
#define LUN_USER_ATOMICS_H

#include "render/renderer.h"

/* Those that a text of the kernel mentions, for the dtypes of what the kernel writes. */
void lun__user_atomics(lun_renderer *r, lun_strbuf *out);

#endif
