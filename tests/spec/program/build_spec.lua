-- What the build leaves: names and symbols of the products, the embedded Lua files, the module in a
-- stock interpreter, and what `make install` puts where, used by a C program as its users would.

local lfs = require "lfs"
local shell = require "shell"
local build = os.getenv "BUILD" or "build"
local version = lun._VERSION:match "%S+$"
local sanitized = build:find "asan" or build:find "tsan"

local function capture(command)
    return shell.capture(command .. " 2>&1")
end

local function succeed(command)
    local text, status = capture(command)
    assert.equal(0, status, command .. "\n" .. text)
    return text
end

local c_program = [[
#include <lunarray.h>
#include <stdio.h>

int main(void)
{
    lun_engine *e = NULL;
    lun_array *a = NULL, *sum = NULL;
    float data[3] = {1, 2, 3}, result[3] = {0};
    if (lun_open(NULL, &e) || lun_vector(e, data, 3, LUN_F32, &a) || lun_add(e, a, a, &sum) ||
        lun_read(e, sum, result, 0, 3)) {
        puts(e ? lun_error(e) : "no engine");
        return 1;
    }
    printf("%g %g %g\n", result[0], result[1], result[2]);
    lun_release(sum);
    lun_release(a);
    if (lun_dostring(e, "assert(#lun.vector{1, 2} == 2)")) {
        puts(lun_error(e));
        return 1;
    }
    lun_close(e);
    return 0;
}
]]

