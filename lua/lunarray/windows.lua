-- Elements on other ranks: shared values and arrays, which stand on PE 0, symmetric arrays, of which each rank has one,
-- atomic updates and critical sections. A rank asks the one that has the element, which answers whenever it waits.
-- Knows no collective but the making of them.

local core = require "lunarray.core"
local fold = require "lunarray.fold"
local pack = require "lunarray.pack"
local public = require "lunarray.public"

local net = core.internal.spmd

local windows = {}

-- ---------------------------------------------------------------- what a rank keeps

-- By number, the same on all ranks: the array with this rank's elements, false where it has none.
local arrays, made = {}, 0
-- Of those whose handle this rank has dropped; numbers that each rank has dropped so far.
local dropped, drops = {}, {}

-- Told to all at the next making; what all have dropped is forgotten.
local function forget(npes)
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

-- Makes a window on `array`, this rank's part, and gives its number. A step of all ranks.
function windows.make(array, doing, noun, options)
    net.step(doing, noun, options)
    made = made + 1
    arrays[made] = array or false
    forget((net.start())) -- which all do before one of them asks for an element
    return made
end

function windows.drop(id)
    dropped[#dropped + 1] = id
end

-- The array behind a number changes, as another one takes its place.
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

local UPDATES = {
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

-- What stands on this rank.
local function answer_here(what, id, indices, x, op)
    local array = arrays[id]
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

-- Asks PE pe, and gives what it answers.
local function ask(pe, ...)
    local bytes = net.request(pe, pack.write(...))
    if bytes == "" then
        error(("PE %d cannot answer: it has no memory, or has ended"):format(pe), 0)
    end
    return settle(pack.read(bytes))
end

-- An element of PE pe: get, put or update.
function windows.access(pe, mype, what, id, indices, x, op)
    if pe == mype then
        net.listen() -- a loop that asks for own elements alone answers others too
        return answer_here(what, id, indices, x, op)
    end
    net.count(what == "get" and 1 or 0, what == "get" and 0 or 1)
    return ask(pe, what, id, indices, x, op)
end

-- ---------------------------------------------------------------- critical sections

local holder, queue = nil, {} -- on PE 0

function ANSWERS.lock(from)
    if holder then
        queue[#queue + 1] = from
    else
        holder = from
        net.reply(from, pack.write(true))
    end
end

local function hand_on()
    holder = nil
    if queue[1] then
        ANSWERS.lock(table.remove(queue, 1))
    end
end

function ANSWERS.unlock(from)
    net.reply(from, pack.write(true))
    hand_on()
end

-- A rank that has ended, perhaps inside a section.
local function forget_rank(from)
    for k = #queue, 1, -1 do
        if queue[k] == from then
            table.remove(queue, k)
        end
    end
    if holder == from then
        hand_on()
    end
end

-- ---------------------------------------------------------------- answering

local function answer(from, bytes)
    if bytes == "" then
        return forget_rank(from)
    end
    local what, id, indices, x, op = pack.read(bytes)
    if what == "lock" or what == "unlock" then
        return ANSWERS[what](from)
    end
    local function work()
        return pack.write(true, answer_here(what, id, indices, x, op))
    end
    local ok, reply = pcall(work)
    net.reply(from, ok and reply or pack.write(false, tostring(reply)))
end

-- ---------------------------------------------------------------- handles

local ID, SHAPE, OWNER = {}, {}, {} -- keys of what a handle holds; OWNER: nil where each rank has elements

-- Checks indices against a shape; the element's place in words is for the error.
local function check_indices(shape, indices, what)
    if #indices ~= #shape then
        error(("%s has %d ind%s, got %d"):format(what, #shape, #shape == 1 and "ex" or "ices", #indices), 0)
    end
    for k, i in ipairs(indices) do
        if math.type(i) ~= "integer" or i < 1 or i > shape[k] then
            error(("index %s is out of range: %s has %d element%s along axis %d"):format(tostring(i), what, shape[k],
                shape[k] == 1 and "" or "s", k), 0)
        end
    end
    return indices
end
windows.check_indices = check_indices

local WHAT = {}
local rows = {}
local handle_of = setmetatable({}, { __mode = "k" }) -- of a row its handle and the indices so far

-- What stands for a[i] of an array of rank 2 and more: rows, then elements.
local function row(handle, indices)
    local r = setmetatable({}, rows)
    handle_of[r] = { handle, indices }
    return r
end

local function index_further(handle, indices, i, method)
    local next_indices = table.move(indices, 1, #indices, 1, {})
    next_indices[#next_indices + 1] = i
    if #next_indices < #handle[SHAPE] then
        return row(handle, next_indices)
    end
    return method(handle, next_indices)
end

local mype

local function owner_of(handle)
    return rawget(handle, OWNER) or mype
end

local function read(handle, indices)
    check_indices(handle[SHAPE], indices, handle[WHAT])
    return windows.access(owner_of(handle), mype, "get", handle[ID], indices)
end

local function store(handle, indices, x)
    if #indices < #handle[SHAPE] then
        error(("%s: elements are assigned one by one"):format(handle[WHAT]), 0)
    end
    check_indices(handle[SHAPE], indices, handle[WHAT])
    windows.access(owner_of(handle), mype, "put", handle[ID], indices, x)
end

rows.__index = public(function(r, i)
    local handle, indices = table.unpack(handle_of[r])
    return index_further(handle, indices, i, read)
end)
rows.__newindex = public(function(r, i, x)
    local handle, indices = table.unpack(handle_of[r])
    indices = table.move(indices, 1, #indices, 1, {})
    indices[#indices + 1] = i
    store(handle, indices, x)
end)

local function new_type(name, methods)
    local type_of = { __name = name }
    function type_of.__index(handle, key)
        if methods[key] then
            return methods[key]
        end
        return index_further(handle, {}, key, read)
    end
    type_of.__index = public(type_of.__index)
    type_of.__newindex = public(function(handle, i, x)
        store(handle, { i }, x)
    end)
    function type_of.__len(handle)
        return handle[SHAPE][1]
    end
    function type_of.__gc(handle)
        windows.drop(handle[ID])
    end
    return type_of
end

-- ---------------------------------------------------------------- shared, symmetric

local shared_methods, symmetric_methods = {}, {}
local shared_type, symmetric_type = new_type("a shared value", shared_methods),
    new_type("a symmetric array", symmetric_methods)

shared_methods.get = public(function(v)
    return windows.access(0, mype, "get", v[ID], { 1 })
end)

shared_methods.set = public(function(v, x)
    windows.access(0, mype, "put", v[ID], { 1 }, x)
end)

-- The indices among the arguments of get and put.
local function take_indices(y, ...)
    local indices = { ... }
    return check_indices(y[SHAPE], indices, y[WHAT])
end

local check_pe

symmetric_methods.get = public(function(y, pe, ...)
    return windows.access(check_pe(1, "get", pe), mype, "get", y[ID], take_indices(y, ...))
end)

symmetric_methods.put = public(function(y, pe, ...)
    local given = table.pack(...)
    local x = given[given.n]
    given[given.n] = nil
    windows.access(check_pe(1, "put", pe), mype, "put", y[ID], take_indices(y, table.unpack(given, 1, given.n - 1)), x)
end)

function symmetric_methods.localview(y)
    return arrays[y[ID]]
end

-- ---------------------------------------------------------------- the functions of lun.spmd

local function shape_of(shape)
    return type(shape) == "table" and table.move(shape, 1, #shape, 1, {}) or { shape }
end

-- What a shared value begins with: an array of one element, or a copy of an array.
local function beginning(dtype, x)
    if pack.is_array(x) then
        return x:cast(dtype):copy(), { x:shape() }
    elseif x ~= nil and type(x) ~= "number" and type(x) ~= "boolean" then
        return nil, ("a number, a boolean or an array expected, got %s"):format(type(x))
    end
    local a = core.zeros(1, dtype)
    if x ~= nil then
        a[1] = x
    end
    return a, { 1 }
end

local function open_shared(s, misuse)
    s.shared = public(function(dtype, x)
        local array, shape = beginning(dtype, x)
        if not array then
            misuse(2, "shared", shape)
        end
        local id = windows.make(mype == 0 and array, ("shares %s"):format(pack.kind(array)), "a shared value")
        local what = ("the shared array %s"):format(pack.kind(array))
        return setmetatable({ [ID] = id, [SHAPE] = shape, [OWNER] = 0, [WHAT] = what }, shared_type)
    end)
    s.symmetric = public(function(dtype, shape)
        local array = core.zeros(shape, dtype)
        local id = windows.make(array, ("makes a symmetric %s"):format(pack.kind(array)), "a symmetric array")
        local what = ("the symmetric array %s"):format(pack.kind(array))
        return setmetatable({ [ID] = id, [SHAPE] = shape_of(shape), [WHAT] = what }, symmetric_type)
    end)
end

-- s.atomic(target, [i, ...,] op, x)
local function open_atomic(s, misuse)
    local update = setmetatable({}, { __mode = "k" }) -- by metatable: for targets of other files
    windows.updates = update
    s.atomic = public(function(target, ...)
        local given = table.pack(...)
        local op, x = given[given.n - 1], given[given.n]
        local indices = table.move(given, 1, given.n - 2, 1, {})
        local f, wrong = update_of(op)
        if not f then
            misuse(given.n < 2 and 2 or given.n, "atomic", wrong)
        end
        local type_of = getmetatable(target)
        if update[type_of] then
            return update[type_of](target, indices, x, op)
        elseif type_of ~= shared_type and type_of ~= symmetric_type then
            misuse(1, "atomic", "a shared value, a symmetric or a blocked array expected")
        end
        if type_of == shared_type and #indices == 0 and #target[SHAPE] == 1 and target[SHAPE][1] == 1 then
            indices[1] = 1
        end
        check_indices(target[SHAPE], indices, target[WHAT])
        return windows.access(owner_of(target), mype, "update", target[ID], indices, x, op)
    end)
end

-- s.home(a, i, ...)
local function open_home(s, misuse)
    local homes = setmetatable({ [shared_type] = function()
        return 0
    end }, { __mode = "k" })
    windows.homes = homes -- by metatable: for arrays of other files
    s.home = public(function(a, ...)
        local home = homes[getmetatable(a)]
        if not home then
            misuse(1, "home", "a shared value or a blocked array expected")
        end
        return home(a, { ... })
    end)
end

local function open_critical(s, check_function)
    local inside = false
    local run = public(function(f)
        check_function("critical", f)
        if inside then
            error("critical inside critical would wait for itself", 0)
        end
        if s.npes > 1 then
            ask(0, "lock")
        end
        inside = true
        net.inside "critical"
        local results = table.pack(pcall(f))
        net.inside()
        inside = false
        if s.npes > 1 then
            ask(0, "unlock")
        end
        return table.unpack(results, 1, results.n)
    end)
    function s.critical(f)
        return settle(run(f)) -- an error of f as it is
    end
end

function windows.open(s, check, misuse, check_function)
    mype, check_pe = s.mype, check
    net.serve(answer)
    open_shared(s, misuse)
    open_atomic(s, misuse)
    open_home(s, misuse)
    open_critical(s, check_function)
end

return windows
