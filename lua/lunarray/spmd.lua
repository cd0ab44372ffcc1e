-- lun.spmd: collective operations and messages of several ranks. Each runs the whole script; PEs count from 0. Bytes go
-- through core.internal.spmd; windows on other ranks' elements and blocked arrays have files of their own.

local core = require "lunarray.core"
local fold = require "lunarray.ranks.fold"
local pack = require "lunarray.ranks.pack"
local public = require "lunarray.base.public"
local ready = require "lunarray.ranks.ready"
local scope = require "lunarray.base.scope"

local net = core.internal.spmd

local s = {}
s.npes, s.mype = net.start()

local npes, mype = s.npes, s.mype

-- ---------------------------------------------------------------- arguments

local function misuse(argument, call, message)
    error(("bad argument #%d to '%s' (%s)"):format(argument, call, message), 0)
end

-- The PE in argument number k of a call, 0 by default.
local function check_pe(k, call, pe, default)
    if pe == nil then
        pe = default
    end
    if math.type(pe) ~= "integer" or pe < 0 or pe >= npes then
        misuse(k, call, ("a PE from 0 to %d expected, got %s"):format(npes - 1, tostring(pe)))
    end
    return pe
end

local function check_function(call, f)
    if type(f) ~= "function" then
        misuse(1, call, ("function expected, got %s"):format(f == nil and "no value" or type(f)))
    end
end

-- ---------------------------------------------------------------- steps of all

s.barrier, s.barrier_begin, s.barrier_end = net.barrier, net.barrier_begin, net.barrier_end

-- Values are sent as a head, a string, and large arrays, which are moved from memory to memory once all ranks have
-- memory for theirs. Returns the value of a head; arrays: the list of its large ones, nil: they are made, and each(a)
-- is called.
local function open_value(head, arrays, each)
    local k = 0
    return pack.join(head, function(dtype, shape)
        k = k + 1
        if arrays then
            return arrays[k]:cast(dtype) -- a copy: a write to either does not change the other
        end
        local a = net.blank(dtype, shape)
        each(a)
        return a
    end)
end

