-- lun.spmd: what several ranks do together. Each runs the whole script; PEs count from 0. Knows no transport: bytes go
-- through core.internal.spmd; windows on other ranks' elements and blocked arrays have files of their own.

local core = require "lunarray.core"
local fold = require "lunarray.fold"
local pack = require "lunarray.pack"
local public = require "lunarray.public"

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
    root = check_pe(2, "bcast", root, 0)
    local bytes = mype == root and pack.write(x) or nil
    net.step(("broadcasts from PE %d"):format(root), "a broadcast")
    return npes == 1 and x or pack.read(net.bcast(root, bytes))
end)

-- The values of all, a list in rank order, on every rank.
local function everyone(x, doing, noun, options)
    local list = net.gather(pack.write(x), doing, noun, options)
    for k, value in ipairs(list) do
        list[k] = pack.read(value)
    end
    return list
end

s.allgather = public(function(x)
    return everyone(x, "gathers", "a gather")
end)

s.gather = public(function(x, root)
    root = check_pe(2, "gather", root, 0)
    local parts = {}
    for pe = 0, npes - 1 do
        parts[pe + 1] = pe == root and pack.write(x) or ""
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

s.alltoall = public(function(t)
    if type(t) ~= "table" then
        misuse(1, "alltoall", ("a list of %d values expected, got %s"):format(npes, type(t)))
    end
    local parts = {}
    for k = 1, npes do
        parts[k] = pack.write(t[k])
    end
    net.step("exchanges", "an exchange")
    local list = net.exchange(parts)
    for k, bytes in ipairs(list) do
        list[k] = pack.read(bytes)
    end
    return list
end)

-- ---------------------------------------------------------------- reductions

-- The values of all for a reduction by op, the function that it is, and its name.
local function gather_for(call, op, x)
    local f, name = fold.operation(op)
    if not f then
        misuse(1, call, name)
    end
    local doing = name == "+" and ("sums %s"):format(pack.kind(x)) or ("reduces %s"):format(pack.kind(x))
    return everyone(x, doing, name == "+" and "a sum" or "a reduction", call .. " " .. name), f, name
end

s.allreduce = public(function(op, x)
    local list, f = gather_for("allreduce", op, x)
    return fold.tree(f, list)
end)

s.reduce = public(function(op, x, root)
    root = check_pe(3, "reduce", root, 0)
    local list, f = gather_for("reduce", op, x)
    if mype == root then
        return fold.tree(f, list)
    end
end)

s.scan = public(function(op, x)
    local list, f = gather_for("scan", op, x)
    return fold.tree(f, table.move(list, 1, mype + 1, 1, {}))
end)

-- PE 0 gets the identity: that of a named operation, or the third argument.
s.exscan = public(function(op, x, id)
    local list, f, name = gather_for("exscan", op, x)
    if mype > 0 then
        return fold.tree(f, table.move(list, 1, mype, 1, {}))
    elseif id == nil then
        id = fold.identity(name, x)
    end
    return id
end)

-- ---------------------------------------------------------------- messages

s.send = public(function(pe, x, tag)
    net.send(check_pe(1, "send", pe), tag or 0, pack.write(x))
end)

s.recv = public(function(pe, tag)
    return pack.read(net.receive(check_pe(1, "recv", pe), tag or 0))
end)

-- ---------------------------------------------------------------- master

local in_master = false

function s.inmaster()
    return in_master
end

local function enter_master()
    net.step("enters master", "master")
    in_master = mype == 0
    if in_master then
        net.inside "master"
    end
    return in_master
end

-- What PE 0 has found, results or an error, as bytes.
local function outcome(ok, ...)
    if not ok then
        return pack.write(false, tostring((...)))
    end
    local packed, bytes = pcall(pack.write, true, ...)
    return packed and bytes or pack.write(false, ("a result of master: %s"):format(bytes))
end

-- The end of a master region: all get the bytes that PE 0 gives.
local function leave_master(bytes)
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
    if not ok then
        error((...), 0)
    end
    return ...
end

-- Whether all went well, and the results or the script's own error, which is raised as it is.
local run_master = public(function(f)
    check_function("master", f)
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

s.endmaster = public(function(...)
    return settle(pack.read(leave_master(mype == 0 and pack.write(true, ...) or nil)))
end)

-- ---------------------------------------------------------------- other ranks' elements

require("lunarray.shared").open(s, check_pe, misuse)

require "lunarray.blockreduce"
require "lunarray.blockmethods"
local blockmove = require "lunarray.blockmove"
blockmove.open(s, check_pe)
blockmove.install(package.loaded.lunarray)
s.sharedon = require "lunarray.sharedon"

return s
