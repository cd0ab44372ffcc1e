/* padded_slots.c - slots that read the neighbours of each index from an array without copying it
 * into a padded one. */
#include "launch/bind.h"

#include "ir/combine_order.h"

static lun_stream_run run_of_pad(const void *self, int64_t first)
{
    const lun_strided *s = self;
    const lun_pad_run r = lun__pad_run(s->pad, &s->box, first);
    lun_stream_run at = {.count = r.count,
                         .segment = r.segment,
                         .column = r.column,
                         .low = r.low,
                         .high = r.high,
                         .at = (const char *)s->base + r.offset * s->size};
    int64_t room = (s->room - r.offset) / LUN_BLOCK * LUN_BLOCK;
    if (r.offset < 0)
        at.count = 0;
    else if (at.count > room)
        at.count = room;
    return at;
}

static void read_column(const void *self, int64_t first, int64_t count, void *to)
{
    const lun_strided *s = self;
    lun__pad_column(s->pad, &s->box, s->base, s->size, first, count, to);
}

void lun__padded_slots_bind(lun_strided *x, const lun_padding *pad, int64_t room, lun_stream *to)
{
    x->pad = pad;
    x->box = lun__pad_box(pad, &x->at);
    x->room = room;
    if (!x->box.is)
        return;
    to->run = run_of_pad;
    to->column = read_column;
}
