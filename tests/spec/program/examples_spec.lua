-- Every example prints what its head says it prints ("prints:" and the lines below it in the comment; "..."
-- stands for a time); what it writes to stderr, such as times and counts of messages, comes last.
-- Those in Lua run in the program, those in examples/embed are built as their users would build them:
-- from an installed tree, by pkg-config, as strict C11 and C++17.

local shell = require "shell"
local build = os.getenv "BUILD" or "build"
local sanitized = build:find "asan" or build:find "tsan"

local function capture(command)
    return shell.capture(command .. " 2>&1")
end

local function succeed(command)
    local text, status = capture(command)
    assert.equal(0, status, command .. "\n" .. text)
    return text
end

-- What the comment at the head of a file says: the text, and how to run it where that is told.
local function head_of(path)
    local lines, command, inside = {}, nil, false
    for line in io.lines(path) do
        local text = line:match "^%-%- ?(.*)$" or line:match "^// ?(.*)$" or line:match "^ %*/?(.*)$"
        if line:find "^/%*" then
            text = ""
        elseif not text or line:find "^ %*/" then
            break
        end
        if text:find "prints:%s*$" then
            inside = true
        elseif inside then
            lines[#lines + 1] = text
        else
            command = command or text:match "^%s+build/lunarray ([%w%- ]*examples/.*)$"
        end
    end
    assert(inside, path .. " does not say what it prints")
    local indent = lines[1]:match "^%s*"
    for i, line in ipairs(lines) do
        assert(line == "" or line:sub(1, #indent) == indent, path .. ": unequal indentation")
        lines[i] = line:sub(#indent + 1)
    end
    while lines[#lines] == "" do
        lines[#lines] = nil
    end
    return table.concat(lines, "\n") .. "\n", command
end

describe("examples", function()
    local scratch, root

    setup(function()
        scratch = capture "mktemp -d":gsub("\n$", "")
    end)

    teardown(function()
        os.execute(("rm -rf '%s'"):format(scratch))
    end)

    -- Those two are held to more by specs of their own.
    local elsewhere = { ["examples/weather.lua"] = true, ["examples/mandelbrot.lua"] = true }
    for path in io.popen("ls examples/*.lua"):lines() do
        if not elsewhere[path] then
            it(path .. " prints what it says", function()
                local expected, command = head_of(path)
                command = (command or path):gsub("/tmp/", scratch .. "/")
                local printed = succeed(("%s/lunarray %s 2>%s/err; s=$?; cat %s/err; exit $s"):format(build, command, scratch,
                    scratch)):gsub(scratch .. "/", "/tmp/")
                local pattern = expected:gsub("%p", "%%%0"):gsub("%%%.%%%.%%%. ms", "[%%d.]+ ms")
                if not printed:find("^" .. pattern .. "$") then
                    assert.equal(expected, printed)
                end
            end)
        end
    end

    if sanitized then
        return -- what uses the library would have to be instrumented too
    end

    describe("that embed", function()
        setup(function()
            root = scratch .. "/root"
            succeed(("make -s BUILD='%s' PREFIX=/opt/lun DESTDIR='%s' install"):format(build, root))
        end)

        for source, compiler in pairs {
            ["embed.c"] = "cc -std=c11 -D_POSIX_C_SOURCE=200809L",
            ["queue.c"] = "cc -std=c11",
            ["tables.c"] = "cc -std=c11",
            ["package.c"] = "cc -std=c11",
            ["records.c"] = "cc -std=c11",
            ["scopes.c"] = "cc -std=c11",
            ["arrow.c"] = "cc -std=c11",
            ["threads.c"] = "cc -std=c11 -pthread",
            ["sensor.c"] = "cc -std=c11 -pthread",
            ["embed.cpp"] = "c++ -std=c++17",
        } do
            local there = select(2, capture("command -v " .. compiler:match "%S+")) == 0 -- C++ is not needed to build
            (there and it or pending)(source .. " builds from the installed tree and prints what it says", function()
                local path = "examples/embed/" .. source
                succeed(("%s -Wall -Wextra -pedantic -Werror %s -o %s/%s.out "
                    .. "$(PKG_CONFIG_PATH=%s/opt/lun/lib/pkgconfig pkg-config --cflags --libs lunarray) -lm")
                    :format(compiler, path, scratch, source, root))
                assert.equal((head_of(path)), succeed(("LD_LIBRARY_PATH=%s/opt/lun/lib LUNARRAY_CACHE_DIR=%s/cache "
                    .. "%s/%s.out"):format(root, scratch, scratch, source)))
            end)
        end

        it("sql.c asks DuckDB, and says where it is not", function()
            succeed(("cc -std=c11 -Wall -Wextra -pedantic -Werror -o %s/sql.out examples/embed/sql.c "
                .. "$(PKG_CONFIG_PATH=%s/opt/lun/lib/pkgconfig pkg-config --cflags --libs lunarray)"):format(scratch, root))
            local run = ("LD_LIBRARY_PATH=%s/opt/lun/lib LUNARRAY_CACHE_DIR=%s/cache LUNARRAY_DUCKDB='%%s' %s/sql.out 2>&1")
                :format(root, scratch, scratch)
            local said, status = capture(run:format "/no/library.so")
            assert.equal(1, status)
            assert.matches("^sql: EIO: LUNARRAY_DUCKDB names /no/library.so: not found\n", said)
            local library = require "doors.duckdb_library".list(scratch)[1]
            if library then
                assert.equal((head_of "examples/embed/sql.c"), succeed(run:format(library.variable)))
            else
                print "examples/sql.c: only its error was tested: no duckdb (sh tests/setup.sh doors)"
            end
        end)

        it("static.mk puts all of Lunarray into a host", function()
            succeed(("cp examples/embed/static.mk examples/embed/tables.c %s && cd %s && PKG_CONFIG_PATH=%s/opt/lun/lib/pkgconfig "
                .. "make -s -f static.mk HOST=tables"):format(scratch, scratch, root))
            assert.is_nil(succeed(("ldd %s/tables"):format(scratch)):find("liblunarray", 1, true))
            assert.equal((head_of "examples/embed/tables.c"), succeed(("LUNARRAY_CACHE_DIR=%s/cache %s/tables"):format(scratch, scratch)))
        end)

        -- Its files and commands as they stand, but for the installation and where it is.
        local cmake = select(2, capture("command -v cmake")) == 0;
        (cmake and it or pending)("cmake/ builds hosts with the library, with all of it inside, and in C++", function()
            local to = scratch .. "/hosts"
            succeed(("cmake -S examples/embed/cmake -B '%s' -DCMAKE_PREFIX_PATH=%s/opt/lun >/dev/null && cmake --build '%s' >/dev/null")
                :format(to, root, to))
            local run = ("LD_LIBRARY_PATH=%s/opt/lun/lib LUNARRAY_CACHE_DIR=%s/cache %s/"):format(root, scratch, to)
            assert.equal((head_of "examples/embed/tables.c"), succeed(run .. "tables"))
            assert.equal((head_of "examples/embed/embed.cpp"), succeed(run .. "embed"))
            assert.is_nil(succeed(("ldd %s/tables-alone"):format(to)):find("liblunarray", 1, true))
            assert.equal((head_of "examples/embed/tables.c"), succeed(("LUNARRAY_CACHE_DIR=%s/cache %s/tables-alone"):format(scratch, to)))
        end);

        (cmake and it or pending)("embedding in ten minutes builds as it is typed", function()
            local files, commands, text = {}, {}, shell.slurp "docs/embedding/ten-minutes.md"
            for language, block in text:gmatch "```(%l+)\n(.-)```" do
                files[language] = files[language] or block
                commands[#commands + 1] = language == "sh" and block or nil
            end
            assert.equal("make install PREFIX=$HOME/lun\n", commands[1])
            shell.capture(("mkdir -p %s/host"):format(scratch))
            shell.write(scratch .. "/host/CMakeLists.txt", files.cmake)
            shell.write(scratch .. "/host/host.c", files.c)
            local home = root .. "/opt"
            local printed = succeed(("cd %s/host && export HOME=%s LUNARRAY_CACHE_DIR=%s/cache && %s"):format(scratch, home, scratch,
                commands[2]:gsub("\n(.)", " >/dev/null && %1")))
            assert.equal(files.c:match "// prints:\n// ([^\n]+)" .. "\n", printed)
        end)
    end)

    it("say at their heads that they need a C compiler, and what to do without one", function()
        local count = 0
        for path in io.popen("grep -l '^-- Needs a C compiler' examples/*.lua examples/skelcl/*.lua"):lines() do
            local text, status = capture(("LUNARRAY_BACKEND=openmp LUNARRAY_CC=/no/such/cc LUNARRAY_CACHE_DIR= timeout 300 %s/lunarray %s")
                :format(build, path))
            assert.equal(1, status, path)
            assert.is_truthy(text:find("/no/such/cc: no such compiler; install a C compiler, or name one in LUNARRAY_CC, "
                .. "or write the function in Lua", 1, true), text)
            count = count + 1
        end
        assert.equal(18, count)
    end)
end)
