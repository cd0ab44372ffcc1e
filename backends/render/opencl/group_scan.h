/* group_scan.h - scans in the SCALAR form. */
#ifndef LUN_RENDER_OPENCL_GROUP_SCAN_H
#define LUN_RENDER_OPENCL_GROUP_SCAN_H

#include "render/renderer.h"

/* lun_total, lun_carry, lun_kernel */
void lun__cl_group_scan(lun_renderer *r, lun_strbuf *out);

#endif
