/* scopes.h - which names in the bodies of a C text are not those of its functions. */
#ifndef LUN_CSCOPES_H
#define LUN_CSCOPES_H

#include "ctext/token/names.h"

/* *own, by token: it is the name of a function, but names a parameter, a local variable, a member,
 * a label or a tag.  What cannot be told is not. To be freed; LUN_ENOMEM. */
lun_status lun__cscopes_read(bool **own, const lun_ctokens *t, const lun_cunits *units,
                             const lun_cnames *names);

#endif
