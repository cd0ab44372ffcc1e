-- Every function of the module and every method, called wrongly: the error stands at the script's line, names the
-- function that the script has called, and no file of the library.

local lun = require "lunarray"
local complete = require "lunarray.prompt.complete"
local lfs = require "lfs"
local shell = require "shell"

local SCRIPT <const>, LINE <const> = "called.lua", 3
local PLACE <const> = SCRIPT .. ":" .. LINE

-- Functions that end the process, wait, or read the terminal; and what has no arguments that could be wrong.
local LEFT_OUT = { trim = true, serve = true, check = true }

local HERE, STARTED = lun.use(), lfs.currentdir()
local directory = shell.scratch()

-- A function of a script, as one that is compiled has to be.
local FUNCTION = load("\n\nreturn function() end", "@" .. SCRIPT)()

local function wrong()
    local freed = lun.vector { 1 }
    freed:free()
    return { {}, { 1, "y" }, true, -1, 0.5, "x", FUNCTION, coroutine.create(print), io.stdout, freed,
        lun.zeros { 2, 3 }, 1e300, lun.map "-", lun.zeros(0), 0 / 0 }
end

local FORMS = { "f()", "f(v)", "f(v, w)", "f(a, v)", "f(a, a, v)", "f(a, v, w)", "f('+', v)", "f(3, v)", "f(nil, v)",
    "f({3}, v)", "f(v, a)", "f(function(i) return i end, v)" }

local calls, faults

