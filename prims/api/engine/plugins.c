/* plugins.c - backends of other libraries, which LUNARRAY_PLUGINS names (backend.h), and tools,
 * which LUNARRAY_TOOL names (lun_tool).  Knows not what they do.
 *
 * Invariant: a library that is in use stays loaded until the process ends; one that is refused has
 * a line in the log, and leaves that text alone in the engine. */
#define _GNU_SOURCE /* secure_getenv */

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/engine/plugins.h"
#include "backend_abi.h"

static const lun_host host = {.abi = LUN_BACKEND_ABI,
                              .size = sizeof host,
                              .cache_load = lun__cache_entry_load,
                              .cache_store = lun__cache_entry_store};

/* It is logged, and said again when a backend is asked for that there is none of. */
static void refuse(lun_engine *e, const char *path, const char *why)
{
    const size_t before = e->refused_plugins.length;
    lun__strbuf_printf(&e->refused_plugins, "; plug-in %s is not used: %s", path, why);
    if (!e->refused_plugins.failed)
        lun__log(&e->logger, LUN_LOG_WARN, "door", e->refused_plugins.text + before + 2);
}

/* Names are parts of the names of devices and sets. */
static const char *name_flaw(lun_engine *e, const char *name)
{
    if (!name || !*name || strlen(name) > 20 || name[strcspn(name, ":/.,*+ ")])
        return "its name is no word of at most 20 characters";
    return lun__backend_find(e, name) ? "there is a backend of its name already" : NULL;
}

/* Why it cannot be used; NULL: it can. */
static const char *flaw(lun_engine *e, const lun_backend *b, char *room, size_t bytes)
{
    const unsigned size = sizeof *b;
    if (!b)
        return "it has no backend for this version";
    if (b->abi == LUN_BACKEND_ABI && b->size == size)
        return b->begin && b->wait && b->takes ? name_flaw(e, b->name) : "functions are missing";
    snprintf(room, bytes,
             "it was built for another version: interface %08x, %u bytes, here %08x, %u bytes",
             (unsigned)b->abi, (unsigned)b->size, (unsigned)LUN_BACKEND_ABI, size);
    return room;
}

/* A function of a library, into *entry; why there is none, NULL: it is there. */
static const char *function_of(const char *path, const char *name, void *entry)
{
    if (!strchr(path, '/'))
        return "a path with a / is expected";
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
    if (!library)
        return dlerror();
    void *symbol = dlsym(library, name);
    memcpy(entry, &symbol, sizeof symbol);
    return symbol                          ? NULL
           : strcmp(name, "lunarray_tool") ? "it has no function lunarray_backend"
                                           : "it has no function lunarray_tool";
}

static lun_status add(lun_engine *e, const char *path)
{
    char room[160];
    lun_backend_entry *entry = NULL;
    const char *missing = function_of(path, "lunarray_backend", &entry);
    if (missing) {
        refuse(e, path, missing);
        return LUN_OK;
    }
    const lun_backend *b = entry(LUN_BACKEND_ABI, &host);
    const char *why = flaw(e, b, room, sizeof room);
    if (why) {
        refuse(e, path, why);
        return LUN_OK;
    }
    lun_backend_slot slot = {.backend = b};
    snprintf(slot.name, sizeof slot.name, "%s", b->name);
    return lun__backend_add(e, slot) ? LUN_OK : lun__fail_nomem(e);
}

static lun_status watch(lun_engine *e, const char *path)
{
    lun_tool_entry *entry = NULL;
    lun_tool tool = {.size = sizeof tool};
    const char *missing = function_of(path, "lunarray_tool", &entry);
    if (missing)
        return lun__fail(e, LUN_EARG, "LUNARRAY_TOOL: %s: %s", path, missing);
    return entry(e, &tool) ? lun_tool_add(e, &tool) : LUN_OK;
}

/* Has `take` take each path of the variable, but in a sandbox. */
static lun_status each_path(lun_engine *e, const char *variable,
                            lun_status (*take)(lun_engine *e, const char *path))
{
    const char *paths = e->sandbox ? NULL : secure_getenv(variable);
    char *text = paths ? strdup(paths) : NULL, *rest = text;
    lun_status s = paths && !text ? lun__fail_nomem(e) : LUN_OK;
    for (char *path; s == LUN_OK && (path = strsep(&rest, ":"));)
        if (*path)
            s = take(e, path);
    free(text);
    return s;
}

lun_status lun__plugins_add(lun_engine *e)
{
    return each_path(e, "LUNARRAY_PLUGINS", add);
}

lun_status lun__plugins_watch(lun_engine *e)
{
    return each_path(e, "LUNARRAY_TOOL", watch);
}
