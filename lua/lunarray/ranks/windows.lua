-- Elements on other ranks: a rank sends a request to the owner of the element, which answers whenever it waits; and
-- critical sections.
--
-- Invariant: the ranks agree on `made`, `since` and `elements`; arrays[id] is this rank's part of window id <= made, or
-- false, until all ranks have dropped it. `dropped` has the ids that this rank dropped since the last exchange.

local core = require "lunarray.core"
local fold = require "lunarray.ranks.fold"
local pack = require "lunarray.ranks.pack"
local public = require "lunarray.base.public"
local script_line = require "lunarray.base.script_line"

local net = core.internal.spmd

local windows = {}

-- ---------------------------------------------------------------- windows of this rank

-- By number, the same on all ranks: the array with this rank's elements, false if it has none.
local arrays, made = {}, 0
-- The numbers of windows whose handle this rank has dropped; the numbers that each rank has dropped so far.
local dropped, drops = {}, {}

-- Windows made since the ranks last exchanged what they dropped, and their elements: the same on all ranks.
local since, elements = 0, 0
local MOST, MOST_ELEMENTS = 64, 1 << 22

-- Frees windows that all have dropped. Not at each making, which needs no message.
local function forget(npes, size)
    since, elements = since + 1, elements + size
    if since < MOST and elements < MOST_ELEMENTS then
        return
    end
    since, elements = 0, 0
    for _, bytes in ipairs(net.gather(pack.write(dropped))) do
        for _, id in ipairs(pack.read(bytes)) do
            drops[id] = (drops[id] or 0) + 1
            if drops[id] == npes then
                arrays[id], drops[id] = nil, nil
            end
        end
    end
    dropped = {}
end

-- Makes a window on `array`, this rank's part of so many elements of all, and returns its number. A step of all ranks.
function windows.make(array, size, doing, noun, options)
    arrays[made + 1] = array or false -- another rank may request an element as soon as all have agreed
    local ok, e = pcall(net.step, doing, noun, options)
    if not ok then
        arrays[made + 1] = nil
        error(e, 0)
    end
    made = made + 1
    forget((net.start()), size)
    return made
end

function windows.drop(id)
    dropped[#dropped + 1] = id
end

function windows.array(id)
    return arrays[id]
end

-- Replaces the array of a number by another one.
function windows.replace(id, array)
    arrays[id] = array
end

-- ---------------------------------------------------------------- elements

-- The row that holds an element, and its last index.
local function row_of(array, indices)
    for k = 1, #indices - 1 do
        array = array[indices[k]]
    end
    return array, indices[#indices]
end

-- Whether two elements are the same: NaN is itself, -0.0 is not 0.0.
local function same(a, b)
    if math.type(a) == "float" and math.type(b) == "float" then
        return string.pack("n", a) == string.pack("n", b)
    end
    return math.type(a) == math.type(b) and a == b
end
windows.same = same

local UPDATES = {
    -- Of { expected =, new = }: new, if the element is still the expected one.
    ["compare and swap"] = function(a, b)
        if same(a, b.expected) then
            return b.new
        end
        return a
    end,
    sub = function(a, b)
        return a - b
    end,
    exchange = function(_, b)
        return b
    end,
}
UPDATES["-"] = UPDATES.sub

-- The function of an atomic operation; nil and what is wrong.
local function update_of(op)
    if UPDATES[op] then
        return UPDATES[op]
    elseif type(op) ~= "string" then
        return nil, ("the name of an operation expected, got %s"):format(type(op))
    end
    return fold.operation(op)
end

local ANSWERS = {}

function ANSWERS.get(array, indices)
    local row, last = row_of(array, indices)
    return row[last]
end

-- The same, lun.na where it is missing.
function ANSWERS.read(array, indices)
    local row, last = row_of(array, indices)
    return row:ismissing():read(last, 1)[1] and core.na or row[last]
end

function ANSWERS.put(array, indices, x)
    local row, last = row_of(array, indices)
    row[last] = x
end

function ANSWERS.update(array, indices, x, op)
    local row, last = row_of(array, indices)
    local old = row[last]
    row[last] = update_of(op)(old, x)
    return old
end

-- The array of a window; of { number, name ... } a field of the records there.
local function array_of(id)
    local array = arrays[type(id) == "table" and id[1] or id]
    for k = 2, array and type(id) == "table" and #id or 1 do
        array = array:field(id[k])
    end
    return array
end

-- Handles an access to an element of this rank.
local function answer_here(what, id, indices, x, op)
    local array = array_of(id)
    if not array then
        error("the array is not there any more", 0)
    end
    return ANSWERS[what](array, indices, x, op)
end

local function settle(ok, ...)
    if not ok then
        error((...), 0)
    end
    return ...
end

-- Sends a request to PE pe, and returns its answer.
local function ask(pe, ...)
    local bytes = net.request(pe, pack.write(...))
    if bytes == "" then
        error(("PE %d cannot answer: it has no memory, or has ended"):format(pe), 0)
    end
    return settle(pack.read(bytes))
end

-- An element of PE pe: get, read, put or update.
function windows.access(pe, mype, what, id, indices, x, op)
    if pe == mype then
        net.listen() -- a loop that accesses only its own elements answers others too
        return answer_here(what, id, indices, x, op)
    end
    local gets = (what == "get" or what == "read") and 1 or 0
    net.count(gets, 1 - gets)
    return ask(pe, what, id, indices, x, op)
end

-- ---------------------------------------------------------------- answering

-- An error without the line at which this rank is, for the one that asked.
local function bare(e)
    local line = script_line()
    e = tostring(e)
    return e:sub(1, #line) == line and e:sub(#line + 1) or e
end

local function answer(from, bytes)
    if bytes == "" then
        return -- that rank has ended
    end
    local what, id, indices, x, op = pack.read(bytes)
    local function work()
        return pack.write(true, answer_here(what, id, indices, x, op))
    end
    local ok, reply = pcall(work)
    net.reply(from, ok and reply or pack.write(false, bare(reply)))
end

-- Checks indices against a shape and gives them as integers from 1; negative ones count from the end. The array in
-- words is for the error.
local function check_indices(shape, indices, what)
    if #indices ~= #shape then
        error(("%s has %d ind%s, got %d"):format(what, #shape, #shape == 1 and "ex" or "ices", #indices), 0)
    end
    local list = {}
    for k, given in ipairs(indices) do
        local i = math.type(given) and math.tointeger(given)
        if i and i < 0 then
            i = shape[k] + 1 + i
        end
        if not i or i < 1 or i > shape[k] then
            error(("index %s is out of range: %s has %d element%s along axis %d"):format(tostring(given), what,
                shape[k], shape[k] == 1 and "" or "s", k), 0)
        end
        list[k] = i
    end
    return list
end
windows.check_indices = check_indices

-- ---------------------------------------------------------------- s.critical

-- Whether f succeeded, and its results or its error.
local run = public(function(f)
    if type(f) ~= "function" then
        error(("bad argument #1 to 'critical' (function expected, got %s)"):format(f == nil and "no value" or type(f)),
            0)
    end
    net.critical_begin()
    local results = table.pack(pcall(f))
    net.critical_end()
    return table.unpack(results, 1, results.n)
end)

function windows.critical(f)
    return settle(run(f)) -- an error of f as it is
end

windows.update_of = update_of
net.serve(answer)

return windows
