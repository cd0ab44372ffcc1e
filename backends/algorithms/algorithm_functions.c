/* algorithm_functions.c - which file does which row; see algorithm_functions.h. */
#include "algorithms/parts/algorithm_functions.h"

static const struct {
    int64_t (*room)(const lun_algorithm_run *r, int threads);
    lun_status (*run)(const lun_services *services, const lun_team *team, lun_algorithm_run *r);
} rows[LUN_ALGORITHM_COUNT] = {
#define LUN_ALGORITHM(ID, NAME, OPERANDS, RESULTS, ALSO, LENGTH, TAKEN, DOC) \
    [LUN_ALGORITHM_##ID] = {lun__##NAME##_room, lun__##NAME##_run},
#include "table/algorithms.def"
#undef LUN_ALGORITHM
};

int64_t lun__algorithm_room(const lun_algorithm_run *r, int threads)
{
    return rows[r->which].room(r, threads);
}

lun_status lun__algorithm_run(const lun_services *services, const lun_team *team,
                              lun_algorithm_run *r)
{
    lun_status s = rows[r->which].run(services, team, r);
    return s == LUN_OK && lun__backend_stop_requested(services) ? LUN_ECANCEL : s;
}
