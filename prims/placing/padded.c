/* padded.c - parts of padded arrays; see padded.h.  Knows rows of the first axis: the other axes
 * are padded as ever.  Moves nothing. */
#include "placing/padded.h"

lun_interval lun__padded_read(const lun_lowered *l, int i, lun_interval indices)
{
    const lun_slot_source *from = &l->slots[i];
    lun_layout at;
    int64_t low, high;
    lun__node_layout(from->view ? from->view : from->node, &at);
    if (!lun__layout_range_of(&at, indices.lo, indices.hi - 1, &low, &high))
        return (lun_interval){0, from->node->n};
    return (lun_interval){low, high + 1};
}

/* The row that stands for one beyond the ends, or is nearest to it. */
static int64_t within(int64_t row, int64_t rows)
{
    return row < 0 ? 0 : row >= rows ? rows - 1 : row;
}

/* As lun__padded_part, of elements low .. high - 1 of n. */
static lun_padded_part part_of(const lun_node *n, lun_interval of)
{
    lun_padded_part x = {.count = n->n, .under = {0, n->in[0]->n}};
    lun_padding *p = &x.pad;
    lun__node_padding(n, p);
    const int64_t rows = p->inner[0], before = p->before[0];
    const int64_t outer = p->extent[0] ? n->n / p->extent[0] : 0;
    const int64_t inner = rows ? n->in[0]->n / rows : 0;
    if (!outer || !inner || of.lo >= of.hi)
        return x;
    int64_t first = of.lo / outer;
    const int64_t last = (of.hi - 1) / outer;
    if (p->rule[0] == LUN_PAD_WRAP && (first < before || last - before >= rows))
        return x;
    const int64_t low = within(first - before, rows), high = within(last - before, rows) + 1;
    if (first > before + low) /* all are beyond the end: with the last row itself */
        first = before + low;
    p->extent[0] = last + 1 - first;
    p->inner[0] = high - low;
    p->before[0] = before + low - first;
    x.first = first * outer;
    x.count = p->extent[0] * outer;
    x.under = (lun_interval){low * inner, high * inner};
    return x;
}

lun_interval lun__padded_under(const lun_node *n, lun_interval of)
{
    return part_of(n, of).under;
}

lun_padded_part lun__padded_part(const lun_lowered *l, const lun_node *n, lun_interval indices)
{
    lun_interval all = {INT64_MAX, 0};
    for (int i = 0; i < l->ir.slot_count; i++) {
        if (l->slots[i].node != n || l->ir.slots[i].role == LUN_SLOT_OUT)
            continue;
        const lun_interval x = lun__padded_read(l, i, indices);
        all.lo = x.lo < all.lo ? x.lo : all.lo;
        all.hi = x.hi > all.hi ? x.hi : all.hi;
    }
    return part_of(n, all);
}
