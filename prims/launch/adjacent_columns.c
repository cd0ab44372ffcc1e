/* adjacent_columns.c - which strided slots of a launch are adjacent columns, so that they are read
 * together. */
#include "launch/bind.h"

#include "base/layout/column_transpose.h"

static int64_t first_address(const lun_strided *x)
{
    return (int64_t)(intptr_t)x->base + x->at.offset * x->size;
}

static bool is_column(const lun_stream *s, const lun_strided *x)
{
    return s->read && s->layout && x->base && !x->pad && x->at.rank == 1 && x->at.stride[0] > 1;
}

/* The slot whose elements stand right behind those of slot i at each index, mostly the next one;
 * -1: there is none. */
static int behind(const lun_stream *streams, const lun_strided *x, int slots, int i)
{
    for (int j = 1; j < slots; j++) {
        const int k = (i + j) % slots;
        if (is_column(&streams[k], &x[k]) && x[k].size == x[i].size &&
            x[k].at.stride[0] == x[i].at.stride[0] && x[k].at.extent[0] == x[i].at.extent[0] &&
            first_address(&x[k]) == first_address(&x[i]) + x[i].size)
            return k;
    }
    return -1;
}

static bool read_columns(const void *self, int columns, int64_t first, int64_t count,
                         void *const *to)
{
    const lun_strided *s = self;
    const int64_t row = s->at.stride[0];
    const char *from = (const char *)s->base + (s->at.offset + first * row) * s->size;
    return lun__column_transpose(s->size, from, row, count, columns, to);
}

void lun__adjacent_columns_find(lun_stream *streams, const lun_strided *strided, int slots)
{
    bool followed[LUN_COLUMNS_SLOTS] = {false};
    if (slots > LUN_COLUMNS_SLOTS)
        return;
    for (int i = 0; i < slots; i++) {
        streams[i].columns = streams[i].next = 0;
        int k = is_column(&streams[i], &strided[i]) ? behind(streams, strided, slots, i) : -1;
        if (k >= 0 && !followed[k]) {
            streams[i].next = k + 1;
            followed[k] = true;
        }
    }
    for (int i = 0; i < slots; i++) {
        int last = i;
        if (followed[i] || !streams[i].next)
            continue;
        for (streams[i].columns = 1; streams[last].next; last = streams[last].next - 1) {
            if (streams[i].columns == strided[i].at.stride[0] || /* the next is the next row's */
                streams[i].columns == LUN_STREAM_COLUMNS) {
                streams[last].next = 0;
                break;
            }
            streams[i].columns++;
        }
        streams[i].read_columns = read_columns;
    }
}
