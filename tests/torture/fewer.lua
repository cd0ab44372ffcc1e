-- Every function and method with too few arguments, none to all but one of lists that suit many, and with nil in each
-- place: nothing crashes, a failure has a message. What it is for is a Lua that checks its C interface (make apicheck),
-- which ends the process where a function reads arguments that are not there.
local kit = dofile "tests/torture/kit.lua"
local lfs = require "lfs"
local lun = require "lunarray"
local complete = require "lunarray.prompt.complete"

local LEFT_OUT = { trim = true, serve = true } -- change the process, or wait for others
local MOST <const> = 4

local directory = kit.directory()

local function lists()
    local a, b = lun.vector { 1, 2, 3 }, lun.zeros { 2, 3 }
    local function f(x) return x + 1 end
    local P = lun.struct("P", { { "x", "f64" } })
    return {
        { a, a, a, a }, { a, "+", 0, 3 }, { a, 1, 2, 3 }, { b, 1, 2, {} }, { a, f, 0, {} }, { "+", 0, a, a }, { 3, f, {}, a },
        { "reference", 3, "f64", 1 }, { { 2, 2 }, f, a, 1 }, { directory .. "/x.npy", a, {}, 1 }, { { a = a }, { "a" }, 1, 1 },
        { "P", { { "x", "f64" } }, {}, 1 }, { P(a), 1, 2, 3 }, { lun.map "-", lun.map "-", a, 1 }, { lun.group(a), a, "+", 0 },
    }
end

local calls, silent = 0, 0

local function call(f, ...)
    local results = table.pack(pcall(f, ...))
    calls = calls + 1
    local e = results[2]
    local text = not results[1] and type(e) == "table" and e.message or e
    if not results[1] and (type(text) ~= "string" or #text < 5) then
        silent = silent + 1
    end
    lun.use "reference"
end

-- With the first k of a list, for each k, and with nil in place of each of them. self: what a method is called on.
local function shorten(f, list, self)
    local function try(...)
        if self ~= nil then
            call(f, self, ...)
        else
            call(f, ...)
        end
    end
    for k = 0, MOST do
        try(table.unpack(list, 1, k))
        for gap = 1, k do
            local own = table.move(list, 1, k, 1, {})
            own[gap] = nil
            try(table.unpack(own, 1, k))
        end
    end
end

local function all(value, self)
    local count = 0
    for _, name in ipairs(complete.names(self or value)) do
        local f = (self or value)[name]
        if not LEFT_OUT[name] and (type(f) == "function" or type(f) == "userdata") then
            count = count + 1
            call(f) -- a method without what it is called on, too
            for _, list in ipairs(lists()) do
                shorten(f, list, self)
            end
        end
    end
    return count
end

kit.part("too few arguments", function()
    local out = io.stdout
    io.stdout = assert(io.open("/dev/null", "w")) -- luacheck: ignore
    local shown = print
    _G.print = function() end -- luacheck: ignore
    lun.use "reference"
    local home = lfs.currentdir() -- what is taken as a file's name is a file elsewhere
    assert(lfs.chdir(directory))
    local functions = all(lun) + all(lun.op) + all(lun.date)
    local methods = 0
    for _, self in ipairs { lun.vector { 3, 1, 2 }, lun.map "-", lun.map "-" >> lun.map "-", lun.group(lun.vector { 1, 2, 1 }),
        lun.queue "reference", lun.buffer("reference", 3), lun.factor { "a", "b", "a" } } do
        methods = methods + all(nil, self)
    end
    lun.check(false)
    pcall(lun.trace) -- one that was begun ends, and writes its file
    assert(lfs.chdir(home))
    _G.print, io.stdout = shown, out -- luacheck: ignore
    os.execute("rm -rf " .. kit.quote(directory))
    return silent == 0 and functions > 150 and methods > 150, "%d functions, %d methods, %d calls: 0 crashes, %d without a message",
        functions, methods, calls, silent
end)
