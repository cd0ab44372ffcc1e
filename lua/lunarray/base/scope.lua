-- The environments of scripts (lun_scope, lun_scope_new): each has its own table `lun`, with what the module has as
-- these files know it, and its own globals. A script's writes to them are seen in its own environment only.
--
-- Invariant: `given` has, weakly, every table `lun` that scripts got as a copy, and what those show that are none yet;
-- `shown` has, weakly, those. `kept` and the tables in `common` are set before a script of theirs runs and never
-- change. No script gets one of them, the module or a table of it, only copies.

local M = {
    no_files = nil, -- in a sandbox: why pictures go to the terminal alone
}

local given = setmetatable({}, { __mode = "k" }) -- the tables that scripts know as `lun`
local shown = setmetatable({}, { __mode = "k" }) -- those that show what a common one has
local hidden = {} -- names of the module that scripts do not get

-- A copy of a table and, `depth` levels down, of the tables in it, with their metatables.
local function copy(t, depth)
    local result = {}
    for key, value in next, t do
        result[key] = depth > 0 and type(value) == "table" and copy(value, depth - 1) or value
    end
    return setmetatable(result, debug.getmetatable(t))
end

-- ---------------------------------------------------------------- the module

-- A table `lun` for scripts.
function M.module()
    local lun = copy(require "lunarray", 1)
    for name in pairs(hidden) do
        lun[name] = nil
    end
    given[lun] = true
    return lun
end

-- Hides the names in the list from later tables.
function M.hide(names)
    for name in names:gmatch "%S+" do
        hidden[name] = true
    end
end

-- Calls f with the module and with each table that scripts know as `lun`.
function M.each(f)
    f(require "lunarray")
    for lun in pairs(given) do
        f(lun)
    end
end

-- Calls f with these, and with those that are no copies yet.
function M.every(f)
    M.each(f)
    for lun in pairs(shown) do
        f(lun)
    end
end

-- Whether x is a script's table `lun`.
function M.is_module(x)
    return x ~= nil and (given[x] ~= nil or shown[x] ~= nil)
end

-- ---------------------------------------------------------------- globals

local kept -- the globals as they were before any script

-- A copy of globals and of the libraries in them. Modules that were required are in one list, so that is one table.
local function libraries_copied(globals)
    local G = copy(globals, 0)
    G._G, G.lun = nil, nil
    for name, value in next, G do
        if type(value) == "table" and name ~= "package" then
            G[name] = copy(value, 0)
        end
    end
    return G
end

-- Later globals are copies of these.
function M.keep(globals)
    kept = libraries_copied(globals)
end

-- The methods of strings for scripts with that table `string`: its present functions, also after they are changed,
-- since the engine's files call them; and those that scripts add.
function M.methods(library)
    return setmetatable(copy(library, 0), { __index = library })
end

-- New globals for an environment.
function M.globals()
    local G = libraries_copied(kept)
    G._G, G.lun = G, M.module()
    return G
end

-- ---------------------------------------------------------------- globals of many environments

local common -- made with the first of them: metatables of tables that show others, by name

-- A metatable of tables that show what `from` has until they are written to; then they are copies, and belong to their
-- scripts alone.
local function showing(from)
    local function own(t)
        debug.setmetatable(t, nil)
        for key, value in next, from do
            if t[key] == nil then
                t[key] = value
            end
        end
        given[t], shown[t] = shown[t], nil
    end
    return {
        __index = from,
        __metatable = false,
        __newindex = function(t, key, value)
            own(t)
            t[key] = value
        end,
        __pairs = function(t)
            own(t)
            return next, t, nil
        end,
    }
end

local function make_common()
    common = { libraries = {}, parts = {}, filled = {} }
    for name, value in next, kept do
        if type(value) == "table" and name ~= "package" then
            common.libraries[name] = showing(value)
        end
    end
    local lun = M.module()
    for name, value in next, lun do
        if type(value) == "table" then
            local fills_itself = debug.getmetatable(value)
            common[fills_itself and "filled" or "parts"][name] = fills_itself and value or showing(value)
            lun[name] = nil
        end
    end
    common.lun = showing(lun)
end

-- The same as M.globals, for one of thousands: its libraries are copied when they are first written to.
function M.light()
    if not common then
        make_common()
    end
    local G, lun = {}, {}
    for name, value in next, kept do
        local library = common.libraries[name]
        G[name] = library and setmetatable({}, library) or value
    end
    for name, meta in next, common.parts do
        lun[name] = setmetatable({}, meta)
    end
    for name, value in next, common.filled do
        lun[name] = copy(value, 0)
    end
    shown[lun] = true
    G._G, G.lun = G, setmetatable(lun, common.lun)
    return G
end

-- The functions of the library `string` as methods that all of these have.
function M.common_strings()
    common.strings = common.strings or M.methods(kept.string)
    return common.strings
end

return M
