/* visit.h - a reduction of lines that go across under way, and its visits of rows.  Private to the
 * files of that: across.c orders them, visit.c makes them. */
#ifndef LUN_VISIT_H
#define LUN_VISIT_H

#include "ir/order.h"
#include "plan/across.h"
#include "run/bind.h"

enum { LUN_CROSSING_ACCUMULATORS = 1 << 20 }; /* about: they stay in the last cache */

/* A reduction under way. */
typedef struct lun_crossing {
    lun_engine *e;
    const lun_across *a;
    int64_t line, lines; /* elements of one; how many */
    int64_t lanes;       /* LUN_LANES, or as many as short lines need */
    lun_storage *acc[2][LUN_GROUP_SINKS], *cells[2][LUN_GROUP_SINKS], *out[LUN_GROUP_SINKS];
} lun_crossing;

/* Some lines, first .. first + count - 1 along the outermost kept axis, all within `inner`. */
typedef struct lun_crossing_block {
    int64_t first, count, lines, at; /* along the axis; lines; the first one's number */
} lun_crossing_block;

/* Some chunks of these lines: `rows` elements of each. */
typedef struct lun_crossing_part {
    int64_t first, chunks, rows;
} lun_crossing_part;

/* Runs l's kernel over n indices with the slots that are bound. */
lun_status lun__cross_launch(const lun_crossing *x, const lun_lowered *l, lun_binding *b,
                             int64_t n);
/* Combines the accumulators of a block's lines with the rows of a part, which begin as the
 * operation's identity. */
lun_status lun__visit_rows(const lun_crossing *x, const lun_crossing_block *b,
                           const lun_crossing_part *p);

#endif
