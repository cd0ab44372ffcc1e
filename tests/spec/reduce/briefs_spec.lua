-- Reductions of many lines of few elements: each line against plain Lua in the order that is promised, and with the bits of
-- the same reduction of that line as a Vector, in every layout, by any number of threads, on every backend.
local lun = require "lunarray"
local shell = require "shell"
local expect = require "expect"

local nan, inf = 0.0 / 0.0, 1.0 / 0.0

local function f32(x)
    return (string.unpack("<f", string.pack("<f", x)))
end

-- The sum of a line in 64 lanes, folded in halves: what a Vector of less than 64 elements gives.
local function summed(line)
    local lane = {}
    for k = 1, 64 do
        lane[k] = 0.0 + (line[k] or 0.0)
    end
    for _, half in ipairs { 32, 16, 8, 4, 2, 1 } do
        for k = 1, half do
            lane[k] = lane[k] + lane[k + half]
        end
    end
    return lane[1]
end

local function bits(x)
    return x ~= x and "nan" or string.pack("<d", x)
end

-- Numbers whose sums depend on the order, zeros of both signs, NaN and infinities among them.
local function numbers(n, round)
    local list, state = {}, 12345
    for i = 1, n do
        state = (state * 1103515245 + 12345) % 2147483648
        local x = (state / 2147483648 - 0.5) * 10.0 ^ (state % 7)
        if state % 97 == 0 then
            x = ({ nan, inf, -inf })[state // 97 % 3 + 1]
        elseif state % 11 < 4 then
            x = -0.0
        end
        list[i] = round(x)
    end
    return list
end

local function itself(x)
    return x
end

-- The rows of A as lists.
local function lines_of(list, k)
    local lines = {}
    for i = 1, #list // k do
        lines[i] = table.move(list, (i - 1) * k + 1, i * k, 1, {})
    end
    return lines
end

-- The same elements in other places of memory; each has k elements in a line along its last axis.
local function layouts(A)
    local n, k = A:shape()
    local left = A:copy { layout = "left" }
    local wide = lun.full({ n, k + 3 }, 7, A:dtype())
    wide:sub({}, { 2, k + 1 }):set(A)
    local down = A:sub({ -1, 1, -1 }, {}):copy():sub({ -1, 1, -1 }, {})
    local back = A:sub({}, { -1, 1, -1 }):copy():sub({}, { -1, 1, -1 })
    local every = lun.zeros({ 2 * n, k }, A:dtype())
    every:sub({ 1, -1, 2 }, {}):set(A)
    return {
        right = A, left = left, among = wide:sub({}, { 2, k + 1 }), down = down, back = back, every = every:sub({ 1, -1, 2 }, {}),
    }
end

local LEAST = 1 << 15

describe("a reduction of many short lines", function()
    for _, k in ipairs { 1, 2, 3, 4, 5, 7, 8, 9, 12, 16, 31, 32, 33 } do
        it("adds lines of " .. k .. " in the order of a Vector, in every layout and on every backend", function()
            local n = LEAST // k + 37
            for dtype, round in pairs { f32 = f32, f64 = itself } do
                local list = numbers(n * k, round)
                local wanted, lines = {}, lines_of(list, k)
                for i, line in ipairs(lines) do
                    wanted[i] = bits(round(summed(line)))
                end
                expect.everywhere(function(backend)
                    local A = lun.vector(list, dtype):reshape(n, k):eval()
                    for name, B in pairs(layouts(A)) do
                        if backend ~= "reference" or name == "right" or name == "left" then
                            local got = B:sum(2):totable()
                            local across = B:transpose():sum(1):totable()
                            for i = 1, n do
                                if bits(got[i]) ~= wanted[i] or bits(across[i]) ~= wanted[i] then
                                    error(("%s, %s, %s: line %d"):format(backend, dtype, name, i))
                                end
                            end
                        end
                    end
                end)
            end
        end)
    end

    it("gives the bits of each line as a Vector, whatever the reduction and the dtype", function()
        local k, n = 5, LEAST // 5 + 11
        local names = { "sum", "prod", "min", "max", "mean", "var", "std", "any", "all", "count", "argmin", "argmax", "norm" }
        for _, dtype in ipairs { "f32", "f64", "i8", "u8", "i32", "i64", "u64", "bool" } do
            local A = (lun.random({ n, k }, { seed = 3 }) * 200):cast(dtype):copy()
            if dtype == "f32" or dtype == "f64" then
                A = A - 100
                A:sub({ 1, -1, 7 }, { 2, 2 }):fill(nan)
                A:sub({ 2, -1, 9 }, {}):fill(-0.0)
                A:sub({ 3, -1, 9 }, {}):fill(1e7)
                A:sub({ 4, -1, 21 }, { 1, 3 }):fill(inf)
                A = A:eval()
            end
            for _, name in ipairs(names) do
                local got = A[name](A, { axis = 2 })
                local t = got:dtype()
                local list = got:totable()
                for i = 1, n, 131 do
                    local own = A[i]:copy()
                    local wanted = own[name](own)
                    if t == "bool" and type(wanted) ~= "boolean" then
                        wanted = wanted == 1
                    end
                    if t == "f32" and wanted == wanted then
                        wanted = f32(wanted)
                    end
                    local same = wanted == list[i] and (wanted ~= 0 or type(wanted) == "boolean" or
                        math.type(wanted) == "integer" or 1 / wanted == 1 / list[i])
                    assert(same or wanted ~= wanted and list[i] ~= list[i],
                        ("%s of %s, line %d: %s, %s expected"):format(name, dtype, i, list[i], wanted))
                end
            end
        end
    end)

    it("is one kernel with what is made of it", function()
        local A = lun.random({ LEAST // 4, 6 }, { seed = 4, dtype = "f32" }):copy()
        for _, make in ipairs {
            function() return A:mean(2) end, function() return A:std { axis = 2 } end, function() return A:argmax(2) end,
            function() return A - A:mean { axis = 2, keep = true } end, function() return (A:sum(2) + 1):sqrt() end,
            function() return A:flatten():windows(7):mean(2) end,
        } do
            local before = lun.stats().launches
            make():eval()
            assert.is_true(lun.stats().launches - before <= 2)
        end
        assert.equal(1, #lun.explain(A:std { axis = 2 }))
    end)

    it("leaves NaN out where that is asked for", function()
        local k, n = 3, LEAST // 3 + 5
        local list = numbers(n * k, itself)
        local A = lun.vector(list):reshape(n, k):eval()
        local sums, greatest, counts = A:sum { axis = 2, skipnan = true }:totable(), A:max { axis = 2, skipnan = true }:totable(),
            A:count { axis = 2, skipnan = true }:totable()
        for i, line in ipairs(lines_of(list, k)) do
            local there, most, some = {}, nan, 0
            for j, x in ipairs(line) do
                there[j] = x == x and x or 0.0
                some = some + (x == x and x ~= 0 and 1 or 0)
                if x == x and (most ~= most or x > most) then
                    most = x
                end
            end
            assert(bits(sums[i]) == bits(summed(there)), i)
            assert(most == greatest[i] or most ~= most and greatest[i] ~= greatest[i], i)
            assert(counts[i] == some, i)
        end
    end)

    it("takes windows that overlap, and expressions", function()
        local n = LEAST // 7 + 3
        local list = numbers(n + 6, f32)
        local x = lun.vector(list, "f32"):eval()
        for _, make in ipairs {
            { itself, function(v) return v end },
            { function(v) return f32(f32(v * 2.0) + 1.0) end, function(v) return v * 2 + 1 end },
        } do
            local got = make[2](x):windows(7):sum(2):totable()
            for i = 1, n do
                local line = {}
                for k = 1, 7 do
                    line[k] = make[1](list[i + k - 1])
                end
                assert(bits(got[i]) == bits(f32(summed(line))), i)
            end
        end
    end)

    it("stays as it was when its array changes, and is an error where it was one", function()
        local A = lun.ones { LEAST, 2 }
        local sums = A:sum(2)
        A:fill(5)
        assert.equal(2.0 * LEAST, sums:sum())
        local B = lun.ones({ LEAST, 2 }, "i64")
        B[7][2] = 0
        expect.failure("attempt to perform 'n//0'", function() return (B // B):sum(2):eval() end)
    end)

    it("has the same bits on 1 to 8 threads, compiled or not", function()
        local path = shell.write(os.tmpname(), [[
            local lun = require "lunarray"
            local out = {}
            for _, k in ipairs { 2, 3, 6, 7, 8, 11, 16, 32 } do
                for _, t in ipairs { "f32", "f64", "u8", "i16" } do
                    local A = (lun.random({ 200000 // k + 3, k }, { seed = k }) * 100):cast(t):eval()
                    for _, name in ipairs { "sum", "mean", "std", "max", "argmax" } do
                        out[#out + 1] = A[name](A, { axis = 2 }):tobytes()
                    end
                end
            end
            local all, h = table.concat(out), 0
            for i = 1, #all - 8, 8 do h = (h ~ string.unpack("<i8", all, i)) * 0x100000001b3 end
            print(#all, string.format("%016x", h))]])
        local wanted
        for _, way in ipairs { "openmp 1 sync", "openmp 2 sync", "openmp 3 auto", "openmp 5 sync", "openmp 8 sync", "reference 2 off" } do
            local backend, threads, jit = way:match "(%w+) (%d) (%w+)"
            local text = shell.capture(("LUNARRAY_BACKEND=%s LUNARRAY_THREADS=%s LUNARRAY_JIT=%s %s %s 2>&1"):format(backend, threads,
                jit, shell.interpreter(), path))
            wanted = wanted or text
            assert.truthy(text:find "^%d+%s%x+\n$", text)
            assert.equal(wanted, text, way)
        end
        os.remove(path)
    end)
end)
