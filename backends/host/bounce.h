/* bounce.h - stand-ins for slots whose memory ends inside the last block of 64: copies with room,
 * so that whole blocks can be run and nothing beyond a user's memory is touched. A part of
 * host_run.c.
 *
 * Invariant: cut is INT64_MAX and no slot has a stand-in, or from index `cut` on slots[] is
 * used; there a stand-in has all elements up to `until` and zeros up to whole blocks, and the
 * address of its element 0 may lie outside of it. */
#ifndef LUN_BOUNCE_H
#define LUN_BOUNCE_H

#include "backend.h"
#include "ir/combine_order.h"

enum { LUN_BOUNCE_SLOTS = 32, LUN_BOUNCE_BYTES = 4 << 10 };

typedef struct lun_bounce {
    int64_t cut;  /* used from this index on; INT64_MAX: never */
    void **slots; /* all slots; those with a stand-in point to where element 0 would be */
    char *memory; /* NULL: local */
    void *local_slots[LUN_BOUNCE_SLOTS];
    _Alignas(LUN_BLOCK) char local[LUN_BOUNCE_BYTES];
} lun_bounce;

/* Makes the stand-ins that are needed from index cut on, and fills those that are read. LUN_OK or
 * LUN_ENOMEM. */
lun_status lun__bounce_open(lun_bounce *b, const lun_ir *ir, const lun_launch *launch, int64_t cut);
/* No slot has one. */
void lun__bounce_none(lun_bounce *b);
/* Ends them; if the run went well, what was written is handed out first. */
void lun__bounce_close(lun_bounce *b, const lun_ir *ir, const lun_launch *launch, bool well);

#endif
