/* poll.c - loops that ask after some rounds whether they shall stop; see mask.h. */
#include "render/body/lanes/mask.h"

#include "render/body/lanes/lane_barrier.h"
#include "render/facts/counted.h"
#include "render/facts/passes.h"
#include "render/text/text.h"

/* Where questions are far: times as many rounds, in loops without and with others inside. */
enum { FAR = 128, FAR_AROUND = 8 };

static bool in_rounds(const lun_section *s, int32_t loop)
{
    return s->r->stops && s->r->dialect->rounds > 1 &&
           !lun__trip_count_few(s->r->ir, &s->r->blocks, loop) &&
           !(s->r->from && lun__counted_unrolled(s->r->ir, &s->r->blocks, loop));
}

/* How many rounds a loop does between two questions. */
static int rounds_of(const lun_section *s, int32_t loop)
{
    bool innermost = true;
    if (!s->r->dialect->far_stop)
        return s->r->dialect->rounds;
    for (int32_t i = loop + 1; i < s->r->blocks.end[loop]; i++)
        innermost &= s->r->ir->ins[i].kind != LUN_IR_LOOP;
    return s->r->dialect->rounds * (innermost ? FAR : FAR_AROUND);
}

void lun__poll_open(lun_section *s, int32_t loop)
{
    if (!in_rounds(s, loop))
        return;
    lun__text_line(s, "for (int r = 0; r < %d; r++) {", rounds_of(s, loop));
    s->depth++;
}

void lun__poll_close(lun_section *s, int32_t loop)
{
    if (!in_rounds(s, loop))
        return;
    s->depth--;
    lun__text_line(s, "}");
    if (s->r->barriers)
        lun__lane_barrier_poll(s);
    else
        lun__mask_poll(s);
}

void lun__poll_leave(lun_section *s, char kind, int32_t m, int32_t loop)
{
    if (!in_rounds(s, loop)) {
        lun__mask_test(s, "if (!", kind, m, ") break;");
        return;
    }
    lun__mask_test(s, "if (!", kind, m, ")");
    s->depth++;
    lun__mask_jump(s, 'b', loop);
    s->depth--;
}
