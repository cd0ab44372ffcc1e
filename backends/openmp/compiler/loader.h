/* loader.h - a compiled kernel's bytes made into functions of this process.
 * Each takes a handful of the process' memory maps, which are
 * limited, so what is not needed any more is to be closed. */
#ifndef LUN_LOADER_H
#define LUN_LOADER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/strbuf.h"

/* True if the bytes look like a whole shared object for this machine: the dynamic linker would
 * crash on one that is cut off. */
bool lun__loader_check(const void *bytes, size_t length);

typedef struct lun_object lun_object; /* a shared object in use, counted */

typedef struct lun_loader {
    lun_object *first; /* what is loaded */
    int64_t *bytes;    /* a counter of what it takes; NULL: not counted */
    const void *loops; /* what LUN_SEQUENCE_LOOPS of an object is set to */
} lun_loader;

/* Loads a shared object; one whose bytes are loaded already is used once more.  fallback: a private
 * directory, used where memory cannot be executed from a file that has no name; NULL: none.  NULL
 * with the reason in why. */
lun_object *lun__loader_open(lun_loader *l, const void *bytes, size_t length, const char *fallback,
                             lun_strbuf *why);
/* A function of it, NULL if it has none of that name. */
void *lun__loader_find(const lun_object *object, const char *name);

/* For one user less; after the last it is unloaded: nothing of it may run any more.  NULL is
 * allowed. */
void lun__loader_close(lun_object *object);
/* Ends the loader; its objects stay until they are closed. */
void lun__loader_end(lun_loader *l);

#endif
