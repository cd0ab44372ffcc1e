/* marked.c - lun_each that tells which elements it has assigned; see marks.h. */
#include <stdlib.h>

#include "api/marks.h"
#include "engine/state.h"
#include "lunarray_bind.h"

static lun_status begin(lun_engine *e, lun_marks *m)
{
    for (int k = 0; k < m->count; k++) {
        lun_status s = lun__usable(e, m->arrays[k]);
        if (s != LUN_OK)
            return s;
        m->marked[k] = calloc((size_t)lun_size(m->arrays[k]) + 1, 1);
        if (!m->marked[k])
            return lun__nomem(e);
    }
    return LUN_OK;
}

lun_status lun_each_marked(lun_engine *e, lun_function *f, int rank, const int64_t *first,
                           const int64_t *extent, lun_array *const *arrays, int count,
                           lun_array **marks)
{
    LUN_NEED(e, count >= 0 && count <= LUN_MAX_OPERANDS && (!count || (arrays && marks)));
    lun_marks m = {.arrays = arrays, .count = count};
    int made = 0;
    lun_status s = begin(e, &m);
    e->marks = &m;
    if (s == LUN_OK)
        s = lun_each(e, f, rank, first, extent, NULL, NULL, 0);
    e->marks = NULL;
    for (; s == LUN_OK && made < count; made++) {
        s = lun_vector(e, m.marked[made], lun_size(arrays[made]), LUN_BOOL, &marks[made]);
        if (s != LUN_OK)
            break;
    }
    for (int k = 0; s != LUN_OK && k < made; k++) {
        lun_release(marks[k]);
        marks[k] = NULL;
    }
    for (int k = 0; k < count; k++)
        free(m.marked[k]);
    return s;
}
