/* sweeps.h - sweeps at work: what a run of them has, and a stage on a unit.  Parts of
 * host_sweep.c. */
#ifndef LUN_HOSTSWEEPS_H
#define LUN_HOSTSWEEPS_H

#include "host/sweep_buffers.h"

/* The slots of a stage for a row. */
typedef struct lun_sweep_rows {
    void **at;
    int64_t *by;  /* bytes from there to the next row's, where rows are alike */
    bool *direct; /* results: it is written to memory */
    bool all;     /* all results are */
    /* the next row of the unit has them `by` further, unless it begins another index of an axis
     * before the last but one */
    bool alike;
} lun_sweep_rows;

/* A run. */
typedef struct lun__sweeps {
    lun_sweep *sweep;
    const lun_host_kernel *kernels;
    lun_sweep_plan plan;
    bool folds;                    /* the last stage has results */
    int64_t first, end, band;      /* units; of a band */
    int64_t chunks;                /* folds: of a band, as the last stage has chunks */
    int64_t cuts[LUN_LAYOUT_RANK]; /* tiles along axes 1 and up */
    size_t *rings, *values;        /* by array, in a worker's memory */
    size_t newest, readers;        /* in a worker's memory, as the others below */
    size_t slots, steps, direct;   /* the same: what lun_sweep_rows has */
    size_t spare;                  /* a stand-in for each slot */
    size_t fold_slots, fold_places, fold_copies;
    size_t scratch; /* bytes of a worker's scratch before that of a stage with results */
    size_t bytes;
} lun_sweeps;

/* A stage at work on a unit. */
typedef struct lun_stint {
    const lun__run *r;
    const lun_sweeps *x;
    lun_worker *w;
    lun_sweep_tile *p;
    int64_t chunk;
    int stage;
    const lun_sweep_stage *s;
    const lun_ir *ir;
    int64_t unit;
    int64_t lo[LUN_LAYOUT_RANK], hi[LUN_LAYOUT_RANK], index[LUN_LAYOUT_RANK];
    char *spare;
    lun_sweep_rows rows;
} lun_stint;

/* Takes to stage `stage`. */
void lun__sweep_unit_stage(lun_stint *s, int stage);
/* Whether the frame says that the stage has failed, or the run ends; then the run knows. */
bool lun__sweep_unit_failed(const lun_stint *s, const lun_frame *frame);

/* What the first `stages` stages do at a step.  False: one has failed, or the run ends. */
bool lun__sweep_unit_step(lun_stint *s, int64_t step, int stages);
/* Elements from .. to - 1, which begin with a chunk, by the last stage, which combines them; `step`
 * is the first one of the tile that they are in. */
void lun__sweep_fold_run(lun_stint *s, int64_t step, int64_t from, int64_t to);
/* Bytes of a worker's memory: of its slots; of copies of rows of so many elements. */
size_t lun__sweep_fold_slots(const lun_ir *ir);
size_t lun__sweep_fold_copies(const lun_ir *ir, int64_t row);

#endif
