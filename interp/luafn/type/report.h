/* report.h - what inference found, as text. */
#ifndef LUAFN_REPORT_H
#define LUAFN_REPORT_H

#include "luafn/compile.h"

/* An instruction (-1: the call) puts v into a register of a function that is being built. */
void luafn_report_local(lf_compile *c, const lf_proto *p, int reg, int pc, lf_value *v);
/* "function script:3(x: f32) gives i64", then a line for each captured value and local variable. */
void luafn_report(lf_compile *c, lun_strbuf *out);

#endif
