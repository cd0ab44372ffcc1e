-- Elements selected by a condition: filter, dropnan, by way of a mask.

local core = require "lunarray.core"
local misuse = require "lunarray.base.misuse"
local records = require "lunarray.base.records"

local M = {}

local function check(a, argument, call)
    if not core.isarray(a) then
        misuse(argument, call, "array expected, got %s", core.internal.kind_of(a))
    end
end

-- a:filter(p, extra...): the elements for which p gives true; as a method p is its first argument.
function M.filter(a, p, ...)
    if records.struct_of(a) then
        return a:filter(p, ...)
    end
    check(a, 1, "filter")
    local mask = a:map(p, ...)
    local gives = core.isarray(mask) and mask:dtype() or "several results"
    if type(p) == "string" and gives ~= "several results" then
        local there = core.internal.has_missing(mask) and mask:ismissing():lnot()
        mask = mask:ne(0) -- like conditions in C
        mask = there and mask:land(there) or mask
    elseif gives ~= "bool" then
        misuse(1, "filter", "the predicate gives %s, not bool", gives)
    end
    return a:compress(mask)
end

-- a:dropnan(): the elements that are numbers.
function M.dropnan(a)
    check(a, 1, "dropnan")
    return a:compress(a:isnan():lnot())
end

return M
