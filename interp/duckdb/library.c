/* library.c - see library.h.
 *
 * Invariant: `functions` is the process's, as the library is, which stays open; it is filled once,
 * under the lock, and only then seen by others. */
#include "duckdb/library.h"

#include <pthread.h>
#include <string.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static lun__duckdb_library functions;
static bool is_filled;

/* Puts the address of a function of the library into *to. */
static bool find(lun_engine *e, const char *name, void *to)
{
    void *address = NULL;
    const lun_status s = lun_door_function(e, "duckdb", name, &address);
    memcpy(to, &address, sizeof address);
    return s == LUN_OK;
}

static bool fill(lun_engine *e, lun__duckdb_library *out)
{
    bool ok = lun_door_open(e, "duckdb", NULL) == LUN_OK;
#define LUN__DUCKDB_FIND(type, name, arguments) ok = ok && find(e, "duckdb_" #name, &out->name);
    LUN__DUCKDB_FUNCTIONS(LUN__DUCKDB_FIND)
#undef LUN__DUCKDB_FIND
#define LUN__DUCKDB_LOOK(type, name, arguments)      \
    if (ok && !find(e, "duckdb_" #name, &out->name)) \
        out->name = NULL;
    LUN__DUCKDB_LATER_FUNCTIONS(LUN__DUCKDB_LOOK)
#undef LUN__DUCKDB_LOOK
    return ok;
}

const lun__duckdb_library *lun__duckdb_library_open(lun_engine *e)
{
    lun__duckdb_library found;
    const bool good = fill(e, &found);
    if (!good)
        return NULL;
    pthread_mutex_lock(&lock);
    if (!is_filled)
        functions = found;
    is_filled = true;
    pthread_mutex_unlock(&lock);
    return &functions;
}

const lun__duckdb_library *lun__duckdb_library_here(void)
{
    return &functions;
}
