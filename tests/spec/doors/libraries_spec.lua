-- Libraries that are opened at run time: where they are looked for, which are refused and with what words. The libraries
-- are made here, for the test, with the functions by which the engine knows them.
local shell = require "shell"

local build = os.getenv "BUILD" or "build"
local program = io.popen("realpath " .. build .. "/lunarray"):read "l"

local DUCKDB = [[
const char *duckdb_library_version(void) { return "%s"; }
void duckdb_fetch_chunk(void) {}
void duckdb_interrupt(void) {}
void duckdb_create_table_function(void) {}
]]

-- Compiles a library and gives its path.
local function make(path, text, flags)
    shell.write(path .. ".c", text)
    local said, status = shell.capture(("cc -shared -fPIC -o %s %s.c %s 2>&1"):format(path, path, flags or ""))
    assert(status == 0, said)
    return path
end

describe("libraries of the system", function()
    local at, good

    setup(function()
        at = shell.scratch()
        good = make(at .. "/good.so", DUCKDB:format "v2.0.1")
    end)

    teardown(function()
        shell.discard(at)
    end)

    -- What a script prints, in a folder of its own.
    local function run(settings, script, by)
        local file = shell.write(at .. "/script.lua", script)
        return (shell.capture(("cd %s && %s %s %s 2>&1"):format(at, settings, by or program, file)))
    end

    local function door(settings, name)
        return run(settings, ("print(lun.door '%s')"):format(name or "duckdb"))
    end

    it("open where the variable names them", function()
        assert.equal("true\n", door("LUNARRAY_DUCKDB=" .. good))
        assert.matches("\nduckdb     2%.0%.1, " .. good:gsub("%p", "%%%0") .. "\n",
            (shell.capture(("LUNARRAY_DUCKDB=%s %s --info"):format(good, program))))
        assert.matches("\nLUNARRAY_DUCKDB " .. good:gsub("%p", "%%%0") .. "\n",
            (shell.capture(("LUNARRAY_DUCKDB=%s %s --info"):format(good, program))) .. "\n")
    end)

    it("open after those that they need", function()
        local base = make(at .. "/base.so", "int needed_by_it(void) { return 7; }")
        local user = make(at .. "/user.so", "int needed_by_it(void);\n" .. DUCKDB:gsub('"%%s"',
            'needed_by_it() == 7 ? "v1.9.0" : "0"', 1))
        assert.equal("true\n", door(("LUNARRAY_DUCKDB=%s:%s"):format(base, user)))
        assert.equal(("nil\tLUNARRAY_DUCKDB names %s/none.so: not found\n"):format(at),
            door(("LUNARRAY_DUCKDB=%s/none.so:%s"):format(at, user)):match "^[^\n]*\n")
    end)

    it("are refused by name", function()
        local old = make(at .. "/old.so", DUCKDB:format "v1.0.0")
        local less = make(at .. "/less.so", (DUCKDB:format("v1.2.0"):gsub("[^\n]*fetch_chunk[^\n]*\n", "")))
        local text = shell.write(at .. "/text.so", "no library\n")
        local elf = shell.slurp(good)
        local foreign = shell.write(at .. "/foreign.so", elf:sub(1, 18) .. "\243\0" .. elf:sub(21))
        local get = "\nGet libduckdb from DuckDB's releases (1.1 or newer) and put it beside the program or name it in "
            .. "LUNARRAY_DUCKDB.\tlibrary\n"
        assert.equal(("nil\tDuckDB 1.0.0 is too old: 1.1 or newer is needed (%s)"):format(old) .. get, door("LUNARRAY_DUCKDB=" .. old))
        assert.equal(("nil\t%s is no DuckDB library: it has no duckdb_fetch_chunk"):format(less) .. get,
            door("LUNARRAY_DUCKDB=" .. less))
        assert.equal(("nil\tLUNARRAY_DUCKDB names %s/none.so: not found"):format(at) .. get,
            door(("LUNARRAY_DUCKDB=%s/none.so"):format(at)))
        for _, path in ipairs { text, foreign, at } do
            local said = door("LUNARRAY_DUCKDB=" .. path)
            assert.equal(1, said:find(("nil\t%s cannot be loaded: "):format(path), 1, true), said)
            assert.equal(get, said:sub(-#get))
        end
    end)

    it("open beside the program, and not in the current folder", function()
        shell.capture(("mkdir -p %s/b/bin %s/b/lib/lunarray && cp %s %s/b/bin/lunarray"):format(at, at, program, at))
        local copy = at .. "/b/bin/lunarray"
        make(at .. "/libduckdb.so", DUCKDB:format "v1.3.0")
        local missing = run("env -u LUNARRAY_DUCKDB", "print(lun.door 'duckdb')", copy)
        if missing ~= "true\n" then -- else the system has one
            assert.equal("nil\tDuckDB's library is needed for Parquet, SQL: libduckdb.so was not found (LUNARRAY_DUCKDB, beside the "
                .. "program, the system's libraries).\n", missing:match "^[^\n]*\n")
        end
        local path = "print(lun.info():match '\\nduckdb%s+(.-)\\n')"
        make(at .. "/b/lib/lunarray/libduckdb.so", DUCKDB:format "v1.4.0")
        assert.equal(("1.4.0, %s/b/bin/../lib/lunarray/libduckdb.so\n"):format(at), run("", path, copy))
        make(at .. "/b/bin/libduckdb.so", DUCKDB:format "v1.5.0")
        assert.equal(("1.5.0, %s/b/bin/libduckdb.so\n"):format(at), run("", path, copy))
        make(at .. "/b/bin/libduckdb.so", DUCKDB:format "v1.0.9") -- one that will do, after one that will not
        assert.equal(("1.4.0, %s/b/bin/../lib/lunarray/libduckdb.so\n"):format(at), run("", path, copy))
    end)

    it("are asked their version in numbers, too", function()
        local hdf5 = "int H5get_libversion(unsigned *a, unsigned *b, unsigned *c) { *a = 1; *b = %d; *c = 2; return 0; }\n"
            .. "void H5open(void) {}\nvoid H5Fopen(void) {}\nvoid H5Dread(void) {}\n"
        assert.equal("true\n", door("LUNARRAY_HDF5=" .. make(at .. "/h.so", hdf5:format(14)), "hdf5"))
        assert.matches("^nil\tHDF5 1%.8%.2 is too old: 1%.10 or newer is needed ",
            door("LUNARRAY_HDF5=" .. make(at .. "/i.so", hdf5:format(8)), "hdf5"))
    end)

    it("are opened when a script needs them, not before", function()
        local said = run("LUNARRAY_DUCKDB=" .. good, [[
            local function loaded()
                return io.open("/proc/self/maps"):read("a"):find("/good.so", 1, true) ~= nil
            end
            local a = lun.index(10):sum()
            print(loaded(), lun.door "duckdb", loaded())]])
        assert.equal("false\ttrue\ttrue\n", said)
    end)

    it("have names", function()
        assert.has_error(function() lun.door "parquet" end,
            "bad argument #1 to 'door' (there is no door 'parquet', only duckdb, sqlite, hdf5, lz4, zstd, blas, fftw, lapack)")
        assert.has_error(function() lun.door() end, "bad argument #1 to 'door' (string expected, got no value)")
    end)

    it("are out of a sandbox's reach", function()
        assert.equal("nil\tnil\n", (shell.capture(("%s --sandbox -e 'print(lun.door, lun.info)' 2>&1"):format(program))))
    end)
end)