s.bcast = public(function(x, root)
    root = ready(check_pe, 2, "bcast", root, 0)
    local head, large
    if mype == root then
        head, large = ready(pack.split, x)
    end
    net.step(("broadcasts from PE %d"):format(root), "a broadcast")
    head = net.bcast(root, head)
    local got = large or {}
    local value = ready(open_value, head, large, function(a) got[#got + 1] = a end)
    if #got > 0 then
        net.step("takes arrays", "a broadcast")
        for _, a in ipairs(got) do
            net.bcast_array(root, a)
        end
    end
    return value
end)

local function add(list, pe, a)
    list[#list + 1] = pe
    list[#list + 1] = a
end

-- The values of a step, by PE + 1, from the heads that this rank has got. given: the large arrays for each rank, nil:
-- none. any: whether any rank gives some.
local function open_values(heads, given, any)
    local list, from, to = {}, {}, {}
    ready(function()
        for distance = 0, npes - 1 do
            local source, target = (mype - distance) % npes, (mype + distance) % npes
            if heads[source + 1] then
                list[source + 1] = open_value(heads[source + 1], source == mype and given[mype + 1], function(a)
                    add(from, source, a)
                end)
            end
            for _, a in ipairs(target ~= mype and given[target + 1] or {}) do
                add(to, target, a)
            end
        end
    end)
    if any then
        net.step("takes arrays", "an exchange")
        local count = #to // 2
        net.move(table.move(from, 1, #from, #to + 1, to), count)
    end
    return list
end

-- The same of all ranks, from their heads, and this one's large arrays.
local function open_all(heads, large, goes)
    local given, any = {}, false
    for pe = 0, npes - 1 do
        any = any or pack.is_split(heads[pe + 1])
        heads[pe + 1] = goes(pe, mype) and heads[pe + 1]
        given[pe + 1] = goes(mype, pe) and large or nil
    end
    return open_values(heads, given, any)
end

-- The values of all ranks, by PE + 1, without those of ranks that send none to this one by goes(from, to).
local function everyone(x, goes, doing, noun, options)
    local head, large = ready(pack.split, x)
    return open_all(net.gather(head, doing, noun, options), large, goes)
end

local function to_all()
    return true
end

s.allgather = public(function(x)
    return everyone(x, to_all, "gathers", "a gather")
end)

-- Parts for all ranks, by PE + 1: heads, and lists of large arrays.
local function exchange(heads, given, doing, noun)
    local count = 0
    for k = 1, npes do
        count = count + #(given[k] or {})
    end
    local _, any = net.agree(doing, noun, nil, 0, count, true)
    local got = net.exchange(heads)
    for k, head in ipairs(got) do
        got[k] = head ~= "" and head
    end
    return open_values(got, given, any > 0)
end

s.gather = public(function(x, root)
    root = ready(check_pe, 2, "gather", root, 0)
    local heads, given = {}, {}
    for k = 1, npes do
        heads[k] = ""
    end
    heads[root + 1], given[root + 1] = ready(pack.split, x)
    local list = exchange(heads, given, ("gathers to PE %d"):format(root), "a gather")
    return mype == root and list or nil
end)

local function parts_of(t)
    if type(t) ~= "table" then
        misuse(1, "alltoall", ("a list of %d values expected, got %s"):format(npes, type(t)))
    end
    for k in next, t do
        if math.type(k) == "integer" and (k < 1 or k > npes) then
            misuse(1, "alltoall", ("a list of %d values expected, got one with a value at %d"):format(npes, k))
        end
    end
    local heads, given = {}, {}
    for k = 1, npes do
        heads[k], given[k] = pack.split(t[k])
    end
    return heads, given
end

s.alltoall = public(function(t)
    local heads, given = ready(parts_of, t)
    return exchange(heads, given, "exchanges", "an exchange")
end)

-- ---------------------------------------------------------------- reductions

-- The operation of a call as a function, its name, and this rank's value: truths add up as 0 and 1.
local function operands(call, op, x)
    local f, name = fold.operation(op)
    if not f then
        misuse(1, call, name)
    elseif name ~= "a function" then
        if pack.is_array(x) and select("#", x:shape()) == 0 then
            x = x:value()
        end
        local ok, e = pcall(f, x, x)
        if not ok then
            misuse(2, call, ("%s: %s"):format(name, tostring(e):match "%((.*)%)$" or e))
        end
        if type(x) == "boolean" and (name == "+" or name == "*") then
            x = x and 1 or 0
        elseif pack.is_array(x) and x:dtype() == "bool" and (name == "+" or name == "*") then
            x = x:cast "i64"
        end
    end
    return f, name, x
end

-- What the agreement says of a reduction.
local function words_of(name, x)
    local kind = pack.kind(x)
    return (name == "+" and "sums %s" or "reduces %s"):format(kind), name == "+" and "a sum" or "a reduction"
end

-- The values that this rank combines, for a reduction by op, the function of op, and the identity. goes: as
-- above; id: of an exclusive scan, nil for the operation's own.
local function gather_for(call, op, x, goes, id)
    local f, name
    f, name, x = ready(operands, call, op, x)
    if call == "exscan" and id == nil then
        id = ready(fold.identity, name, x)
    elseif call == "exscan" and pack.is_array(id) then
        ready(id.dtype, id) -- not freed
    end
    local doing, noun = words_of(name, x)
    return everyone(x, goes, doing, noun, call .. " " .. name), f, id
end

-- Large arrays of one dtype and shape are combined by an operation in blocks (prims/api/spmd/reduce_blocks.c).
s.allreduce = public(function(op, x)
    local f, name
    f, name, x = ready(operands, "allreduce", op, x)
    local doing, noun = words_of(name, x)
    local head, large = ready(pack.split, x)
    local heads = net.gather(head, doing, noun, "allreduce " .. name)
    local blocks = pack.is_array(x) and #large == 1 and npes > 1 and name ~= "a function"
        and f(x, x):dtype() == x:dtype()
    for k = 1, blocks and npes or 0 do
        blocks = blocks and heads[k] == head
    end
    if blocks then
        return net.allreduce(name, x)
    end
    return fold.tree(f, open_all(heads, large, to_all), npes)
end)

s.reduce = public(function(op, x, root)
    root = ready(check_pe, 3, "reduce", root, 0)
    local list, f = gather_for("reduce", op, x, function(_, to) return to == root end)
    if mype == root then
        return fold.tree(f, list, npes)
    end
end)

s.scan = public(function(op, x)
    local list, f = gather_for("scan", op, x, function(from, to) return from <= to end)
    return fold.tree(f, list, mype + 1)
end)

-- PE 0 gets the identity: that of a named operation, or the third argument.
s.exscan = public(function(op, x, id)
    local list, f, identity = gather_for("exscan", op, x, function(from, to) return from < to end, id)
    if mype == 0 then
        return identity
    end
    return fold.tree(f, list, mype)
end)

-- ---------------------------------------------------------------- messages

local kept = {} -- the large arrays of each message of this rank to itself that has some, by tags

local function tag_of(tag)
    return tag == nil and 0 or math.tointeger(tonumber(tag)) or tag
end

s.send = public(function(pe, x, tag)
    check_pe(1, "send", pe)
    tag = tag_of(tag)
    local head, large = pack.split(x)
    net.send(pe, tag, head)
    if pe == mype and #large > 0 then
        kept[tag] = kept[tag] or {}
        table.insert(kept[tag], large)
        return
    end
    for _, a in ipairs(large) do
        net.send_array(pe, tag, a)
    end
end)

local opened = {} -- heads of messages for whose arrays there was no memory, by PE and tag

s.recv = public(function(pe, tag)
    check_pe(1, "recv", pe)
    tag = tag_of(tag)
    local key, got = pe .. " " .. tostring(tag), {}
    local head = opened[key] or net.receive(pe, tag)
    opened[key] = head
    local own = pe == mype and pack.is_split(head) and table.remove(kept[tag], 1)
    local value = open_value(head, own, function(a) got[#got + 1] = a end)
    opened[key] = nil
    for _, a in ipairs(got) do
        net.receive_array(pe, tag, a)
    end
    return value
end)

-- ---------------------------------------------------------------- master

local in_region, in_master = false, false -- in a region: all ranks; in master: PE 0

function s.inmaster()
    return in_master
end

local function enter_master()
    net.step("enters master", "master")
    in_region, in_master = true, mype == 0
    if in_master then
        net.inside "master"
    end
    return in_master
end

local error_type = core.internal.error_type

-- The outcome of PE 0, results or an error, as bytes.
local function outcome(ok, ...)
    local e = ...
    if not ok and debug.getmetatable(e) == error_type then
        return pack.write("object", { code = e.code, message = e.message, where = e.where })
    end
    local packed, bytes = pcall(pack.write, ok, ...)
    if packed then
        return bytes
    end
    return pack.write(false, ok and ("a result of master: %s"):format(bytes) or tostring(e))
end

-- Ends a master region: broadcasts PE 0's bytes.
local function leave_master(bytes)
    in_region = false
    if in_master then
        in_master = false
        net.inside()
    end
    net.step("leaves master", "the end of master")
    if npes > 1 then
        bytes = net.bcast(0, bytes)
    end
    return bytes
end

local function settle(ok, ...)
    if ok == "object" then
        error(setmetatable((...), error_type), 0)
    elseif not ok then
        error((...), 0)
    end
    return ...
end

-- Whether it succeeded, and the results or the script's own error, which is raised unchanged.
local run_master = public(function(f)
    ready(check_function, "master", f)
    local bytes
    if enter_master() then
        bytes = outcome(pcall(f))
    end
    return pack.read(leave_master(bytes))
end)
local begin_master = public(enter_master)

function s.master(f)
    if f == nil then
        return begin_master()
    end
    return settle(run_master(f))
end

local end_master = public(function(...)
    if not in_region then
        ready(error, "endmaster without master", 0)
    end
    return pack.read(leave_master(mype == 0 and outcome(true, ...) or nil))
end)

function s.endmaster(...)
    return settle(end_master(...))
end

-- ---------------------------------------------------------------- other ranks' elements

require("lunarray.ranks.shared").open(s, check_pe, misuse)

require "lunarray.block.blockreduce"
require "lunarray.block.blockmethods"
require "lunarray.block.blocklogical"
require "lunarray.block.blocknames"
require "lunarray.block.blockrow"
local blockmove = require "lunarray.block.blockmove"
require "lunarray.block.blockrecords"
blockmove.open(s, check_pe)
scope.each(blockmove.install)
s.sharedon = require "lunarray.loop.sharedon"
s.atomic = require "lunarray.loop.atomic"(s.atomic)

return s
