-- The table of names (prompt/entries.lua) is what the code has: each function and method is in it and none besides, each
-- option is one that the function takes; and what is made of it for editors and machines holds.

local shell = require "shell"

local core = require "lunarray.core"
local entries = require "lunarray.prompt.entries"
local editors = dofile "packaging/editors.lua"

local all = entries.all()

local function names_of(owner)
    local names = {}
    for _, entry in ipairs(all) do
        if entry.owner == owner then
            assert.is_nil(names[entry.name], owner .. " has " .. entry.name .. " twice")
            names[entry.name] = true
        end
    end
    return names
end

-- The names of functions in a table, but for those of events.
local function functions_in(...)
    local names = {}
    for _, t in ipairs { ... } do
        for name, value in next, t do
            local meta = type(value) == "table" and debug.getmetatable(value)
            if (type(value) == "function" or meta and meta.__call) and name:find "^%a" then
                names[name] = true
            end
        end
    end
    return names
end

describe("the table of names", function()
    it("has every function and method, and none besides", function()
        assert.same(functions_in(require "lunarray"), names_of "lun")
        assert.same(functions_in(core.internal.methods), names_of "a")
        for name in pairs(functions_in(core.internal.text_methods, core.internal.time_methods)) do
            assert.is_true(names_of "a"[name], name)
        end
        assert.same(functions_in(require("lunarray.table.object").verbs), names_of "t")
        assert.same(functions_in(require("lunarray.table.group").methods), names_of "g")
        local builder = debug.getmetatable(lun.compose(lun.zip "+")).__index
        assert.same(functions_in(core.internal.skeleton_methods, type(builder) == "table" and builder or {}), names_of "s")
    end)

    it("says of each how it is called", function()
        for _, entry in ipairs(all) do
            assert.is_true(#entry.forms > 0, entry.owner .. " " .. entry.name .. ": " .. entry.call)
            for _, form in ipairs(entry.forms) do
                for _, one in ipairs(form.parameters) do
                    assert.is_true(one.name == "..." or load("local " .. one.name) ~= nil, entry.call)
                    assert.is_string(one.type)
                end
            end
        end
    end)

    -- Arguments for calls whose parameters' types do not say enough.
    local function vector() return lun.vector { 1.0, 2, 3 } end
    local SPECIAL = {
        pack = { lun.map(function(x) return x end) },
        quantile = { 0.5 }, cut = { { 0, 1 } }, digitize = { vector() }, pct_change = { 1 }, windows = { 2 }, rolling = { 2, "sum" },
        scanby = { vector(), "+", 0 }, multivariate_normal = { vector(), lun.eye(3), 2 }, struct = { "P", { { "x", "f64" } } },
        join = { vector(), "left" }, group = { vector() }, len = {},
    }
    local SAMPLES = {
        ["lun.Array"] = vector, ["lun.Operand"] = vector, integer = function() return 2 end,
        ["lun.Function"] = function() return function(x) return x end end, ["lun.Shape"] = function() return 3 end,
        ["lun.dtype"] = function() return "f64" end, string = function() return "x" end,
        table = function() return { vector() } end, any = function() return 1 end,
    }

    local function columns()
        return lun.table { city = { "Oslo", "Rome", "Oslo" }, temp = lun.vector { 7, 21, 9 },
            time = lun.date.range("2024-01-01", "2024-01-03", "1d") }
    end
    local OF_TABLES = { ["t:join"] = { lun.table { city = { "Rome" }, land = { "Italy" } }, "city" }, ["t:resample"] = { "time", "1d" },
        ["t:sample"] = { 2 }, ["t:sort"] = { "temp" }, ["t:unique"] = { "city" }, ["g:sample"] = { 1 }, ["g:topk"] = { 1, "temp" },
        ["t:melt"] = {}, ["t:pivot"] = {} }

    -- The arguments of a call with an option that there is not.
    local function arguments_of(entry, form)
        local is_matrix = entry.call:find "^A:"
        local of_table = OF_TABLES[entry.owner .. ":" .. entry.name]
        if of_table then
            local t = columns()
            local list = { entry.owner == "g" and t:group "city" or t }
            table.move(of_table, 1, #of_table, 2, list)
            list[#list + 1] = { no_such_option = 1 }
            return list
        end
        local receiver = entry.name == "len" and lun.vector { "a" } or is_matrix and lun.full({ 2, 2 }, 1.0) or vector()
        local list = { entry.owner == "a" and receiver or nil }
        local special = SPECIAL[entry.name]
        if special then
            if entry.owner == "lun" and entry.call:find "^%a:" then
                list[1] = receiver
            elseif entry.owner == "lun" and entry.call:find "%(a," then
                list[1] = vector()
            end
            table.move(special, 1, #special, #list + 1, list)
        end
        for _, one in ipairs(special and {} or form.parameters) do
            if one.name == "..." or one.options then
                break
            elseif not one.optional then
                list[#list + 1] = is_matrix and one.name == "a" and receiver or (SAMPLES[one.type] or SAMPLES.any)()
            end
        end
        list[#list + 1] = { no_such_option = 1 }
        return list
    end

    it("has the options that calls take: an unknown one is refused with the list of them", function()
        local looked = 0
        for _, entry in ipairs(all) do
            local known = {}
            for _, form in ipairs(entry.forms) do
                for _, option in ipairs(form.open and {} or form.options) do
                    known[option.name] = true
                end
            end
            local is_looked_at = entry.owner == "a" or entry.owner == "lun" or OF_TABLES[entry.owner .. ":" .. entry.name]
            local may_be_left_out = entry.owner == "s" or entry.call:find "^t:group" -- whose tables may be columns
            assert.is_truthy(is_looked_at or may_be_left_out or not next(known), entry.call)
            for _, form in ipairs(next(known) and is_looked_at and entry.forms or {}) do
                if #form.options > 0 and not form.open then
                    local f = entry.owner ~= "lun" and function(a, ...) return a[entry.name](a, ...) end or lun[entry.name]
                    local ok, message = pcall(f, table.unpack(arguments_of(entry, form)))
                    local list = not ok and tostring(message):match
                        "unknown option 'no_such_option'[:;] the[%l ]- ?[ai][rs]e? ([%w_, ]*)%)?$"
                    local said = ("%s of %s: %s"):format(entry.name, entry.owner, tostring(message))
                    assert.is_string(list, said)
                    for name in list:gmatch "[%w_]+" do
                        if name ~= "and" then
                            assert.is_true(known[name], said .. ": no help on " .. name)
                        end
                    end
                    for _, option in ipairs(form.options) do
                        assert.matches("%f[%w_]" .. option.name .. "%f[^%w_]", list, said)
                    end
                    looked = looked + 1
                end
            end
        end
        assert.is_true(looked > 150)
    end)
end)

describe("what is made of it", function()
    local definitions = editors.definitions()

    it("stands in the files (make docs)", function()
        for _, file in ipairs(editors.files()) do
            assert.equal(file[2], shell.slurp(file[1]), file[1])
        end
    end)

    it("has definitions that are Lua, each name once, each @param a parameter", function()
        assert(load(definitions, "=definitions", "t"))
        local seen, params = {}, {}
        for line in definitions:gmatch "[^\n]+" do
            local param = line:match "^%-%-%-@param ([%w_.]+)%??%s"
            local path, list = line:match "^function ([%w_.:]+)%((.-)%) end$"
            local called = line:match "^(lun%.%w+) = {}$"
            if called and names_of "lun"[called:sub(5)] then
                seen[called] = true
            end
            params[#params + 1] = param
            if path then
                assert.is_nil(seen[path], path)
                seen[path] = true
                assert.equal(list, table.concat(params, ", "), path)
                params = {}
            end
        end
        for _, entry in ipairs(all) do
            local class = ({ lun = "lun.", a = "Array:", t = "Table:", g = "Groups:", s = "Skeleton:", q = "Queue:", ev = "Event:",
                b = "Buffer:" })[entry.owner]
            assert.is_true(seen[class .. entry.name], class .. entry.name)
            seen[class .. entry.name] = nil
        end
        for path in pairs(seen) do -- of tables in the module
            local outer, inner = path:match "^lun%.(%w+)%.([%w_]+)$"
            assert.is_function(outer and lun[outer][inner], path)
        end
        for _, name in ipairs { "pi", "e", "inf", "nan", "na", "_VERSION" } do
            assert.matches("\n---@field " .. name .. " ", definitions, 1, true)
        end
    end)

    it("names only classes and aliases that it has", function()
        local known = {}
        for name in definitions:gmatch "\n%-%-%-@%l+ (lun[%w.]*)" do
            known[name] = true
        end
        for line in definitions:gmatch "\n%-%-%-@[prf]%l+ [^\n]+" do
            for name in line:gmatch "%f[%w]lun%.%u%w*" do
                assert.is_true(known[name], line)
            end
        end
    end)

    local _, status = shell.capture "command -v lua-language-server"
    if status == 0 then
        it("lets lua-language-server find no undefined field in the examples", function()
            local config = shell.write(os.tmpname(), ('{"workspace.library": ["%s"], "diagnostics.disable": ["%s"]}'):format(
                "share/lunarray/luals/library", "lowercase-global"))
            local said = shell.capture(("lua-language-server --check examples --configpath %s --checklevel=Error 2>&1"):format(config))
            os.remove(config)
            assert.not_matches("undefined%-field", said)
        end)
    else
        print "entries: lua-language-server: skipped: it is not on the path"
    end

    it("has a card with each name, whose script runs, and an index of pages", function()
        local card = editors.card()
        assert.is_true(#card <= 10240, #card)
        for _, entry in ipairs(all) do
            if #entry.owner == 1 and entry.owner ~= "q" and entry.owner ~= "b" or entry.owner == "lun" then
                assert.matches("%f[%w_]" .. entry.name .. "%f[^%w_]", card, entry.name)
            end
        end
        local script = card:match "```lua\n(.-)```"
        local path = shell.write(os.tmpname(), script)
        local out, code = shell.capture(("'%s' %s 2>&1"):format(shell.interpreter(), path))
        os.remove(path)
        assert.equal(0, code, out)
        local index = editors.llms()
        assert.is_true(#index < 4096)
        for page in index:gmatch "%(([^)]+)%)" do
            assert(io.open(page)):close()
        end
        for example in index:gmatch "\n%- (examples/%S+)" do
            assert(io.open(example)):close()
        end
    end)
end)
