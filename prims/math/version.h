/* version.h - the versions of the bits that this library knows (versions.def): the column of
 * functions.def that an engine computes by.  A changed bit of any result of an operation that
 * exists is a new version; what did not change in it is a row of an older one.
 *
 * A version's number is its place in versions.def: older ones have larger numbers. */
#ifndef LUN_MATH_VERSION_H
#define LUN_MATH_VERSION_H

#include "base/strbuf.h"

enum {
    LUN_VERSION_NONE = -1, /* the C library's functions: lun.math "precise" */
#define LUN_BITS_ROW(NAME, digest) LUN_VERSION_##NAME,
#include "math/versions.def"
#undef LUN_BITS_ROW
    LUN_VERSIONS
};

/* The number of a version's name; LUN_VERSION_NONE: the library does not know such a one. */
int lun__version_number(const char *name);
/* The library's own text of a version's name; NULL: it does not know such a one. */
const char *lun__version_find(const char *name);
/* Appends the names of all, as "v1, v2". */
void lun__version_list(lun_strbuf *out);

#endif
