-- s.atomic(f): a statement on an element of any rank that no other rank comes between. f runs with stand-ins of the
-- arrays that it captures, which note what it reads, each element once, and assigns; the element's rank then takes what
-- was assigned, if the element is still what was read, or f runs again. Knows no transport.

local inspect = require "lunarray.loop.inspect"
local public = require "lunarray.base.public"
local windows = require "lunarray.ranks.windows"

-- Whether x has elements that s.atomic changes.
local function is_target(x)
    return windows.updates[getmetatable(x)] ~= nil
end

-- What a run of f has read, by the path of the element, and what it has assigned since; one: target, key, indices and x
-- of the element that it assigns; several: it assigns others too.
local function new_run()
    return { read = {}, now = {}, one = nil, several = false }
end

-- An index from 1 among so many elements.
local function normal(i, n)
    i = math.type(i) and math.tointeger(i) or i
    return math.type(i) and i < 0 and i + n + 1 or i
end

-- The element of that path, as f has assigned it, else as it was when it was read first; read(i): now.
local function first_read(run, path, read, i)
    local key = table.concat(path, " ")
    local known = run.now[key] or run.read[key]
    if not known then
        known = { x = read(i) }
        run.read[key] = type(known.x) ~= "table" and known or nil -- a row is none
    end
    return known.x
end

local function note_assigned(run, target, path, indices, x)
    local key = table.concat(path, " ")
    run.several = run.several or run.one ~= nil and run.one.key ~= key
    run.one, run.now[key] = { target = target, key = key, indices = indices, x = x }, { x = x }
end

-- A stand-in of a target or of one of its rows: path, what tells elements apart; indices so far.
local function stand_in(run, target, row, path, indices)
    local function further(list, i)
        local more = table.move(list, 1, #list, 1, {})
        more[#more + 1] = i
        return more
    end
    local methods = {}
    local function at(i)
        return row[i]
    end
    function methods.get()
        return first_read(run, further(path, 1), target.get, target)
    end
    function methods.set(_, x)
        note_assigned(run, target, further(path, 1), {}, x)
    end
    return setmetatable({}, {
        __len = function()
            return #row
        end,
        __index = function(_, i)
            if type(i) == "string" then
                local method = #target == 1 and row == target and methods[i] or row[i]
                if is_target(method) then -- a field of records
                    return stand_in(run, method, method, further(path, i), {})
                end
                return type(method) == "function" and function(_, ...)
                    return method(row, ...)
                end or method
            end
            local below = further(path, tostring(normal(i, #row)))
            local x = first_read(run, below, at, i)
            if type(x) == "table" and getmetatable(x) == nil then
                error("atomic: records are read and assigned by their fields, as a.x[i]", 0)
            end
            return type(x) == "table" and stand_in(run, target, x, below, further(indices, i)) or x
        end,
        __newindex = function(_, i, x)
            note_assigned(run, target, further(path, tostring(normal(i, #row))), further(indices, i), x)
        end,
    })
end

-- Runs f once: the run.
local function try(f)
    local run, stands, count = new_run(), {}, 0
    inspect.copy(f, function(x)
        if is_target(x) and not stands[x] then
            count = count + 1
            stands[x] = stand_in(run, x, x, { count }, {})
        end
        return stands[x]
    end)()
    if not run.one then
        error("atomic: the function assigns no element of a shared value, of a symmetric or of a blocked array", 0)
    elseif run.several then
        error("atomic: the function assigns several elements; s.critical(f) keeps others out of all that f does", 0)
    end
    return run, run.one
end

local function statement(atomic, f)
    while true do
        local run, one = try(f)
        local old, indices = run.read[one.key], one.indices
        indices[#indices + 1] = old and "compare and swap" or "exchange"
        indices[#indices + 1] = old and { expected = old.x, new = one.x } or one.x
        local was = atomic(one.target, table.unpack(indices))
        if not old or windows.same(was, old.x) then
            return was
        end
    end
end

-- s.atomic with a function as its only argument; `atomic`: with all others.
return function(atomic)
    return public(function(target, ...)
        if type(target) == "function" and select("#", ...) == 0 then
            return statement(atomic, target)
        end
        return atomic(target, ...)
    end)
end
