/* space.c - the axes of an index space. */
#include "base/layout/space.h"

void lun__space_cut(lun_space *s, int64_t under)
{
    int at = 0;
    while (at < s->count && s->under[at] < under)
        at++;
    const int64_t below = at ? s->under[at - 1] : 1, above = at < s->count ? s->under[at] : s->n;
    if (under <= 1 || under >= s->n || above == under || above % under || under % below ||
        s->count == LUN_SPACE_AXES - 1)
        return;
    for (int k = s->count++; k > at; k--)
        s->under[k] = s->under[k - 1];
    s->under[at] = under;
}

void lun__space_of_layout(lun_space *s, const lun_layout *l)
{
    const lun_layout few = lun__layout_simplified(l);
    int64_t under = 1;
    for (int k = few.rank - 1; k > 0; k--)
        lun__space_cut(s, under *= few.extent[k]);
}

void lun__space_of_padding(lun_space *s, const lun_padding *p)
{
    int64_t under = 1;
    for (int k = p->rank - 1; k > 0; k--) {
        under *= p->extent[k];
        if (p->extent[k] != p->inner[k] || p->before[k])
            lun__space_cut(s, under);
    }
}

int lun__space_extents(const lun_space *s, int64_t extent[LUN_SPACE_AXES])
{
    int64_t n = s->n;
    for (int k = 0; k < s->count; k++) {
        const int64_t under = s->under[s->count - 1 - k];
        extent[k] = n / under;
        n = under;
    }
    extent[s->count] = n;
    return s->count + 1;
}
