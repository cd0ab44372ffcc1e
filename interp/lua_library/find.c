/* find.c - finds Lua for the shared library, whose host may have another Lua: LuaJIT, 5.1 or 5.3,
 * perhaps linked statically, with functions of the same names. The library does not link these
 * names; it jumps (trampolines.S) to those of one Lua 5.4: the process's own if it has one, so that
 * the library works in the host's lua_State, else the system's, loaded so that it calls only its
 * own functions.
 *
 * Invariant: the slots of the jumps are filled once, all of one Lua, before the first function of
 * Lua is called, and never change. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "bind/host/lua_library.h"
#include "lua_soname.h"

#define LUA(name) void *lun__to_##name;
#include "lua_names.h"
#undef LUA

static const struct {
    const char *name;
    void **slot;
} functions[] = {
#define LUA(name) {#name, &lun__to_##name},
#include "lua_names.h"
#undef LUA
};

enum { FUNCTIONS = sizeof functions / sizeof *functions };

static char reason[512]; /* why there is no Lua; "": there is one */

/* The first function that is missing, NULL if none is.  base: of the library that they must be in;
 * NULL: any. */
static const char *find_all(void *handle, const void *base, void **found)
{
    for (int k = 0; k < FUNCTIONS; k++) {
        Dl_info at;
        found[k] = dlsym(handle, functions[k].name);
        if (!found[k] || (base && (!dladdr(found[k], &at) || at.dli_fbase != base)))
            return functions[k].name;
    }
    return NULL;
}

static int is_fit(const char *ident)
{
    return ident && strstr(ident, "Lua 5.4") != NULL;
}

/* The Lua 5.4 that the process has: one library has all the names. */
static int find_in_process(void **found)
{
    Dl_info at;
    const char *ident = dlsym(RTLD_DEFAULT, "lua_ident");
    return is_fit(ident) && dladdr(ident, &at) && !find_all(RTLD_DEFAULT, at.dli_fbase, found);
}

/* The flags for loading the system's. If the process has functions of these names, Lua's library
 * must not bind to those; if it has none, C modules of scripts must find the loaded ones. */
static int loading(void)
{
    void *process = dlopen(NULL, RTLD_LAZY);
    const int linked = process && dlsym(process, "lun_version");
    if (process)
        dlclose(process);
    if (!dlsym(RTLD_DEFAULT, "lua_newstate"))
        return RTLD_NOW | (linked ? RTLD_GLOBAL : RTLD_LOCAL);
    /* AddressSanitizer ends a process that asks for it */
    return RTLD_NOW | RTLD_LOCAL | (dlsym(RTLD_DEFAULT, "__asan_init") ? 0 : RTLD_DEEPBIND);
}

static int load(void **found)
{
    void *lua = dlopen(LUN_LUA_SONAME, loading());
    if (!lua) {
        const char *why = dlerror();
        snprintf(reason, sizeof reason,
                 "no Lua 5.4 for scripts: %s; install the shared library " LUN_LUA_SONAME
                 " (Debian: liblua5.4-0)",
                 why ? why : "it cannot be loaded");
        return 0;
    }
    const char *missing = find_all(lua, NULL, found), *ident = dlsym(lua, "lua_ident");
    if (!missing && is_fit(ident))
        return 1;
    snprintf(reason, sizeof reason,
             "no Lua 5.4 for scripts: " LUN_LUA_SONAME " %s%s; install that of Lua 5.4 (Debian: "
             "liblua5.4-0)",
             missing ? "lacks " : "is another version", missing ? missing : "");
    return 0;
}

static void find(void)
{
    void *found[FUNCTIONS];
    if (!find_in_process(found) && !load(found))
        return;
    for (int k = 0; k < FUNCTIONS; k++)
        *functions[k].slot = found[k];
}

const char *lun__lua_find(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, find);
    return reason[0] ? reason : NULL;
}
