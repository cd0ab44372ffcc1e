-- Kernels taken from a machine with a compiler to one without: lun.cache.export and import.

local lun = require "lunarray"
local expect = require "expect"
local shell = require "shell"

local directory, bundle
local CODE = [[
local lun = require 'lunarray'
lun.use 'openmp'
local a = lun.range(1, 100000):cast 'f64'
local function e() return (a * 2.5 + 1):sqrt() end
local m = lun.map '(double x, double k) { return x * k + 1; }'
]]
local RUN = CODE .. [[
local total = (e():sum() + m(a, 3):sum())
local s = lun.stats()
print(('%.17g %d %d'):format(total, s.compiles, s.cache_hits))
]]

-- What a script prints in a process with this cache, and with no compiler unless `setting` names one.
local function run(cache, script, setting)
    local path = shell.write(directory .. "/script.lua", script)
    return (shell.capture(("LUNARRAY_JIT=sync LUNARRAY_CACHE_DIR=%s/%s %s %s %s 2>&1"):format(directory, cache,
        setting or "LUNARRAY_CC=/nonexistent", shell.interpreter(), path)))
end

local function import(path)
    return ("print(require 'lunarray'.cache.import '%s')\n"):format(path)
end

-- Imports a bundle with these bytes into an empty cache; gives what that prints, and the number of files there then.
local function import_bytes(bytes)
    local path = shell.write(directory .. "/changed", bytes)
    shell.discard(directory .. "/changed_cache")
    local said = run("changed_cache", import(path))
    local files = shell.capture(("ls %s/changed_cache 2>/dev/null | grep -v size | wc -l"):format(directory))
    return said, tonumber(files)
end

describe("a bundle of kernels", function()
    local printed

    setup(function()
        directory = shell.scratch()
        bundle = directory .. "/kernels"
        printed = run("made", RUN .. ("print(lun.prepare(e())) print(lun.cache.export '%s')"):format(bundle), "A=1")
    end)
    teardown(function() shell.discard(directory) end)

    it("is used where there is no compiler", function()
        local total, compiles, count = printed:match "^(%S+) (%d+) 0\ntrue\n(%d+)\n$"
        assert(total, printed)
        assert(tonumber(compiles) >= 2 and tonumber(count) >= 3, printed)
        local there = run("used", import(bundle) .. RUN)
        local copied, own, compiled, hits = there:match "^(%d+)\n(%S+) (%d+) (%d+)\n$"
        assert(copied, there)
        assert.equal(count, copied)
        assert.equal(total, own)
        assert.equal("0", compiled)
        assert(tonumber(hits) >= 2, there)
        local again = run("used", RUN) -- another process, which imports nothing
        assert.equal(("%s 0 %s\n"):format(total, hits), again)
    end)

    it("is what C texts need there", function()
        assert(run("none", RUN):find("/nonexistent: no such compiler", 1, true))
    end)

    it("can be exported again where it was imported", function()
        local said = run("used", import(bundle) .. ("print(require 'lunarray'.cache.export '%s/second')"):format(directory))
        local first, second = said:match "^(%d+)\n(%d+)\n$"
        assert(first and first == second, said)
        assert.equal(#shell.slurp(bundle), #shell.slurp(directory .. "/second"))
    end)

    it("serves a machine with a compiler too", function()
        local there = run("with", import(bundle) .. RUN, "A=1")
        assert(there:find(" 0 %d+\n$"), there)
    end)

    it("is refused where anything in it has changed", function()
        local bytes = shell.slurp(bundle)
        for _, at in ipairs { 1, 9, 13, 17, 25, #bytes // 3, #bytes // 2, #bytes } do
            local changed = bytes:sub(1, at - 1) .. string.char(bytes:byte(at) ~ 1) .. bytes:sub(at + 1)
            local said, files = import_bytes(changed)
            assert(said:find("^nil\t.*/changed: .*\tEIO\n$"), said)
            assert.equal(0, files)
        end
        for _, length in ipairs { 0, 7, 39, 60, #bytes // 2, #bytes - 1 } do
            local said, files = import_bytes(bytes:sub(1, length))
            assert(said:find("^nil\t.*\tEIO\n$"), said)
            assert.equal(0, files)
        end
        local said = import_bytes(bytes .. "x")
        assert(said:find("incomplete or damaged", 1, true), said)
    end)

    it("is refused by another version and for other instructions", function()
        local bytes = shell.slurp(bundle)
        local line = bytes:match "lunarray %d[^\n]* kernels for [^\n]*\n"
        assert(line)
        for from, to in pairs { ["%d+%.(%d+)"] = "9.%1", ["for [^\n]"] = "for Z" } do
            local other = line:gsub(from, to, 1)
            assert(#other == #line and other ~= line)
            local said, files = import_bytes((bytes:gsub(line:gsub("%p", "%%%0"), (other:gsub("%%", "%%%%")), 1)))
            assert(said:find("contains " .. other:sub(1, -2) .. ", but this program uses " .. line:sub(1, -2), 1, true), said)
            assert.equal(0, files)
        end
    end)

    it("is refused where other users can write to it, or where it is no bundle", function()
        local path = shell.write(directory .. "/open", shell.slurp(bundle))
        assert(os.execute("chmod go+w " .. path))
        assert(run("open_cache", import(path)):find("other users can write to it, and a bundle is code", 1, true))
        assert(run("open_cache", import(directory)):find("not a file", 1, true))
        assert(run("open_cache", import(directory .. "/missing")):find("No such file", 1, true))
    end)

    it("cannot be written where there is nothing, or nowhere", function()
        local said = run("empty", ("print(require 'lunarray'.cache.export '%s/nothing')"):format(directory))
        assert(said:find("the cache holds no compiled kernels to export", 1, true), said)
        assert.is_nil(io.open(directory .. "/nothing"))
        said = run("made", ("print(require 'lunarray'.cache.export '%s/no/such')"):format(directory), "A=1")
        assert(said:find("^nil\t.*No such file.*EIO"), said)
    end)

    it("is refused in the sandbox", function()
        for _, call in ipairs { "export", "import" } do
            local script = shell.write(directory .. "/script.lua", ("print(pcall(lun.cache.%s, '%s'))"):format(call, bundle))
            local said = shell.capture(("%s --sandbox %s 2>&1"):format(shell.interpreter(), script))
            assert(said:find "^false\t", said)
            assert(said:find("not allowed in the sandbox", 1, true), said)
        end
    end)

    it("is named by a path", function()
        expect.failure("string expected", lun.cache.export)
        expect.failure("string expected", lun.cache.import, {})
        expect.failure("at most 1 expected", lun.cache.export, bundle, 2)
    end)
end)
