/* block_product.h - matrix products on the host's cores: blocks of the result, shared among
 * threads.
 *
 * Each element is c = (s1 + s2) + s3 ..., where the b-th s is the sum over the b-th 256 values of k
 * in order, s = fma(a[i][k], b[k][j], s) from 0.  So it depends on its row and its column alone:
 * threads share blocks of c and never k, and neither layout, packing nor instruction set changes a
 * bit.  The blocks are those of Goto and van de Geijn (Anatomy of high-performance matrix
 * multiplication, 2008). */
#ifndef LUN_BLOCK_PRODUCT_H
#define LUN_BLOCK_PRODUCT_H

#include "host/host.h"
#include "isa/isa.h"

/* Whether one thread does it, however many there are. */
bool lun__block_product_alone(lun_isa isa, const lun_product *p);
/* Bytes of scratch memory that a run by at most so many threads needs; 0: none. */
int64_t lun__block_product_room(lun_isa isa, int threads, const lun_product *p);
/* Computes c.  Not more than team->threads threads, which is at most what the scratch is for.
 * LUN_OK or LUN_ECANCEL: c is then without meaning.  take: gets whole rows where p->pitch says so,
 * else not used. */
lun_status lun__block_product_run(const lun_services *services, lun_isa isa, const lun_team *team,
                                  const lun_product *p, const lun_host_rows *take);

#endif
