/* plan.c - how an OpenCL text is run: sizes of steps and of the memory between them, as
 * render/render.h promises them.  The texts rely on this order of cells in `work`:
 *
 *   trap, its value | rows of results, by chunk | carries, by chunk
 *   lun_pairs: trap, its value | rows of results, by pair | rows to combine, two for each pair */
#include "ir/combine_order.h"
#include "render/renderer.h"

enum {
    HEAVY = 64,       /* cost of an element from which chunks are cut by time */
    LIGHT_COST = 160, /* operations in 10 us: what a work-item should have to do at least */
    GROUP = 256,      /* work-items of a group that takes single elements */
    MOST_GROUPS = 1 << 20
};

static int64_t divide_up(int64_t n, int64_t by)
{
    return n / by + (n % by != 0);
}

static int64_t clamp(int64_t x, int64_t lo, int64_t hi)
{
    return x < lo ? lo : x > hi ? hi : x;
}

/* Elements of a work-item if chunks may have any size: each unit gets a share, no share costs less
 * than starting it, and expensive elements come in small shares, so that units end together. */
static int64_t portion(const lun_cl_shape *shape, int64_t count, int units)
{
    int64_t cost = shape->cost < 1 ? 1 : shape->cost;
    int64_t least = clamp(LIGHT_COST * 1024 / cost, LUN_LANES, LUN_CHUNK);
    int64_t most = cost < HEAVY ? LUN_CHUNK : clamp(2 * least, LUN_LANES, LUN_CHUNK);
    int64_t share = clamp(divide_up(count, units < 1 ? 1 : units), least, most);
    return divide_up(share, LUN_LANES) * LUN_LANES;
}

static void add(lun_cl_plan *plan, const char *kernel, int64_t groups, int64_t local, bool chunks)
{
    plan->step[plan->steps].chunks = chunks ? groups : 0;
    plan->step[plan->steps].kernel = kernel;
    plan->step[plan->steps].global = (size_t)(groups * local);
    plan->step[plan->steps].local = (size_t)local;
    plan->steps++;
}

/* Memory of the run: see above. */
static void lay_out(const lun_cl_shape *shape, int64_t chunks, int64_t carries, lun_cl_plan *plan)
{
    int64_t results = shape->results;
    if (!shape->traps && !results && !shape->scan)
        return;
    plan->clear = 2;
    plan->read = shape->traps || results ? 2 + results * chunks : 0;
    plan->work = 2 + results * chunks + (shape->scan ? carries : 0);
}

void lun__cl_plan_make(const lun_cl_shape *shape, int64_t first, int64_t count, int units,
                       lun_cl_plan *plan)
{
    bool scalar = shape->form == LUN_CL_SCALAR, ordered = shape->scan || shape->results;
    int64_t lanes = scalar ? LUN_LANES : 1, chunk = shape->scan ? LUN_SCAN_CHUNK : LUN_CHUNK;
    int64_t group = shape->team ? shape->team : shape->group > 0 ? shape->group : GROUP;
    *plan = (lun_cl_plan){.steps = 0};
    if (count <= 0)
        return;
    if (!ordered && scalar)
        chunk = group;
    else if (!ordered)
        chunk = shape->group > 0 ? divide_up(group, LUN_LANES) * LUN_LANES
                                 : portion(shape, count, units);
    int64_t chunks = divide_up(count, chunk);
    plan->head[0] = first + count;
    plan->head[1] = first;
    plan->head[2] = chunk;
    plan->head[3] = chunks;
    lay_out(shape, chunks, chunks, plan);
    if (shape->scan && chunks > 1) {
        add(plan, "lun_total", chunks - 1, lanes, true);
        add(plan, "lun_carry", 1, lanes, false);
    }
    if (ordered)
        add(plan, "lun_kernel", chunks, lanes, true);
    else
        add(plan, "lun_kernel", clamp(chunks, 1, scalar && !shape->team ? MOST_GROUPS : chunks),
            scalar ? group : 1, false);
}

void lun__cl_plan_stage(const lun_cl_shape *shape, lun_stage stage, int64_t count,
                        lun_cl_plan *plan)
{
    const int64_t lanes = shape->form == LUN_CL_SCALAR ? LUN_LANES : 1;
    const int64_t chunks = divide_up(count, LUN_SCAN_CHUNK);
    *plan = (lun_cl_plan){.steps = 0};
    plan->head[0] = count;
    plan->head[2] = LUN_SCAN_CHUNK;
    plan->head[3] = stage == LUN_STAGE_CARRIED ? chunks + 1 : chunks; /* one has a carry, too */
    lay_out(shape, chunks, plan->head[3], plan);
    if (stage == LUN_STAGE_TOTALS)
        add(plan, "lun_total", chunks, lanes, true);
    else if (stage == LUN_STAGE_CARRIES)
        add(plan, "lun_carry", 1, lanes, false);
    else
        add(plan, "lun_kernel", chunks, lanes, true);
    if (stage != LUN_STAGE_CARRIED)
        plan->read = 2 + chunks;
}

/* Lanes for a segment: a power of two. */
static int64_t lanes_of(const lun_cl_shape *shape, int64_t segment)
{
    int64_t wanted = shape->scan ? divide_up(segment, LUN_SCAN_GROUP) : segment, lanes = 1;
    while (lanes < wanted && lanes < LUN_LANES)
        lanes *= 2;
    return lanes;
}

void lun__cl_plan_segments(const lun_cl_shape *shape, int64_t segments, int64_t segment, int units,
                           lun_cl_plan *plan)
{
    bool scalar = shape->form == LUN_CL_SCALAR;
    int64_t wide = lanes_of(shape, segment);
    int64_t each = scalar ? LUN_LANES / wide : portion(shape, segments * segment, units) / segment;
    each = each < 1 ? 1 : each;
    *plan = (lun_cl_plan){.steps = 0};
    if (segments <= 0)
        return;
    plan->head[0] = segments * segment;
    plan->head[2] = each * segment;
    plan->head[3] = segments;
    plan->head[LUN_CL_LINE] = segment;
    plan->head[LUN_CL_WIDE] = wide;
    lay_out(shape, segments, 0, plan);
    add(plan, scalar ? "lun_lines" : "lun_kernel", divide_up(segments, each),
        scalar ? LUN_LANES : 1, true);
}

void lun__cl_plan_pairs(const lun_cl_shape *shape, int64_t pairs, lun_cl_plan *plan)
{
    int64_t groups = clamp(divide_up(pairs, LUN_LANES), 1, MOST_GROUPS);
    *plan = (lun_cl_plan){
        .clear = 2, .read = 2 + pairs * shape->results, .work = 2 + 3 * pairs * shape->results};
    plan->head[3] = pairs;
    add(plan, "lun_pairs", groups, shape->form == LUN_CL_SCALAR ? LUN_LANES : 1, false);
}
