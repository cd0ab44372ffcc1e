-- The environments of scripts (lun_scope): each has its own table `lun`, a copy of the module as these files know it,
-- and its own globals. A script's writes to them are seen in its own environment only.
--
-- Invariant: `given` has, weakly, every table `lun` that scripts got. `kept` is set before any script runs and never
-- changes. No script gets `kept`, the module or a table of either, only copies.

local M = {
    no_files = nil, -- in a sandbox: why pictures go to the terminal alone
}

local given = setmetatable({}, { __mode = "k" }) -- the tables that scripts know as `lun`
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

-- Whether x is a script's table `lun`.
function M.is_module(x)
    return x ~= nil and given[x] ~= nil
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

return M
