-- Runs random programs (programs.lua) of a seed on a backend and compares what they see with the model, bit for
-- bit. Knows no step of theirs.

local harness = require "diff.harness"
local dtypes = require "diff.dtypes"
local lun = require "lunarray"
local programs = require "diff.programs"

local run = {}

local lengths = { 0, 1, 2, 3, 5, 8, 16, 17, 64, 65, 100, 130, 8, 20, 64, 100 }

local function check(program)
    return function(name, array, number)
        local want = program.snapshots[number]
        if array:dtype() ~= want.t.name then
            error(("check %d: %s has dtype %s, not %s"):format(number, name, array:dtype(), want.t.name), 0)
        end
        local shape = { array:shape() }
        if not programs.same_shape(shape, want.shape) then
            error(("check %d: %s has shape {%s}, not {%s}"):format(number, name, table.concat(shape, ", "),
                table.concat(want.shape, ", ")), 0)
        end
        local got = dtypes.unpack(want.t, array:tobytes())
        harness.elements = harness.elements + #want.list
        for i, x in ipairs(want.list) do
            if not harness.same(got[i], x) then
                error(("check %d: element %d of %s (%s) is %s, not %s"):format(number, i, name, want.t.name,
                    harness.text(got[i]), harness.text(x)), 0)
            end
        end
    end
end

local function environment(program, directory)
    return {
        lun = lun, math = math, collectgarbage = collectgarbage, assert = assert, dir = directory,
        check = check(program),
        b = function(hex)
            return (hex:gsub("..", function(c) return string.char(tonumber(c, 16)) end))
        end,
        bytes = function(s, t, shape)
            if type(t) == "table" then -- bytes(s, {of = array})
                shape = { t.of:shape() }
                t = t.of:dtype()
            end
            return lun.frombytes(s, t):reshape(shape)
        end,
        number = function(x, want)
            if not harness.same(x, want) or math.type(x) ~= math.type(want) then
                error(("a number is %s, not %s"):format(harness.text(x), harness.text(want)), 2)
            end
            return x
        end,
        shown = function(a)
            assert(#tostring(a) > 0)
        end,
        fails = function(what, f)
            local ok, message = pcall(f)
            if ok or not tostring(message):find(what, 1, true) then
                error(("'%s' was expected, not %s"):format(what, tostring(message)), 2)
            end
        end,
    }
end

-- The program of a seed. directory: for files; uses: names of backends that it changes between.
function run.make(seed, directory, uses)
    local g = require("diff.operands").generator(seed + 1000003)
    local length, steps = g.one_of(lengths), 10 + g.pick(60)
    if g.pick(50) == 1 then -- beyond a chunk of the reductions, sometimes of the scans
        length, steps = 16000 + g.pick(1000) + (g.pick(2) - 1) * 50000, 10
    end
    return programs.make(seed, { length = length, steps = steps, directory = directory, uses = uses })
end

-- The program of a seed on a backend: nil, or what went wrong with the text.
function run.one(seed, backend, directory, uses)
    local program = run.make(seed, directory, uses)
    lun.use(backend)
    local f, message = load(program.text, "=program", "t", environment(program, directory))
    if f then
        local ok
        ok, message = pcall(f)
        message = not ok and tostring(message) or nil
    end
    return message and ("program %d on %s: %s\n%s"):format(seed, backend, message, program.text)
end

return run
