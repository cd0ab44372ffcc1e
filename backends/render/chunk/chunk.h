/* chunk.h - the functions that run chunks. */
#ifndef LUN_RENDER_CHUNK_CHUNK_H
#define LUN_RENDER_CHUNK_CHUNK_H

#include "render/renderer.h"

/* Everything behind the head; the functions that run chunks, and the exports, go to `functions`. */
void lun__chunk_functions(lun_crender *r, lun_strbuf *out, lun_strbuf *functions);

#endif
