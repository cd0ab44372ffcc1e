/* moved.c - see moved.h. */
#include "render/opencl/move/moved.h"

#include "render/text/text.h"

enum { LEAST_SHARE = 4096 }; /* elements of a work-item in the VECTOR form */

void lun__cl_moved_text(lun_renderer *r, const char *title, int bytes, lun_strbuf *out)
{
    lun__text_put(r, out,
                  "/* Lunarray kernel: %s. */\ntypedef @i64 lun_i64;\ntypedef @u%d element;\n",
                  title, 8 * bytes);
}

void lun__cl_moved_kernel(lun_renderer *r, lun_cl_form form, const char *name, const char *element,
                          lun_strbuf *out)
{
    lun__text_put(r, out, "\n@kernel @group_open");
    lun__text_put(r, out,
                  "%d@group_close void %s(@constant lun_i64 *c, @global const element *from, "
                  "@global %s *to)\n{\n",
                  form == LUN_CL_SCALAR ? LUN_CL_MOVED_GROUP : 1, name, element);
}

int64_t lun__cl_moved_plan(lun_cl_form form, const char *name, int64_t count, int units,
                           lun_cl_plan *plan)
{
    const int64_t of = units < 1 ? 1 : units, most = of * LUN_CL_MOVED_GROUPS;
    int64_t share = 0, groups, local = 1;
    if (form == LUN_CL_SCALAR) {
        local = LUN_CL_MOVED_GROUP;
        groups = lun__cl_moved_divide_up(count, local);
        groups = groups < most ? groups : most;
    } else {
        share = lun__cl_moved_divide_up(count, of);
        share = share < LEAST_SHARE ? LEAST_SHARE : share;
        groups = lun__cl_moved_divide_up(count, share);
    }
    *plan = (lun_cl_plan){.steps = 1};
    plan->step[0].kernel = name;
    plan->step[0].global = (size_t)(groups * local);
    plan->step[0].local = (size_t)local;
    return share;
}
