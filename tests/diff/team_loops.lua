-- Loops of team kernels whose indices count, compiled: at the ends of arrays and of vectors, beyond them, where integers
-- wrap, into memory of threads. Compares with plain Lua; what goes wrong, with the interpreter, which checks every index.
-- Run by team_loops_spec.lua with LUNARRAY_JIT=sync; prints how much was compared.
local lun = require "lunarray"
local plain = require "diff.plain_teams"

local here, compared = lun.use(), 0

local function list(n, f)
    local made = {}
    for i = 1, n do made[i] = f(i) end
    return made
end

local function same(a, b, what)
    assert(#a == #b, what)
    for i = 1, #a do
        if type(a[i]) == "table" then
            same(a[i], b[i], what)
        elseif a[i] ~= b[i] then
            error(("%s: element %d is %s, not %s"):format(what, i, b[i], a[i]))
        end
    end
    compared = compared + 1
end

-- f(t, y, ...) on arrays gives what it does in plain Lua on tables; others: tables and numbers.
local function right(what, how, dtype, y, f, ...)
    local kept, others, arrays = list(#y, function(i) return y[i] end), { ... }, {}
    for k, x in ipairs(others) do arrays[k] = type(x) == "table" and lun.vector(x, dtype == "f32" and dtype or nil) or x end
    local v = lun.vector(y, dtype)
    lun.teams(how)(f, v, table.unpack(arrays))
    plain.run(how, false, f, kept, ...)
    same(kept, v:totable(), what)
end

-- f(t, y, ...) fails as the interpreter says, with this text in it; the next kernel runs.
local function wrong(what, text, how, f, ...)
    local args = { ... }
    local function message(backend)
        lun.use(backend)
        local ok, e = pcall(function() lun.teams(how)(f, lun.zeros(8), table.unpack(args)) end)
        assert(not ok, what)
        return tostring(e)
    end
    local wanted = message "reference"
    assert(wanted:find(text, 1, true) and wanted:find("team_loops.lua:", 1, true), what .. ": " .. wanted)
    local got = message(here)
    assert(got == wanted, ("%s: %s, not %s"):format(what, got, wanted))
    compared = compared + 1
end

local one = { league = 1 }
local eight = lun.range(1, 8) * 1.0

-- Rounds around the lanes of vectors, at both ends of the array.
local function add(_, y, x, low, high)
    for i = low, high do y[i] = x[i] * 2 + y[i] end
end
for _, n in ipairs { 1, 7, 8, 9, 15, 16, 17, 63, 64, 65, 1023, 1024, 1025 } do
    local x, y = list(n, function(i) return i / 4 end), list(n, function(i) return n - i + 0.0 end)
    right("all of " .. n, one, "f64", y, add, x, 1, n)
    right("none of " .. n, one, "f64", y, add, x, 1, 0)
    right("none at the end of " .. n, one, "f64", y, add, x, n + 1, n)
    right("the last of " .. n, one, "f64", y, add, x, n, n)
    right("f32 of " .. n, one, "f32", y, add, x, 1, n)
    right("i64 of " .. n, one, "i64", list(n, function(i) return i end), add,
        list(n, function(i) return i * 3 end), 1, n)
end
for high = 0, 20 do
    right("to " .. high, one, "f64", list(20, function(i) return i + 0.0 end), add, list(20, function(i) return -i + 0.0 end), 1, high)
end

-- Elements of a thread, of which the last one has fewer.
local function daxpy(t, y, x, a)
    for i = t:index(), math.min(t:index() + t:elements() - 1, #y) do y[i] = a * x[i] + y[i] end
end
for _, elements in ipairs { 1, 2, 7, 8, 16, 300 } do
    for _, n in ipairs { 1, 7, 8, 9, 17, 601 } do
        right(("%d by %d"):format(n, elements), { league = (n + elements - 1) // elements, elements = elements }, "f64",
            list(n, function(i) return i + 0.0 end), daxpy, list(n, function(i) return 1 / i end), 0.5)
    end
end

-- An array that is read may be given twice; what is written is read in the order of the program.
right("twice", one, "f64", list(33, function(i) return i + 0.0 end), function(_, y, a, b)
    for i = 1, #a do y[i] = a[i] * b[#b - i + 1] end
end, list(33, function(i) return i + 0.5 end), list(33, function(i) return i - 0.5 end))
do
    local a, y = lun.range(1, 40) * 0.5, lun.zeros(40)
    lun.teams(one)(function(_, to, p, q)
        for i = 1, #p do to[i] = p[i] * q[i] end
    end, y, a, a)
    same((a * a):totable(), y:totable(), "one array twice")
end
right("running", one, "i64", list(70, function(i) return i end), function(_, y)
    for i = 2, #y do y[i] = y[i - 1] + y[i] end
end)
right("backwards", one, "i64", list(70, function(i) return i end), function(_, y)
    for i = 1, #y - 1 do y[i] = y[i + 1] * 3 end
end)
right("shifted far", one, "i64", list(70, function(i) return i end), function(_, y)
    for i = 9, #y do y[i] = y[i - 8] + 1 end
end)

-- Loops in loops, and rounds that depend on the outer ones.
local function square(_, y, n)
    for i = 1, n do
        for j = i, n do y[(i - 1) * n + j] = y[(i - 1) * n + j] + i * 100 + j end
    end
end
for n = 0, 9 do right("triangle of " .. n, one, "i64", list(81, function(i) return i end), square, n) end
right("in a branch", one, "i64", list(40, function(i) return i end), function(_, y, n)
    for i = 1, n do
        if i <= #y then y[i] = i * i end
    end
end, 100)
right("left early", one, "i64", list(40, function(i) return i end), function(_, y, n)
    for i = 1, n do
        if i > 23 then break end
        y[i] = -i
    end
end, 1000)

-- Rows of unequal length, as of a sparse matrix.
right("rows", { league = 3, elements = 2 }, "f64", list(6, function() return 0.0 end), function(t, y, begin, where, what, x)
    for row = t:index(), math.min(t:index() + t:elements() - 1, #y) do
        local sum = 0.0
        for k = begin[row], begin[row + 1] - 1 do sum = sum + what[k] * x[where[k]] end
        y[row] = sum
    end
end, { 1, 1, 4, 5, 5, 9, 10 }, { 2, 3, 1, 4, 1, 2, 3, 4, 2 }, { .5, 1, 2, 3, 4, 5, 6, 7, 8 }, { 1.5, 2.5, 3.5, 4.5 })

-- Memory of a thread, zero at first in each.
local function fill(t, y, n)
    local own = t:private("f64", 12)
    for i = 1, n do
        for j = 1, 4 do own[(i - 1) * 4 + j] = own[(i - 1) * 4 + j] + t:block() * i + j end
    end
    for j = 1, 12 do y[(t:block() - 1) * 12 + j] = own[j] end
end
for n = 0, 3 do right("own memory " .. n, { league = 5 }, "f64", list(60, function() return -1.0 end), fill, n) end
right("own memory at computed places", { league = 3 }, "i64", list(30, function(i) return i end), function(t, y)
    local own = t:private("i64", 10)
    for i = 1, 10 do own[i * 7 % 10 + 1] = i * 3 * t:block() end
    for i = 1, 10 do y[(t:block() - 1) * 10 + i] = own[i] end
end)
for team = 1, 5 do
    right("own memory of threads " .. team, { league = 2, team = team }, "i64", list(team * 8, function(i) return i end),
        function(t, y)
            local own, s, me = t:private("i64", 4), t:scratch("i64", t:threads()), t:thread()
            for i = 1, 4 do own[i] = i * me end
            s[me] = own[4]
            t:barrier()
            for i = 1, 4 do y[((t:block() - 1) * t:threads() + me - 1) * 4 + i] = own[i] + s[t:threads() - me + 1] end
        end)
end

-- Tiles whose last ones are smaller, and indices that only the outer loop moves.
local function product(t, c, a, b, n)
    local i0, j0, across = t:index(1) - 1, t:index(2) - 1, t:elements(2)
    local rows, columns = math.min(t:elements(1), n - i0), math.min(across, n - j0)
    local sums = t:private("f64", t:elements(1) * across)
    for k = 1, n do
        for i = 1, rows do
            for j = 1, columns do
                local at = (i - 1) * across + j
                sums[at] = sums[at] + a[(i0 + i - 1) * n + k] * b[(k - 1) * n + j0 + j]
            end
        end
    end
    for i = 1, rows do
        for j = 1, columns do c[(i0 + i - 1) * n + j0 + j] = sums[(i - 1) * across + j] end
    end
end
for _, n in ipairs { 1, 7, 8, 9, 17 } do
    for _, tile in ipairs { { 1, 8 }, { 4, 4 }, { 8, 8 }, { 3, 5 } } do
        right(("tiles of %d by %d, %d"):format(tile[1], tile[2], n), lun.workdiv({ n, n }, { elements = tile }), "f64",
            list(n * n, function() return 0.0 end), product, list(n * n, function(i) return 1 / i end),
            list(n * n, function(i) return i / 3 end), n)
    end
end
wrong("of an outer loop", "index 9", { league = 1, elements = 4 }, function(t, y, a, n)
    for k = 1, n do
        for j = 1, t:elements() do y[j] = y[j] + a[k] end
    end
end, eight, 9)

-- Indices beyond an array, in the middle of what is walked.
wrong("above", "index 9", one, add, eight, 3, 30)
wrong("below", "index 0", one, add, eight, 0, 4)
wrong("far below", "index -5", one, add, eight, -5, -1)
wrong("the other one", "index 6", one, add, lun.range(1, 5) * 1.0, 1, 8)
wrong("at the largest integer", "index 9223372036854775804", one, add, eight, math.maxinteger - 3, math.maxinteger)
wrong("at the smallest integer", "index -9223372036854775808", one, add, eight, math.mininteger, math.mininteger + 2)
wrong("all integers", "index -9223372036854775808", one, add, eight, math.mininteger, math.maxinteger)
wrong("a row", "index 3", one, function(_, y, a)
    for i = 1, 3 do
        for j = 1, 4 do y[j] = a[i][j] end
    end
end, lun.zeros { 2, 4 })
wrong("a column", "index 5", one, function(_, y, a)
    for i = 1, 2 do
        for j = 1, 6 do y[j] = a[i][j] end
    end
end, lun.zeros { 2, 4 })
wrong("own memory", "index 5", one, function(t, y, n)
    local own = t:private("f64", 4)
    for i = 1, n do own[i] = y[i] end
    for i = 1, 4 do y[i] = own[i] end
end, 5)
wrong("behind a loop that is well", "index 9", one, function(_, y, n)
    for i = 1, 8 do y[i] = i end
    for i = 1, n do y[i + 2] = y[i] end
end, 8)
wrong("from an array", "index 77", one, function(_, y, where)
    for i = 1, #where do y[i] = y[where[i]] end
end, lun.vector({ 1, 2, 77, 4 }, "i64"))
wrong("into a narrow integer", "300", one, function(_, y, z)
    for i = 1, #z do z[i] = i * 100 end
    y[1] = 1
end, lun.zeros(5, "u8"))

-- Indices that wrap around to elements: the same ones as in Lua.
right("wrapped products", one, "i64", list(8, function(i) return i end), function(_, y, far)
    for i = 4, 8 do
        if i % 4 == 0 then y[i * far + 1] = y[i * far + 1] + i end
    end
end, 1 << 62)
right("wrapped sums", one, "i64", list(8, function(i) return i end), function(_, y, a, b)
    for i = 1, 4 do y[i + a + b] = -i end
end, math.maxinteger, math.mininteger + 3)
wrong("wrapped, beyond", "index -9223372036854775808", one, function(_, y, a)
    for i = 1, 4 do y[i + a] = i end
end, math.maxinteger)

-- Forces between near atoms: loops that carry sums, branches that compute floats, and indices out of a list, which may be
-- wrong in the middle of a row.
local function forces(t, fx, u, x, z, size, neighbours, first)
    for i = t:index(), math.min(t:index() + t:elements() - 1, #fx) do
        local sx, su, near, nearest = 0.0, 0.0, 0, 1e300
        for k = first[i], first[i + 1] - 1 do
            local j = neighbours[k]
            local a, b = x[i] - x[j], z[i] - z[j]
            if a > size / 2 then a = a - size elseif a < -size / 2 then a = a + size end
            if b > size / 2 then b = b - size elseif b < -size / 2 then b = b + size end
            local apart = a * a + b * b
            if apart < 4 and apart > 0 then
                local inverse = 1 / apart
                sx, su, near = sx + (inverse - 0.5) * a, su + inverse * inverse, near + 1
            end
            nearest = j ~= i and apart < nearest and apart or nearest
            if b > a then sx = sx * 0.5 end
        end
        fx[i], u[i] = sx + near, su + nearest
    end
end
local function atoms(n, bad)
    local x, z, neighbours, first = {}, {}, {}, { 1 }
    for i = 1, n do
        x[i], z[i] = i * 0.7 % 5, i * i * 0.3 % 5
        for k = 1, i % 6 do neighbours[#neighbours + 1] = (i * 7 + k * 3) % n + 1 end
        first[i + 1] = #neighbours + 1
    end
    if bad then neighbours[9] = bad end -- in the middle of row 4
    return list(n, function() return 0.0 end), x, z, 5.0, neighbours, first
end
for _, n in ipairs { 1, 2, 7, 8, 9, 63, 64, 65, 300 } do
    for _, elements in ipairs { 1, 4 } do
        local how = { league = (n + elements - 1) // elements, elements = elements }
        right(("forces of %d by %d"):format(n, elements), how, "f64", list(n, function() return 0.0 end), forces, atoms(n))
    end
end
for _, bad in ipairs { 0, -3, 65, math.maxinteger } do
    local args = { atoms(64, bad) }
    for k, a in ipairs(args) do args[k] = type(a) == "table" and lun.vector(a) or a end
    wrong("a bad neighbour " .. bad, ("index %d is out of range for array 'x' of length 64"):format(bad),
        { league = 2, elements = 4 }, forces, table.unpack(args))
end

-- Values carried from round to round: chosen by what is divided, as along a line through a grid; left early, or behind
-- the round of the last index; two counters in one loop.
right("through a grid", { league = 9 }, "f64", list(9, function() return 0.0 end), function(t, y, grid)
    local dx, dy = 0.3 + t:block() / 7, 1.1 - t:block() / 9
    local px, py, at, sum = 0, 0, 0.0, 0.0
    for _ = 1, 40 do
        local nx, ny = (px + 1) / dx, (py + 1) / dy
        local next = math.min(nx, ny)
        if px > 7 or py > 7 then break end
        sum = sum + (next - at) * grid[px * 8 + py + 1]
        if next == nx then px = px + 1 else py = py + 1 end
        at = next
    end
    y[t:block()] = sum + px * 100 + py
end, list(64, function(i) return i % 5 + 0.25 end))
for n = 0, 5 do
    right("two counters to " .. n, { league = 3 }, "i64", list(6, function(i) return i end), function(t, y, x, last)
        local j, best, found = #x, -1, 0
        for i = 1, last do
            local d = x[i] - x[j]
            if d > best then best, found = d, i end
            j = j - 1
        end
        y[t:block()], y[t:block() + 3] = best * 10 + found, j
    end, list(5, function(i) return i * 7 % 5 end), n)
end

-- Where the team is, asked for in a loop.
right("numbers of the team", { league = { 2, 3, 4 }, elements = { 1, 1, 5 } }, "i64", list(120, function() return 0 end), function(t, y)
    for i = 1, t:elements() do
        local at = t:index(3) + i - 1
        if i ~= 4 then y[((t:index(1) - 1) * t:blocks(2) + t:block(2) - 1) * 20 + at] = t:block() * 1000 + t:block(3) * 10 + i end
    end
end)

print(compared .. " kernels agree")
