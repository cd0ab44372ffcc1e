-- C programs that have another Lua of their own, LuaJIT, 5.1 or 5.3, shared or static, and use liblunarray.so
-- with its scripts, which run in Lua 5.4; programs that have Lua 5.4, or none; machines without it.

local shell = require "shell"
local build = os.getenv "BUILD" or "build"

local host = [[
#include <lunarray.h>
#include <stdio.h>
#include <string.h>
#if HAS_LUA
#include <lua.h>
#include <lauxlib.h>
#include <lualib.h>
#endif

static const char script[] =
    "local t = {} for i = 1, 100 do t[i] = ('%d'):format(i) end "
    "x = lun.vector{1, 2, 3}:map(function(v) return v * 2 end):sum() + #t "
    "v = _VERSION .. ' ' .. math.type(3 // 1)";

static int scripts(void)
{
    lun_engine *e = NULL;
    double x = 0;
    const char *v = "";
    if (lun_open(NULL, &e) || lun_dostring(e, script) || lun_getnumber(e, "x", &x) || lun_gettext(e, "v", &v, NULL)) {
        printf("%s\n", lun_error(e));
        return 1;
    }
    printf("script: %g %s\n", x, v);
    /* a function with any number of arguments, and one of Lua's long jumps */
    lun_status s = lun_dostring(e, "error(('%s %d'):format('text', 7), 0)");
    printf("%s %.6s\n", lun_status_name(s), lun_error(e));
    lun_close(e);
    return 0;
}

#if HAS_LUA
static int own(lua_State *L, const char *text)
{
    if (luaL_loadstring(L, text) || lua_pcall(L, 0, 1, 0))
        return 2;
    printf("host: %s\n", lua_tostring(L, -1));
    return 0;
}
#endif

int main(void)
{
    int bad = 0;
#if HAS_LUA
    lua_State *L = luaL_newstate();
    luaL_openlibs(L);
    bad |= own(L, "return _VERSION .. (jit and ' JIT' or '')");
#endif
    bad |= scripts();
#if HAS_LUA
    bad |= own(L, "local t = {} for i = 1, 1000 do t[i] = tostring(i) end return #table.concat(t)");
    bad |= scripts();
#ifdef OPENS
    luaL_requiref(L, "lunarray", luaopen_lunarray, 0);
    bad |= own(L, "a = require 'lunarray'.vector{1, 2} return a:sum() + 0.5");
    lua_getglobal(L, "a");
    printf("array of %d\n", (int)lun_size(lun_to_array(L, -1)));
    printf("engine %s\n", lun_error(lun_to_engine(L)));
#endif
    lua_close(L);
#endif
    return bad;
}
]]

local ran = "script: 112 Lua 5.4 integer\nESCRIPT text 7\n"

