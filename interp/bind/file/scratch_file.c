/* scratch_file.c - new files that replace others when they are complete, for
 * lua/lunarray/format/file.lua.
 *
 * Where the system can, a new file has no name while it is written; then it gets one beside the
 * file that it replaces, and is renamed.  A process may be killed between the two, so the name is
 * one of a few that the file to be replaced determines, and its process holds a lock (flock) on the
 * new file until that is renamed: a file of such a name without a lock is a leftover, which the
 * next process that replaces the same file removes.  Where all names are locked, or locks are not
 * to be had, the name is one that cannot be guessed.
 *
 * Invariant: such a name is removed or renamed only under the lock of the file that it names.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* O_TMPFILE */
#endif
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <lualib.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "bind/host/bind.h"

#define SCRATCH "lunarray.scratch_file"

enum { NAMES = 4, ALL = 0777, PROC_ROOM = 64 };

typedef struct scratch_file {
    int fd;                /* holds the lock; -1: ended */
    bool named;            /* `path` is its name */
    char path[PATH_MAX];   /* its name, or else the one that cannot be guessed */
    char target[PATH_MAX]; /* what it replaces */
} scratch_file;

/* ---- names ----------------------------------------------------------------------------------- */

static size_t folder_length(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? (size_t)(slash - path) + 1 : 0;
}

/* Name number k of those that a target determines; false: it is too long. */
static bool name_of(const char *target, int k, char path[PATH_MAX])
{
    const size_t n = folder_length(target);
    uint64_t hash = 0xcbf29ce484222325u; /* FNV-1a */
    for (const char *c = target + n; *c; c++)
        hash = (hash ^ (uint8_t)*c) * 0x100000001b3u;
    return snprintf(path, PATH_MAX, "%.*s.lunarray-%016" PRIx64 "-%d", (int)n, target, hash, k) <
           PATH_MAX;
}

static bool is_named(int fd, const char *path)
{
    struct stat file, there;
    return fstat(fd, &file) == 0 && S_ISREG(file.st_mode) && lstat(path, &there) == 0 &&
           file.st_dev == there.st_dev && file.st_ino == there.st_ino;
}

static bool is_locked_now(int fd)
{
    return flock(fd, LOCK_EX | LOCK_NB) == 0;
}

/* Removes the file of that name unless it is locked; true: there is none now.  It is opened for
 * reading: network file systems, where a lock may hold for one machine alone, lock only what is
 * open for writing, so that nothing is removed there. */
static bool is_free(const char *path)
{
    const int fd = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    if (fd < 0)
        return errno == ENOENT;
    const bool free = is_locked_now(fd) && is_named(fd, path) && unlink(path) == 0;
    close(fd);
    return free;
}

/* ---- files ----------------------------------------------------------------------------------- */

/* Gives fd the owner, group and mode of a file as far as the process may. If the group cannot be
 * kept, the group gets only the rights of others. */
static void take_after(int fd, const struct stat *st)
{
    mode_t mode = st->st_mode & ALL;
    if (fchown(fd, st->st_uid, st->st_gid) != 0 && fchown(fd, (uid_t)-1, st->st_gid) != 0)
        mode &= ~(mode_t)S_IRWXG | (mode & S_IRWXO) << 3;
    (void)fchmod(fd, mode); /* some file systems have no modes */
}

/* The name of fd in /proc, which links to a file without another name. */
static const char *proc_name(int fd, char text[PROC_ROOM])
{
    snprintf(text, PROC_ROOM, "/proc/self/fd/%d", fd);
    return text;
}

/* A file without a name in the folder of the target, which the system removes at the end of the
 * process; -1: it cannot be made, or could not be named later. */
static int create_nameless(const scratch_file *f, mode_t mode)
{
#ifdef O_TMPFILE
    char folder[PATH_MAX], proc[PROC_ROOM];
    const size_t n = folder_length(f->target);
    memcpy(folder, n ? f->target : ".", n ? n : 1);
    folder[n ? n : 1] = '\0';
    const int fd = open(folder, O_WRONLY | O_TMPFILE | O_CLOEXEC, mode);
    if (fd < 0 || access(proc_name(fd, proc), F_OK) == 0)
        return fd;
    close(fd);
#else
    (void)f;
    (void)mode;
#endif
    return -1;
}

static int create_at(const char *path, mode_t mode)
{
    return open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
}

/* A file that has its name from the beginning; -1: errno says why.  Another process may lock it
 * first: that one takes it for a leftover and removes it. */
static int create_named(scratch_file *f, mode_t mode)
{
    char path[PATH_MAX];
    for (int k = 0; k < NAMES && name_of(f->target, k, path); k++) {
        const int fd = is_free(path) ? create_at(path, mode) : -1;
        if (fd < 0)
            continue;
        if (is_locked_now(fd) && is_named(fd, path)) {
            memcpy(f->path, path, sizeof path);
            return fd;
        }
        if (errno != EWOULDBLOCK && is_named(fd, path)) /* nobody can lock it */
            unlink(path);
        close(fd);
    }
    return create_at(f->path, mode);
}

