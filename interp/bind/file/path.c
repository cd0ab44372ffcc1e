/* path.c - files by their names, for lua/lunarray/format/file.lua: opened for reading, with or
 * without a known size; names to be written resolved. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <limits.h>
#include <lualib.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "bind/host/bind.h"

/* The most bytes read from a source without a size, or this share of a memory limit: they are in
 * memory as pieces, as a text and as elements. */
#define UNBOUNDED (INT64_C(1) << 30)
#define SHARE     4

enum {
    WAIT = 50, /* milliseconds between two checks of the engine's stop */
    LINKS = 40 /* followed at most, as the kernel does */
};

static int close_stream(lua_State *L)
{
    luaL_Stream *s = luaL_checkudata(L, 1, LUA_FILEHANDLE);
    return luaL_fileresult(L, fclose(s->f) == 0, NULL);
}

bool lun__path_stream_opens(lua_State *L, luaL_Stream *s, int fd, const char *mode)
{
    s->f = fdopen(fd, mode);
    if (!s->f) {
        int error = errno;
        close(fd);
        errno = error;
        return false;
    }
    s->closef = close_stream;
    luaL_setmetatable(L, LUA_FILEHANDLE);
    return true;
}

/* ---- reading --------------------------------------------------------------------------------- */

/* internal.source(path): a file of Lua's and its size; for a pipe or a device false instead, and
 * how many bytes may be read of it. Nil, message, errno if it cannot be read. */
static int open_source(lua_State *L)
{
    const lun__host *h = lun__host_here(L);
    const char *path = luaL_checkstring(L, 1);
    luaL_Stream *s = lua_newuserdatauv(L, sizeof *s, 0);
    struct stat st;
    s->closef = NULL;
    int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC); /* a fifo without a writer opens, too */
    if (fd < 0)
        return luaL_fileresult(L, 0, path);
    if (fstat(fd, &st) == 0 && S_ISDIR(st.st_mode)) {
        close(fd);
        errno = EISDIR;
        return luaL_fileresult(L, 0, path);
    }
    if (!lun__path_stream_opens(L, s, fd, "rb"))
        return luaL_fileresult(L, 0, path);
    if (S_ISREG(st.st_mode) && st.st_size > 0) {
        lua_pushinteger(L, st.st_size);
        return 2;
    }
    lun_config config = {.size = sizeof config};
    lun_config_get(h->engine, &config);
    lua_pushboolean(L, 0);
    int64_t most = config.memory_limit / SHARE;
    lua_pushinteger(L, most > 0 && most < UNBOUNDED ? most : UNBOUNDED);
    return 3;
}

/* internal.receive(source, count): 1 to `count` bytes of a source without a size, "" at its end,
 * false if there are none yet; nil, message, errno if reading fails. */
static int receive(lua_State *L)
{
    lun__host *h = lun__host_here(L);
    const luaL_Stream *from = luaL_checkudata(L, 1, LUA_FILEHANDLE);
    luaL_argcheck(L, from->closef, 1, "closed file");
    lua_Integer count = luaL_checkinteger(L, 2);
    luaL_argcheck(L, count > 0 && count <= INT_MAX, 2, "out of range");
    luaL_Buffer text;
    char *to = luaL_buffinitsize(L, &text, (size_t)count);
    struct pollfd fd = {.fd = fileno(from->f), .events = POLLIN};
    ssize_t got = -1;
    errno = EAGAIN;
    if (poll(&fd, 1, WAIT) > 0)
        got = read(fd.fd, to, (size_t)count);
    if (got >= 0) {
        luaL_pushresultsize(&text, (size_t)got);
        return 1;
    }
    if (errno != EAGAIN && errno != EINTR)
        return luaL_fileresult(L, 0, NULL);
    lun_status s = lun_host_check(h->engine);
    if (s != LUN_OK)
        return lun__error_raise_stop(L, s);
    lua_pushboolean(L, 0);
    return 1;
}