describe("a host of liblunarray.so", function()
    local scratch, linked

    setup(function()
        scratch = shell.scratch()
        shell.write(scratch .. "/host.c", host)
        linked = shell.capture(("readelf -d %s/liblunarray.so.0"):format(build)):find "NEEDED.-liblua"
        if linked then
            print "skipped: this build of the library links Lua"
        end
    end)

    teardown(function()
        shell.discard(scratch)
    end)

    -- The program, compiled with these flags; true: the test can go on.
    local function compile(flags)
        if linked then
            pending "this build of the library links Lua"
            return false
        end
        local text, status = shell.capture(("%s -Iprims %s/host.c %s -o %s/host 2>&1"):format(os.getenv "CC" or "cc", scratch,
            flags:gsub("LUNARRAY", ("-L%s -llunarray -Wl,-rpath,$PWD/%s"):format(build, build)), scratch))
        assert.equal(0, status, text)
        return true
    end

    -- What it prints, one line for the host's Lua before and after the scripts.
    local function expect(version)
        local text, status = shell.capture(scratch .. "/host 2>&1")
        assert.equal(("host: %s\n%shost: 2893\n%s"):format(version, ran, ran), text)
        assert.equal(0, status)
    end

    -- The directory of its headers, if its package is installed.
    local function has(directory)
        for _, root in ipairs { "/usr/include/", "/usr/local/include/" } do
            local file = io.open(root .. directory .. "/lua.h")
            if file then
                file:close()
                return root .. directory
            end
        end
        pending("skipped: no headers of " .. directory)
        return nil
    end

    local function archive(name)
        return (shell.capture(("%s -print-file-name=%s"):format(os.getenv "CC" or "cc", name)):gsub("\n", ""))
    end

    local kinds = {
        { "luajit-2.1", "luajit-5.1", "Lua 5.1 JIT" },
        { "lua5.1", "lua5.1", "Lua 5.1" },
        { "lua5.3", "lua5.3", "Lua 5.3" },
        { "lua5.4", "lua5.4", "Lua 5.4" },
    }
    for _, kind in ipairs(kinds) do
        local directory, name, version = table.unpack(kind)
        for _, order in ipairs { "%s LUNARRAY", "LUNARRAY %s" } do
            it(("that is linked with %s: %s"):format(name, order:format("-l" .. name)), function()
                local include = has(directory)
                if include and compile(("-DHAS_LUA=1 -I%s %s"):format(include, order:format("-l" .. name))) then
                    expect(version)
                end
            end)
        end
        for _, exports in ipairs { "", "-Wl,-E " } do
            it(("that has %s in it: %s"):format(name, exports), function()
                local include = has(directory)
                if include and compile(("-DHAS_LUA=1 -I%s LUNARRAY %s%s -lm -ldl"):format(include, exports,
                    archive("lib" .. name .. ".a"))) then
                    expect(version)
                end
            end)
        end
    end

    it("opens the module in its own Lua 5.4", function()
        for _, lua in ipairs { "LUNARRAY -llua5.4", "LUNARRAY -Wl,-E " .. archive "liblua5.4.a" .. " -lm -ldl" } do
            local include = has "lua5.4"
            if not include or not compile(("-DHAS_LUA=1 -DOPENS -I%s %s"):format(include, lua)) then
                return
            end
            local text, status = shell.capture(scratch .. "/host 2>&1")
            assert.equal(("host: Lua 5.4\n%shost: 2893\n%shost: 3.5\narray of 2\nengine \n"):format(ran, ran), text)
            assert.equal(0, status)
        end
    end)

    it("has no Lua", function()
        if compile "-DHAS_LUA=0 LUNARRAY" then
            assert.equal(ran, (shell.capture(scratch .. "/host 2>&1")))
        end
    end)

    it("is LuaJIT, by its FFI", function()
        if linked then
            pending "this build of the library links Lua"
            return
        end
        if not os.execute "command -v luajit >/dev/null" then
            pending "skipped: no luajit"
            return
        end
        shell.write(scratch .. "/ffi.lua", [[
            local ffi = require "ffi"
            ffi.cdef "typedef struct lun_engine lun_engine;"
            ffi.cdef "int lun_open(void *c, lun_engine **out); void lun_close(lun_engine *e);"
            ffi.cdef "int lun_dostring(lun_engine *e, const char *text); const char *lun_error(lun_engine *e);"
            ffi.cdef "int lun_getnumber(lun_engine *e, const char *name, double *out);"
            local l, e, x = ffi.load(arg[1]), ffi.new "lun_engine *[1]", ffi.new "double[1]"
            assert(l.lun_open(nil, e) == 0)
            print(l.lun_dostring(e[0], "x = lun.vector{1, 2, 3}:sum() assert(_VERSION == 'Lua 5.4')"))
            print(ffi.string(l.lun_error(e[0])), l.lun_getnumber(e[0], "x", x), x[0])
            l.lun_close(e[0])
            print(#string.rep("a", 1000), _VERSION)]])
        assert.equal("0\n\t0\t6\n1000\tLua 5.1\n", (shell.capture(("luajit %s/ffi.lua %s/liblunarray.so.0 2>&1"):format(
            scratch, build))))
    end)

    it("is told what to install where there is no Lua 5.4", function()
        if not compile "-DHAS_LUA=0 LUNARRAY" then
            return
        end
        local soname = shell.slurp(build .. "/gen/lua_soname.h"):match '"(.+)"'
        local function run()
            return (shell.capture(("LD_LIBRARY_PATH='%s' %s/host 2>&1"):format(scratch, scratch)))
        end
        shell.write(scratch .. "/" .. soname, "")
        local text = run()
        assert.is_truthy(text:find("^no Lua 5.4 for scripts: .*" .. soname .. ".*; install the shared library"), text)
        assert(os.execute(("echo 'int lua_gettop;' | %s -shared -fPIC -x c - -o '%s/%s'"):format(os.getenv "CC" or "cc",
            scratch, soname)))
        text = run()
        assert.is_truthy(text:find("^no Lua 5.4 for scripts: " .. soname .. " lacks lua.*; install that of Lua 5.4"), text)
        os.remove(scratch .. "/" .. soname)
        assert.equal(ran, run())
    end)
end)
