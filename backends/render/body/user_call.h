/* user_call.h - calls of user functions, lane by lane. */
#ifndef LUN_USER_CALL_H
#define LUN_USER_CALL_H

#include "render/renderer.h"

/* Name of a helper that calls function `imm` of CALL instruction v lane by lane. */
lun_snippet lun__call_helper(lun_renderer *r, int32_t v);

#endif
