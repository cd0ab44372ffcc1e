/* launch_dist.h - launches and steps on the locations of a set. */
#ifndef LUN_LAUNCH_DIST_H
#define LUN_LAUNCH_DIST_H

#include "placing/share.h"

/* Operands of steps are had at the locations; ctx: the engine. */
extern const lun_share_actions lun__share_done;

/* Has location k, or each of so many, do its part, with it in use; counts its launches, ends with
 * what fails, or is stopped.  devices_first: in the order of lun__placing_turn. */
lun_status lun__launch_dist_at(lun_engine *e, int k, lun_status (*at)(void *ctx, int k), void *ctx);
lun_status lun__launch_dist_each(lun_engine *e, int places, bool devices_first,
                                 lun_status (*at)(void *ctx, int k), void *ctx);

/* Steps first .. last, a chain, as one: what they read becomes current at all locations, then each
 * does its part, as of lun__launch_dist_each. */
lun_status lun__launch_dist_chain(lun_engine *e, const lun_steps *s, int first, int last,
                                  lun_status (*at)(void *ctx, int k), void *ctx);

/* Runs the kernel of a step on the locations that share it.  written: by slot, the storage of an
 * OUT slot, which has no memory yet.  cells: as of lun_launch.partials for all its indices; the
 * first row is the results then. */
lun_status lun__launch_dist_run(const lun_share *x, lun_storage *const *written, uint64_t *cells);
/* s, an element of each segment, which locations have computed and the host has, is distributed
 * so; used: those on the host have their own elements, too. */
lun_status lun__launch_dist_reduced(lun_engine *e, lun_storage *s, lun_spread *spread, bool used);
/* All of the array that n is a part of becomes current in the memory of the device in use, or in
 * the host's. */
lun_status lun__launch_dist_gather(lun_engine *e, const lun_node *n, bool device);

/* Working memory goes to where the backend in use computes, which writes it. */
lun_status lun__launch_dist_hand_on(lun_engine *e, lun_storage *s);

#endif