describe("the build", function()
    local scratch

    setup(function()
        scratch = capture "mktemp -d":gsub("\n$", "")
    end)

    teardown(function()
        os.execute(("rm -rf '%s'"):format(scratch))
    end)

    for _, name in ipairs { "liblunarray.so.0", "lunarray.so" } do
        it("exports from " .. name .. " only the public names", function()
            local count = 0
            for symbol in succeed(("nm -D --defined-only %s/%s"):format(build, name)):gmatch "%S+\n" do
                symbol = symbol:gsub("\n$", "")
                assert.is_truthy(symbol:find "^lun_[^_]" or symbol:find "^luaopen_lunarray", symbol)
                count = count + 1
            end
            assert.is_true(count > 100, count .. " names")
        end)
    end

    it("has an archive with the names of the shared library and no other", function()
        local public, count = {}, 0
        for symbol in succeed(("nm -D --defined-only %s/liblunarray.so.0"):format(build)):gmatch "%S+\n" do
            public[symbol:gsub("\n$", "")] = true
        end
        for symbol in succeed(("nm -g --defined-only %s/liblunarray.a"):format(build)):gmatch "%x+ %a (%S+)\n" do
            assert.is_true(public[symbol], symbol .. " is not declared in a public header")
            count = count + 1
        end
        assert.is_true(count > 100, count .. " names")
    end)

    it("names the library by its soname", function()
        local text = succeed(("LC_ALL=C readelf -d %s/liblunarray.so.0"):format(build))
        assert.is_truthy(text:find("soname: [liblunarray.so.0]", 1, true), text)
        assert.equal("liblunarray.so.0\n", succeed(("readlink %s/liblunarray.so"):format(build)))
    end)

    it("leaves Lua to the interpreter that loads the module", function()
        assert.is_falsy(succeed(("readelf -d %s/lunarray.so"):format(build)):find "liblua")
    end)

    it("puts the whole engine into the program", function()
        assert.is_falsy(succeed(("readelf -d %s/lunarray"):format(build)):find "liblunarray")
    end)

    it("lets C modules use Lua and the engine through the program", function()
        local names = succeed(("nm -D --defined-only %s/lunarray"):format(build))
        for _, name in ipairs { "lua_callk", "luaL_openlibs", "luaL_addgsub", "lun_open", "lun_add" } do
            assert.is_truthy(names:find(" " .. name .. "\n", 1, true), name)
        end
        assert.is_falsy(names:find " GOMP_")
        assert.is_falsy(names:find " omp_")
    end)

    it("embeds every Lua file under its module's name", function()
        for path in succeed "find lua/lunarray -name '*.lua'":gmatch "[^\n]+" do
            local name = path:gsub("^lua/", ""):gsub("%.lua$", ""):gsub("/", ".")
            if name ~= "lunarray.init" then
                assert.equal("function", type(package.preload[name]), name)
            end
        end
    end)

    it("declares every name that the Lua files call the binding by", function()
        local declared, there = {}, {}
        for line in io.lines "interp/bind/internal.def" do
            local name, what = line:match '^LUN_INTERNAL%(([%w_]+), +"(.+)"%)$'
            if name then declared[name] = #what > 0 end
        end
        for name in pairs(require "lunarray.core".internal) do
            there[name] = true
        end
        assert.same(there, declared)
    end)

    it("embeds bytes as they are, of any value, and empty files", function()
        local bytes = {}
        for i = 0, 255 do
            bytes[#bytes + 1] = string.char(i)
        end
        local text = table.concat(bytes):rep(3) .. "no newline at the end"
        succeed(("mkdir -p '%s/lua/lunarray/sub'"):format(scratch))
        shell.write(scratch .. "/lua/lunarray/init.lua", text)
        shell.write(scratch .. "/lua/lunarray/sub/init.lua", "")
        shell.write(scratch .. "/lua/lunarray/odd.lua", "return 1\n")
        shell.write(scratch .. "/main.c", [[
            #include <stdio.h>
            #include "state/modules.h"
            int main(void)
            {
                for (const struct lun__embedded *row = lun__embedded; row->name; row++) {
                    printf("%s %s %zu:", row->name, row->chunk, row->length);
                    fwrite(row->bytes, 1, row->length, stdout);
                }
                return 0;
            }]])
        local root = capture "pwd":gsub("\n$", "")
        local function embed(compile, files)
            return ("cd '%s' && sh %s/interp/state/embed.sh %s %s >gen.c && cc -I%s/interp main.c gen.c -o show"):format(scratch, root,
                compile, files, root)
        end
        shell.write(scratch .. "/empty", "")
        succeed(("chmod +x '%s/empty'"):format(scratch)) -- a shell runs it, and it does nothing
        for _, compile in ipairs { "no-such-tool", "./empty" } do
            succeed(embed(compile, "lua/lunarray/init.lua lua/lunarray/sub/init.lua lua/lunarray/odd.lua"))
            assert.equal("lunarray @lua/lunarray/init.lua 789:" .. text
                .. "lunarray.sub @lua/lunarray/sub/init.lua 0:"
                .. "lunarray.odd @lua/lunarray/odd.lua 9:return 1\n", succeed(scratch .. "/show"))
        end

        local tool = (build:sub(1, 1) == "/" and build or root .. "/" .. build) .. "/gen/compile"
        if lfs.attributes(tool, "size") == 0 then return end -- Lua's library was missing
        succeed(embed(tool, "lua/lunarray/sub/init.lua lua/lunarray/odd.lua"))
        local odd = string.dump(assert(load("return 1\n", "@lua/lunarray/odd.lua")))
        local shown = succeed(scratch .. "/show")
        assert.equal(("lunarray.odd @lua/lunarray/odd.lua %d:%s"):format(#odd, odd), shown:match "lunarray%.odd.*")
        shell.write(scratch .. "/lua/lunarray/odd.lua", "local x\nreturn 1 +\n")
        local said = capture(("{ %s; }"):format(embed(tool, "lua/lunarray/sub/init.lua lua/lunarray/odd.lua")))
        assert.truthy(said:find("lua/lunarray/odd.lua:3: unexpected symbol", 1, true), said)
    end)

    if sanitized then
        return -- stock programs cannot load what is instrumented
    end

    local use = [[lua5.4 -e 'local lun = require "lunarray" print(#lun.vector{1, 2, 3}) require "lunarray.format.csv"']]

    it("works as a module of the stock interpreter from the project's root", function()
        assert.equal("3\n", succeed(
            ('LUA_CPATH="%s/?.so" LUA_PATH="lua/?.lua;lua/?/init.lua" '):format(build) .. use))
    end)

    it("stays loaded when a state or a host lets go of it, as OpenMP's threads still run", function()
        for _, name in ipairs { "liblunarray.so.0", "lunarray.so" } do
            assert.is_truthy(succeed(("readelf -d %s/%s"):format(build, name)):find "NODELETE", name)
        end
    end)

    it("ends well in the stock interpreter after work on all threads, and loses no output", function()
        shell.write(scratch .. "/end.lua", [[
            local lun = require "lunarray"
            io.write(tostring((lun.random(1000000) * 2):sum() > 0), "\n")]])
        for _, policy in ipairs { "passive", "active" } do
            for _ = 1, 20 do
                assert.equal("true\n", succeed(('OMP_WAIT_POLICY=%s LUNARRAY_THREADS=4 LUA_CPATH="%s/?.so" '
                    .. "LUA_PATH=nothing lua5.4 '%s/end.lua'"):format(policy, build, scratch)))
            end
        end
    end)

    it("ends well in a host that unloads it", function()
        shell.write(scratch .. "/unload.c", [[
            #include <dlfcn.h>
            #include <stdio.h>
            #include "lunarray.h"
            #define FIND(name) __typeof__(&name) p_##name = (__typeof__(&name))dlsym(library, #name)
            int main(int argc, char **argv)
            {
                (void)argc;
                for (int round = 0; round < 3; round++) {
                    void *library = dlopen(argv[1], RTLD_NOW);
                    if (!library)
                        return 2;
                    FIND(lun_open);
                    FIND(lun_dostring);
                    FIND(lun_close);
                    lun_engine *e = NULL;
                    if (p_lun_open(NULL, &e) || p_lun_dostring(e, "assert((lun.random(1000000) * 2):sum() > 0)"))
                        return 3;
                    p_lun_close(e);
                    dlclose(library);
                }
                puts("done");
                return 0;
            }]])
        succeed(("cc -Iprims '%s/unload.c' -o '%s/unload' -ldl"):format(scratch, scratch))
        for _ = 1, 5 do
            assert.equal("done\n", succeed(("LUNARRAY_THREADS=4 '%s/unload' %s/liblunarray.so.0"):format(scratch, build)))
        end
    end)

    it("works there without any Lua file", function()
        assert.equal("3\n", succeed(('LUA_CPATH="%s/?.so" LUA_PATH="nothing" '):format(build) .. use))
    end)

    it("has a manual page with every option of the program", function()
        local page = assert(io.open "packaging/lunarray.1"):read "a":gsub("\\%-", "-")
        for option in succeed(build .. "/lunarray --help"):gmatch "%-%-[a-z-]+" do
            assert.is_truthy(page:find(option, 1, true), option)
        end
        local count = 0
        for name in succeed("grep -rhoE '\"LUNARRAY_[A-Z_0-9]+\"' prims backends interp"):gmatch '"([%w_]+)"' do
            assert.is_truthy(page:find(name, 1, true), name)
            count = count + 1
        end
        assert.is_true(count > 20, count)
    end)

    it("has completions made from its table of options", function()
        local to = scratch .. "/made"
        succeed(("mkdir -p '%s' && %s/lunarray packaging/completions.lua '%s'"):format(to, build, to))
        for _, name in ipairs { "lunarray.bash", "lunarray.fish" } do
            assert.equal(io.open("packaging/" .. name):read "a", io.open(to .. "/" .. name):read "a", "make docs")
        end
        local bash = io.open "packaging/lunarray.bash":read "a"
        for option in succeed(build .. "/lunarray --help"):gmatch "\n  (%-%-?[%a-]+)" do
            assert.is_truthy(bash:find(" " .. option:gsub("%-", "%%-") .. "[ \"]"), option)
        end
    end)

    -- What bash offers for the last of these words.
    local function offered(...)
        local words = table.concat({ ... }, "' '")
        return succeed(([[bash -c 'source packaging/lunarray.bash; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1))
            _lunarray; printf "%%s\n" "${COMPREPLY[@]}"' - 'lunarray' '%s']]):format(words))
    end

    it("has completions that bash takes", function()
        if shell.capture "command -v bash" == "" then
            pending "bash is missing"
            return
        end
        assert.equal("--backend\n", offered "--back")
        assert.equal("openmp\nopenmp/2\nopencl\nopencl:0\n", offered("--backend", "o"))
        assert.equal("reference\n", offered("--backend", "=", "r"))
        assert.equal("\n", offered("--threads", ""))
        assert.equal("examples/daxpy.lua\n", offered("--threads", "2", "examples/dax"))
        assert.equal("examples/data\n", offered "examples/dat")
        assert.equal("Makefile\n", offered("examples/daxpy.lua", "Makef"))
    end)

    it("has completions that fish takes", function()
        if shell.capture "command -v fish" == "" then
            pending "fish is missing"
            return
        end
        local function fish(line)
            return succeed(("HOME='%s' fish --no-config -c 'source packaging/lunarray.fish; complete -C \"%s\"'"):format(scratch, line))
        end
        assert.equal("--backend\tcompute with this backend (see --info)\n", fish "lunarray --back")
        assert.truthy(fish("lunarray --backend r"):find("^reference\t"))
        assert.equal("examples/daxpy.lua\n", fish "lunarray examples/dax")
    end)

    it("has a rockspec whose targets and headers are there", function()
        local rock = {}
        assert(loadfile("lunarray-scm-1.rockspec", "t", rock))()
        assert.equal("lunarray", rock.package)
        assert.equal("make", rock.build.type)
        local makefile = assert(io.open "Makefile"):read "a" .. assert(io.open "packaging/install.mk"):read "a"
        for _, target in ipairs { rock.build.build_target, rock.build.install_target } do
            assert.is_truthy(makefile:find("\n" .. target:gsub("%-", "%%-") .. ":"), target)
        end
        local needed = assert(io.open "tests/setup.sh"):read "a"
        for name, dependency in pairs(rock.external_dependencies) do
            assert.is_truthy(needed:find("header " .. dependency.header, 1, true), name)
            assert.is_truthy(rock.build.variables.CPPFLAGS:find(name .. "_INCDIR", 1, true), name)
        end
    end)

    -- What it holds is linked three times.
    local archived = os.getenv "TEST_WHOLE" and not sanitized and not build:find "coverage" and shell.capture "command -v xz" ~= ""
    local archive_test = archived and it or function() end
    archive_test("has an archive that runs from any folder and needs glibc alone", function()
        local said = succeed(("XZ_OPT=-0 make -s BUILD='%s' dist"):format(build))
        local archive = assert(said:match "(%S+)%.tar%.xz: %d+ kB, needs GLIBC_[%d.]+\n$", said)
        local to = scratch .. "/any where"
        succeed(("mkdir '%s' && tar -C '%s' -xf %s.tar.xz && rm -r %s %s.tar.xz"):format(to, to, archive, archive, archive))
        local tree = to .. "/" .. archive:match "[^/]+$"
        for file in succeed(("find '%s' -type f \\( -name '*.so*' -o -path '*/bin/*' \\)"):format(tree)):gmatch "[^\n]+" do
            for name, path in succeed(("ldd '%s'"):format(file)):gmatch "%s*(%S+) => (.-) %(0x" do
                local glibc = name:find "^lib[cm]%.so" or name:find "^libmvec%." or name:find "^libdl%." or name:find "^librt%."
                    or name:find "^libpthread%." or name:find "^libresolv%." or name:find "^linux%-vdso"
                -- a library beside the others finds those that it needs by what loads it
                assert.is_truthy(glibc or path:find(to, 1, true) or file:find "/lib/lib[^/]*$" and
                    not file:find "liblunarray", file .. " takes " .. name .. " from " .. path)
            end
        end
        succeed(("chmod -R a-w '%s'"):format(tree))
        assert.equal("6.0\n", succeed(("cd / && '%s/bin/lunarray' -e 'print(lun.ones(6):sum())'"):format(tree)))
        assert.equal("3\n", succeed(('cd / && LUA_PATH=nothing LUA_CPATH="%s/lib/lua/5.4/?.so" '):format(tree) .. use))
        shell.write(scratch .. "/use.c", c_program)
        succeed(("cd '%s' && eval cc use.c -o use-dist $(PKG_CONFIG_PATH='%s/lib/pkgconfig' pkg-config --cflags --libs lunarray)")
            :format(scratch, tree))
        assert.equal("2 4 6\n", succeed(("LD_LIBRARY_PATH='%s/lib' '%s/use-dist'"):format(tree, scratch)))
        succeed(("chmod -R u+w '%s'"):format(tree))
    end)

    describe("make install", function()
        local root, where

        setup(function()
            root = scratch .. "/root"
            where = ("make -s BUILD='%s' PREFIX=/opt/lun DESTDIR='%s' "):format(build, root)
            succeed("mkdir -p '" .. root .. "/opt'")
            succeed(where .. "install")
            succeed(where .. "install") -- what the first one made is known to the second
        end)

        it("puts everything in its place", function()
            assert.equal(table.concat({
                "/opt/lun/bin/lunarray",
                "/opt/lun/include/lunarray.h",
                "/opt/lun/include/lunarray.hpp",
                "/opt/lun/include/lunarray_arrow.h",
                "/opt/lun/include/lunarray_bind.h",
                "/opt/lun/include/lunarray_dlpack.h",
                "/opt/lun/lib/cmake/lunarray/lunarrayConfig.cmake",
                "/opt/lun/lib/cmake/lunarray/lunarrayConfigVersion.cmake",
                "/opt/lun/lib/liblunarray.a",
                "/opt/lun/lib/liblunarray.so",
                "/opt/lun/lib/liblunarray.so.0",
                "/opt/lun/lib/liblunarray.so." .. version,
                "/opt/lun/lib/lua/5.4/lunarray.so",
                "/opt/lun/lib/pkgconfig/lunarray.pc",
                "/opt/lun/share/bash-completion/completions/lunarray",
                "/opt/lun/share/doc/lunarray/card.md",
                "/opt/lun/share/doc/lunarray/llms.txt",
                "/opt/lun/share/fish/vendor_completions.d/lunarray.fish",
                "/opt/lun/share/lunarray/installed",
                "/opt/lun/share/lunarray/luals/config.json",
                "/opt/lun/share/lunarray/luals/library/lunarray.lua",
                "/opt/lun/share/man/man1/lunarray.1",
            }, "\n") .. "\n", succeed(
                ("cd '%s' && find . ! -type d | sed 's/^.//' | LC_ALL=C sort"):format(root)))
        end)

        it("leaves a module that needs no Lua file", function()
            assert.equal("3\n", succeed(
                ('cd / && LUA_PATH=nothing LUA_CPATH="%s/opt/lun/lib/lua/5.4/?.so" '):format(root) .. use))
        end)

        it("leaves a program that runs from there", function()
            assert.equal("2\n", succeed(("cd / && '%s/opt/lun/bin/lunarray' -e 'print(#lun.zeros(2))'")
                :format(root)))
        end)

        -- An installation that was moved, into a folder with a blank.
        local function moved()
            succeed(("cp -a '%s/opt/lun' '%s/moved here'"):format(root, scratch))
            return scratch .. "/moved here"
        end

        it("leaves a library that C programs find by pkg-config, shared and static, wherever it is moved", function()
            shell.write(scratch .. "/use.c", c_program)
            local to = moved()
            -- what make coverage builds needs its counters' library too
            local more = build:find "coverage" and " --coverage" or ""
            for _, place in ipairs { root .. "/opt/lun", to } do
                local flags = ("PKG_CONFIG_PATH='%s/lib/pkgconfig' pkg-config --cflags --libs "):format(place)
                local from = ("cd '%s' && eval cc -Wall -Werror use.c %s -o "):format(scratch, more)
                succeed(from .. "use-shared $(" .. flags .. "lunarray)")
                assert.equal("2 4 6\n", succeed(("LD_LIBRARY_PATH='%s/lib' '%s/use-shared'"):format(place, scratch)))
                succeed(from .. "use-static $(" .. flags .. "--static lunarray | sed s/-llunarray/-l:liblunarray.a/)")
                assert.equal("2 4 6\n", succeed(("'%s/use-static'"):format(scratch)))
            end
            succeed(("rm -rf '%s'"):format(to))
        end)

        local cmake = shell.capture "command -v cmake" ~= "" and not build:find "coverage"
        -- A project's configuration with these lines in place of find_package's; its text, its status.
        local function configure(place, find)
            shell.write(scratch .. "/project/CMakeLists.txt", ([[
                cmake_minimum_required(VERSION 3.16)
                project(host C CXX)
                %s
                foreach(target lunarray static)
                    add_executable(use_${target} use.c)
                    target_link_libraries(use_${target} PRIVATE lunarray::${target})
                endforeach()
                add_executable(use_cpp use.cc)
                target_link_libraries(use_cpp PRIVATE lunarray::lunarray)]]):format(find))
            return capture(("cmake -S '%s/project' -B '%s/project/out' -DCMAKE_PREFIX_PATH='%s'"):format(scratch, scratch,
                place))
        end
        (cmake and it or pending)("leaves a package that CMake finds, wherever it is moved", function()
            local to = moved()
            succeed(("mkdir -p '%s/project'"):format(scratch))
            shell.write(scratch .. "/project/use.c", c_program)
            shell.write(scratch .. "/project/use.cc", "#include <lunarray.hpp>\n#include <cstdio>\n"
                .. 'int main() { std::puts(lun_version()); }\n')
            local text, status = configure(to, "find_package(lunarray 0.1 REQUIRED)")
            assert.equal(0, status, text)
            succeed(("cmake --build '%s/project/out'"):format(scratch))
            assert.equal("2 4 6\n", succeed(("'%s/project/out/use_lunarray'"):format(scratch)))
            assert.equal("2 4 6\n", succeed(("'%s/project/out/use_static'"):format(scratch)))
            assert.equal(version .. "\n", succeed(("'%s/project/out/use_cpp'"):format(scratch)))
            for find, want in pairs {
                ["find_package(lunarray 0.2 REQUIRED)"] = 'compatible with requested version "0.2"',
                ["find_package(lunarray 1 REQUIRED)"] = 'compatible with requested version "1"',
                ["find_package(lunarray 0.1 REQUIRED COMPONENTS opencl)"] = "lunarray has no component 'opencl'",
                ["find_package(lunarray 0.1.0...0.3 REQUIRED)"] = false,
                ["find_package(lunarray EXACT 0.1.0 REQUIRED)"] = false,
                ["find_package(lunarray REQUIRED)"] = false,
            } do
                succeed(("rm -rf '%s/project/out'"):format(scratch))
                text, status = configure(to, find)
                assert.equal(want and 1 or 0, status, text)
                assert.is_truthy(not want or text:gsub("%s+", " "):find(want, 1, true), text)
            end
            succeed(("rm '%s/lib/liblunarray.so.%s'"):format(to, version))
            text, status = configure(to, "find_package(lunarray 0.1 REQUIRED)")
            assert.equal(1, status)
            assert.matches("install lunarray again", (text:gsub("%s+", " ")))
            succeed(("rm -rf '%s' '%s/project'"):format(to, scratch))
        end)

        it("leaves headers for C11 and C++ without extensions", function()
            shell.write(scratch .. "/use.cc", "extern \"C\" {}\n")
            local cpp = select(2, capture(("clang++ -std=c++17 -fsyntax-only -include cstdint '%s/use.cc'")
                :format(scratch))) == 0
            for _, name in ipairs { "lunarray.h", "lunarray_arrow.h", "lunarray_bind.h", "lunarray_dlpack.h" } do
                local header = root .. "/opt/lun/include/" .. name
                succeed(("clang -x c -std=c11 -Wall -Wextra -pedantic -Werror -fsyntax-only '%s'"):format(header))
                if cpp then
                    succeed(("clang++ -x c++ -std=c++17 -Wall -Wextra -pedantic -Werror -fsyntax-only '%s'")
                        :format(header))
                end
            end
        end)

        it("can be undone", function()
            succeed(where .. "uninstall")
            assert.equal(root .. "\n" .. root .. "/opt\n", succeed(("find '%s' | LC_ALL=C sort"):format(root)))
            local text, status = capture(where .. "uninstall")
            assert.equal(2, status)
            assert.matches("no installation in ", text)
        end)
    end)
end)
