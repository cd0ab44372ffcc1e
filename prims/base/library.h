/* library.h - libraries of the system, opened when something first needs them: nothing is linked
 * with them, and a build needs none of their headers.  library.def has a row for each.
 *
 * Where a file is looked for: in this process, if the row says that two would be in each other's
 * way; the row's environment variable alone, if it is set: a path, or a list with ':' between,
 * whose earlier ones are opened first, for all of the process to see; else beside the engine (the
 * folder of the program or of its shared library, then ../lib/lunarray from there), then where the
 * system's loader looks.  A library that was opened stays open. */
#ifndef LUN_LIBRARY_H
#define LUN_LIBRARY_H

#include <stdbool.h>

#include "base/strbuf.h"

typedef enum lun_library_id {
#define LUN_LIBRARY(id, name, title, files, variable, oldest, form, alone, signature, use, \
                    install)                                                               \
    LUN_LIBRARY_##id,
#include "base/library.def"
#undef LUN_LIBRARY
    LUN_LIBRARY_COUNT
} lun_library_id;

/* The texts of a row, see library.def. */
typedef struct lun_library_row {
    const char *name, *title, *files, *variable, *oldest;
    enum { LUN_LIBRARY_TEXT, LUN_LIBRARY_PARTS, LUN_LIBRARY_UNTOLD } form;
    const char *alone, *signature, *use, *install;
} lun_library_row;

/* An open library; the texts live as long as the process. */
typedef struct lun_library {
    void *handle;
    const char *path, *version; /* version: "" if untold */
} lun_library;

const lun_library_row *lun__library_row(lun_library_id id);
/* Opens it, or gives the one that is open.  False: the reason is appended to why; it is kept, and
 * the search not repeated unless the variable changes.  Global: its names are for all of the
 * process to see. */
bool lun__library_open(lun_library_id id, bool global, lun_library *out, lun_strbuf *why);
/* Opens the file of that path, or of that name where the loader looks, for all of the process to
 * see. */
bool lun__library_open_file(const char *file, void **handle, lun_strbuf *why);
/* Whether a file of the row is part of this process, by us or by the host. */
bool lun__library_is_loaded(lun_library_id id);
/* The address of a function or object; NULL: it has none of that name. */
void *lun__library_symbol(void *handle, const char *name);

#endif
