-- Functions of the module in Lua as scripts call them: an error without a source line, or with one in these files, gets
-- the script's. Knows none of them.

local script_line = require "lunarray.base.script_line"

local function settle(ok, ...)
    if ok then
        return ...
    end
    local e = ...
    if type(e) == "string" then
        local line = script_line()
        e = e:gsub("^lua/lunarray/[%w/]+%.lua:%d+: ", "")
        e = e:sub(1, #line) == line and e or line .. e -- another of these functions may have added it
    end
    error(e, 0)
end

return function(f)
    return function(...)
        return settle(pcall(f, ...))
    end
end