static bool link_at(const scratch_file *f, const char *path)
{
    char proc[PROC_ROOM];
    return linkat(AT_FDCWD, proc_name(f->fd, proc), AT_FDCWD, path, AT_SYMLINK_FOLLOW) == 0;
}

/* Gives a name to a file that has none; all leftovers go. */
static bool give_name(scratch_file *f)
{
    char path[PATH_MAX];
    const bool locked = is_locked_now(f->fd);
    for (int k = 0; k < NAMES && name_of(f->target, k, path); k++)
        if (is_free(path) && locked && !f->named && link_at(f, path)) {
            f->named = true;
            memcpy(f->path, path, sizeof path);
        }
    return f->named || (f->named = link_at(f, f->path));
}

/* ---- functions ------------------------------------------------------------------------------- */

static scratch_file *check_scratch(lua_State *L, int arg)
{
    return luaL_checkudata(L, arg, SCRATCH);
}

/* A file that has not replaced its target is removed. */
static void finish(scratch_file *f)
{
    const int error = errno;
    if (f->fd >= 0 && f->named)
        unlink(f->path);
    if (f->fd >= 0)
        close(f->fd);
    f->fd = -1;
    errno = error;
}

static int end(lua_State *L)
{
    finish(check_scratch(L, 1));
    return 0;
}

static scratch_file *new_scratch(lua_State *L, const char *target, const char *other)
{
    scratch_file *f = lua_newuserdatauv(L, sizeof *f, 0);
    f->fd = -1;
    f->named = false;
    const int n =
        snprintf(f->path, PATH_MAX, "%.*s.lunarray-%s", (int)folder_length(target), target, other);
    snprintf(f->target, PATH_MAX, "%s", target);
    if (luaL_newmetatable(L, SCRATCH)) {
        lua_pushcfunction(L, end);
        lua_setfield(L, -2, "__gc");
        lua_pushcfunction(L, end);
        lua_setfield(L, -2, "__close");
    }
    lua_setmetatable(L, -2);
    return n < PATH_MAX && strlen(target) < PATH_MAX ? f : NULL;
}

/* internal.create(target, other [, like]): a new file that is to replace `target`, and a file of
 * Lua's to write to it, with the rights and owner of the file `like`; `other` ends the name that it
 * gets if it must be one that cannot be guessed.  Nil, message, errno. */
static int create(lua_State *L)
{
    const char *target = luaL_checkstring(L, 1), *other = luaL_checkstring(L, 2);
    const char *like = luaL_optstring(L, 3, NULL);
    const mode_t mode = like ? 0600 : 0666;
    struct stat st;
    scratch_file *f = new_scratch(L, target, other);
    luaL_Stream *s = lua_newuserdatauv(L, sizeof *s, 0);
    s->closef = NULL;
    errno = ENAMETOOLONG;
    if (!f || (like && stat(like, &st) != 0))
        return luaL_fileresult(L, 0, NULL);
    f->fd = create_nameless(f, mode);
    if (f->fd < 0) {
        f->fd = create_named(f, mode);
        f->named = f->fd >= 0;
    }
    if (f->fd < 0)
        return luaL_fileresult(L, 0, NULL);
    if (like)
        take_after(f->fd, &st);
    const int fd = fcntl(f->fd, F_DUPFD_CLOEXEC, 0);
    if (fd >= 0 && lun__path_stream_opens(L, s, fd, "wb"))
        return 2;
    finish(f);
    return luaL_fileresult(L, 0, NULL);
}

/* internal.name(scratch, file): its name, which it gets now if it has none; nil, message, errno. */
static int name(lua_State *L)
{
    scratch_file *f = check_scratch(L, 1);
    const luaL_Stream *s = luaL_checkudata(L, 2, LUA_FILEHANDLE);
    luaL_argcheck(L, f->fd >= 0, 1, "ended");
    luaL_argcheck(L, s->closef, 2, "closed file");
    if (fflush(s->f) != 0 || (!f->named && !give_name(f)))
        return luaL_fileresult(L, 0, NULL);
    lua_pushstring(L, f->path);
    return 1;
}

/* internal.settle(scratch): it replaces its target; true, or nil, message, errno. */
static int settle(lua_State *L)
{
    scratch_file *f = check_scratch(L, 1);
    luaL_argcheck(L, f->fd >= 0 && f->named, 1, "no name");
    const bool done = rename(f->path, f->target) == 0;
    f->named = !done;
    return luaL_fileresult(L, done, NULL);
}

void lun__open_scratch_file(lua_State *L, const lun__parts *p)
{
    static const luaL_Reg functions[] = {
        {"create", create}, {"name", name}, {"settle", settle}, {NULL, NULL}};
    lun__register(L, p, p->internal, functions);
}
