/* chunk.h - the functions that run chunks. */
#ifndef LUN_RENDER_CHUNK_CHUNK_H
#define LUN_RENDER_CHUNK_CHUNK_H

#include "render/renderer.h"

/* Appends to out what stands behind the head of the unit, and to `functions` the functions that run
 * chunks and the exports. */
void lun__chunk_functions(lun_renderer *r, lun_strbuf *out, lun_strbuf *functions);

#endif
