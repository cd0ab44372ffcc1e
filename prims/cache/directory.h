/* directory.h - the directory of compiled kernels, as entry.c, claim.c and evict.c use it.  In it:
 *
 *   32 hexadecimal digits        an entry (entry.c)
 *   claim-DIGITS                 an entry in the making (claim.c)
 *   lock                         for lun__cache_claim_lock, always empty (claim.c)
 *   size                         the sum of the entries' bytes (evict.c)
 *   .tmp-PID-NUMBER-TIME-ADDRESS an entry that is being written (entry.c)
 *   scratch-XXXXXX               a process' directory for its compiler; locked while it lives
 *
 * Many processes use it at once: an entry appears by a rename and goes by an unlink; what else they
 * share is under the lock (flock) of its file. */
#ifndef LUN_CACHEDIR_H
#define LUN_CACHEDIR_H

#include <stdbool.h>
#include <sys/stat.h>
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
    bool refused, swept, logged_store, logged_damage;
    unsigned serial;
    int64_t limit, added; /* bytes of entries: at most, stored but not in the sum yet */
    char *scratch;
    int scratch_lock; /* its descriptor, locked while the scratch directory is in use */
    pid_t owner;      /* the process that made the scratch directory */
};

/* Logs a line the first time, which *logged notes. */
void lun__cache_log_once(lun_cache *c, bool *logged, const char *what, const char *why);
/* Opens the directory, made if `create`; false: there is none (yet), or none that can be used. */
bool lun__cache_directory(lun_cache *c, bool create);
/* After ENOENT for a name in the open directory: makes the directory again if it is gone.  False:
 * there is none. */
bool lun__cache_renewed(lun_cache *c);
/* An entry as it lies on disk, whole and checked. */
typedef struct lun_cache_file {
    char *bytes; /* malloc'd; key and payload lie in it */
    const char *key, *payload;
    size_t key_length, length;
} lun_cache_file;

/* False: there is none of that name, or it is damaged. */
bool lun__cache_entry_read(lun_cache *c, const char *name, lun_cache_file *out);
/* n bytes from a descriptor; false: there are fewer. */
bool lun__cache_entry_read_all(int fd, char *to, size_t n);
/* The file of an entry, hexadecimal. */
void lun__cache_name(const char *key, size_t length, char name[LUN_CACHE_NAME]);
/* Whether a file of the directory is an entry; *st is its state then. */
bool lun__cache_evict_is_entry(const lun_cache *c, const char *name, struct stat *st);
/* An open entry is used now. */
void lun__cache_evict_used(int fd, const struct stat *st);
/* So many bytes are about to be stored in the open directory: gives up entries where that is beyond
 * the limit. */
void lun__cache_evict_make_room(lun_cache *c, int64_t bytes);
/* Once: removes the files that killed writers and compilers left. */
void lun__cache_sweep(lun_cache *c);

#endif
