/* scan.h - scans over a chunk. */
#ifndef LUN_RENDER_CHUNK_SCAN_H
#define LUN_RENDER_CHUNK_SCAN_H

#include "render/chunk/loop.h"

/* For the SCAN: declarations before the loop; the sink of its operand; a block of operands becomes
 * the running combinations. */
void lun__scan_before(lun_renderer *r, lun_strbuf *out);
void lun__scan_sink(lun_renderer *r, lun_loop *l);
void lun__scan_step(lun_renderer *r, lun_strbuf *out);
/* The function `total`: the combination of all operands of a chunk. */
void lun__scan_total(lun_renderer *r, lun_strbuf *out);

#endif
