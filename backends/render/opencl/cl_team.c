/* cl_team.c - a kernel of teams in the SCALAR form: a work-group is a team, memory of the team
 * local memory.  Statements are in render/body, what threads do at barriers in
 * render/body/lanes/lane_barrier.c. */
#include "render/opencl/cl_texts.h"

#include "render/body/lanes/lane_barrier.h"
#include "render/opencl/cl_kernel_text.h"
#include "render/opencl/group_reduce.h"
#include "render/text/element_text.h"
#include "render/text/text.h"

static bool is_shared(const lun_renderer *r, int slot)
{
    return r->barriers && r->ir->slots[slot].shared;
}

/* Memory of so many elements as an argument says is at the beginning of the room that is left. */
static void take_room(lun_renderer *r, int slot, lun_strbuf *out)
{
    const lun_dtype t = (lun_dtype)r->ir->slots[slot].dtype;
    lun__text_put(r, out,
                  "    @local %s *const m%d = (@local %s *)room;\n"
                  "    room += (f.args[%d] * %d + 7) / 8;\n",
                  lun__element_type(t).s, slot, lun__element_type(t).s,
                  (int)(-1 - r->ir->slots[slot].shared), lun__dtype_get(t)->bytes);
}

void lun__cl_team_arguments(lun_renderer *r, bool declared, lun_strbuf *out)
{
    for (int k = 0; k < r->ir->slot_count; k++) {
        if (!is_shared(r, k))
            continue;
        if (declared)
            lun__text_put(r, out, ", @local %s *m%d",
                          lun__element_type((lun_dtype)r->ir->slots[k].dtype).s, k);
        else
            lun__strbuf_printf(out, ", m%d", k);
    }
}

void lun__cl_team_kernel(lun_renderer *r, lun_strbuf *out)
{
    const int threads = r->ir->threads;
    lun__cl_kernel_open(r, "lun_kernel", threads, out);
    lun__text_put(r, out,
                  "    @local int votes[2];\n    struct uniform u;\n    prepare(&f, &u);\n"
                  "    f.thread = @local_id;\n    f.team = (lun_i64)cells[1] / %d + @group_id;\n"
                  "    f.votes = votes;\n    if (f.thread == 0) votes[0] = votes[1] = 0;\n",
                  threads);
    for (int k = 0; k < r->ir->slot_count; k++) {
        const lun_ir_slot *slot = &r->ir->slots[k];
        if (!is_shared(r, k))
            continue;
        if (slot->shared > 0)
            lun__group_reduce_local(r, (lun_dtype)slot->dtype, lun__text_name("m%d", k).s,
                                    (int)slot->shared, out);
        else
            take_room(r, k, out);
        lun__strbuf_printf(out, "    for (lun_i64 j = f.thread; j < %s; j += %d) m%d[j] = 0;\n",
                           lun__lane_barrier_count(slot, "f.").s, threads, k);
    }
    lun__text_put(r, out, "    @team_barrier;\n    body(f.team * %d + f.thread, &f, &u", threads);
    lun__cl_team_arguments(r, false, out);
    lun__strbuf_puts(out, ");\n");
    lun__cl_kernel_close(r, out);
}
