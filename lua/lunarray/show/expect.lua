-- lun.expect: what a script says of the plan of expressions, checked without running them.

local core = require "lunarray.core"
local fault = require "lunarray.base.fault"
local misuse = require "lunarray.base.misuse"
local plan_page = require "lunarray.show.plan"

local M = {}

-- What can be expected: how much of it a plan has, and its words.
local KNOWN <const> = {
    kernels = {
        words = { "kernel", "kernels" },
        of = function(plan)
            local count = 0
            for _, kernel in ipairs(plan) do
                count = count + (kernel.name == "fill" and 0 or 1) -- as lun.explain counts
            end
            return count
        end,
    },
    bytes = {
        words = { "byte moved", "bytes moved" },
        of = function(plan)
            local sum = 0
            for _, kernel in ipairs(plan) do
                sum = sum + kernel.bytes
            end
            return sum
        end,
    },
}

local function check_expected(expected, argument)
    if type(expected) ~= "table" or core.isarray(expected) or getmetatable(expected) ~= nil then
        misuse(argument, "expect", "a table such as {kernels=1, bytes=n} expected behind the expressions, got %s",
            expected == nil and "no value" or core.internal.kind_of(expected))
    elseif next(expected) == nil then
        misuse(argument, "expect", "kernels or bytes expected, got an empty table")
    end
    for name, most in pairs(expected) do
        if name == "time" then
            misuse(argument, "expect", "time: plans predict no time; kernels and bytes can be expected")
        elseif not KNOWN[name] then
            misuse(argument, "expect", "unknown option '%s'; the options are kernels and bytes", tostring(name))
        elseif not math.type(most) or not math.tointeger(most) or most < 0 then
            misuse(argument, "expect", "option %s: an integer from 0 on expected, got %s", name,
                math.type(most) and tostring(most) or core.internal.kind_of(most))
        end
    end
end

-- lun.expect(e1, ..., {kernels=1, bytes=n}): raises unless evaluating them together would run at most so many kernels,
-- which move at most so many bytes; gives the expressions. Nothing runs.
function M.expect(...)
    local given = table.pack(...)
    local expected = given[given.n]
    check_expected(expected, math.max(given.n, 1))
    if given.n == 1 then
        misuse(1, "expect", "an expression expected before the table")
    end
    local plan = core.explain(table.unpack(given, 1, given.n - 1))
    if #plan == 0 and expected.kernels ~= 0 then
        fault("nothing of this is to be computed, so there is no plan to expect of: it has been evaluated before")
    end
    for _, name in ipairs { "kernels", "bytes" } do
        local known, most = KNOWN[name], expected[name]
        local found = most and known.of(plan)
        if most and found > most then
            fault("at most %d %s expected, but it is %d:\n%s", most, known.words[most == 1 and 1 or 2], found,
                plan_page.page(plan))
        end
    end
    return table.unpack(given, 1, given.n - 1)
end

return M
