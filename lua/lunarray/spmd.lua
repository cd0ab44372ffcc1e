-- lun.spmd: what several ranks do together. Each runs the whole script; PEs count from 0. Knows no transport: bytes go
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

-- The PE that argument number k of a call is, 0 by default.
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

s.bcast = public(function(x, root)
    root = ready(check_pe, 2, "bcast", root, 0)
    local bytes, large
    if mype == root then
        bytes, large = ready(pack.split, x)
    end
    net.step(("broadcasts from PE %d"):format(root), "a broadcast")
    local k = 0
    return pack.join(net.bcast(root, bytes), function(dtype, shape)
        if mype ~= root then
            return net.bcast_array(root, nil, dtype, shape)
        end
        k = k + 1
        net.bcast_array(root, large[k])
        return large[k]:cast(dtype) -- its own: a write to either leaves the other one alone
    end)
end)

-- The values of all, a list in rank order, on every rank.
local function everyone(x, doing, noun, options)
    local list = net.gather(ready(pack.write, x), doing, noun, options)
    for k, value in ipairs(list) do
        list[k] = pack.read(value)
    end
    return list
end

s.allgather = public(function(x)
    return everyone(x, "gathers", "a gather")
end)

s.gather = public(function(x, root)
    root = ready(check_pe, 2, "gather", root, 0)
    local parts = {}
    for pe = 0, npes - 1 do
        parts[pe + 1] = pe == root and ready(pack.write, x) or ""
    end
    net.step(("gathers to PE %d"):format(root), "a gather")
    local list = net.exchange(parts)
    if mype ~= root then
        return nil
    end
    for k, bytes in ipairs(list) do
        list[k] = pack.read(bytes)
    end
    return list
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
    local parts = {}
    for k = 1, npes do
        parts[k] = pack.write(t[k])
    end
    return parts
end

s.alltoall = public(function(t)
    local parts = ready(parts_of, t)
    net.step("exchanges", "an exchange")
    local list = net.exchange(parts)
    for k, bytes in ipairs(list) do
        list[k] = pack.read(bytes)
    end
    return list
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

-- The values of all for a reduction by op, the function that it is, its name, and this rank's value. id: of an
-- exclusive scan, nil for the operation's own.
local function gather_for(call, op, x, id)
    local f, name
    f, name, x = ready(operands, call, op, x)
    if call == "exscan" and id == nil then
        id = ready(fold.identity, name, x)
    end
    local doing = name == "+" and ("sums %s"):format(pack.kind(x)) or ("reduces %s"):format(pack.kind(x))
    return everyone(x, doing, name == "+" and "a sum" or "a reduction", call .. " " .. name), f, id
end

s.allreduce = public(function(op, x)
    local list, f = gather_for("allreduce", op, x)
    return fold.tree(f, list, npes)
end)

s.reduce = public(function(op, x, root)
    root = ready(check_pe, 3, "reduce", root, 0)
    local list, f = gather_for("reduce", op, x)
    if mype == root then
        return fold.tree(f, list, npes)
    end
end)

s.scan = public(function(op, x)
    local list, f = gather_for("scan", op, x)
    return fold.tree(f, list, mype + 1)
end)

-- PE 0 gets the identity: that of a named operation, or the third argument.
s.exscan = public(function(op, x, id)
    local list, f, identity = gather_for("exscan", op, x, id)
    if mype == 0 then
        return identity
    end
    return fold.tree(f, list, mype)
end)

-- ---------------------------------------------------------------- messages

s.send = public(function(pe, x, tag)
    if check_pe(1, "send", pe) == mype then
        return net.send(pe, tag or 0, pack.write(x))
    end
    local bytes, large = pack.split(x)
    net.send(pe, tag or 0, bytes)
    for _, a in ipairs(large) do
        net.send_array(pe, tag or 0, a)
    end
end)

s.recv = public(function(pe, tag)
    check_pe(1, "recv", pe)
    return pack.join(net.receive(pe, tag or 0), function(dtype, shape)
        return net.receive_array(pe, tag or 0, dtype, shape)
    end)
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

-- What PE 0 has found, results or an error, as bytes.
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

-- The end of a master region: all get the bytes that PE 0 gives.
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

-- Whether all went well, and the results or the script's own error, which is raised as it is.
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
local blockmove = require "lunarray.block.blockmove"
blockmove.open(s, check_pe)
scope.each(blockmove.install)
s.sharedon = require "lunarray.loop.sharedon"

return s
