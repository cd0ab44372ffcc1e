/* source_mark.c - the source line at which the expressions that follow are built, and the
 * work-groups that it asks for.
 *
 * Invariant: the texts of e->source_lines differ from each other; they are added, and stay until
 * the engine ends, so that a node keeps a number (from 1, 0: none), and a failure a pointer. */
#include <stdlib.h>
#include <string.h>

#include "engine/state.h"
#include "lunarray_bind.h"

const char *lun__source_mark_text(const lun_engine *e, uint32_t where)
{
    return where && where <= (uint32_t)e->source_line_count ? e->source_lines[where - 1] : "";
}

lun_status lun_mark(lun_engine *e, const char *line)
{
    LUN_NEED(e, true);
    if (!line || !line[0]) {
        e->source_line = 0;
        return LUN_OK;
    }
    /* the last few lines recur most often */
    for (int i = e->source_line_count - 1, tries = 0; i >= 0 && tries < 16; i--, tries++)
        if (!strcmp(e->source_lines[i], line)) {
            e->source_line = (uint32_t)i + 1;
            return LUN_OK;
        }
    for (int i = 0; i < e->source_line_count; i++)
        if (!strcmp(e->source_lines[i], line)) {
            e->source_line = (uint32_t)i + 1;
            return LUN_OK;
        }
    if (e->source_line_count == e->source_line_room) {
        int room = e->source_line_room ? 2 * e->source_line_room : 32;
        char **lines = realloc(e->source_lines, (size_t)room * sizeof *lines);
        if (!lines)
            return lun__fail_nomem(e);
        e->source_lines = lines;
        e->source_line_room = room;
    }
    char *copy = strdup(line);
    if (!copy)
        return lun__fail_nomem(e);
    e->source_lines[e->source_line_count++] = copy;
    e->source_line = (uint32_t)e->source_line_count;
    return LUN_OK;
}

void lun_workgroup(lun_engine *e, int elements)
{
    LUN_NEED_OR(e, );
    e->workgroup = (uint16_t)(elements < 0                    ? 0
                              : elements > LUN_MOST_WORKGROUP ? LUN_MOST_WORKGROUP
                                                              : elements);
}
