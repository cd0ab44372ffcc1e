/* statement.h - the statements of a section. */
#ifndef LUN_RENDER_BODY_STATEMENT_H
#define LUN_RENDER_BODY_STATEMENT_H

#include "render/renderer.h"

/* Writes the statements that the section needs. */
void lun__statement_section(lun_csection *s);

#endif
