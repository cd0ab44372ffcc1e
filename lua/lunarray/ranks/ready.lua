-- What a rank does before a step of all ranks: an error there is told to the others, which take the step, so that none
-- waits for this one. Knows no step.

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

-- The results of f, which is called with the arguments behind it.
return function(f, ...)
    return settle(pcall(f, ...))
end
