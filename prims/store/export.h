/* export.h - storage held from outside of the engine: given up on any thread, at any time, also
 * after lun_close.  Private to prims/. */
#ifndef LUN_EXPORT_H
#define LUN_EXPORT_H

#include "store/storage.h"

/* One reference from outside. */
typedef struct lun_export lun_export;
struct lun_export {
    lun_exports *of;
    lun_storage *storage;
    lun_export *next, **link; /* among those of the engine */
    lun_export *ended;        /* the one that was given up before */
};

/* x, of malloc, becomes a reference to s, whose elements are in host memory.  LUN_ENOMEM: x stays
 * the caller's. */
lun_status lun__export_begin(lun_engine *e, lun_storage *s, lun_export *x);
/* Gives the reference up and frees x; from any thread. */
void lun__export_end(lun_export *x);

/* Releases what was given up on other threads since. */
void lun__exports_collect(lun_engine *e);
/* The engine ends: what is held from outside stays there, in host memory alone.  Arrays and nodes
 * have ended, devices are still open. */
void lun__exports_close(lun_engine *e);

#endif
