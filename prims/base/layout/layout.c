/* layout.c - arithmetic on layouts; see layout.h.  Touches no element (strided.c does).
 *
 * Products of strides wrap where they leave int64_t: only offsets that no element has are concerned
 * then, for lun__layout_range has said that those of the elements fit. */
#include "base/layout/layout.h"

#include <string.h>

static int64_t times(int64_t a, int64_t b)
{
    return (int64_t)((uint64_t)a * (uint64_t)b);
}

static int64_t plus(int64_t a, int64_t b)
{
    return (int64_t)((uint64_t)a + (uint64_t)b);
}

lun_layout lun__layout_right(int rank, const int64_t *extent)
{
    lun_layout l = {.rank = rank};
    int64_t step = 1;
    for (int k = rank - 1; k >= 0; k--) {
        l.extent[k] = extent[k];
        l.stride[k] = step;
        step = times(step, extent[k] ? extent[k] : 1);
    }
    return l;
}

lun_layout lun__layout_left(int rank, const int64_t *extent)
{
    lun_layout l = {.rank = rank};
    int64_t step = 1;
    for (int k = 0; k < rank; k++) {
        l.extent[k] = extent[k];
        l.stride[k] = step;
        step = times(step, extent[k] ? extent[k] : 1);
    }
    return l;
}

int64_t lun__layout_count(const lun_layout *l)
{
    int64_t count = 1;
    for (int k = 0; k < l->rank; k++)
        count = times(count, l->extent[k]);
    return count;
}

int64_t lun__layout_distinct(const lun_layout *l)
{
    int64_t count = 1;
    for (int k = 0; k < l->rank; k++)
        count = times(count, l->stride[k] ? l->extent[k] : 1);
    return count;
}

bool lun__layout_is_dense(const lun_layout *l)
{
    int64_t step = 1;
    bool dense = true;
    for (int k = l->rank - 1; k >= 0; k--) {
        if (l->extent[k] == 0)
            return true;
        dense &= l->extent[k] == 1 || l->stride[k] == step;
        step = times(step, l->extent[k]);
    }
    return dense;
}

static uint64_t length_of(int64_t stride)
{
    return stride < 0 ? -(uint64_t)stride : (uint64_t)stride;
}

/* The axes of more than one element by rising length of their strides; their number. */
static int sorted(const lun_layout *l, int axis[LUN_LAYOUT_RANK])
{
    int count = 0;
    for (int k = 0; k < l->rank; k++) {
        if (l->extent[k] == 1)
            continue;
        int at = count++;
        for (; at > 0 && length_of(l->stride[axis[at - 1]]) > length_of(l->stride[k]); at--)
            axis[at] = axis[at - 1];
        axis[at] = k;
    }
    return count;
}

/* Two axes that interleave: indices of one element differ by multiples of (t, -s) / gcd(s, t),
 * where s and t are the strides. */
