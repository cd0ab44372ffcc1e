-- What a plan says of a script: a line for each place that evaluates or writes, in the order in which they are first
-- reached, and a last one. As text or as a line of JSON each; written when the plan ends.

local number = require "lunarray.base.number"

local M = {}

local UNITS = { "bytes", "kB", "MB", "GB", "TB", "PB", "EB" }
local MOST = 100000 -- evaluations of one place

local rows, row_of -- in order, and by what they say
local path, to_json, write
local kernels, written, loaded

-- The plan of the script in this file begins. encode: makes JSON of tables, nil: text.
function M.begin(file, encode)
    local out, write_to = io.stdout, io.stdout.write
    rows, row_of, path, to_json = {}, {}, file, encode
    kernels, written, loaded = 0, 0, 0
    function write(text)
        write_to(out, text, "\n")
    end
end

local function bytes_text(n)
    local unit, x = 1, n + 0.0
    while x >= 1000 and unit < #UNITS do
        x, unit = x / 1000, unit + 1
    end
    return unit == 1 and ("%.0f bytes"):format(x) or number.format(x < 10 and "%.1f " or "%.0f ", x) .. UNITS[unit]
end

local function counted(n, what)
    return ("%d %s%s"):format(n, what, n == 1 and "" or "s")
end

-- The script's innermost line, and its file.
local function here()
    local level, other = 3, nil
    local info = debug.getinfo(level, "Sl")
    while info do
        if info.source == "@" .. path and info.currentline > 0 then
            return path, info.currentline
        elseif not other and info.currentline > 0 and not info.source:find "^@lua/lunarray/" then
            other = info
        end
        level = level + 1
        info = debug.getinfo(level, "Sl")
    end
    return other and other.short_src or path, other and other.currentline or 0
end

-- A row of the place that the script is at; one that says the same again is counted.
local function add(fields)
    local file, line = here()
    local key = ("%s:%d:%s"):format(file, line, fields.message)
    local row = row_of[key]
    if not row then
        row = { file = file, line = line, times = 0, level = "plan" }
        for name, value in next, fields do
            row[name] = value
        end
        row_of[key] = row
        rows[#rows + 1] = row
    end
    row.times = row.times + 1
    return row.times
end

-- What evaluating here would run. plan: what lun.explain gives.
function M.plan(plan)
    local n, ops, reads, writes = 0, 0, 0, 0
    for _, kernel in ipairs(plan) do
        n = n + (kernel.name == "fill" and 0 or 1)
        ops, reads, writes = ops + kernel.ops, reads + kernel.bytes_read, writes + kernel.bytes_written
    end
    if n == 0 and writes == 0 then
        return
    end
    kernels, written = kernels + n, written + writes
    local times = add {
        message = ("%s, %s, %s read, %s written"):format(counted(n, "kernel"), counted(ops, "operation"),
            bytes_text(reads), bytes_text(writes)),
        kernels = n, operations = ops, read = reads, written = writes,
    }
    if times == MOST then
        M.ends(("%d evaluations at this line"):format(MOST))
        os.exit(true)
    end
end

function M.says(what)
    add { message = what .. (what:find " " and "" or ": nothing is shown or written") }
end

function M.loaded(bytes)
    loaded = loaded + bytes
end

local function put(row)
    local again = row.times and row.times > 1 and (" (%d times)"):format(row.times) or ""
    if to_json then
        write(to_json(row))
    elseif row.line then
        local file = row.file == path and "line " or row.file .. ":"
        write(("%s%d: %s%s"):format(file, row.line, row.message, again))
    else
        write(row.message)
    end
end

-- The plan ends; reason: why before the script does.
function M.ends(reason)
    local last = ("%s, about %s at most"):format(counted(kernels, "kernel"), bytes_text(written + loaded))
    local file, line = here()
    for _, row in ipairs(rows) do
        put(row)
    end
    if reason then
        put { level = "stopped", file = file, line = line, message = reason .. "; planned so far" }
        put { level = "so far", message = "so far: " .. last, kernels = kernels, bytes = written + loaded }
    else
        put { level = "ok", message = "ok: " .. last, kernels = kernels, bytes = written + loaded }
    end
    io.stdout:flush()
end

return M
