/* teamtext.h - the text of a function of teams, for one division, and of one that is called for
 * each index. */
#ifndef LUN_CTEAMTEXT_H
#define LUN_CTEAMTEXT_H

#include "ctext/maker.h"

/* What the text, for m->division, needs before checks and loops are found: its memory, its
 * barriers, how it returns. */
lun_status lun__cteam_find(lun_cmaker *m);
/* The same of a text that is m->in_place: its indices, how it returns. */
lun_status lun__cinplace_find(lun_cmaker *m);

#endif
