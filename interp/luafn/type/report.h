/* report.h - what inference found, as text. */
#ifndef LUAFN_REPORT_H
#define LUAFN_REPORT_H

#include "luafn/graph/compile.h"

/* "function script:3(x: f32) returns i64", then a line per captured value and local. */
void luafn_report(lf_compile *c, lun_strbuf *out);

#endif
