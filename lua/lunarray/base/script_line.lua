-- The source line of the nearest function of the script: "file:line: ", or "".

local getinfo = debug.getinfo

return function()
    local level = 2
    local info = getinfo(level, "Sl")
    while info and (info.currentline <= 0 or info.short_src:find("lua/lunarray/", 1, true) == 1) do
        level = level + 1
        info = getinfo(level, "Sl")
    end
    return info and ("%s:%d: "):format(info.short_src, info.currentline) or ""
end
