/* region.h - what is known of a graph's nodes while it is cut: shared by fuse.c, which decides
 * where, region.c, which measures what a kernel would hold, and groups.c, which puts the parts
 * together.  Private to these. */
#ifndef LUN_FUSE_H
#define LUN_FUSE_H

#include "plan/plan.h"

typedef struct lun_fuse_info {
    lun_node *node;
    lun_node *scan; /* the SCAN in its region, or NULL */
    int level;
    int ops, leaves;       /* of its region, at most */
    int cost;              /* of its region, in plain operations */
    int users;             /* how often others name it as an operand */
    int group;             /* the last one that computes or reads it, from 1; 0: none */
    int low, high;         /* levels of the sinks that compute it; low > high: none */
    bool wall, root, kept; /* kept: beside results; it is a root as well then */
    const char *cut;
} lun_fuse_info;

typedef struct lun_fuser {
    lun_engine *e;
    lun_fuse_info *at; /* in order: operands before users; node->slot is the index */
    int count, room;
    uint64_t walk;
    int *region; /* of the last lun__fuse_region: the nodes it has counted */
    int region_count, region_room;
} lun_fuser;

/* Whether a kernel of that level finds o's elements in memory. */
static inline bool lun__fuse_in_memory(const lun_fuse_info *o, int level)
{
    return lun__node_ready(o->node) || (o->wall && o->level < level);
}

/* Exact number of operations and leaves in the region of node i, without those that a group
 * computes and reads anyway (0: no group).  Stops beyond what a kernel can hold, so few are
 * visited.  False: out of memory. */
bool lun__fuse_region(lun_fuser *f, int i, int group, int *ops, int *leaves);
/* Makes groups of the walls and roots, level by level.  False: out of memory. */
bool lun__fuse_groups(lun_fuser *f, lun_schedule *s);

#endif
