-- A blocked array as one .npy file: each rank writes its own elements into it, or sends them to PE 0 where it cannot
-- reach the file. Knows no transport.

local blocked = require "lunarray.block.blocked"
local core = require "lunarray.core"
local dtypes = require "lunarray.base.dtypes"
local file = require "lunarray.format.file"
local npy = require "lunarray.format.npy"
local pack = require "lunarray.ranks.pack"
local raw = require "lunarray.format.raw"
local spread = require "lunarray.block.spread"

local net = core.internal.spmd
local _, mype = net.start()

-- Calls f(place in the part, place in the file, number) for each run of a PE's elements that stand next to each other
-- in row-major order; places from 0. f gives true, or nil, message, errno, which ends it.
local function each_run(s, pe, f)
    local first, count = spread.box(s, pe)
    local d, run = #count, 1
    while d > 1 and count[d] == s.shape[d] do
        run, d = run * count[d], d - 1
    end
    run = run * count[d]
    if spread.size(count) == 0 then
        return true
    end
    for k = 0, spread.size(count) // run - 1 do
        local rest, place, stride = k, 0, 1
        for e = #count, 1, -1 do
            local i = first[e] - 1
            if e < d then
                i, rest = i + rest % count[e], rest // count[e]
            end
            place, stride = place + i * stride, stride * s.shape[e]
        end
        local ok, message, code = f(k * run, place, run)
        if not ok then
            return nil, message, code
        end
    end
    return true
end

-- Writes the bytes of a PE's elements where they belong, behind `head` bytes.
local function write_bytes(handle, head, size, s, pe, bytes)
    return each_run(s, pe, function(from, to, count)
        local ok, message, code = handle:seek("set", head + to * size)
        if ok then
            ok, message, code = handle:write(bytes:sub(from * size + 1, (from + count) * size))
        end
        return ok, message, code
    end)
end

-- The file as another rank sees it; nil where it is not there, or another one.
local function reach(name, mark, mark_at)
    local handle = io.open(name, "r+b")
    if handle and handle:seek("set", mark_at) and handle:read(#mark) == mark then
        return handle
    elseif handle then
        handle:close()
    end
    return nil
end

-- What all ranks do once PE 0 has the file, `handle` there: their elements are written. True, or nil, message, errno.
local function share(a, handle, name, head, mark, mark_at)
    local s, part, npes = blocked.spread_of(a), blocked.part_of(a):reshape(-1), net.start()
    local size, parts = dtypes.by_name[a:dtype()].bytes, {}
    if mype > 0 and name then
        handle = reach(name, mark, mark_at)
    end
    for pe = 1, npes do
        parts[pe] = pe == 1 and not handle and part:tobytes() or ""
    end
    parts = net.exchange(parts) -- all have looked at the mark when it is over
    local ok, message, code = true, nil, nil
    if handle then
        ok, message, code = each_run(s, mype, function(from, to, count)
            local own = part:sub(from + 1, from + count)
            return core.internal.write_by_ranks(handle, name, head + to * size, mark_at, mark, own)
        end)
    end
    for pe = 1, mype == 0 and npes - 1 or 0 do
        local bytes = parts[pe + 1]
        if ok and bytes ~= "" then
            ok, message, code = write_bytes(handle, head, size, s, pe, bytes)
        end
    end
    if handle and mype > 0 then
        local closed, why, number = handle:close()
        if ok then
            ok, message, code = closed, why, number
        end
    end
    for _, bytes in ipairs(net.gather(pack.write(ok and true, message, code))) do
        local went, why, number = pack.read(bytes)
        if not went then
            return nil, why, number
        end
    end
    return true
end

-- PE 0's file: the head, and behind its full length a mark by which other ranks know it. What lun.save gives.
local function write_file(path, a, head)
    local bytes, told = a:size() * dtypes.by_name[a:dtype()].bytes, false
    local function fill(handle, name)
        local length = #head + bytes
        local temporary, message, code = name()
        local mark = temporary
        if mark then
            mark, message, code = file.mark(handle, length)
        end
        if not mark then
            return nil, message, code
        end
        told = true
        net.bcast(0, pack.write(temporary, #head, mark, length))
        local ok
        ok, message, code = share(a, handle, temporary, #head, mark, length)
        if not ok then
            return nil, message, code
        end
        return core.internal.cut(handle, length)
    end
    local results = table.pack(pcall(core.internal.writing, file.write, path, raw.pieces { head, fill }))
    if not told then
        net.bcast(0, pack.write(false))
    end
    return results
end

-- Whether `path` is a file to be written so: no device or pipe. PE 0 decides.
local function is_plain(path)
    local plain
    if mype == 0 then
        local _, kind = core.internal.target(path)
        plain = pack.write(kind ~= "other")
    end
    return pack.read(net.bcast(0, plain))
end

-- lun.save of a blocked array to a .npy file by several ranks: its results, the same on all; false where PE 0 has to
-- write it alone. A step of all ranks.
return function(path, a)
    local head = npy.head(a)
    if not head or a:size() == 0 then
        return false
    end
    blocked.evaluated(a)
    net.step(("saves %s"):format(blocked.kind_of(a)), "a save", path)
    if not is_plain(path) then
        return false
    end
    local results
    if mype == 0 then
        results = write_file(path, a, head)
        results = pack.write(table.unpack(results, 1, results.n))
    else
        local name, head_length, mark, mark_at = pack.read(net.bcast(0))
        if name then
            share(a, nil, name, head_length, mark, mark_at)
        end
    end
    return table.pack(pack.read(net.bcast(0, results)))
end
