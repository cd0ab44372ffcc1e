/* plugins.h - backends of other libraries. */
#ifndef LUN_PLUGINS_H
#define LUN_PLUGINS_H

#include "engine/state.h"

/* Adds the backends of plug-ins, but in a sandbox; what cannot be used is logged. */
lun_status lun__plugins_add(lun_engine *e);

#endif
