/* sqlite_library.c - see sqlite_library.h. */
#include "bind/file/sqlite_library.h"

#include <string.h>

/* Puts the address of a function of the library into *to. */
static bool find(lun__host *h, const char *name, void *to)
{
    void *address = NULL;
    const lun_status s = lun_door_function(h->engine, "sqlite", name, &address);
    memcpy(to, &address, sizeof address);
    return s == LUN_OK;
}

bool lun__sqlite_library_open(lun__host *h, lun__sqlite *out)
{
    bool ok = lun_door_open(h->engine, "sqlite", NULL) == LUN_OK;
#define LUN__SQLITE_FIND(type, name, arguments) ok = ok && find(h, "sqlite3_" #name, &out->name);
    LUN__SQLITE_FUNCTIONS(LUN__SQLITE_FIND)
#undef LUN__SQLITE_FIND
    return ok;
}
