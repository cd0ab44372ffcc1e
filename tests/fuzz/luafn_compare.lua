-- One random Lua function on backends, bit for bit: f64 and i64 elements against the VM, f32 and i32 ones
-- against the first backend.
--
--   local compare = dofile "tests/fuzz/luafn_compare.lua"
--   compare(seed, number, "f64" | "f32", backends [, ranks]) -> "same" | "skipped" | "different", message
--
-- Every second pair of numbers gives a function that calls the engine's operations, too. With ranks, it indexes
-- arrays of two and three dimensions: as they are, in another layout, transposed, in a frame, not yet computed.
--
-- LUNARRAY_JIT=sync makes the compiled backends answer themselves.
local lun = require "lunarray"
local gen = dofile "tests/fuzz/luafn_gen.lua"

local ROWS = 200

local function column(rows, k)
    local out = {}
    for r = 1, #rows do out[r] = rows[r][k] end
    return out
end

local layouts = {
    function(a) return a end,
    function(a) return a:copy { layout = "left" } end,
    function(a) return a:transpose():copy():transpose() end,
    function(a)
        local shape, cut = { a:shape() }, {}
        for k, n in ipairs(shape) do
            shape[k], cut[k] = 2 * n + 3, { 2 * n, 2, -2 }
        end
        local window = lun.full(shape, 77, a:dtype()):sub(table.unpack(cut))
        window:set(a)
        return window
    end,
    function(a) return a * 1 end,
}

-- Elements are x and k; y and n come from captured arrays.
local function on_backend(text, captured, rows, mode, number)
    local whole = mode == "f32" and "i32" or "i64"
    captured = { table.unpack(captured) }
    for k = 6, #captured do
        captured[k] = layouts[(number + k) % #layouts + 1](lun.vector(captured[k][2], captured[k][1]))
    end
    local f = load(text, "=random")(lun.vector(captured[1][2], captured[1][1]),
        lun.vector(captured[2][2], captured[2][1]), table.unpack(captured, 3))
    local ys, ns = lun.vector(column(rows, 2), mode), lun.vector(column(rows, 3), whole)
    local a, b, c = lun.zip(function(x, k) return f(x, ys[k], ns[k], k) end)(
        lun.vector(column(rows, 1), mode), lun.index(#rows))
    lun.eval(a, b, c)
    return a:totable(), b:totable(), c:totable()
end

-- Counts instructions, so that a function that runs for ever is skipped.
local function in_vm(text, captured, rows)
    captured = { table.unpack(captured) }
    for _, k in ipairs { 1, 2, 6, 7 } do captured[k] = captured[k] and captured[k][2] end
    local f = load(text, "=random")(table.unpack(captured, 1, 7))
    local out = { {}, {}, {} }
    for r, row in ipairs(rows) do
        local co = coroutine.create(f)
        debug.sethook(co, function() error("too long", 0) end, "", 200000)
        local ok, a, b, c = coroutine.resume(co, table.unpack(row))
        if not ok then return nil end
        out[1][r], out[2][r], out[3][r] = a, b, c
    end
    return out
end

local function compare(given, wanted, rows)
    for k = 1, 3 do
        for r = 1, #rows do
            if not gen.same(given[k][r], wanted[k][r]) then
                return ("result %d of row %d (%s %s %s %d): %s, not %s"):format(k, r, rows[r][1], rows[r][2],
                    rows[r][3], rows[r][4], tostring(given[k][r]), tostring(wanted[k][r]))
            end
        end
    end
end

return function(seed, number, mode, backends, ranks)
    local text, captured, rows =
        gen.program(seed, number, { real = mode, operations = number % 4 < 2, ranks = ranks }, ROWS)
    local wanted = in_vm(text, captured, rows)
    if not wanted then return "skipped" end
    for _, backend in ipairs(backends) do
        lun.use(backend)
        local given = table.pack(pcall(on_backend, text, captured, rows, mode, number))
        if mode == "f32" and backend == backends[1] and given[1] then
            wanted = { table.unpack(given, 2) } -- the VM knows no f32
        end
        local message = not given[1] and tostring(given[2]) or compare({ table.unpack(given, 2) }, wanted, rows)
        if message then
            return "different", ("seed %d number %d (%s) on %s: %s"):format(seed, number, mode, backend, message)
        end
    end
    return "same"
end
