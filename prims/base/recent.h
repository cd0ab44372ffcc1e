/* recent.h - a list in the order of last use, so that what was not used for longest can be given up
 * first.  What is in it begins with its link.  Private to prims/. */
#ifndef LUN_RECENT_H
#define LUN_RECENT_H

#include <stddef.h>

typedef struct lun_recent_link lun_recent_link;
struct lun_recent_link {
    lun_recent_link *older, *newer;
};

/* All zero: empty. */
typedef struct lun_recent {
    lun_recent_link *oldest, *newest;
} lun_recent;

static inline void lun__recent_remove(lun_recent *r, lun_recent_link *l)
{
    *(l->older ? &l->older->newer : &r->oldest) = l->newer;
    *(l->newer ? &l->newer->older : &r->newest) = l->older;
}

/* Adds l, which is in no list, as the newest. */
static inline void lun__recent_add(lun_recent *r, lun_recent_link *l)
{
    l->older = r->newest;
    l->newer = NULL;
    *(r->newest ? &r->newest->newer : &r->oldest) = l;
    r->newest = l;
}

/* l, which is in the list, is used now. */
static inline void lun__recent_use(lun_recent *r, lun_recent_link *l)
{
    if (r->newest == l)
        return;
    lun__recent_remove(r, l);
    lun__recent_add(r, l);
}

#endif
