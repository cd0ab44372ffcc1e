-- lun.region, parts of a script that tools show by name, and lun.trace, a file of what the engine does. Both are the
-- engine's.

local core = require "lunarray.core"

local M = {}

local region, trace = core.internal.region, core.internal.trace
local kind_of = core.internal.kind_of

local exit, ours -- os.exit of scripts as it was, and what stands there while a trace is on

local function misuse(call, at, expected, got)
    error(("bad argument #%d to '%s' (%s expected, got %s)"):format(at, call, expected, kind_of(got)), 3)
end

-- A function as an argument: one of Lua's, or what can be called.
local function is_callable(f)
    local meta = getmetatable(f)
    return type(f) == "function" or type(meta) == "table" and meta.__call ~= nil
end

local region_end = setmetatable({}, { __close = function() region() end })

-- lun.region(name, f, ...): f(...), as a part of the script that tools show by that name; regions nest.
function M.region(name, f, ...)
    if type(name) ~= "string" then
        misuse("region", 1, "name", name)
    elseif not is_callable(f) then
        misuse("region", 2, "function", f)
    end
    region(name)
    local _ <close> = region_end
    return f(...)
end

-- The trace that is on, if any, is written before os.exit ends the process without closing the engine.
local function watch_exit()
    local os = _G.os
    if type(os) == "table" and type(os.exit) == "function" and os.exit ~= ours then
        exit = os.exit
        ours = function(...)
            pcall(trace)
            return exit(...)
        end
        os.exit = ours
    end
end

-- True; or nil, message, errno. Raises for the caller of lun.trace where it makes no sense now.
local function checked(done, message, code)
    if not done and not code then
        error(message, 4)
    end
    return done, message, code
end

local function begin(path)
    local begun, message, code = checked(trace(path))
    if begun then
        watch_exit()
    end
    return begun, message, code
end

local function finish()
    local os = _G.os
    if type(os) == "table" and ours and os.exit == ours then
        os.exit, ours = exit, nil
    end
    local done, message, code = checked(trace())
    return done, message, code
end

-- No tail call: levels of errors count frames.
local function outcome(done, ...)
    if done then
        return true
    end
    return done, ...
end

-- lun.trace(path) begins a trace into that file; lun.trace() ends and writes it: true, or nil, message, errno where the
-- file cannot be written. lun.trace(path, f, ...) is f(...) with a trace around it, also where that fails.
function M.trace(path, f, ...)
    if path == nil and f == nil then
        return outcome(finish())
    elseif core.isarray(path) then
        error("bad argument #1 to 'trace' (path expected; the trace of a matrix is A:trace())", 2)
    elseif type(path) ~= "string" or path:find("\0", 1, true) then
        misuse("trace", 1, "path", path)
    elseif f == nil then
        return outcome(begin(path))
    elseif not is_callable(f) then
        misuse("trace", 2, "function", f)
    end
    local begun, message = begin(path)
    if not begun then
        error(message, 2)
    end
    local ended = false
    local _ <close> = setmetatable({}, {
        __close = function()
            if not ended then
                finish()
            end
        end,
    })
    local results = table.pack(f(...))
    ended = true
    local written, why = finish()
    if not written then
        error(why, 2)
    end
    return table.unpack(results, 1, results.n)
end

-- What the program does for LUNARRAY_TRACE: the engine has begun the trace when it was opened.
M.watch_exit = watch_exit

return M
