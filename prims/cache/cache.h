/* cache.h - compiled kernels on disk: making and ending the cache; loading and
 * storing are in backend.h.
 *
 * One file an entry, in a directory that only its owner can write.  What keys mean is the backends'
 * affair.  Many processes may share a directory. */
#ifndef LUN_CACHE_H
#define LUN_CACHE_H

#include "backend.h"

/* Bytes that entries usually take at most. */
#define LUN_CACHE_SIZE INT64_C(256000000)

/* dir: where entries live; NULL: LUNARRAY_CACHE_DIR, else $XDG_CACHE_HOME/lunarray, else
 * ~/.cache/lunarray; "": nowhere.  Touches nothing before the first load or store.  size: bytes
 * of entries at most; those that were not used for longest go then.  log (NULL:
 * silence) gets one line when the directory cannot be used or an entry is damaged. */
lun_status lun__cache_open(const char *dir, int64_t size, void (*log)(void *ctx, const char *text),
                           void *log_ctx, lun_cache **out);
/* What lun_cache_info gives. */
void lun__cache_survey(lun_cache *cache, bool clear, lun_cache_state *out);
/* What lun_cache_export and lun_cache_import do; the reason in error, without a source line. */
lun_status lun__cache_bundle_export(lun_cache *cache, const char *path,
                                    const lun_cache_machine *machine, int64_t *count,
                                    lun_strbuf *error);
lun_status lun__cache_bundle_import(lun_cache *cache, const char *path,
                                    const lun_cache_machine *machine, int64_t *count,
                                    lun_strbuf *error);
/* Removes the scratch directory.  NULL is allowed. */
void lun__cache_close(lun_cache *cache);

#endif