/* internal.pause(milliseconds): waits so long, or until the script is to stop. */
static int pause_script(lua_State *L)
{
    lun__host *h = lun__host_here(L);
    const lua_Integer n = luaL_checkinteger(L, 1);
    luaL_argcheck(L, n >= 0 && n <= WAIT, 1, "out of range");
    (void)poll(NULL, 0, (int)n);
    const lun_status s = lun_host_check(h->engine);
    return s == LUN_OK ? 0 : lun__error_raise_stop(L, s);
}

static int end_directory(lua_State *L)
{
    DIR **d = lua_touserdata(L, 1);
    if (*d)
        closedir(*d);
    *d = NULL;
    return 0;
}

/* internal.matching(directory, pattern): the names in a directory that match a pattern of *, ? and
 * [...], in any order; or nil, message, errno. */
static int list_matching(lua_State *L)
{
    const char *directory = luaL_checkstring(L, 1), *pattern = luaL_checkstring(L, 2);
    DIR **d = lua_newuserdatauv(L, sizeof *d, 0); /* closed by Lua, if a name raises */
    *d = NULL;
    lua_createtable(L, 0, 1);
    lua_pushcfunction(L, end_directory);
    lua_setfield(L, -2, "__gc");
    lua_setmetatable(L, -2);
    lua_createtable(L, 0, 0);
    *d = opendir(directory);
    if (!*d)
        return luaL_fileresult(L, 0, directory);
    lua_Integer count = 0;
    errno = 0;
    for (const struct dirent *entry; (entry = readdir(*d)) != NULL; errno = 0) {
        if (fnmatch(pattern, entry->d_name, FNM_PERIOD) != 0)
            continue;
        lua_pushstring(L, entry->d_name);
        lua_rawseti(L, -2, ++count);
    }
    if (errno)
        return luaL_fileresult(L, 0, directory);
    closedir(*d);
    *d = NULL;
    return 1;
}

/* ---- writing --------------------------------------------------------------------------------- */

/* Replaces the link `path` by its target. Returns 0, or the errno. */
static int follow(char path[PATH_MAX])
{
    char name[PATH_MAX];
    const char *slash = strrchr(path, '/');
    ssize_t n = readlink(path, name, sizeof name);
    size_t kept = slash ? (size_t)(slash - path) + 1 : 0;
    if (n < 0)
        return errno;
    if (n > 0 && name[0] == '/')
        kept = 0;
    if (kept + (size_t)n >= PATH_MAX)
        return ENAMETOOLONG;
    memcpy(path + kept, name, (size_t)n);
    path[kept + (size_t)n] = '\0';
    return 0;
}

/* Follows the links at the end of `path`. What the path is then: "file", a regular file; "new",
 * nothing; "other", to be written in place, such as the target of a link of /proc, which may have
 * no other name. NULL: errno says why. */
static const char *resolve(char path[PATH_MAX])
{
    struct stat st, proc;
    bool has_proc = stat("/proc/self", &proc) == 0;
    for (int links = 0; links <= LINKS; links++) {
        if (lstat(path, &st) != 0)
            return errno == ENOENT ? "new" : NULL;
        if (!S_ISLNK(st.st_mode))
            return S_ISREG(st.st_mode) ? "file" : "other";
        if (has_proc && st.st_dev == proc.st_dev)
            return "other";
        errno = follow(path);
        if (errno)
            return NULL;
    }
    errno = ELOOP;
    return NULL;
}

/* internal.target(path): the path to write to, and its kind, "file", "new" or "other" as resolve
 * has it; nil, message, errno. */
static int find_target(lua_State *L)
{
    char path[PATH_MAX];
    size_t n;
    const char *given = luaL_checklstring(L, 1, &n);
    const char *kind = NULL;
    errno = ENAMETOOLONG;
    if (n < sizeof path) {
        memcpy(path, given, n + 1);
        kind = resolve(path);
    }
    if (!kind)
        return luaL_fileresult(L, 0, NULL);
    lua_pushstring(L, path);
    lua_pushstring(L, kind);
    return 2;
}

void lun__open_path(lua_State *L, const lun__parts *p)
{
    static const luaL_Reg functions[] = {{"source", open_source}, {"receive", receive},
                                         {"pause", pause_script}, {"matching", list_matching},
                                         {"target", find_target}, {NULL, NULL}};
    lun__register(L, p, p->internal, functions);
}
