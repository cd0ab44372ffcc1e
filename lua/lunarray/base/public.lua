-- Functions of the module in Lua as scripts call them: an error without a source line, or with one in these files, gets
-- the script's. Knows none of them.

local getinfo = debug.getinfo

-- The source line of the nearest function of the script: "file:line: ".
local function script_line()
    local level = 2
    local info = getinfo(level, "Sl")
    while info and (info.currentline <= 0 or info.short_src:find("lua/lunarray/", 1, true) == 1) do
        level = level + 1
        info = getinfo(level, "Sl")
    end
    return info and ("%s:%d: "):format(info.short_src, info.currentline) or ""
end

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