static bool interleaves(const lun_layout *l, const int axis[2])
{
    const uint64_t s = length_of(l->stride[axis[0]]), t = length_of(l->stride[axis[1]]);
    uint64_t a = s, b = t;
    while (b) {
        const uint64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a && (t / a >= (uint64_t)l->extent[axis[0]] || s / a >= (uint64_t)l->extent[axis[1]]);
}

bool lun__layout_is_injective(const lun_layout *l)
{
    if (lun__layout_count(l) <= 1)
        return true;
    int axis[LUN_LAYOUT_RANK];
    int count = sorted(l, axis);
    uint64_t reach = 0; /* from the lowest offset to the highest, of the axes so far */
    for (int i = 0; i < count; i++) {
        uint64_t step = length_of(l->stride[axis[i]]), more;
        if (step <= reach)
            return count == 2 && interleaves(l, axis);
        if (__builtin_mul_overflow(step, (uint64_t)l->extent[axis[i]] - 1, &more) ||
            __builtin_add_overflow(reach, more, &reach))
            return false;
    }
    return true;
}

bool lun__layout_is_permutation(const lun_layout *l)
{
    if (lun__layout_count(l) <= 1)
        return true;
    int axis[LUN_LAYOUT_RANK];
    int count = sorted(l, axis);
    int64_t step = 1;
    for (int i = 0; i < count; i++) {
        if (l->stride[axis[i]] != step)
            return false;
        step = times(step, l->extent[axis[i]]);
    }
    return true;
}

bool lun__layout_range(const lun_layout *l, int64_t *low, int64_t *high)
{
    __extension__ __int128 from = l->offset, to = l->offset;
    for (int k = 0; k < l->rank; k++) {
        __extension__ __int128 span = (__int128)(l->extent[k] - 1) * l->stride[k];
        if (span < 0)
            from += span;
        else
            to += span;
        if (from < INT64_MIN || to > INT64_MAX)
            return false;
    }
    *low = (int64_t)from;
    *high = (int64_t)to;
    return true;
}

bool lun__layout_range_of(const lun_layout *l, int64_t first, int64_t last, int64_t *low,
                          int64_t *high)
{
    lun_layout at = *l;
    while (at.rank > 1) {
        int64_t inner = lun__layout_count(&at) / at.extent[0];
        int64_t row = first / inner, rows = last / inner - row + 1;
        at.offset = plus(at.offset, times(row, at.stride[0]));
        at.extent[0] = rows;
        if (rows > 1)
            break;
        first -= row * inner;
        last -= row * inner;
        at.rank--;
        memmove(at.extent, at.extent + 1, (size_t)at.rank * sizeof *at.extent);
        memmove(at.stride, at.stride + 1, (size_t)at.rank * sizeof *at.stride);
    }
    if (at.rank == 1 && at.extent[0] > last - first + 1) {
        at.offset = plus(at.offset, times(first, at.stride[0]));
        at.extent[0] = last - first + 1;
    }
    return lun__layout_range(&at, low, high);
}

lun_layout lun__layout_simplified(const lun_layout *l)
{
    lun_layout s = {.offset = l->offset};
    int64_t count = lun__layout_count(l);
    if (count <= 1) {
        s.rank = 1;
        s.extent[0] = count;
        s.stride[0] = 1;
        return s;
    }
    for (int k = 0; k < l->rank; k++) {
        int64_t extent = l->extent[k], stride = l->stride[k], over;
        int last = s.rank - 1;
        if (extent == 1)
            continue;
        if (s.rank && !__builtin_mul_overflow(stride, extent, &over) && s.stride[last] == over) {
            s.extent[last] *= extent;
            s.stride[last] = stride;
        } else {
            s.extent[s.rank] = extent;
            s.stride[s.rank++] = stride;
        }
    }
    return s;
}

bool lun__layout_segments(const lun_layout *l, int64_t segment, int64_t *step, int64_t *along)
{
    lun_layout s = lun__layout_simplified(l);
    const bool segments = s.rank == 2;
    if (segment < 1 || (segments ? s.extent[1] != segment : s.rank != 1 || s.extent[0] % segment))
        return false;
    *along = s.stride[segments ? 1 : 0];
    *step = segments ? s.stride[0] : times(s.stride[0], segment);
    return true;
}

int64_t lun__layout_line(const lun_layout *l)
{
    enum { LEAST = 64 };
    const int last = l->rank - 1;
    const bool goes = last > 0 && (l->stride[last] == 1 || l->stride[last] == 0);
    return goes && l->extent[last] >= LEAST ? l->extent[last] : 0;
}

bool lun__layout_every(const lun_layout *l, int64_t count, int64_t which, lun_layout *out)
{
    lun_layout s = lun__layout_simplified(l);
    for (int64_t rest = count; rest > 1;) {
        const int last = s.rank - 1;
        const int64_t extent = last < 0 ? 0 : s.extent[last],
                      stride = last < 0 ? 0 : s.stride[last];
        const bool all = extent && rest % extent == 0;
        if (!all && (!extent || extent % rest))
            return false;
        const int64_t part = all ? extent : rest;
        s.offset = plus(s.offset, times(which % part, stride));
        which /= part;
        rest /= part;
        if (all) {
            s.rank--;
        } else {
            s.extent[last] /= part;
            s.stride[last] = times(stride, part);
        }
    }
    if (!s.rank) {
        s.rank = 1;
        s.extent[0] = s.stride[0] = 1;
    }
    *out = lun__layout_simplified(&s);
    return true;
}

bool lun__layout_reshaped(const lun_layout *l, int rank, const int64_t *extent, lun_layout *out)
{
    lun_layout s = lun__layout_simplified(l);
    lun_layout r = lun__layout_right(rank, extent);
    r.offset = l->offset;
    if (lun__layout_count(&s) > 1) {
        int axis = s.rank - 1; /* which the new axes divide, from the last to the first */
        int64_t rest = s.extent[axis], step = s.stride[axis];
        for (int k = rank - 1; k >= 0; k--) {
            if (rest == 1 && extent[k] > 1) {
                rest = s.extent[--axis];
                step = s.stride[axis];
            }
            if (rest % extent[k] != 0)
                return false;
            r.stride[k] = step;
            step = times(step, extent[k]);
            rest /= extent[k];
        }
    }
    *out = r;
    return true;
}

/* The indices of element f. */
static void indices(const lun_layout *l, int64_t f, int64_t index[LUN_LAYOUT_RANK])
{
    for (int k = l->rank - 1; k >= 0; k--) {
        index[k] = f % l->extent[k];
        f /= l->extent[k];
    }
}

bool lun__layout_in_segments(const lun_layout *l, int64_t segment)
{
    lun_layout s = lun__layout_simplified(l);
    int last = s.rank - 1;
    return segment == 1 || (s.stride[last] == 1 && s.extent[last] % segment == 0);
}

int64_t lun__layout_offset(const lun_layout *l, int64_t f)
{
    int64_t index[LUN_LAYOUT_RANK], at = l->offset;
    indices(l, f, index);
    for (int k = 0; k < l->rank; k++)
        at = plus(at, times(index[k], l->stride[k]));
    return at;
}

/* The stride of an axis of one element whose stride among the flat numbers is `step`: what the
 * indices of that number come to. */
static int64_t stride_of_one(const lun_layout *inner, int64_t step)
{
    int64_t length = (int64_t)length_of(step), at = 0;
    for (int k = inner->rank - 1; k >= 0; k--) {
        at = plus(at, times(k ? length % inner->extent[k] : length, inner->stride[k]));
        length /= inner->extent[k];
    }
    return step < 0 ? times(at, -1) : at;
}

/* Along each axis of `outer` all indices of `inner` move by constant steps, which are found from
 * the first two elements.  The steps give strides if no index leaves its extent at any corner;
 * where one did, a carry into the next index would bring elements to other offsets. */
bool lun__layout_composed(const lun_layout *inner, const lun_layout *outer, lun_layout *out)
{
    lun_layout s = lun__layout_simplified(inner), r = *outer;
    int64_t first[LUN_LAYOUT_RANK], next[LUN_LAYOUT_RANK];
    int64_t low[LUN_LAYOUT_RANK], high[LUN_LAYOUT_RANK];
    if (lun__layout_count(outer) == 0) {
        *out = lun__layout_right(outer->rank, outer->extent);
        out->offset = inner->offset;
        return true;
    }
    indices(&s, outer->offset, first);
    for (int j = 0; j < s.rank; j++)
        low[j] = high[j] = first[j];
    r.offset = lun__layout_offset(&s, outer->offset);
    for (int k = 0; k < outer->rank; k++) {
        if (outer->extent[k] == 1) {
            r.stride[k] = stride_of_one(&s, outer->stride[k]);
            continue;
        }
        indices(&s, outer->offset + outer->stride[k], next);
        r.stride[k] = 0;
        for (int j = 0; j < s.rank; j++) {
            int64_t step = next[j] - first[j], span;
            r.stride[k] = plus(r.stride[k], times(step, s.stride[j]));
            if (__builtin_mul_overflow(step, outer->extent[k] - 1, &span) ||
                __builtin_add_overflow(span < 0 ? low[j] : high[j], span,
                                       span < 0 ? &low[j] : &high[j]))
                return false;
        }
    }
    for (int j = 0; j < s.rank; j++)
        if (low[j] < 0 || high[j] >= s.extent[j])
            return false;
    *out = r;
    return true;
}
