/* plugins.h - backends and tools of other libraries. */
#ifndef LUN_PLUGINS_H
#define LUN_PLUGINS_H

#include "engine/state.h"

/* Adds the backends of plug-ins, but in a sandbox; what cannot be used is logged. */
lun_status lun__plugins_add(lun_engine *e);
/* Adds the tools that LUNARRAY_TOOL names, but in a sandbox.  LUN_EARG: one is none. */
lun_status lun__plugins_watch(lun_engine *e);

#endif
