/* masked_control.h - control flow under masks. */
#ifndef LUN_MASKED_CONTROL_H
#define LUN_MASKED_CONTROL_H

#include "render/renderer.h"

/* Appends a statement of control flow or of a variable: IF to CONTINUE, VAR, GET, SET. */
void lun__control_statement(lun_section *s, int32_t v);

#endif
