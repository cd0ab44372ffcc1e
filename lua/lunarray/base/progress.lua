-- Work that takes long and shows on a terminal how far it is: local _ <close> = progress.begin(). What runs within it
-- shows nothing of its own.

local internal = require("lunarray.core").internal

local M = {}

local Work = { __close = function() internal.work(false) end }

function M.begin()
    internal.work(true)
    return setmetatable({}, Work)
end

-- done of so many "bytes" or "rows" are read or written.
function M.report(what, unit, done, total)
    internal.work_done(what, unit, done, total)
end

return M
