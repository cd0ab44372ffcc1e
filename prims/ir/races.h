/* races.h - accesses of the threads of teams to elements, as far as later ones may collide with
 * them: of two threads one writes an element that the other uses, without a barrier between.
 * Threads of two teams have none.  Elements are numbers. */
#ifndef LUN_IR_RACES_H
#define LUN_IR_RACES_H

#include <stdbool.h>
#include <stdint.h>

typedef enum lun_access {
    LUN_ACCESS_WRITE,
    LUN_ACCESS_READ,
    LUN_ACCESS_CHANGE,
    LUN_ACCESSES
} lun_access;

/* Those of one kind: the last one, the last one of another thread of that team since, the last one
 * of another team.  by: the thread among all of all teams, from 1; 0: there is none. */
typedef struct lun_accessed {
    int64_t by[3], epoch[3];
} lun_accessed;

/* By element: what each kind has left. */
typedef struct lun_shadow {
    lun_accessed kind[LUN_ACCESSES];
} lun_shadow;

typedef struct lun_races {
    lun_shadow **slot; /* by slot; NULL: it is not watched */
    int64_t lanes;     /* indices of a team */
    int64_t epoch;     /* grows at every barrier */
    /* The first collision: the slot, -1: there is none; the element; thread and kind of the earlier
     * access and of the later one. */
    int at;
    int64_t element, thread[2];
    lun_access kind[2];
} lun_races;

/* Index i accesses an element of a slot.  False: it is the first to collide with another one. */
bool lun__races_note(lun_races *r, int slot, int64_t element, int64_t i, lun_access kind);

#endif
