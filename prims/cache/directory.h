/* directory.h - the directory that compiled kernels live in, for those who read and write in it:
 * entry.c and claim.c.  Knows names of files, not what is in them. */
#ifndef LUN_CACHEDIR_H
#define LUN_CACHEDIR_H

#include <stdbool.h>
#include <sys/types.h>

#include "cache/cache.h"

enum { LUN_CACHE_NAME = 33 };
#define LUN_CACHE_CLAIM "claim-" /* starts the names of claims */

struct lun_cache {
    char *dir; /* as given; NULL: by the environment */
    void (*log)(void *ctx, const char *text);
    void *log_ctx;
    int fd; /* of the directory, -1 while it is not open */
    char *path;
    bool refused, swept, told_store, told_damage;
    unsigned serial;
    char *scratch;
    int scratch_lock; /* its descriptor: locked as long as somebody uses it, whatever ends him */
    pid_t owner;      /* who made the scratch directory */
};

/* The first time (*told) a line for the log. */
void lun__cache_tell(lun_cache *c, bool *told, const char *what, const char *why);
/* Opens the directory, made if `create`; false: there is none (yet), or none that can be used. */
bool lun__cache_directory(lun_cache *c, bool create);
/* After ENOENT for a name in the open directory: if it has been removed, makes it again.
 * False: there is none. */
bool lun__cache_renewed(lun_cache *c);
/* The file of an entry, hexadecimal. */
void lun__cache_name(const char *key, size_t length, char name[LUN_CACHE_NAME]);
/* Once: removes what writers and compilers that were killed have left behind. */
void lun__cache_sweep(lun_cache *c);

#endif
