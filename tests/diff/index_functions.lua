-- Random functions of indices that read captured arrays of one to three dimensions, as texts, and what they give in
-- the Lua VM on nested tables.  The same seed and number give the same function.
local M = {}

local random = math.random

local function pick(list)
    return list[random(#list)]
end

-- A nested table of these extents; f: the element at its indices.
function M.nested(extents, f, ...)
    local at = select("#", ...) + 1
    if at > #extents then return f(...) end
    local list = {}
    for x = 1, extents[at] do
        local index = { ... }
        index[at] = x
        list[x] = M.nested(extents, f, table.unpack(index))
    end
    return list
end

-- t, so that an index out of range raises an error.
local function guarded(t)
    if type(t) ~= "table" then return t end
    local copy = {}
    for k, v in ipairs(t) do copy[k] = guarded(v) end
    local function fail() error("out of range", 0) end
    return setmetatable(copy, { __index = fail, __newindex = fail })
end

-- ---------------------------------------------------------------- the text of one function

local box, arrays, real, rows, names, lines, inner
local targets -- of lun.each: the element of each array that a round assigns, { head =, tail = }, and may read
local shared  -- of lun.each: arrays of which a round assigns one element that others may assign as well

-- An index for an axis of n elements.
local function index(n)
    local k = random(10)
    if k <= 6 then
        local axis = random(#box)
        local first, last = box[axis][1], box[axis][2]
        local low, high = 1 - first, n - last
        if low <= high or random(12) == 1 then
            local shift = low <= high and random(low, high) or random(-1, 1)
            if random(25) == 1 then shift = shift + random(-1, 1) end
            if shift == 0 then return names[axis] end
            return pick { "%s + %d", "%s - %d" }:gsub("%%s", names[axis])
                :gsub("([+-]) %%d", function(sign) return ("%s %d"):format(sign, sign == "+" and shift or -shift) end)
        end
    end
    if k <= 8 then return tostring(random(n)) end
    local from = inner and random() < 0.5 and inner or pick(names)
    return ("(%s * %d) %% %d + 1"):format(from, random(-3, 3), n)
end

local function access()
    if #targets > 0 and random() < 0.3 then
        local t = pick(targets)
        return t.head .. t.tail
    end
    if #rows > 0 and random() < 0.3 then
        local row = pick(rows)
        local text = row.name
        for at = row.from, #row.extents do text = text .. "[" .. index(row.extents[at]) .. "]" end
        return text
    end
    local a = pick(arrays)
    local text = a.name
    for _, n in ipairs(a.extents) do text = text .. "[" .. index(n) .. "]" end
    return text
end

local value

local function condition(d)
    local k = random(5)
    if k <= 3 then return ("%s %s %d"):format(pick(names), pick { "<", ">", "==", "<=", "~=" }, random(-1, 5)) end
    if k == 4 then return ("%s > %s"):format(value(d - 1), value(d - 1)) end
    return ("%s %% 2 == 0"):format(pick(names))
end

function value(d)
    local k = random(12)
    if d <= 0 or k <= 5 then return k == 1 and (real and "0.5" or "3") or k == 2 and pick(names) or access() end
    if k <= 9 then return ("(%s %s %s)"):format(value(d - 1), pick { "+", "-", "*" }, value(d - 1)) end
    if k == 10 then return ("(%s and %s or %s)"):format(condition(d), value(d - 1), value(d - 1)) end
    if k == 11 then return ("math.max(%s, %s)"):format(value(d - 1), value(d - 1)) end
    return ("half(%s)"):format(value(d - 1))
end

local function put(...)
    lines[#lines + 1] = (...):format(select(2, ...))
end

-- An index for each axis, not each of the box's once.
local function shared_index(extents)
    local list, seen, own = {}, {}, 0
    for at, n in ipairs(extents) do
        list[at] = "[" .. index(n) .. "]"
        local name = list[at]:match "^%[([ijk])%]$" or list[at]:match "^%[([ijk]) [+-] %-?%d+%]$"
        if name and not seen[name] then own = own + 1 end
        if name then seen[name] = true end
    end
    if own == #box then list[#list] = ("[(%s * 2) %% %d + 1]"):format(pick(names), extents[#extents]) end
    return table.concat(list)
end

-- The assignment of a round to an array of `shared`.
local function share(t)
    t.used = true
    local element, x = t.name .. shared_index(t.extents), value(2) .. (real and " + 0.0" or "")
    if t.how == "=" then
        put("%s = %s", element, x)
    elseif #t.how == 1 then
        local turn = t.how ~= "-" and random() < 0.3
        put("%s = %s %s %s", element, turn and "(" .. x .. ")" or element, t.how, turn and element or "(" .. x .. ")")
    else
        put("%s = %s(%s, %s)", element, t.how, t.turn and x or element, t.turn and element or x)
    end
end

-- Which arrays of `shared` a round may have assigned so far; given a list: from now on those.
local function assigned(list)
    local now = {}
    for at, t in ipairs(shared) do
        now[at] = t.used
        if list then t.used = list[at] end
    end
    return now
end

local function statement(d)
    local open = not inner and random(4) == 1 and shared[1] and pick(shared)
    if open and not open.used then return share(open) end
    local k = random(#targets > 0 and 18 or 10)
    local a = pick(arrays)
    if k > 10 then
        local t = pick(targets)
        put(k == 11 and "do local t = %s; t%s = %s end" or k <= 14 and "%s%s = %s + acc" or "%s%s = %s", t.head, t.tail,
            value(2) .. (real and " + 0.0" or ""))
        return
    end
    if k == 1 and #a.extents > 1 then
        local name = "r" .. #lines
        put("local %s = %s[%s]", name, a.name, index(a.extents[1]))
        rows[#rows + 1] = { name = name, extents = a.extents, from = 2 }
    elseif k <= 3 and d > 0 then
        put("if %s then", condition(1))
        local kept, before = #rows, assigned()
        statement(d - 1)
        for at = #rows, kept + 1, -1 do rows[at] = nil end
        if random() < 0.5 then
            local first = assigned(before)
            put("else")
            statement(d - 1)
            for at = #rows, kept + 1, -1 do rows[at] = nil end
            for at, t in ipairs(shared) do t.used = t.used or first[at] end
        end
        put("end")
    elseif k <= 5 and d > 0 and not inner then
        inner = "s"
        put("for s = %d, %s do", random(0, 2), pick { "3", "#" .. a.name, "2" })
        local kept = #rows
        statement(d - 1)
        for at = #rows, kept + 1, -1 do rows[at] = nil end
        put("end")
        inner = nil
    else
        put("acc = acc + %s", value(2))
    end
end

-- An element of its own for each round, in an array of the box's rank: each variable once, in some order.
local function target(name)
    local order, extents = {}, {}
    for axis = 1, #box do table.insert(order, random(axis), axis) end
    local t = { head = name, tail = "" }
    for at, axis in ipairs(order) do
        local first, last = box[axis][1], box[axis][2]
        local shift = random() < 0.85 and random(1 - first, 2 - first) or random(-2, 2)
        extents[at] = random() < 0.85 and math.max(1, last + shift + random(0, 1)) or random(1, 5)
        t.head = t.head .. t.tail
        t.tail = ("[%s %s %d]"):format(names[axis], shift < 0 and "-" or "+", math.abs(shift))
    end
    return t, extents
end

-- A case of lun.each: the same, and targets, which are arrays too.
function M.each_case(seed, number)
    return M.case(seed, number, true)
end

-- An array of any rank that a round may assign anywhere: one of rules 2 and 3.
local function sharing(name)
    local t = { name = name, extents = {}, turn = random() < 0.5,
        how = pick(real and { "=", "=", "+", "-", "*", "math.min", "math.max" }
            or { "=", "=", "+", "-", "*", "&", "|", "~", "math.min", "math.max" }) }
    for at = 1, random(3) do t.extents[at] = random() < 0.5 and math.max(1, box[random(#box)][2]) or random(1, 6) end
    return t
end

-- { text =, box = { {first, last}, ... }, real =, arrays = { { name =, extents =, elements = }, ... } }
function M.case(seed, number, assigns)
    math.randomseed(seed, number)
    real = random() < 0.5
    box, arrays, rows, lines, inner, targets, shared = {}, {}, {}, {}, nil, {}, {}
    names = { "i", "j", "k", table.unpack({}) }
    local rank = random(3)
    for axis = 1, rank do
        local first = random() < 0.6 and 1 or random(-1, 3)
        box[axis] = { first, first + random(0, 6) - (random(20) == 1 and 1 or 0) }
    end
    names = table.move(names, 1, rank, 1, {})
    for k, name in ipairs { "P", "Q", "R" } do
        local extents = {}
        for at = 1, k do extents[at] = random() < 0.5 and math.max(1, box[random(rank)][2]) or random(1, 6) end
        arrays[k] = { name = name, extents = extents,
            elements = M.nested(extents, function() return real and random(-40, 40) / 8 or random(-9, 9) end) }
    end
    local all = table.move(arrays, 1, 3, 1, {})
    local function add(name, extents)
        all[#all + 1] = { name = name, extents = extents,
            elements = M.nested(extents, function() return real and random(-40, 40) / 8 or random(-9, 9) end) }
    end
    for k = 1, assigns and random(2) or 0 do
        local extents
        targets[k], extents = target(k == 1 and "S" or "T")
        add(k == 1 and "S" or "T", extents)
    end
    if assigns and #targets < 2 then add("T", { 1 }) end
    for k = 1, assigns and random(0, 2) or 0 do
        shared[k] = sharing(k == 1 and "U" or "V")
        add(shared[k].name, shared[k].extents)
    end
    for _ = 1, random(3) do statement(2) end
    for _, t in ipairs(shared) do
        if not t.used and random() < 0.7 then share(t) end
    end
    if assigns then put("%s%s = acc", targets[1].head, targets[1].tail) end
    local text = ("local P, Q, R, S, T, U, V = ...\nlocal function half(x) return x * %s end\nreturn function(%s)\nlocal acc = %s\n%s\n"
        .. "return acc\nend"):format(real and "0.5" or "2", table.concat(names, ", "), real and "0.0" or "0",
        table.concat(lines, "\n"))
    return { text = text, box = box, real = real, arrays = all }
end

-- What the VM gives: a list in row-major order, or nil where it raises an error; and what it was given.
function M.by_vm(case)
    local given = {}
    for k, a in ipairs(case.arrays) do given[k] = guarded(a.elements) end
    local f = assert(load(case.text, "=script"))(table.unpack(given))
    local list = {}
    local function walk(at, ...)
        if at > #case.box then
            list[#list + 1] = f(...)
            return
        end
        for x = case.box[at][1], case.box[at][2] do
            local indices = { ... }
            indices[at] = x
            walk(at + 1, table.unpack(indices))
        end
    end
    local ok = pcall(walk, 1)
    return ok and list or nil, given
end

return M
