-- What moves where the programs of tests/programs.lua run divided: build/lunarray tests/figures.lua [LENGTH] prints a table for sets
-- of 1, 2, 3, 7 locations and one for 1, 2, 3, 4 ranks. They are counts of lun.stats, the same in every run and on every
-- machine; tests/spec/plan/figures_spec.lua compares them with tests/golden/figures.txt. Results are evaluated where they
-- are, and not read. Ranks are simulated, each in a script of its own: tests/figures.lua LENGTH ranks.
package.path = "tests/?.lua;" .. package.path
local lun = require "lunarray"
local programs = require "programs"

local figures = {}

local SETS, RANKS = { 1, 2, 3, 7 }, { 1, 2, 3, 4 }
local COUNTS = {
    set = { "moves", "bytes", "bytes_exchanged" }, -- bytes: of moves, to and from the host and between locations
    ranks = { "messages", "bytes_sent", "collectives" }, -- of all ranks together
}

local function evaluate(how, ...)
    for _, x in ipairs { ... } do
        if type(x) == "userdata" or type(x) == "table" then
            x = how == "ranks" and x:kind() == "Blocked" and lun.spmd.localview(x) or x
            x:eval()
        end
    end
end

-- What a program counts, by name.
local function measure(program, how, n, scratch)
    local on = programs.on(how, n, scratch)
    on.put = function(...) evaluate(how, ...) end
    -- When garbage is collected decides in which step ranks say which arrays are gone.
    collectgarbage()
    collectgarbage "stop"
    lun.stats "reset"
    program(on)
    local counts = lun.stats()
    collectgarbage "restart"
    counts.bytes = counts.bytes_moved + counts.bytes_to_device + counts.bytes_to_host
    return counts
end

-- A table: a row for each program, a column for each number of locations. cell(name, program, column): its text.
local function rows(title, columns, cell)
    local out, widths = { { title } }, {}
    for k, column in ipairs(columns) do out[1][k + 1] = tostring(column) end
    for _, p in ipairs(programs.list) do
        local row = { p[1] }
        for k = 1, #columns do row[k + 1] = cell(p[1], p[2], k) end
        out[#out + 1] = row
    end
    for _, row in ipairs(out) do
        for k, text in ipairs(row) do widths[k] = math.max(widths[k] or 0, #text) end
    end
    for i, row in ipairs(out) do
        local words = {}
        for k, text in ipairs(row) do words[k] = text .. (" "):rep(widths[k] - #text) end
        out[i] = table.concat(words, "  "):gsub(" +$", "")
    end
    return table.concat(out, "\n") .. "\n"
end

local function words(counts, how)
    local list = {}
    for k, name in ipairs(COUNTS[how]) do list[k] = counts[name] end
    return table.concat(list, " ")
end

local function of_sets(n, scratch)
    local before, all = { lun.use() }, {}
    for k, size in ipairs(SETS) do
        lun.use("openmp/" .. size)
        all[k] = {}
        for _, p in ipairs(programs.list) do all[k][p[1]] = words(measure(p[2], "set", n, scratch), "set") end
    end
    lun.use(before)
    return rows("sets: " .. table.concat(COUNTS.set, ", "), SETS, function(name, _, k) return all[k][name] end)
end

-- Prints a line for each program: what all ranks count together.
local function of_this_rank(n, scratch)
    for _, p in ipairs(programs.list) do
        local counts, list = measure(p[2], "ranks", n, scratch), {}
        for k, name in ipairs(COUNTS.ranks) do list[k] = lun.spmd.allreduce("+", counts[name]) end
        if p[1] == "file" then list[2] = "-" end -- the name of a temporary file, which all get, is not always equally long
        if lun.spmd.mype == 0 then print(p[1] .. ": " .. table.concat(list, " ")) end
    end
end

local function of_ranks(n, scratch, program)
    local all = {}
    for k, size in ipairs(RANKS) do
        all[k] = {}
        local pipe = assert(io.popen(("LUNARRAY_SIM=1 '%s' --ranks %d tests/figures.lua %d ranks '%s' 2>&1"):format(program, size, n,
            scratch)))
        local text = pipe:read "a"
        if not pipe:close() then error(text, 0) end
        for name, line in text:gmatch "([^\n]-): ([%d -]+)\n" do all[k][name] = line end
    end
    return rows("ranks: " .. table.concat(COUNTS.ranks, ", "), RANKS, function(name, _, k) return all[k][name] end)
end

-- Both tables. program: the path of this one; scratch: what files' names begin with.
function figures.text(n, scratch, program)
    return of_sets(n, scratch) .. "\n" .. of_ranks(n, scratch, program)
end

figures.LENGTH = 100003

if arg and arg[0] and arg[0]:find "figures%.lua$" then
    local n = math.tointeger(tonumber(arg[1] or figures.LENGTH)) or error("a length is the first argument", 0)
    if arg[2] == "ranks" then
        of_this_rank(n, arg[3])
    else
        local scratch = os.tmpname()
        io.write(figures.text(n, scratch, arg[-1]))
        os.remove(scratch)
        os.remove(scratch .. "programs.npy")
    end
end

return figures
