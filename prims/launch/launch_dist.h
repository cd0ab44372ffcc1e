/* launch_dist.h - launches and steps on the locations of a set. */
#ifndef LUN_LAUNCH_DIST_H
#define LUN_LAUNCH_DIST_H

#include "schedule/steps.h"
#include "spread/spread.h"

/* Runs a kernel of n indices on the locations that share it.  written: by slot, the storage of an
 * OUT slot, which has no memory yet.  cells: as of lun_launch.partials for all n; the first row is
 * the results then. */
lun_status lun__placed_launch(lun_engine *e, const lun_lowered *l, int64_t n, const lun_spread *cut,
                              lun_storage *const *written, uint64_t *cells);
/* How the locations share a kernel of n indices; a reference. */
lun_status lun__placed_cut(lun_engine *e, const lun_lowered *l, int64_t n, lun_spread **out);
/* The arrays that the kernel has read are distributed now as its indices were. */
lun_status lun__placed_settle(lun_engine *e, const lun_lowered *l, lun_spread *cut);
/* s, an element of each segment, which locations have computed and the host has, is distributed
 * so; used: those on the host have their own elements, too. */
lun_status lun__placed_reduced(lun_engine *e, lun_storage *s, lun_spread *spread, bool used);
/* All of the array that n is a part of becomes current in the memory of the device in use, or in
 * the host's. */
lun_status lun__placed_gather(lun_engine *e, const lun_node *n, bool device);

/* Working memory goes to where the backend in use computes, which writes it. */
lun_status lun__placed_hand_on(lun_engine *e, lun_storage *s);
/* How arrays are distributed, as lun__placing_cut asks; ctx: the engine. */
const lun_spread *lun__placed_look(void *ctx, const lun_node *n, int64_t *offset);

#endif
