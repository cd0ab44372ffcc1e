/* alloc_shim.c - preloaded: malloc, calloc and realloc that fail on demand. A script that loads
 * this file as a module counts, arms and disarms: arm(n [, on]) lets the n-th allocation from
 * now on fail (all after it too if on), disarm() gives how many there were and how many failed,
 * every(n, k) lets each n-th fail, beginning with the k-th. ALLOC_FAIL_AT arms from the start.
 * The OpenMP runtime's own allocations always succeed, because it ends the process without
 * memory; so do those of code in the ranges given by runtime(first, last). */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <dlfcn.h>
#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <lauxlib.h>
#include <lua.h>

extern void *__libc_malloc(size_t n);
extern void *__libc_calloc(size_t n, size_t size);
extern void *__libc_realloc(void *old, size_t n);
extern void *__libc_memalign(size_t alignment, size_t n);
int luaopen_alloc_shim(lua_State *L);

static long count, at, failed, step; /* step: of every(n, k) */
static int armed, on;
enum { RANGES = 4 };
static struct {
    unsigned char *first, *last;
} spared[RANGES]; /* code whose allocations never fail */
static int ranges;

static int failing(const void *caller)
{
    if (!__atomic_load_n(&armed, __ATOMIC_RELAXED))
        return 0;
    const unsigned char *p = caller;
    for (int i = 0; i < ranges; i++)
        if (p >= spared[i].first && p < spared[i].last)
            return 0;
    long now = __atomic_add_fetch(&count, 1, __ATOMIC_RELAXED);
    if (step ? now % step != at : now != at && !(on && now > at))
        return 0;
    __atomic_add_fetch(&failed, 1, __ATOMIC_RELAXED);
    errno = ENOMEM;
    return 1;
}

#define CALLER __builtin_return_address(0)

void *malloc(size_t n)
{
    return failing(CALLER) ? NULL : __libc_malloc(n);
}

void *calloc(size_t n, size_t size)
{
    return failing(CALLER) ? NULL : __libc_calloc(n, size);
}

void *realloc(void *old, size_t n)
{
    return failing(CALLER) ? NULL : __libc_realloc(old, n);
}

void *aligned_alloc(size_t alignment, size_t n)
{
    return failing(CALLER) ? NULL : __libc_memalign(alignment, n);
}

int posix_memalign(void **out, size_t alignment, size_t n)
{
    void *p = failing(CALLER) ? NULL : __libc_memalign(alignment, n);
    if (!p)
        return ENOMEM;
    *out = p;
    return 0;
}

__attribute__((constructor)) static void start(void)
{
    const char *s = getenv("ALLOC_FAIL_AT");
    if (s) {
        at = atol(s);
        on = getenv("ALLOC_FAIL_ON") != NULL;
        armed = 1;
    }
}

static int arm(lua_State *L)
{
    at = (long)luaL_checkinteger(L, 1);
    on = lua_toboolean(L, 2);
    count = failed = step = 0;
    armed = 1;
    return 0;
}

static int every(lua_State *L)
{
    step = (long)luaL_checkinteger(L, 1);
    at = (long)luaL_checkinteger(L, 2) % step;
    count = failed = 0;
    armed = 1;
    return 0;
}

static int disarm(lua_State *L)
{
    armed = 0;
    lua_pushinteger(L, count);
    lua_pushinteger(L, failed);
    return 2;
}

/* runtime(first, last): addresses of code whose allocations never fail. */
static int runtime(lua_State *L)
{
    if (ranges == RANGES)
        return luaL_error(L, "too many ranges");
    spared[ranges].first = (unsigned char *)(intptr_t)luaL_checkinteger(L, 1);
    spared[ranges++].last = (unsigned char *)(intptr_t)luaL_checkinteger(L, 2);
    return 0;
}

int luaopen_alloc_shim(lua_State *L)
{
    static const luaL_Reg functions[] = {
        {"arm", arm}, {"disarm", disarm}, {"every", every}, {"runtime", runtime}, {NULL, NULL}};
    luaL_newlib(L, functions);
    return 1;
}
