/* pace.h - whether a run is worth a team: from what runs took, by one thread and by the team.
 *
 * What a join costs is no property of the machine: a helper that shares its core with the caller,
 * or with another process, makes a run of 5 us take 300.  So gains and losses against one thread
 * are kept as a credit, by the length of the runs; the team is used while there is some.  Times are
 * given.
 *
 * Invariant: results never depend on it. credit[] lies in -20 ms .. 64 runs by one thread; a rate
 * is 0, not measured, or positive; team[k] is measured only when alone[k] is. One thread, the
 * team's caller, reads and writes both. */
#ifndef LUN_PACE_H
#define LUN_PACE_H

#include <stdbool.h>
#include <stdint.h>

enum {
    LUN_PACE_SIZES = 13,
    LUN_PACE_LENGTHS = 10,
    LUN_PACE_GUESSED_NS = 20000 /* the least that a team is used for unmeasured */
};

/* Of one kernel: the nanoseconds that an index takes, by the binary order of the count of indices,
 * from 2^10 on.  0: not measured. */
typedef struct lun_rate {
    float alone[LUN_PACE_SIZES];  /* one thread */
    float team[LUN_PACE_SIZES];   /* the team, when its threads come in time */
    uint8_t seen[LUN_PACE_SIZES]; /* runs of that size so far, up to 255 */
    uint16_t runs;                /* decided so far, counted around */
} lun_rate;

/* Of one team: nanoseconds won against one thread, by the binary order of what one thread takes;
 * < 0: lost. */
typedef struct lun_pace {
    float credit[LUN_PACE_LENGTHS];
} lun_pace;

/* What to do with a run. */
typedef struct lun_pace_plan {
    bool team;       /* by the team */
    bool timed;      /* lun__pace_note is to get its time */
    int threads;     /* of the team */
    double alone_ns; /* what one thread takes; 0: not measured */
} lun_pace_plan;

/* For a run over count indices; guess_ns: what one thread takes, roughly; threads: of the team. */
lun_pace_plan lun__pace_plan(const lun_pace *p, lun_rate *r, int64_t count, double guess_ns,
                             int threads);
/* What the run took that was planned so. */
void lun__pace_note(lun_pace *p, lun_rate *r, int64_t count, const lun_pace_plan *plan, double ns);

#endif