-- What is wrong with an error of `called`, nil: nothing. `also`: another name that it may have.
local function fault_of(e, called, also)
    local text = (type(e) == "string" or type(e) == "table") and tostring(e) or "no text"
    local others = text:gsub(SCRIPT:gsub("%.", "%%.") .. ":%d+", "")
    local name = text:match "bad argument #?%-?%d* ?to '([^']*)'" or text:match "bad argument '%a+' to '([^']*)'"
        or text:match "calling '([^']*)' on bad self" or text:match "number of arguments to '([^']*)'"
    local from_start = text:sub(1, #PLACE) == PLACE
    if others:find("lunarray/", 1, true) or others:find "%.lua:%d" then
        return "names another file: " .. text
    elseif not from_start then
        return "is not at the script's line: " .. text
    elseif name and name ~= called and name ~= also then
        return ("blames '%s': %s"):format(name, text)
    end
end

-- Calls with each wrong value in each place of each form, on what `subject` makes.
local function try(called, text, subject, also)
    for _, form in ipairs(FORMS) do
        local code = ("local o, a, v, w = ...\n\nlocal r = %s\nreturn tostring(r)"):format((form:gsub("^f", function() return text end)))
        local f = assert(load(code, "@" .. SCRIPT))
        for i, v in ipairs(wrong()) do
            local values = wrong()
            local ok, e = pcall(f, subject(), lun.vector { 1, 2, 3 }, v, values[i * 7 % #values + 1])
            calls = calls + 1
            local fault = not ok and fault_of(e, called, also)
            if fault then
                faults[#faults + 1] = ("%s, value %d: %s"):format(form:gsub("^f", text), i, fault)
            end
            if form == "f()" or fault then
                break
            end
        end
    end
end

local function check(prefix, names, value, subject, also)
    calls, faults = 0, {}
    for _, name in ipairs(names) do
        local f = value and value[name]
        if not LEFT_OUT[name] and name:find "^[%a_][%w_]*$" and (not value or type(f) == "function" or type(f) == "userdata") then
            try(name, prefix .. name, subject, also)
        end
    end
    lun.use(HERE)
    assert.equal("", table.concat(faults, "\n"))
end

local function nothing() end

describe("a wrong call #place", function()
    local shown, printed

    setup(function()
        assert(lfs.chdir(directory)) -- numbers and texts are names of files too
        shown, io.stdout = io.stdout, assert(io.open("/dev/null", "w")) -- luacheck: ignore
        printed, _G.print = print, function() end -- luacheck: ignore
    end)
    teardown(function()
        io.stdout:close()
        io.stdout, _G.print = shown, printed -- luacheck: ignore
        lun.use(HERE)
        assert(lfs.chdir(STARTED))
        shell.discard(directory)
    end)
    before_each(function() lun.use "reference" end)

    it("of a function of the module is blamed on the script", function()
        check("lun.", complete.names(lun), lun, nothing)
        assert(calls > 15000, calls)
    end)

    it("of lun.op and lun.date too", function()
        check("lun.op.", complete.names(lun.op), lun.op, nothing)
        check("lun.date.", complete.names(lun.date), lun.date, nothing)
    end)

    local samples = {
        Vector = function() return lun.vector { 3, 1, 2 } end,
        View = function() return lun.zeros { 2, 3 } end,
        Composition = function() return lun.vector { 3, 1, 2 } + 1 end,
        skeleton = function() return lun.map "-" end,
        sequence = function() return lun.map "-" >> lun.map "-" end,
        group = function() return lun.group(lun.vector { 1, 2, 1 }) end,
        factor = function() return lun.factor { "a", "b", "a" } end,
        queue = function() return lun.queue "reference" end,
        buffer = function() return lun.buffer("reference", 3) end,
        records = function()
            local P = lun.struct("P", { { "x", "f64" }, { "y", "i32" } })
            return P(lun.vector { 1.0, 2, 3 }, lun.vector({ 1, 2, 3 }, "i32"))
        end,
    }
    for kind, make in pairs(samples) do
        it(("of a method of a %s is blamed on the script"):format(kind), function()
            check("o:", complete.names(make(), true), nil, make)
        end)
    end

    it("of s:run names the method, and of s(...) the skeleton", function()
        local subjects = { map = "lun.map '-'", zip = "lun.zip '+'", reduce = "lun.reduce '+'", scan = "lun.scan '+'",
            stencil = "lun.stencil(function(x) return x(0) end)", allpairs = "lun.allpairs('-', '+')",
            sequence = "(lun.map '-' >> lun.map '-')", compose = "lun.compose(lun.zip '+'):left(lun.map '-')" }
        local function message(text)
            local ok, e = pcall(assert(load("local a = ...\n\nlocal r = " .. text .. "\nreturn r", "@" .. SCRIPT)), lun.vector { 1, 2, 3 })
            assert.is_false(ok, text)
            return tostring(e)
        end
        for name, s in pairs(subjects) do
            for _, list in ipairs { "", "{}", "'x', 'x'", "{}, out = a", "a, a, out = 3", "a, a, a, a, a" } do
                assert.matches(" to 'run' ", message(("(%s):run{%s}"):format(s, list)))
            end
            assert.matches((" to '%s' "):format(name), message(("(%s)('x', 'x')"):format(s)))
        end
        assert.matches("bad argument 'out' to 'run'", message "lun.map '-':run{a, out = lun.vector {1}}")
        assert.matches("bad argument #2 to 'run'", message "lun.zip '+':run{a, lun.vector {1, 2}}")
    end)

    it("of a function of lun.spmd is blamed on the script", function()
        assert.equal(1, lun.spmd.npes) -- which loads it
        check("lun.spmd.", complete.names(lun.spmd), lun.spmd, nothing)
        assert(calls > 1000, calls)
    end)

    it("is blamed on the script while lun.check is on", function()
        lun.check(true)
        local ok, e = pcall(check, "o:", { "map", "zip", "reduce", "scan", "allpairs", "filter" }, nil, samples.Vector)
        lun.check(false)
        assert(ok, e)
    end)

    it("of an operator names the operator", function()
        local OPERATORS = { ["//"] = { "o // v", "v // o" }, ["%"] = { "o % v" }, ["^"] = { "v ^ o" }, ["&"] = { "o & v" },
            [".."] = { "o .. v", "v .. o" }, ["A[i]"] = { "o[v]" } }
        calls, faults = 0, {}
        for operator, list in pairs(OPERATORS) do
            for _, expression in ipairs(list) do
                local f = assert(load("local o, v = ...\n\nlocal r = " .. expression .. "\nreturn r", "@" .. SCRIPT))
                for i, v in ipairs(wrong()) do
                    local ok, e = pcall(f, samples.Vector(), v)
                    local fault = not ok and fault_of(e, operator)
                    if fault then
                        faults[#faults + 1] = ("%s, value %d: %s"):format(expression, i, fault)
                    end
                end
            end
        end
        assert.equal("", table.concat(faults, "\n"))
    end)

    it("of a metamethod that a function of Lua's calls stands at the script's line", function()
        local CALLS = { "tostring(v)", "('%s'):format(v)", "ipairs(v)(v, 0)", "pairs(v)", "table.insert(v, 1)",
            "table.unpack(v)", "table.remove(v)", "table.move(v, 1, 2, 1, {})", "table.move({ 1 }, 1, 1, 1, v)", "table.sort { v, v, v }",
            "table.sort(v)", "('a'):gsub('.', function() return v[1] end)", "error(select(2, pcall(v.sum, v)), 0)",
            "table.unpack(w, 1, 9)", "table.insert(w, 1)", "table.remove(w)", "table.move({ 1 }, 1, 1, 9, w)", "table.sort { w, 'x' }",
            "table.sort { w, lun.zeros(7), w }", "table.concat(w, ' ', 1, 9)", "error(select(2, pcall(w.sum, w, { axis = 9 })), 0)",
            "error(select(2, xpcall(w.sum, function(e) return e end, w, { axis = 9 })), 0)" }
        faults = {}
        for _, call in ipairs(CALLS) do
            local v, w = lun.vector { 1, 2, 3 }, lun.vector { 1, 2, 3 }
            v:free()
            local ok, e = pcall(assert(load("local lun, v, w = ...\n\nlocal r = " .. call, "@" .. SCRIPT)), lun, v, w)
            if ok or not tostring(e):find("^" .. PLACE .. ": .") then
                faults[#faults + 1] = call .. ": " .. tostring(e)
            end
        end
        assert.equal("", table.concat(faults, "\n"))
    end)

    it("gives the number that the argument has in the script", function()
        local function failure(text)
            local ok, e = pcall(assert(load("local a = ...\n\nlocal r = " .. text .. "\nreturn r", "@" .. SCRIPT)), lun.vector { 1, 2, 3 })
            assert.is_false(ok)
            return e
        end
        local function message(text)
            return failure(text):match "^called.lua:3: ([^(]*) %("
        end
        assert.equal("bad argument #1 to 'sequence'", message "lun.sequence('x')")
        assert.equal("bad argument #2 to 'sequence'", message "lun.sequence(lun.map '-', 'x')")
        assert.equal("bad argument #2 to 'filter'", message "lun.filter(a, true)")
        assert.equal("bad argument #1 to 'filter'", message "a:filter(true)")
        assert.equal("bad argument #1 to 'all'", message "a:all(7)")
        assert.equal("bad argument #2 to 'all'", message "lun.all(a, 7)")
        -- What fails while it is computed is no argument's: the line is the expression's.
        local e = failure "lun.vector { 0 / 0 }:histogram(4)\n\nr = tostring(r)"
        assert.equal("ERANGE", e.code)
        assert.equal("called.lua:3", e.where)
    end)
end)
