-- Ranks for specs: the program's path from anywhere, a scratch directory, scripts that several ranks run as threads.
local shell = require "shell"

local onranks = {}

local program = shell.interpreter()

onranks.here = shell.capture "pwd":gsub("\n$", "")
onranks.path = program:sub(1, 1) == "/" and program or onranks.here .. "/" .. program
onranks.sanitized = program:find "/asan/" or program:find "/tsan/"

-- A scratch directory for a file whose functions these are: a function that gives its path.
function onranks.scratch(setup, teardown)
    local scratch
    setup(function() scratch = shell.scratch() end)
    teardown(function() shell.discard(scratch) end)
    return function() return scratch end
end

-- Lines of a text, sorted; of equal ones the first alone, unless `all`.
function onranks.lines(text, all)
    local lines, seen = {}, {}
    for line in text:gmatch "[^\n]+" do
        if all or not seen[line] then
            seen[line], lines[#lines + 1] = true, line
        end
    end
    table.sort(lines)
    return lines
end

-- The different lines that n ranks print, sorted, those to stderr among them.
function onranks.printed(scratch, n, script)
    shell.write(scratch .. "/s.lua", script)
    return onranks.lines((shell.capture(("cd %s && LUNARRAY_RANK_TIMEOUT=120 timeout 300 %s --ranks %d s.lua 2>&1"):format(
        scratch, onranks.path, n))))
end

-- What scripts begin with that print of each result a number that hangs on all of its bytes.
onranks.PUT = [[
local line = 0
local function put(x)
    local text, h = type(x) == "number" and ("%.17g"):format(x) or x:eval():tobytes(), 0
    for k = 1, #text - 7, 8 do h = h * 31 + string.unpack("<i8", text, k) end
    for k = #text - #text % 8 + 1, #text do h = h * 31 + text:byte(k) end
    line = line + 1
    print(line, #text, h)
end
]]

-- Of a function that runs a script by a command: one that runs it on n ranks, which compute for rank 0, and one that asserts
-- that it prints the same on one machine and on so many ranks. assert: busted's.
function onranks.serving(run, assert)
    local function served(n, script, environment)
        return run(("%s --ranks %d --backend mpi"):format(onranks.path, n), script, environment)
    end
    return served, function(counts, script)
        local want, status = run(onranks.path, script)
        assert.equal(0, status, want)
        for _, n in ipairs(counts) do
            local got, code = served(n, script)
            assert.equal(want, got, n .. " ranks")
            assert.equal(0, code)
        end
    end
end

-- What scripts about blocked arrays begin with.
local HEAD = [[
local s = lun.spmd
local n, me = s.npes, s.mype
local function blocked(x, axis)
    return x:copy():distribute("block", { over = "ranks", axis = axis })
end
local function same(what, a, x) -- a blocked array and a private one
    assert(a:kind() == "Blocked", what .. ": not blocked")
    local whole = a:copy():distribute("copy", { over = "ranks" })
    local function text(y)
        return y:dtype() .. " " .. table.concat({ y:shape() }, ",")
    end
    assert(text(whole) == text(x), what .. ": " .. text(whole) .. ", " .. text(x))
    assert(whole:tobytes() == x:tobytes(), what)
end
]]

-- Functions of such scripts: the lines that n ranks print; that assertions hold on several numbers of ranks. assert:
-- busted's.
function onranks.blocked(scratch, assert, head)
    local function run(n, script)
        return onranks.printed(scratch(), n, (head or HEAD) .. script)
    end
    return run, function(script)
        for _, n in ipairs { 1, 2, 3, 4, 7 } do
            assert.are.same({ "held" }, run(n, script .. '\nprint "held"'), n .. " ranks")
        end
    end
end

-- What scripts of shared loops have: arrays blocked and as tables, the plain loop, and whether both agree on this rank.
local LOOPS = [[
local s = lun.spmd
local me = s.mype
local function blocked(shape, x)
    local a = lun.zeros(shape, x:dtype())
    a:set(x)
    return a
end
local function serial(extents, f, ...)
    if #extents == 0 then
        return f(...)
    end
    local range = type(extents[1]) == "table" and extents[1] or { 1, extents[1] }
    for i = range[1], range[2] do
        local all = table.pack(...)
        all[#all + 1] = i
        serial({ table.unpack(extents, 2) }, f, table.unpack(all))
    end
end
local function bits(x)
    return type(x) == "number" and string.pack(math.type(x) == "integer" and "j" or "n", x) or tostring(x)
end
local function agree(what, a, t)
    local all = a:copy():distribute("copy", { over = "ranks" }):totable()
    local function compare(x, y, at)
        if type(x) == "table" then
            assert(#x == #y, what)
            for k in ipairs(x) do compare(x[k], y[k], at .. " " .. k) end
        elseif bits(x) ~= bits(y) then
            error(("%s, element%s: %s instead of %s"):format(what, at, x, y), 0)
        end
    end
    compare(all, t, "")
end
]]

-- The same of these.
function onranks.loops(scratch, assert)
    return onranks.blocked(scratch, assert, LOOPS)
end

return onranks
