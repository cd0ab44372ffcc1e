/* region.c - what one kernel would have to compute for a node: its region, down to
 * what is in memory. */
#include "plan/region.h"

#include "base/grow.h"

bool lun__fuse_region(lun_fuser *f, int i, int group, int *ops, int *leaves)
{
    uint64_t walk = ++f->e->walk;
    *ops = *leaves = f->region_count = 0;
    if (!lun__grow(&f->region, 0, &f->region_room, sizeof *f->region))
        return false;
    f->region[f->region_count++] = i;
    for (int at = 0; at < f->region_count; at++) {
        lun_node *n = f->at[f->region[at]].node, *in;
        if (*ops > LUN_GROUP_OPS || *leaves > LUN_GROUP_LEAVES)
            break;
        *ops += lun__node_works(n);
        for (int k = 0; (in = lun__node_operand(n, k)); k++) {
            const lun_fuse_info *o = &f->at[in->slot];
            bool stays = lun__fuse_in_memory(o, f->at[i].level);
            if (in->kind == LUN_NODE_NUMBER || (group && o->group == group))
                continue;
            if (in->mark == walk && n->kind == LUN_NODE_VIEW && in->kind == LUN_NODE_PAD)
                ++*leaves; /* as below */
            if (in->mark == walk && !(stays && n->kind == LUN_NODE_VIEW))
                continue;
            in->mark = walk;
            if (stays) { /* every VIEW reads it through a slot of its own */
                ++*leaves;
                continue;
            }
            if (!lun__grow(&f->region, f->region_count, &f->region_room, sizeof *f->region))
                return false;
            f->region[f->region_count++] = in->slot;
        }
    }
    return true;
}
