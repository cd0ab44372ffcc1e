-- Runs the work of a rank before a step of all ranks: an error is sent to the others, which take the step, so that none
-- waits for this one.

local core = require "lunarray.core"

local net = core.internal.spmd

local function settle(ok, ...)
    if ok then
        return ...
    end
    local e = ...
    net.unable((tostring(e):gsub("^lua/lunarray/[%w/]+%.lua:%d+: ", "")))
    error(e, 0)
end

-- Returns the results of f(...).
return function(f, ...)
    return settle(pcall(f, ...))
end
