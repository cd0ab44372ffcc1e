-- What a path may name besides a plain file of one's own: files with other rights and owners, links, pipes, devices.
-- lun.save keeps or writes through what is there, lun.load reads what ends and refuses what does not.
local lun = require "lunarray"
local lfs = require "lfs"
local shell = require "shell"

local directory

local function path_of(name)
    return directory .. "/" .. name
end

local function run(command, ...)
    return os.execute(command:format(...))
end

local function bytes(...)
    return lun.vector({ ... }, "u8")
end

-- How much this process has read, where the system counts it.
local function bytes_read()
    local file = io.open "/proc/self/io"
    local text = file and file:read "a" or ""
    if file then file:close() end
    return tonumber(text:match "rchar: (%d+)") or 0
end

local is_root = shell.capture "id -u" == "0\n"

-- The new file's name, its mode and its owner and group as "%U:%G" in numbers.
local function rights(name)
    return (shell.capture(("stat -c '%%a %%u:%%g' '%s'"):format(path_of(name))))
end

-- Files that have not become what they are to replace.
local function left_over()
    local count = 0
    for name in lfs.dir(directory) do
        count = count + (name:find "^%.lunarray" and 1 or 0)
    end
    return count
end

local function nothing_else()
    assert.equal(0, left_over())
end

