/* pool.h - memory for array elements: aligned, padded, kept for reuse.
 *
 * Fresh pages cost more than most kernels, so freed blocks stay in the pool.  A pool belongs to one
 * engine, whose thread alone calls it; the worker of a queue has an engine and a pool of its own.
 * lun__pool_free, for blocks that outlive their pool, is called from any thread. */
#ifndef LUN_POOL_H
#define LUN_POOL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/account.h"
#include "engine/tool.h"
#include "lunarray.h"

typedef struct lun_pool lun_pool;

/* stats: allocated, pooled and allocations are kept there.  Blocks in use count in the account; the
 * tools see them taken and given back. */
lun_pool *lun__pool_open(const lun_config *config, lun_stats *stats, lun_account *account,
                         lun_tools *tools);
/* They count in another account from now on: of an engine that shares it. */
void lun__pool_join(lun_pool *p, lun_account *account);
/* NULL is allowed; every block must have been given back. */
void lun__pool_close(lun_pool *p);

/* A block of at least `bytes` (rounded up), 64-byte aligned, content undefined; *room: its size in
 * bytes, a multiple of 64.  LUN_ENOMEM, or LUN_ELIMIT beyond the limit. */
lun_status lun__pool_take(lun_pool *p, int64_t bytes, void **out, int64_t *room);
/* Zeros what stands beyond `count` elements of so many bytes in their last 64: kernels compute
 * whole blocks, and what they compute there hangs on nothing that was there before. */
void lun__pool_pad(void *at, int64_t count, int64_t size);
/* Returns a block with the room that lun__pool_take gave. */
void lun__pool_give(lun_pool *p, void *block, int64_t room);
/* Frees a block of a pool that has ended, by the allocator that it had; from any thread. */
void lun__pool_free(void *(*alloc)(void *ctx, void *old, size_t bytes), void *ctx, void *block,
                    int64_t room);
/* Gives unused blocks back to the system.  lun__pool_give does so with those that have been unused
 * longest, when more is kept than is alive. */
void lun__pool_trim(lun_pool *p);
/* Bytes taken since the last call, and elsewhere on behalf of the same arrays, less
 * those given back. */
void lun__pool_press(lun_pool *p, int64_t bytes);
int64_t lun__pool_pressure(lun_pool *p);
/* on: the next large block that is not there for reuse is refused (LUN_ENOMEM). Returns the
 * bytes of one that was since the last call, or 0. From the first time on large blocks do not
 * count in the pressure. */
int64_t lun__pool_thrifty(lun_pool *p, bool on);
/* Whether a block was refused since, to be asked for again. */
bool lun__pool_refused(const lun_pool *p);
/* Before so many bytes are copied only because garbage may hold them: true where that, too, is to
 * be refused. */
bool lun__pool_refuse(lun_pool *p, int64_t bytes);

#endif
