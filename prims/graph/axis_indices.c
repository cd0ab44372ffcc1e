/* axis_indices.c - indices along the axes of an array, from the offsets of a layout; see
 * axis_indices.h. */
#include "graph/axis_indices.h"

/* An offset or stride as steps along the axes; those along outer ones first. */
static void split(int64_t distance, const lun_layout *right, int64_t *step)
{
    for (int k = 0; k < right->rank; k++) {
        step[k] = right->stride[k] ? distance / right->stride[k] : 0;
        distance -= step[k] * right->stride[k];
    }
}

bool lun__axis_indices(const lun_layout *at, int rank, const int64_t *extent, lun_within *out)
{
    lun_layout right = lun__layout_right(rank, extent);
    out->rank = rank;
    split(at->offset, &right, out->start);
    for (int k = 0; k < rank; k++)
        out->low[k] = out->high[k] = out->start[k];
    for (int i = 0; i < at->rank; i++) {
        split(at->extent[i] > 1 ? at->stride[i] : 0, &right, out->step[i]);
        for (int k = 0; k < rank; k++) {
            int64_t far = out->step[i][k] * (at->extent[i] - 1);
            *(far < 0 ? &out->low[k] : &out->high[k]) += far;
        }
    }
    for (int k = 0; k < rank; k++)
        if (out->low[k] < 0 || out->high[k] >= extent[k])
            return false;
    return lun__layout_count(at) > 0;
}

lun_layout lun__axis_indices_layout(const lun_within *w, const lun_layout *at,
                                    const int64_t *extent, const int64_t *less)
{
    lun_layout right = lun__layout_right(w->rank, extent), to = *at;
    to.offset = 0;
    for (int i = 0; i < at->rank; i++)
        to.stride[i] = 0;
    for (int k = 0; k < w->rank; k++) {
        to.offset += (w->start[k] - less[k]) * right.stride[k];
        for (int i = 0; i < at->rank; i++)
            to.stride[i] += w->step[i][k] * right.stride[k];
    }
    return to;
}

static int64_t between(int64_t x, int64_t low, int64_t high)
{
    return x < low ? low : x > high ? high : x;
}

bool lun__axis_indices_padded(const lun_within *w, const lun_padding *p, lun_padding *out,
                              int64_t first[LUN_LAYOUT_RANK])
{
    *out = *p;
    for (int k = 0; k < p->rank; k++) {
        int64_t low = w->low[k] - p->before[k], high = w->high[k] - p->before[k];
        int64_t last = p->inner[k] - 1;
        bool inside = low >= 0 && high <= last, wraps = p->rule[k] == LUN_PAD_WRAP;
        out->extent[k] = high - low + 1;
        if (!inside && (wraps ? high - low > last : high < 0 || low > last))
            return false;
        if (wraps) {
            first[k] = (low % p->inner[k] + p->inner[k]) % p->inner[k];
            out->inner[k] = out->extent[k];
            out->before[k] = 0;
            continue;
        }
        first[k] = between(low, 0, last);
        out->inner[k] = between(high, 0, last) - first[k] + 1;
        out->before[k] = low < 0 ? -low : 0;
    }
    return true;
}
