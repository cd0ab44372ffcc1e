/* version.h - the versions of the bits that this library knows (versions.def): the column of
 * functions.def that an engine computes by.  A changed bit of any result of an operation that
 * exists is a new version. */
#ifndef LUN_MATH_VERSION_H
#define LUN_MATH_VERSION_H

#include "base/strbuf.h"

/* The library's own text of a version's name; NULL: it does not know such a one. */
const char *lun__version_find(const char *name);
/* Appends the names of all, as "v1, v2". */
void lun__version_list(lun_strbuf *out);

#endif
