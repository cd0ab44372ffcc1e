/* plan.h - from a graph to groups (fuse.c), from a group to IR (lower_group.c), and which
 * intermediate arrays are stored beside the results (keep.c). Nothing runs here. Private to prims/.
 */
#ifndef LUN_PLAN_INTERNAL_H
#define LUN_PLAN_INTERNAL_H

#include "engine/state.h"
#include "graph/node.h"
#include "ir/ir.h"

enum {
    LUN_GROUP_OPS = 500,               /* most operations in one kernel */
    LUN_GROUP_LEAVES = 56,             /* most arrays it reads */
    LUN_GROUP_SINKS = LUN_IR_SINKS / 2 /* most results it has */
};

/* What one kernel computes: the sinks, over n indices. */
typedef struct lun_group {
    int64_t n;
    int64_t
        segment; /* its REDUCEs and its SCAN take segments of so many indices each alone; 0: all */
    lun_node *needed; /* what its sinks, REDUCEs then, are needed for; NULL: for everything */
    int level;
    lun_node *scan;   /* the SCAN inside, or NULL */
    lun_node **sinks; /* borrowed; they live as long as the roots do */
    int sink_count, sink_room;
    bool whole;      /* some REDUCE or SCAN takes all indices at once */
    int ops, leaves; /* estimates that limit its size */
    bool step;       /* one sink, lun__node_is_step: no kernel; */
    int users;       /* how often other nodes of the graph name that */
    bool begins;     /* some REDUCE has a first value; */
    bool bare;       /* some REDUCE by a function has none */
    const char *cut; /* why the graph was cut after it, "" */
    int kept;        /* sinks that nothing but lun__keeps asks for */
    bool gives;      /* some sink is a root, or kept; */
    int until;       /* the last group that reads one */
} lun_group;

/* Groups in the order in which they must run.  While a schedule is in use, node->slot of each sink
 * is its group's number and node->mark the schedule's walk. */
typedef struct lun_schedule {
    lun_group *groups;
    int count, room;
    uint64_t walk;
} lun_schedule;

/* Whether memory is taken for n though it was not asked for: what is made of indices, numbers and
 * files alone is stored up to LUN_KEPT_UNBACKED bytes. */
bool lun__keep_may_store(const lun_node *n);
enum { LUN_KEPT_UNBACKED = 64 << 20 };

/* Whether an evaluation in which n, of many indices, is computed on the way writes it beside and
 * keeps it: an earlier one computed it too, the script has used it since, it may be stored, and no
 * more than half of the engine's memory limit is in use then. */
bool lun__keeps(const lun_engine *e, const lun_node *n);
/* Whether an evaluation that computes a few elements of n computes and keeps all of it instead:
 * an earlier one computed as much, and the script has used n since. */
bool lun__keeps_peeked(const lun_engine *e, const lun_node *n);

/* Cuts the graph below the roots into groups; keep: with what lun__keeps says as sinks.  *out is to
 * be freed after LUN_OK.  LUN_ENOMEM. */
lun_status lun__fuse(lun_engine *e, lun_node *const *roots, int count, bool keep,
                     lun_schedule *out);
/* Its groups, not their nodes; empty afterwards. */
void lun__fuse_free(lun_schedule *s);

/* Where a kernel's slots and arguments come from. */
typedef struct lun_slot_source {
    lun_node *node; /* IN, UNIFORM, ARRAY: its elements from `offset` on; OUT: it receives them */
    int64_t offset;
    lun_node *view; /* IN: a VIEW of `node` whose elements they are; else NULL.  UNIFORM: where a
                       launch takes segments in turn, the VIEW whose element each segment has */
    int copy; /* IN: of several that a visit or a segment has, see lun__outer_axis_accumulate and
                 lun_lowered.unrolled */
} lun_slot_source;

typedef struct lun_arg_source {
    lun_node *node; /* its cell; NULL: the cell here */
    uint64_t cell;
} lun_arg_source;