-- Preloaded: a signal to the process where it renames a file, and no files without names.
local SHIM = [[
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#define NEXT(name) (*(void **)&real = dlsym(RTLD_NEXT, name))
int rename(const char *from, const char *to)
{
    int (*real)(const char *, const char *);
    NEXT("rename");
    if (getenv("AT_RENAME"))
        raise(atoi(getenv("AT_RENAME")));
    return real(from, to);
}
#define OPEN(name)                                                                      \
    int name(const char *path, int flags, ...)                                          \
    {                                                                                   \
        int (*real)(const char *, int, mode_t);                                         \
        va_list list;                                                                   \
        va_start(list, flags);                                                          \
        mode_t mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(list, mode_t) : 0;         \
        va_end(list);                                                                   \
        NEXT(#name);                                                                    \
        if (!getenv("NO_TMPFILE") || (flags & O_TMPFILE) != O_TMPFILE)                  \
            return real(path, flags, mode);                                             \
        errno = EOPNOTSUPP;                                                             \
        return -1;                                                                      \
    }
OPEN(open)
OPEN(open64)
]]

-- The beginning of a command that runs with it; nil: there is no compiler.
local function preloaded()
    local shim = directory .. "/shim.so"
    local source = shell.write(directory .. "/shim.c", SHIM)
    return run("%s -shared -fPIC -o '%s' '%s' -ldl 2>/dev/null", os.getenv "CC" or "cc", shim, source)
        and ("ASAN_OPTIONS=verify_asan_link_order=0 LD_PRELOAD='%s' "):format(shim) or nil
end

-- A command that saves elements to `path`.
local function saving(path, ...)
    return ("'%s' -e 'assert(lun.save(\"%s\", lun.vector({ %s }, \"u8\")))'"):format(shell.interpreter(), path, table.concat({ ... }, ", "))
end

-- Waits until a process is stopped by a signal.
local function wait_for_stop(pid)
    for _ = 1, 1200 do
        if shell.slurp(("/proc/%d/stat"):format(pid)):match "%) (%a)" == "T" then
            return
        end
        run "sleep 0.05"
    end
    error "it does not stop"
end

describe("lun.save", function()
    setup(function()
        directory = shell.scratch()
    end)

    teardown(function()
        shell.discard(directory)
    end)

    it("keeps the mode of the file whose place it takes", function()
        for _, mode in ipairs { "600", "640", "644", "666", "755" } do
            local path = shell.write(path_of "m.npy", "old")
            run("chmod %s '%s'", mode, path)
            assert.is_true(lun.save(path, bytes(1, 2)))
            assert.equal(mode, rights("m.npy"):match "^%d+")
            assert.same({ 1, 2 }, lun.load(path):totable())
        end
        os.remove(path_of "m.npy")
        assert.is_true(lun.save(path_of "m.npy", bytes(1)))
        local umask = tonumber(shell.capture "umask", 8)
        assert.equal(("%o"):format(438 & ~umask), rights("m.npy"):match "^%d+") -- 0666
        nothing_else()
    end)

    it("leaves nothing behind where the process is killed", function()
        local probe = path_of "probe"
        local scratch = require("lunarray.core").internal.create(probe, "probe")
        local named = left_over() > 0
        getmetatable(scratch).__close(scratch)
        if named then
            pending "the file system has no files without names"
            return
        end
        local path = shell.write(path_of "k.txt", "old")
        local script = shell.write(path_of "kill.lua", ([[
            local pid = io.open "/proc/self/stat":read "n"
            local left = 2
            require "lunarray.format.file".write(%q, function()
                left = left - 1
                if left == 0 then
                    os.execute("kill -9 " .. pid)
                end
                return ("x"):rep(1 << 20)
            end)]]):format(path))
        run("%s '%s' 2>/dev/null", shell.interpreter(), script)
        assert.equal("old", shell.slurp(path))
        nothing_else()
    end)

    for _, nameless in ipairs { true, false } do
        local with = nameless and "" or "NO_TMPFILE=1 "
        local files = nameless and "" or ", on a file system with no files without names"

        it("leaves nothing to the next one where the process is killed before it renames" .. files, function()
            local command = preloaded()
            if not command then
                pending "needs a C compiler"
                return
            end
            local path = shell.write(path_of "r.raw", "old")
            for _ = 1, 2 do
                run("AT_RENAME=9 %s%s%s 2>/dev/null", with, command, saving(path, 66))
                assert.equal("old", shell.slurp(path))
                assert.equal(1, left_over())
            end
            assert.is_true(lun.save(path_of "other.raw", bytes(1)))
            assert.equal(1, left_over())
            assert.is_true(run("%s%s%s", with, command, saving(path, 65)))
            assert.equal("A", shell.slurp(path))
            nothing_else()
        end)

        it("works in two processes at a time, and the last one counts" .. files, function()
            local command = preloaded()
            if not command then
                pending "needs a C compiler"
                return
            end
            local path = shell.write(path_of "t.raw", "old")
            local pid = tonumber((shell.capture(("AT_RENAME=19 %s%s%s >/dev/null & echo $!"):format(with, command, saving(path, 65)))))
            wait_for_stop(pid)
            assert.is_true(lun.save(path, bytes(66, 67)))
            assert.equal("BC", shell.slurp(path))
            assert.equal(1, left_over())
            run("AT_RENAME=9 %s%s%s 2>/dev/null", with, command, saving(path, 68))
            assert.equal(2, left_over())
            run("kill -CONT %d", pid)
            for _ = 1, 1200 do
                if left_over() == 1 then
                    break
                end
                run "sleep 0.05"
            end
            assert.equal("A", shell.slurp(path))
            assert.is_true(lun.save(path, bytes(69)))
            assert.equal("E", shell.slurp(path))
            nothing_else()
        end)
    end

    it("keeps owner and group where it may", function()
        if not is_root then
            pending "only root may give files away"
            return
        end
        local path = shell.write(path_of "o.npy", "old")
        run("chown 12345:54321 '%s' && chmod 640 '%s'", path, path)
        assert.is_true(lun.save(path, bytes(1)))
        assert.equal("640 12345:54321\n", rights "o.npy")
    end)

    it("gives a group that it cannot keep no more than everybody has", function()
        if not is_root or not run "setpriv --version >/dev/null 2>&1" then
            pending "needs root and setpriv"
            return
        end
        local path = shell.write(path_of "g.npy", "old")
        run("chown 0:54321 '%s' && chmod 664 '%s' && chmod 777 '%s'", path, path, directory)
        local script = shell.write(path_of "g.lua", ("assert(require 'lunarray'.save(%q, lun.ones(1)))"):format(path))
        run("LUNARRAY_JIT=off LUNARRAY_CACHE_DIR='%s/c' setpriv --reuid 12345 --regid 12346 --clear-groups '%s' '%s'",
            directory, shell.interpreter(), script)
        assert.equal("644 12345:12346\n", rights "g.npy")
    end)

    it("writes to what a symbolic link names", function()
        assert(lfs.mkdir(path_of "sub"))
        shell.write(path_of "sub/target.npy", "old")
        run("chmod 600 '%s'", path_of "sub/target.npy")
        run("cd '%s' && ln -s sub/target.npy link.npy && ln -s '%s' far.npy && ln -s fresh.npy dangling.npy", directory,
            path_of "link.npy")
        for i, name in ipairs { "link.npy", "far.npy" } do
            assert.is_true(lun.save(path_of(name), bytes(i)))
            assert.same({ i }, lun.load(path_of "sub/target.npy"):totable())
            assert.equal("link", lfs.symlinkattributes(path_of(name), "mode"))
            assert.equal("600", rights("sub/target.npy"):match "^%d+")
        end
        assert.is_true(lun.save(path_of "dangling.npy", bytes(7)))
        assert.same({ 7 }, lun.load(path_of "fresh.npy"):totable())
        assert.equal("link", lfs.symlinkattributes(path_of "dangling.npy", "mode"))
        run("cd '%s' && ln -s b.npy a.npy && ln -s a.npy b.npy", directory)
        local ok, message, code = lun.save(path_of "a.npy", bytes(1))
        assert.is_nil(ok)
        assert.equal(path_of "a.npy" .. ": Too many levels of symbolic links", message)
        assert.equal(40, code)
        nothing_else()
    end)

    it("writes through pipes and devices", function()
        run("mkfifo '%s'", path_of "p.raw")
        run("cat '%s' > '%s' &", path_of "p.raw", path_of "got")
        assert.is_true(lun.save(path_of "p.raw", bytes(65, 66, 67), { dtype = "u8" }))
        for _ = 1, 2400 do -- two minutes
            if shell.slurp(path_of "got") == "ABC" then
                break
            end
            run "sleep 0.05"
        end
        assert.equal("ABC", shell.slurp(path_of "got"))
        assert.equal("named pipe", lfs.attributes(path_of "p.raw", "mode"))
        local text = shell.capture(([['%s' -e 'io.write("A") assert(lun.save("/dev/stdout", lun.vector{66}, {dtype = "u8"}))
            io.write("C")' | cat]]):format(shell.interpreter()))
        assert.equal("ABC", text)
        text = shell.capture(([['%s' -e 'io.stdout:close() assert(lun.save("/dev/stderr", lun.vector{66}, {dtype = "u8"}))' 2>&1]])
            :format(shell.interpreter()))
        assert.equal("B", text)
        local ok, message, code = lun.save("/dev/full", bytes(1), { dtype = "u8" })
        assert.is_nil(ok)
        assert.equal("/dev/full: No space left on device", message)
        assert.equal(28, code)
        assert.is_nil(lun.save(directory, bytes(1), { dtype = "u8" }))
    end)

    it("writes through a device of its own", function()
        if not run("mknod '%s' c 1 3 2>/dev/null && : > '%s' 2>/dev/null", path_of "null.raw", path_of "null.raw") then
            pending "no devices can be made here"
            return
        end
        assert.is_true(lun.save(path_of "null.raw", bytes(1, 2)))
        assert.equal("char device", lfs.attributes(path_of "null.raw", "mode"))
    end)

    it("to a pipe that is no longer read fails and ends nothing", function()
        run("mkfifo '%s'", path_of "q.raw")
        run("head -c 1 < '%s' > /dev/null &", path_of "q.raw")
        local ok, message, code = lun.save(path_of "q.raw", lun.ones(1 << 20), { dtype = "u8" })
        assert.is_nil(ok)
        assert.equal(path_of "q.raw" .. ": Broken pipe", message)
        assert.equal(32, code)
    end)
end)

describe("lun.load", function()
    setup(function()
        directory = shell.scratch()
    end)

    teardown(function()
        shell.discard(directory)
    end)

    it("looks at the beginning of what has no end", function()
        for extension, part in pairs { npy = "not a .npy file", csv = "line 1: a NUL byte", png = "not a PNG image",
            pgm = "not a PGM or PPM image" } do
            local path = path_of("zero." .. extension)
            run("ln -s /dev/zero '%s'", path)
            local before = bytes_read()
            local a, message, code = lun.load(path)
            assert.is_nil(a)
            assert.equal("format", code)
            assert.truthy(message:find(part, 1, true), message)
            assert.is_true(bytes_read() - before < 1 << 24)
        end
        local a, message, code = lun.load("/dev/zero", { dtype = "f32", shape = { 2, 3 } })
        assert.is_nil(a)
        assert.truthy(message:find("the file is too long: f32[2, 3] needs 24 bytes of elements", 1, true), message)
        assert.equal("long", code)
    end)

    it("refuses what has no end beyond a GiB", function()
        local script = shell.write(path_of "zero.lua", [[
            local a, message, code = lun.load("/dev/zero", { dtype = "u8" })
            print(a, message, code)
        ]])
        local text = shell.capture(("LUNARRAY_JIT=off '%s' '%s' 2>&1"):format(shell.interpreter(), script))
        assert.equal("nil\t/dev/zero: no end of file within 1073741824 bytes, the limit for sources without a size; "
            .. "write it to a file first, or give the shape\tunsupported\n", text)
    end)

    it("reads pipes to their end, and waits for a writer", function()
        run("mkfifo '%s'", path_of "p.csv")
        -- once this process waits behind the mark, which is to open the pipe
        run("(until test -e '%s'; do sleep 0.02; done; %s; seq 1 50000 | { echo n; cat; } > '%s') &", path_of "mark",
            shell.waiting "$PPID", path_of "p.csv")
        shell.write(path_of "mark", "")
        local t = assert(lun.load(path_of "p.csv"))
        assert.equal(50000 * 50001 // 2, t.n:sum())
        assert(lun.save(path_of "a.npy", lun.index(100000)))
        run("mkfifo '%s'", path_of "p.npy")
        run("(cat '%s' > '%s') &", path_of "a.npy", path_of "p.npy")
        assert.equal(100000 * 100001 // 2, lun.load(path_of "p.npy"):sum())
        run("(head -c 1000 '%s' > '%s') &", path_of "a.npy", path_of "p.npy")
        local a, message, code = lun.load(path_of "p.npy")
        assert.is_nil(a)
        assert.truthy(message:find("the file is too short", 1, true), message)
        assert.equal("short", code)
        local text = shell.capture(([[printf 'abc' | '%s' -e 'print(#lun.load("/dev/stdin", {dtype = "u8"}))']]):format(
            shell.interpreter()))
        assert.equal("3\n", text)
    end)

    it("of a pipe without a writer stops with Ctrl-C", function()
        run("mkfifo '%s'", path_of "none.raw")
        local script = shell.write(path_of "wait.lua",
            ([[print(pcall(function()
                os.execute(%q)
                io.open(%q, "w"):close()
                return lun.load(%q, { dtype = "u8" })
            end))]]):format(("(until test -e '%s'; do sleep 0.02; done; %s; kill -INT $PPID) >/dev/null 2>&1 &"):format(
                path_of "waits", shell.waiting "$PPID"), path_of "waits", path_of "none.raw"))
        local text = shell.capture(("timeout -s KILL 300 '%s' '%s' 2>&1"):format(shell.interpreter(), script))
        assert.equal("false\tinterrupted!\n", text)
    end)
end)
