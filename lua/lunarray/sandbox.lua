-- The globals of untrusted scripts: functions that cannot reach a file, a process, machine code or the state of the
-- host. The work of one call of a C function is bounded, since it cannot be stopped. The state's allocator and hook
-- (interp/state/sandbox.c) bound memory and time; docs/sandbox.md describes the limits. Called with a function that
-- raises the error of a stopped script again.

local core = require "lunarray.core"
local scope = require "lunarray.base.scope"

local MOST = 1 << 24 -- the most elements of a table for one call of a C function

-- The functions of a library, by name.
local function only(library, names)
    local result = {}
    for name in names:gmatch "%S+" do
        result[name] = library[name]
    end
    return result
end

-- Raises an error for the caller of the function that calls this.
local function refuse(message, ...)
    error(message:format(...), 3)
end

-- ---------------------------------------------------------------- the base library

local function base(check)
    local load, getmetatable, setmetatable, rawget, type = load, getmetatable, setmetatable, rawget, type
    local collectgarbage, select, pcall = collectgarbage, select, pcall
    local real_metatable = debug.getmetatable
    local own = setmetatable({}, { __mode = "k" }) -- the metatables that scripts have set
    local G = only(_G, "_VERSION assert error ipairs next pairs print rawequal rawget rawlen "
        .. "rawset select tonumber tostring type")
    G._G = G

    -- Text only: the virtual machine does not check bytecode.
    function G.load(chunk, name, mode, ...)
        if mode ~= nil and type(mode) == "string" and not mode:find("t", 1, true) then
            return nil, "attempt to load a text chunk (mode is '" .. mode .. "')"
        end
        return load(chunk, name, "t", ...)
    end

    -- A finaliser runs without the hook, so nothing could stop it.
    function G.setmetatable(t, metatable)
        if type(metatable) == "table" and rawget(metatable, "__gc") ~= nil then
            refuse "bad argument #2 to 'setmetatable' (the sandbox does not allow finalizers: __gc)"
        end
        setmetatable(t, metatable)
        if metatable ~= nil then
            own[metatable] = true
        end
        return t
    end

    -- The engine's metatables are shared by all its values: a script that could write to them would run without the
    -- hook.
    function G.getmetatable(...)
        local metatable = getmetatable(...)
        if type(metatable) == "table" and not own[metatable] and metatable == real_metatable((...)) then
            return false
        end
        return metatable
    end

    function G.collectgarbage(what)
        if what ~= nil and what ~= "collect" and what ~= "count" and what ~= "step" then
            refuse("bad argument #1 to 'collectgarbage' (the sandbox allows collect, count and step)")
        end
        return collectgarbage(what)
    end

    local function after(...)
        check()
        return ...
    end
    local function checked_pcall(...)
        if select("#", ...) == 0 then
            refuse "bad argument #1 to 'pcall' (value expected)"
        end
        return after(pcall(...))
    end
    G.pcall = checked_pcall

    -- A handler runs after the function and not within its error, where the hook does not run.
    local function handled(handler, ok, ...)
        check()
        if ok then
            return ok, ...
        end
        return false, select(2, checked_pcall(handler, ...))
    end
    function G.xpcall(f, handler, ...)
        return handled(handler, pcall(f, ...))
    end
    return G
end

-- ---------------------------------------------------------------- coroutines

local function coroutines(check)
    local create, resume, close = coroutine.create, coroutine.resume, coroutine.close
    local error = error
    local C = only(coroutine, "create isyieldable running status yield")
    local function after(...)
        check()
        return ...
    end
    function C.resume(...)
        check()
        return after(resume(...))
    end
    -- A coroutine that was stopped is not closed: its variables' __close would run without a hook.
    function C.close(...)
        check()
        return after(close(...))
    end
    function C.wrap(f)
        local co = create(f)
        local function finish(ok, ...)
            check()
            if ok then
                return ...
            end
            close(co)
            error((...), 0)
        end
        return function(...)
            check()
            return finish(resume(co, ...))
        end
    end
    return C
end

-- ---------------------------------------------------------------- strings and tables

local function strings()
    local rep = string.rep
    local S = only(string, "byte char find format gmatch gsub len lower match pack packsize reverse sub "
        .. "unpack upper")
    function S.rep(s, n, separator)
        if #s + #(separator or "") == 0 then
            return ""
        end
        return rep(s, n, separator)
    end
    return S
end

-- A function of the table library, called only for a bounded number of elements.
local function bounded(name, count)
    local f = table[name]
    return function(t, ...)
        local n = count(t, ...)
        if math.type(n) ~= "integer" or n > MOST then
            refuse("bad argument #1 to '%s' (the sandbox allows %d elements at once)", name, MOST)
        end
        return f(t, ...)
    end
end

local function tables()
    local real_metatable, rawget, type = debug.getmetatable, rawget, type
    local T = only(table, "concat pack unpack")
    -- The function reads the length again, so it must not change.
    local function length(t)
        local metatable = real_metatable(t)
        if type(t) == "table" and metatable and rawget(metatable, "__len") ~= nil then
            error("bad argument #1 (the sandbox does not allow tables with __len here)", 3)
        end
        return #t
    end
    T.insert = bounded("insert", length)
    T.remove = bounded("remove", length)
    T.sort = bounded("sort", length)
    T.move = bounded("move", function(_, first, last)
        first, last = math.tointeger(first), math.tointeger(last)
        local n = first and last and last - first
        return n and (last < first and 0 or n < 0 and math.maxinteger or n)
    end)
    return T
end

-- ---------------------------------------------------------------- the module

-- `lun` without files, and without functions that describe the machine or change the host's choices.
local function module()
    scope.hide "load open save arrow door sql trace info check use math bits override backends devices"
    local source = core.internal.methods.source
    core.internal.methods.source = function(e) -- only of the backend in use: another would load its driver
        return source(e)
    end
    scope.no_files = "the sandbox has no files"
    return scope.module()
end

return function(check)
    local G = base(check)
    G.lun = module()
    G.coroutine = coroutines(check)
    G.string = strings()
    G.table = tables()
    G.utf8 = only(utf8, "char charpattern codepoint codes len offset")
    G.math = {}
    for name, value in pairs(math) do
        G.math[name] = value
    end
    G.os = only(os, "clock date difftime time")
    local of_strings = getmetatable ""
    of_strings.__index = scope.methods(G.string)
    of_strings.__metatable = false
    _ENV._G = G
    return G
end
