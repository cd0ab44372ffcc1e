/* marks.c - marks of elements that a loop assigns; see marks.h.  Knows no loop. */
#include "api/marks.h"

#include "engine/state.h"

enum { PIECE = 1024 };

static uint8_t *marks_of(const lun_marks *m, const lun_array *to)
{
    for (int k = 0; k < m->count; k++)
        if (m->arrays[k] == to)
            return m->marked[k];
    return NULL;
}

lun_status lun__marks_note(lun_engine *e, const lun_array *to, lun_array *places)
{
    uint8_t *marked = marks_of(e->marks, to);
    const int64_t n = marked ? lun_size(places) : 0;
    int64_t place[PIECE];
    for (int64_t k = 0; k < n; k += PIECE) {
        const int64_t count = n - k < PIECE ? n - k : PIECE;
        lun_status s = lun_read(e, places, place, k, count);
        if (s != LUN_OK)
            return s;
        for (int64_t i = 0; i < count; i++)
            if (place[i] >= 0)
                marked[place[i]] = 1;
    }
    return LUN_OK;
}
