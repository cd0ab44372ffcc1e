/* engine_open.h - an engine beside another one. */
#ifndef LUN_ENGINE_OPEN_H
#define LUN_ENGINE_OPEN_H

#include "engine/state.h"

/* lun_open of the engine of a worker of `of`, which is watched by the tools of that. */
lun_status lun__engine_open_worker(const lun_config *config, lun_engine *of, lun_engine **out);

#endif
