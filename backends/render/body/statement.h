/* statement.h - the statements of a section. */
#ifndef LUN_RENDER_BODY_STATEMENT_H
#define LUN_RENDER_BODY_STATEMENT_H

#include "render/renderer.h"

/* Appends the statements that the section needs to s->out. */
void lun__statement_section(lun_section *s);

#endif
