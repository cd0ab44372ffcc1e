/* chunk_element.h - a chunk element by element. */
#ifndef LUN_CHUNK_ELEMENT_H
#define LUN_CHUNK_ELEMENT_H

#include "render/renderer.h"

/* lun__chunk_functions in plain loops, after lun__facts_element, for a kernel without reductions
 * and scan. */
void lun__chunk_elements(lun_renderer *r, lun_strbuf *out, lun_strbuf *functions);

#endif
