/* join_matches.c - the pairs of a join, written where running counts say.
 *
 * Operands: where the pairs of each row of a end (i64, running), the rows' codes (i32); where each
 * code's rows of b begin (i64, one more than there are codes), these rows by code (i64).  Results:
 * rows of a and of b of each pair, by a's rows, then b's, counted from option[0] on; a row of a
 * with a pair but without a row of b has option[0] - 1 there. */
#include "algorithms/parts/algorithm_functions.h"
#include "algorithms/parts/work_parts.h"

enum { ROWS = 16384 }; /* of a in a part */

int64_t lun__matches_room(const lun_algorithm_run *r, int threads)
{
    (void)r;
    (void)threads;
    return 0;
}

static void pair_part(void *ctx, int64_t part, int worker)
{
    const lun_algorithm_run *r = ctx;
    const int64_t *ends = r->in[0].data, *starts = r->in[2].data, *rows = r->in[3].data;
    const int32_t *codes = r->in[1].data;
    const int64_t base = (int64_t)r->option[0], n = r->in[0].n;
    int64_t *a = r->out[0].data, *b = r->out[1].data;
    int64_t from = part * ROWS, to = from + ROWS < n ? from + ROWS : n;
    int64_t at = from ? ends[from - 1] : 0;
    (void)worker;
    for (int64_t i = from; i < to; i++) {
        const int64_t first = starts[codes[i]], end = ends[i];
        const bool some = starts[codes[i] + 1] > first;
        for (int64_t k = first; at < end; at++, k++) {
            a[at] = i + base;
            b[at] = some ? rows[k] + base : base - 1;
        }
    }
}

lun_status lun__matches_run(const lun_services *s, const lun_team *team, lun_algorithm_run *r)
{
    return lun__work_parts(s, team, (r->in[0].n + ROWS - 1) / ROWS, r, pair_part) ? LUN_OK
                                                                                  : LUN_ECANCEL;
}
