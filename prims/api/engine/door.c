/* door.c - libraries of the system that data come and go by, as users name them. */
#include <string.h>

#include "api/array/api.h"
#include "base/library.h"
#include "base/sized.h"
#include "lunarray_bind.h"

static void fill(lun_door *out, const lun_library_row *row, const lun_library *open)
{
    const lun_door d = {.name = row->name,
                        .use = row->use,
                        .version = open ? open->version : NULL,
                        .path = open ? open->path : NULL};
    lun__sized_give(out, &d, sizeof d);
}

/* The row of that number or name among those that have names; LUN_LIBRARY_COUNT: there is none. */
static int find(int k, const char *name)
{
    int i = 0;
    for (; i < LUN_LIBRARY_COUNT; i++) {
        const char *own = lun__library_row((lun_library_id)i)->name;
        if (*own && (name ? strcmp(own, name) == 0 : k-- == 0))
            break;
    }
    return i;
}

bool lun_door_describe(int k, lun_door *out)
{
    const int i = k < 0 ? LUN_LIBRARY_COUNT : find(k, NULL);
    if (i < LUN_LIBRARY_COUNT)
        fill(out, lun__library_row((lun_library_id)i), NULL);
    return i < LUN_LIBRARY_COUNT;
}

static lun_status fail_unknown(lun_engine *e, const char *name)
{
    lun_strbuf names = LUN_STRBUF_INIT;
    lun_door d = {.size = sizeof d};
    for (int k = 0; lun_door_describe(k, &d); k++)
        lun__strbuf_printf(&names, "%s%s", k ? ", " : "", d.name);
    lun_status s =
        lun__fail(e, LUN_EARG, "there is no door '%s', only %s", name, lun__strbuf_text(&names));
    lun__strbuf_free(&names);
    return s;
}

/* Opens the library of that name. */
static lun_status open_row(lun_engine *e, const char *name, const lun_library_row **row,
                           lun_library *out)
{
    const int i = find(0, name);
    if (i == LUN_LIBRARY_COUNT)
        return fail_unknown(e, name);
    *row = lun__library_row((lun_library_id)i);
    lun_strbuf why = LUN_STRBUF_INIT;
    lun_status s = LUN_OK;
    if (!lun__library_open((lun_library_id)i, false, out, &why))
        s = lun__fail(e, LUN_EIO, "%s\n%s", lun__strbuf_text(&why), (*row)->install);
    lun__strbuf_free(&why);
    return s;
}

lun_status lun_door_open(lun_engine *e, const char *name, lun_door *out)
{
    LUN_NEED(e, name && (!out || out->size >= sizeof out->size));
    const lun_library_row *row;
    lun_library library;
    lun_status s = open_row(e, name, &row, &library);
    if (s == LUN_OK && out)
        fill(out, row, &library);
    return s;
}

lun_status lun_door_function(lun_engine *e, const char *name, const char *function, void **out)
{
    LUN_NEED(e, name && function && out);
    const lun_library_row *row;
    lun_library library;
    lun_status s = open_row(e, name, &row, &library);
    if (s != LUN_OK)
        return s;
    *out = lun__library_symbol(library.handle, function);
    return *out ? LUN_OK
                : lun__fail(e, LUN_EIO, "%s is no %s library: it has no %s", library.path,
                            row->title, function);
}
