/* unity_build.h - texts of kernels put together into one unit for the compiler, so that one run
 * makes several. */
#ifndef LUN_UNITY_BUILD_H
#define LUN_UNITY_BUILD_H

#include <stdbool.h>

#include "base/strbuf.h"

enum { LUN_SUFFIX = 18 };

/* What the exported functions of this text are called in the object: "lun_kernel" and this. */
void lun__unity_build_suffix(const char *text, char suffix[LUN_SUFFIX]);

/* Appends a text whose exported functions get its suffix; with others: all it names at file scope.
 * Such a text must not define macros of other contents under names that others define too. */
void lun__unity_build_add(lun_strbuf *out, const char *text, const char *suffix, bool with_others);

#endif