typedef struct lun_lowered {
    lun_ir ir;
    lun_slot_source *slots;
    lun_arg_source *args;
    lun_node **results; /* the REDUCE of each result; of several, the last is what it becomes */
    uint32_t *where;    /* by instruction: the source line it comes from */
    const char **notes; /* by instruction: the message of a CHECK or division, else NULL */
    /* of a kernel of teams instead: by instruction, which of `texts`, which are the run's; -1: none
     */
    int32_t *text;
    const char *const *texts;
    int slot_room, arg_room, result_room, where_room, note_room;
    int64_t segment;  /* as that of the group, or of the chain that it is in */
    lun_node *needed; /* as that of the group */
    /* An index is a segment of so many elements of the group's index space: copy c of an IN slot
     * has element c of each segment, copy -1 one for each index.  0: an index is an element. */
    int64_t unrolled;
    bool
        rows; /* it is run segment by segment, in a chain: INs that a segment has one element of are
                         UNIFORMs */
    bool aligned; /* of a recipe on a set: each slot is OUT, or read at the index itself alone */
    int ops;      /* operations of the graph in it */
    lun_strbuf types; /* what is known of the functions in it, for explain */
    int workgroup;    /* the largest that its nodes ask for, 0: tuned */
    int base; /* 1 + the argument that is added to each index, the first index of a location's
                 launch; 0: none */
} lun_lowered;

/* Whether the elements of slot i, an IN, stand as lun__lowered_layout says; else side by side from
 * its offset on. */
static inline bool lun__plan_lowered_strides(const lun_lowered *l, int i)
{
    return l->slots[i].view || (l->unrolled && l->slots[i].copy >= 0) ||
           lun__node_made(l->slots[i].node);
}
/* Where these are, counted from the node's first; false: no strides say it, or it has none. */
bool lun__lowered_layout(const lun_lowered *l, int i, lun_layout *out);
/* Elements of the group's index space, of a kernel over n indices. */
static inline int64_t lun__plan_lowered_elements(const lun_lowered *l, int64_t n)
{
    return l->unrolled ? n * l->unrolled : n;
}

/* The IR of group g.  Other groups' sinks that it needs are read as arrays (or
 * arguments, for Scalars). */
lun_status lun__lower_group(lun_engine *e, const lun_schedule *s, int g, lun_lowered *out);
/* The same for a launch that takes segments of `segment` elements one by one (lun_lowered.rows). */
lun_status lun__lower_group_rows(lun_engine *e, const lun_schedule *s, int g, int64_t segment,
                                 lun_lowered *out);
/* The IR of group g, whose sinks are REDUCEs of segments by operations, without REDUCE:
 * accumulators combined with `copies` elements each, in order.  Each copy has IN slots of its
 * own; the last slots are, by sink, accumulators in and out. */
lun_status lun__outer_axis_accumulate(lun_engine *e, const lun_schedule *s, int g, int copies,
                                      lun_lowered *out);
/* The IR of group g, whose one sink is a matrix, reduced in blocks (lun__node_in_blocks): an index
 * for each element of it, which reads its segment in a loop and is stored.  Places are nodes
 * that the slots read: *held, references for the caller, as many as *count says. */
enum { LUN_PAIRS_HELD = 8 };
lun_status lun__pairs_kernel_lower(lun_engine *e, const lun_schedule *s, int g, lun_lowered *out,
                                   lun_node *held[LUN_PAIRS_HELD], int *count);
enum { LUN_LOWER_COPIES = 8 }; /* most copies */
/* The message of what failed at instruction i, NULL: it has none. */
static inline const char *lun__plan_lowered_note(const lun_lowered *l, int64_t i)
{
    if (!l->text)
        return l->notes[i];
    return l->text[i] < 0 ? NULL : l->texts[l->text[i]];
}
/* Its IR and lists, not the nodes and functions that they name; empty afterwards. */
void lun__lowered_free(lun_lowered *l);

#endif
