-- lunarray --plan: a script's faults and plans before it runs, for program/plan.c.

local M = {}

local dry = require "lunarray.plan.dry"

-- What is wrong with the names of a chunk, a list; nothing: evaluation goes off when `begin` is called. json: whether
-- lines are objects of JSON.
function M.faults(chunk, path, json)
    local faults = require("lunarray.plan.names").faults(chunk, path)
    local encode = require("lunarray.format.jsonvalue").encode
    require("lunarray.plan.report").begin(path, json and encode or nil)
    return faults
end

M.begin, M.done, M.is_end = dry.begin, dry.done, dry.is_end

return M
