/* run_passes.h - the passes of a Fourier transform, one after the other. */
#ifndef LUN_RUN_PASSES_H
#define LUN_RUN_PASSES_H

#include "host/host.h"
#include "isa/isa.h"
#include "table/passes.h"

/* Has passes make of `in` what they make, `lines` lines side by side; by turns in to[0] and to[1],
 * of which to[0] is another memory than `in`.  It is where the last one has put it, in[0] if there
 * are none.  team: NULL, or by whom each pass is shared.  Ends early if the run is to stop. */
typedef struct lun_run_passes {
    const lun_services *services;
    const lun_team *team;
    lun_isa isa;
    bool is_double, inverse;
    int64_t lines;
    const lun_passes *passes;
    const void *table;
} lun_run_passes;
void *lun__run_passes(const lun_run_passes *how, void *in, void *const to[2]);

#endif
