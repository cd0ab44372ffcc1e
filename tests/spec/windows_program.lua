-- Random programs on windows: arrays are cut, turned, broadcast, combined and written to, each step on the engine and
-- on index_model's lists. After every write all arrays must be equal in every element, so also around the window.
-- Run by windows_spec.lua; by itself for a number of threads and a backend of the environment:
--
--     lunarray tests/spec/windows_program.lua <first seed> <last seed> <extents, as 0,1,64>

package.path = "tests/?.lua;tests/spec/?.lua;" .. package.path

local lun = require "lunarray"
local model = require "index_model"

local M = {}

M.extents = { 0, 1, 2, 3, 3, 5, 63, 64, 65, 100 }

local DTYPES = { "f32", "f64", "i64", "i32", "u8", "i16", "u32", "f16" }
local MOST = 20000 -- elements of an array

local function describe(shape)
    return "[" .. table.concat(shape, ", ") .. "]"
end

local function same(wanted, got, what)
    local values = model.values(wanted)
    local list = got:size() > 0 and got:read(1, got:size()) or {}
    if describe(wanted.shape) ~= describe { got:shape() } then
        error(("%s has the shape %s, %s expected"):format(what, describe { got:shape() }, describe(wanted.shape)))
    end
    for k = 1, math.max(#values, #list) do
        if values[k] ~= list[k] then
            error(("%s %s: element %d is %s, %s expected"):format(what, describe(wanted.shape), k, list[k], values[k]))
        end
    end
end

-- Functions of two elements, numbers 0 to 96, on arrays and on numbers.
local COMBINE = {
    -- the first has one operand
    { function(x) return 96 - x end, function(x) return 96 - x end },
    { function(x, y) return lun.max(x, y) end, math.max },
    { function(x, y) return lun.min(x, y) end, math.min },
    { function(x, y) return lun.where(x:gt(y), y, x) end, function(x, y) return x > y and y or x end },
    { function(x, y) return lun.where(y:gt(48), x, 96 - y) end, function(x, y) return y > 48 and x or 96 - y end },
}

-- One program: its state, and steps as methods.
local Program = {}
Program.__index = Program

-- Xorshift.
function Program:below(n)
    local x = self.state
    x = x ~ x << 13
    x = x ~ x >> 7
    x = x ~ x << 17
    self.state = x
    return (x >> 11) % n
end

function Program:one(list)
    return list[self:below(#list) + 1]
end

function Program:new_base()
    local rank, shape, n = self:below(3) + 1, {}, 1
    for d = 1, rank do
        repeat
            shape[d] = self:one(self.extents)
        until n * shape[d] <= MOST * self.scale
        n = n * shape[d]
    end
    local cells, offset = {}, self:below(97)
    for k = 1, n do
        cells[k] = (k * 31 + offset) % 97
    end
    local m = model.new(shape, cells)
    local index = ((lun.index(n) * 31 + offset) % 97):cast(self.dtype):reshape(shape)
    local a = index -- not evaluated, or without any memory below it, or in memory
    local how = self:below(7)
    if how > 3 and rank > 1 and n > 0 then -- in another order of axes, with gaps, or not evaluated
        local strides, step = {}, self:below(2) + 1
        for d = 1, rank do
            local axis = how == 4 and d or (d % rank) + 1
            strides[axis], step = step, step * shape[axis] + (how == 6 and self:below(3) or 0)
        end
        a = index:copy { layout = strides }
        a = how == 5 and 96 - (96 - a) or a
    elseif how == 0 then
        a = index:copy()
    elseif how == 1 then
        a = 96 - (96 - index:copy())
    elseif how == 2 then
        a:eval()
    end
    return { real = a, model = m }
end

function Program:add(item)
    if #self.items < 14 then
        self.items[#self.items + 1] = item
    else
        self.items[self.bases + 1 + self:below(14 - self.bases)] = item
    end
end

local cut = {}

-- {first, last, step} tables, some of which reach beyond the array.
function cut.sub(p, a, shape)
    local parts = {}
    for d, n in ipairs(shape) do
        local part = {}
        if p:below(3) > 0 then
            part[1] = p:below(n + 4) - 1
            if p:below(2) == 0 then
                part[1] = -part[1]
            end
            part[2] = p:below(2) == 0 and p:below(n + 4) - 1 or nil
        end
        if p:below(2) == 0 then
            part[3] = p:one { 1, 2, 3, 7, -1, -2, -5 }
            part[1] = part[1] or (part[3] < 0 and -1 or 1)
        end
        parts[d] = part
    end
    local count = p:below(#parts) + 1
    local few = table.move(parts, 1, count, 1, {})
    if count == 1 and few[1][1] and p:below(2) == 0 then
        return a.real:sub(few[1][1], few[1][2], few[1][3]), model.sub(a.model, few)
    end
    return a.real:sub(table.unpack(few)), model.sub(a.model, few)
end

function cut.select(p, a, shape)
    local axis = p:below(#shape) + 1
    if #shape < 2 or shape[axis] == 0 then
        return nil
    end
    local i = p:below(shape[axis]) + 1
    local m = model.select(a.model, axis, i)
    if axis == 1 and p:below(2) == 0 then
        return a.real[i], m
    elseif axis == 1 and p:below(2) == 0 then
        return a.real:row(i - shape[1] - 1), m
    elseif axis == 2 and p:below(2) == 0 then
        return a.real:col(i), m
    end
    return a.real:select(axis - #shape - 1, i), m
end

function cut.transpose(p, a, shape)
    local axes, named = {}, {}
    for k = 1, #shape do
        axes[k] = k
    end
    for k = #axes, 2, -1 do
        local j = p:below(k) + 1
        axes[k], axes[j] = axes[j], axes[k]
    end
    for k, axis in ipairs(axes) do
        named[k] = p:below(2) == 0 and axis or axis - #shape - 1
    end
    return a.real:transpose(named), model.transpose(a.model, axes)
end

function cut.diagonal(p, a, shape)
    if #shape < 2 then
        return nil
    end
    local k = p:below(5) - 2
    return a.real:diagonal(k), model.diagonal(a.model, k)
end

function cut.windows(p, a, shape)
    local axis = p:below(#shape) + 1
    if #shape > 3 or shape[axis] == 0 or #a.model.at > 3000 then
        return nil
    end
    local w, step = math.min(shape[axis], p:below(5) + 1), p:below(4) + 1
    return a.real:windows(w, { axis = axis, step = step }), model.windows(a.model, w, axis, step)
end

function cut.view(p, a)
    local n, shape = #a.model.at, {}
    for _ = 1, p:below(3) do
        local d = p:one { 1, 2, 3, 5, 8 }
        if n % d == 0 and n > 0 then
            shape[#shape + 1], n = d, n // d
        end
    end
    shape[#shape + 1] = n
    local wanted = table.move(shape, 1, #shape, 1, {})
    if n > 0 then
        wanted[#wanted] = -1
    end
    local ok, window = pcall(a.real.view, a.real, wanted)
    if not ok then
        assert(tostring(window):find("without a copy", 1, true), window)
        window = a.real:reshape(wanted)
        return window, model.new(shape, model.values(a.model)), true
    end
    return window, model.view(a.model, shape)
end

function cut.broadcast(p, a, shape)
    local wide = {}
    for d, n in ipairs(shape) do
        wide[d] = n == 1 and p:below(4) or n
    end
    if p:below(2) == 0 and #a.model.at < 2000 and #shape < 4 then
        table.insert(wide, 1, p:below(3))
    end
    return a.real:broadcast(wide), model.broadcast(a.model, wide)
end

local CUTS = { "sub", "sub", "sub", "select", "transpose", "transpose", "diagonal", "windows", "view", "broadcast" }

function Program:cut()
    local a = self:one(self.items)
    local shape = a.model.shape
    if #shape == 0 or #a.model.at > 3 * MOST * self.scale then
        return
    end
    local how = self:one(CUTS)
    local window, m, value = cut[how](self, a, shape)
    if window then
        assert(window:kind() == "View" or value, window:kind())
        -- of windows by `windows` it is not always seen that they share nothing
        self:add { real = window, model = m, may_be_refused = a.may_be_refused or how == "windows" }
    end
end

-- Something that can be stored into an array of that shape, or nearly so.
function Program:source(a)
    local b, c = self:one(self.items), self:one(self.items)
    local what = self:below(4)
    if what == 0 then
        local x = self:below(97)
        return x, model.new({}, { x })
    elseif what == 1 then
        return b.real, b.model
    end
    if self:below(2) == 0 then
        b = a -- what is overlapped by its own window
    end
    local f, n = self:one(COMBINE), 1
    for _, extent in ipairs(model.common { b.model.shape, c.model.shape } or {}) do
        n = n * extent
    end
    if n > 3 * MOST * self.scale then
        return nil
    end
    local result = f == COMBINE[1] and model.apply(f[2], b.model) or model.apply(f[2], b.model, c.model)
    local ok, e = pcall(f[1], b.real, c.real)
    if not ok or not result then
        assert(not ok and not result, "one of engine and model refused " .. describe(b.model.shape) .. " with "
            .. describe(c.model.shape) .. ": " .. tostring(e))
        return nil
    end
    return e, result
end

function Program:store()
    local a = self:one(self.items)
    local e, m = self:source(a)
    if e == nil or #a.model.shape == 0 then
        return
    end
    local fits = model.stored(m, a.model.shape)
    local shape, rows = a.model.shape, a.model
    local ok, problem
    local how = self:below(4)
    if how == 0 and #shape > 1 and shape[1] > 0 then
        local i = self:below(shape[1]) + 1
        rows = model.select(a.model, 1, i)
        fits = model.stored(m, rows.shape)
        ok, problem = pcall(function() a.real[i] = e end)
    elseif how == 1 and lun.isarray(e) then
        local copy = lun.map(function(x) return x end, { out = self.dtype })
        ok, problem = pcall(copy.run, copy, { e, out = a.real })
    elseif how == 2 and type(e) == "number" then
        ok, problem = pcall(a.real.fill, a.real, e)
    elseif how == 3 and lun.isarray(e) and describe(m.shape) == describe(shape) then
        ok, problem = pcall(e.copyto, e, a.real)
    else
        ok, problem = pcall(a.real.set, a.real, e)
    end
    if not ok and tostring(problem):find("share an element", 1, true) then
        assert(model.shares(rows) or a.may_be_refused, "a window that shares no elements is refused")
    elseif fits then
        assert(ok, problem)
        model.set(rows, m)
    else
        local text = ok and "stored what does not fit" or tostring(problem)
        assert(text:find "does not broadcast to" or text:find "lengths differ", text)
    end
    self:check_bases()
end

-- x[2 ..] = x[.. n-1], along some axis and in both directions.
function Program:shift()
    local a = self:one(self.items)
    local shape = a.model.shape
    if #shape == 0 or a.may_be_refused or model.shares(a.model) then
        return
    end
    local axis, front, back = self:below(#shape) + 1, {}, {}
    for d = 1, #shape do
        front[d], back[d] = {}, {}
    end
    front[axis], back[axis] = { 1, -2 }, { 2, -1 }
    if self:below(2) == 0 then
        front, back = back, front
    end
    local to = a.real:sub(table.unpack(front))
    to:set(a.real:sub(table.unpack(back)))
    model.set(model.sub(a.model, front), model.sub(a.model, back))
    self:check_bases()
end

function Program:element()
    local a = self:one(self.items)
    local w, index = a.real, {}
    for d, n in ipairs(a.model.shape) do
        if n == 0 then
            return
        end
        index[d] = self:below(n) + 1
    end
    local rank = #index
    if rank == 0 then
        return
    end
    local m = a.model
    for d = 1, rank - 1 do
        w = w[index[d]]
        m = model.select(m, 1, index[d])
    end
    local k = index[rank]
    assert(w[k] == model.values(m)[k])
    if self:below(2) == 0 and not model.shares(a.model) then
        local x = self:below(97)
        w[k - #m.at - 1] = x
        m.cells[m.at[k]] = x
        self:check_bases()
    end
end

-- An expression that is looked at later: it keeps the elements of now.
function Program:keep()
    local e, m = self:source(self:one(self.items))
    if lun.isarray(e) then
        m = model.new(m.shape, model.values(m))
        if self.kept and self:below(2) == 0 then
            same(self.kept.model, self.kept.real, "an old expression")
        end
        self.kept = { real = e - 0, model = m }
    end
end

function Program:look()
    local a = self:one(self.items)
    local what = self:below(4)
    if what == 0 then
        same(a.model, a.real, "a window")
    elseif what == 1 then
        local sum = 0
        for _, x in ipairs(model.values(a.model)) do
            sum = sum + x
        end
        if self.dtype ~= "f16" or sum < 2048 then -- sums of f16 are rounded to it
            local got = a.real:sum()
            assert(got == sum, ("a sum is %s, %s expected"):format(got, sum))
        end
    elseif what == 2 then
        a.real:eval()
    else
        tostring(a.real)
    end
end

function Program:check_bases()
    for i = 1, self.bases do
        local a = self.items[i]
        same(a.model, a.real, "array " .. i)
    end
end

local STEPS = { "cut", "cut", "cut", "cut", "store", "store", "store", "shift", "element", "keep", "look", "look" }

-- Runs a program; raises what goes wrong, with its seed.
function M.run(seed, extents, steps, scale)
    local p = setmetatable({ state = seed * 0x9E3779B97F4A7C15 + 1, items = {}, extents = extents or M.extents, scale = scale or 1 },
        Program)
    for _ = 1, 8 do
        p:below(2)
    end
    p.dtype = p:one(DTYPES)
    p.bases = p:below(3) + 1
    for i = 1, p.bases do
        p.items[i] = p:new_base()
    end
    local ok, problem = xpcall(function()
        for _ = 1, steps or 60 do
            p[p:one(STEPS)](p)
        end
        for _, a in ipairs(p.items) do
            same(a.model, a.real, "in the end a window")
        end
        if p.kept then
            same(p.kept.model, p.kept.real, "in the end an old expression")
        end
    end, debug.traceback)
    if not ok then
        error(("program %d, %s: %s"):format(seed, p.dtype, problem), 0)
    end
end

if arg and arg[0] and arg[0]:find "windows_program.lua$" then
    local extents = {}
    for n in (arg[3] or ""):gmatch "%d+" do
        extents[#extents + 1] = tonumber(n)
    end
    for seed = tonumber(arg[1]), tonumber(arg[2]) do
        M.run(seed, extents[1] and extents, tonumber(arg[4]), tonumber(arg[5]))
    end
    print "good"
end

return M
