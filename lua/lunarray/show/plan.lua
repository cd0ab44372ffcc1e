-- The page of a plan of lun.explain, and the code of an expression.

local core = require "lunarray.core"
local misuse = require "lunarray.base.misuse"
local number = require "lunarray.base.number"

local M = {}

local UNITS = { "bytes", "kB", "MB", "GB", "TB", "PB", "EB" }

local function bytes_text(n)
    local unit = 1
    local x = n + 0.0
    while x >= 1000 and unit < #UNITS do
        x, unit = x / 1000, unit + 1
    end
    return unit == 1 and ("%d bytes"):format(n) or number.format("%.1f ", x) .. UNITS[unit]
end

local function count_text(n, what)
    return ("%d %s%s"):format(n, what, n == 1 and "" or "s")
end

-- The page of a plan: its steps in order, and why they are not one kernel. Filling an array with a number takes no
-- kernel.
function M.page(plan)
    if #plan == 0 then
        return "plan: nothing to compute"
    end
    local kernels, ops, bytes = 0, 0, 0
    for _, kernel in ipairs(plan) do
        kernels = kernels + (kernel.name == "fill" and 0 or 1)
        ops, bytes = ops + kernel.ops, bytes + kernel.bytes
    end
    local lines = {
        ("plan: %s, %s, %s moved"):format(count_text(kernels, "kernel"), count_text(ops, "operation"),
            bytes_text(bytes)),
    }
    for i, kernel in ipairs(plan) do
        local axes = kernel.space:find(" x ", 1, true) and (" (%s)"):format(kernel.space) or ""
        lines[#lines + 1] = ("%4d  %-7s n = %d%s, %s, reads %s (%s), writes %s (%s)"):format(i, kernel.name,
            kernel.n, axes, count_text(kernel.ops, "operation"), count_text(kernel.reads, "array"),
            bytes_text(kernel.bytes_read), count_text(kernel.writes, "array"), bytes_text(kernel.bytes_written))
        if kernel.labels ~= "" then
            lines[#lines + 1] = "      of: " .. kernel.labels
        end
        if kernel.types ~= "" then
            lines[#lines + 1] = "      " .. kernel.types:gsub("\n", "\n      ")
        end
        if kernel.staged > 0 then
            lines[#lines + 1] = ("      staged: %s of these: elements that are not contiguous are first copied into "
                .. "the cache"):format(count_text(kernel.staged, "array"))
        end
        if kernel.chain then
            lines[#lines + 1] = ("      chain %d: %s"):format(kernel.chain, kernel.sweep
                and "blocked in time, each kernel runs some rows behind the one before" or "runs some rows at a time")
        end
        if kernel.kept > 0 then
            lines[#lines + 1] = ("      kept: %s of these, because an earlier evaluation computed %s too"):format(
                count_text(kernel.kept, "array"), kernel.kept == 1 and "it" or "them")
        end
        for _, list in ipairs(#kernel.places > 1 and { "totals", "carries", "samples", "places" } or {}) do
            local shares = {}
            for k, place in ipairs(kernel[list] or {}) do
                shares[k] = ("%s %d from %d"):format(place.name, place.count, place.first)
            end
            lines[#lines + 1] = kernel[list] and ("      %s: %s"):format(list, table.concat(shares, ", "))
        end
        for _, move in ipairs(plan.moves) do
            if move.kernel == i then
                lines[#lines + 1] = ("      moves: %s from %s to %s: %s"):format(bytes_text(move.bytes), move.from,
                    move.to, move.why)
            end
        end
        for _, move in ipairs(plan.exchanges) do
            if move.kernel == i then
                lines[#lines + 1] = ("      exchanges: up to %s from %s to %s: %s"):format(
                    bytes_text(move.bytes), move.from, move.to, move.why)
            end
        end
        if kernel.cut ~= "" then
            lines[#lines + 1] = "      cut: " .. kernel.cut
        end
    end
    return table.concat(lines, "\n")
end

-- e:source([backend]): the code of all kernels that computing e would run.
function M.source(e, backend)
    local before = { core.use() }
    if backend ~= nil then
        local ok, message = pcall(core.use, backend)
        if not ok then
            local reason = type(message) == "string" and message:match "%((.*)%)$" or tostring(message)
            misuse(1, "source", "%s", reason)
        end
    end
    local ok, plan = pcall(core.explain, e)
    core.use(before)
    if not ok then
        error(plan, 0)
    end
    local sources = {}
    for i, kernel in ipairs(plan) do
        sources[i] = kernel.source
    end
    return table.concat(sources, "\n")
end

return M
